// SPDX-License-Identifier: Apache-2.0
// Joins the results of named rewrites that a compiler may have applied.
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"

namespace hlocts::reference {

const std::vector<RewriteMatch>& SetInterpreter::RewritesOf(const Computation& computation) {
  static const auto* none = new std::vector<RewriteMatch>();
  // Computations of other modules are replacements, which are not rewritten again.
  if (computation.parent() != &module_) return *none;
  auto [found, inserted] = rewrites_.try_emplace(&computation);
  if (inserted) found->second = FindRewrites(computation, profile());
  return found->second;
}

absl::Status SetInterpreter::JoinRewrites(const Instruction& instruction,
                                          const std::vector<std::vector<SetValue>>& values,
                                          const Walk& walk, std::vector<SetValue>& results) {
  for (const RewriteMatch& match : RewritesOf(*instruction.parent())) {
    if (match.instruction != &instruction) continue;
    std::vector<std::vector<SetValue>> arguments(walk.devices.size());
    for (size_t d = 0; d < walk.devices.size(); ++d) {
      for (const Instruction* operand : match.operands) {
        arguments[d].push_back(values[operand->index()][d]);
      }
    }
    HLOCTS_ASSIGN_OR_RETURN(std::vector<SetValue> replaced,
                            Run(*match.replacement->entry(), std::move(arguments), walk));
    for (size_t d = 0; d < walk.devices.size(); ++d) {
      results[d] = JoinValues(results[d], replaced[d]);
    }
  }
  return absl::OkStatus();
}

}  // namespace hlocts::reference
