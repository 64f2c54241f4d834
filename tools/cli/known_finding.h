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
  std::string name;  // of its directory in results/findings; "" if no expectation has the failure
  findings::Finding finding;
  std::string same;  // the reason of the expectation: what this failure has of the finding's defect
  bool is_minimal = false;  // `shrink` made the module

  // Returns "REASON (finding NAME: TITLE)"; for a question, also the reading that permits this.
  std::string ToText() const;
  std::string ToLine() const;  // the same as a line below a verdict
  void AddTo(nlohmann::ordered_json& verdict) const;
};

// Returns for a question why the documents allow another reading, or "" for another finding.
std::string QuestionText(const findings::Finding& finding);

// Returns the finding to which an expectation links the failure. The expectation is found by the
// failure's signature (ExpectationList::Explaining) and the properties of module and arguments.
// For a fail or crash of an engine that has a list without such an expectation, `name` is "".
std::optional<KnownFinding> KnownFindingOf(reports::Verdict verdict, const fuzz::Sample& sample,
                                           bool is_minimal = false);

}  // namespace hlocts::tools
