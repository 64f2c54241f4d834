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
  std::string name;  // of the directory in results/findings
  findings::Finding finding;

  // "finding NAME: TITLE", and for a question the reading that permits the value.
  std::string ToText() const;
  std::string ToLine() const;  // as a line below a verdict
  nlohmann::ordered_json ToJson() const;
};

// "a question: the documents allow another reading: ..."; "" if the finding is no question.
std::string QuestionText(const findings::Finding& finding);

// Returns the finding to which the engine's list of known failures links the failure, by its
// signature (ExpectationList::Explaining) and the properties of the module and its arguments.
std::optional<KnownFinding> KnownFindingOf(const reports::Verdict& verdict,
                                           const fuzz::Sample& sample);

}  // namespace hlocts::tools
