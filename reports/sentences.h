// SPDX-License-Identifier: Apache-2.0
// Finds the sentences of the documents about the operation of a failure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict_fwd.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {

// The sentence of a clause that defines the operation's value.
struct ClauseSentence {
  std::string id, text, source, address;
  std::string ruling;  // path of the ruling that interprets the clause for this failure, or ""
};
// Returns the sentences that spec/clauses/of_opcodes.txt lists for the operation of the verdict's
// failure, or for the facts on which it depends, with the rulings that apply to the failure.
// Returns no sentence if the documents have none or the registry cannot be read.
std::vector<ClauseSentence> SentencesOf(const Verdict& verdict);

// Returns "x[3] = 0, y[3] = inf" for the operands of a failure, or "".
std::string OperandsText(const VerdictFailure& failure);

// Returns a report's sentences about the facts on which a failure depends, one per paragraph.
std::string FactSentences(const VerdictFailure& failure, const std::string& backend);

// Returns "integer.division: x/0 = -1 ... (target xla_cpu)" for a fact of the
// engine named `backend`. The file is omitted if no target of that name declares the fact.
std::string FactText(const std::string& fact, const std::string& backend);

// Returns the names of the facts that narrow a freedom.
std::vector<std::string> FactsOfFreedom(absl::string_view freedom);
// Returns the clauses of these operations that the freedom's ruling interprets.
std::vector<std::string> ClausesOfFreedom(absl::string_view freedom,
                                          const std::set<std::string>& opcodes);
// Returns "subnormals (spec/rulings/0036-subnormals.md)" for a name of spec/ops/freedoms.def.
std::string FreedomText(const std::string& freedom);

}  // namespace hlocts::reports
