// SPDX-License-Identifier: Apache-2.0
// Recognises a failure that results/findings describes.
#pragma once

#include <optional>
#include <string>

#include "fuzz/triage/sample.h"
#include "nlohmann/json_fwd.hpp"
#include "reports/finding_file.h"
#include "reports/verdict_fwd.h"

namespace hlocts::tools {

struct KnownFinding {
  std::string name;           // of its directory in results/findings; "" if no entry links one
  findings::Finding finding;  // without a name, only `question` is set
  std::string same;  // the reason of the expectation: what this failure has of the finding's defect
  bool is_minimal = false;  // `shrink` made the module

  bool HasEntry() const { return !name.empty() || !same.empty(); }
  // Returns "REASON (finding NAME: TITLE)"; for a question, also the reading that permits this.
  std::string ToText() const;
  std::string ToLine() const;  // the same as a line below a verdict
  void AddTo(nlohmann::ordered_json& verdict) const;
};

// Returns for a question why the documents allow another reading, or "" for another finding.
std::string QuestionText(const findings::Finding& finding);

// Returns the entry of the engine's list that expects the failure, with the finding that it links.
// The entry is that of the verdict's case, or is found by the failure's signature
// (ExpectationList::Explaining) and the properties of module and arguments. A fail or crash of an
// engine whose list has no such entry gives a result without an entry.
std::optional<KnownFinding> KnownFindingOf(reports::Verdict verdict, const fuzz::Sample& sample,
                                           bool is_minimal = false);

}  // namespace hlocts::tools
