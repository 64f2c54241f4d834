// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/faults/fault_place.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

bool Holds(const Instruction& instruction, absl::string_view word) {
  const bool wanted = !absl::ConsumePrefix(&word, "!");
  const std::string name(word);
  const bool found = PropertyNamesOf(instruction).count(name) > 0 ||
                     PeculiaritiesOfModule(instruction).count(name) > 0 ||
                     absl::StrContains(LineOf(instruction), word);
  return found == wanted;
}

}  // namespace

std::string LineOf(const Instruction& instruction) {
  PrintOptions options = PrintOptions::Short();
  options.result_layouts = false;
  options.large_constants = false;
  options.extra_attributes = true;
  const std::string printed = PrintInstruction(instruction, options);
  std::vector<std::string> operands;
  for (const Instruction* operand : instruction.operands())
    operands.push_back(operand->shape().ToString(/*with_layout=*/false));
  const size_t open = printed.find(absl::StrCat(" ", OpcodeName(instruction.opcode()), "("));
  const size_t close = printed.find("), ", open);
  std::string line =
      absl::StrCat("=", instruction.shape().ToString(/*with_layout=*/false),
                   OpcodeName(instruction.opcode()), "(", absl::StrJoin(operands, ","), ")",
                   close == std::string::npos ? "" : printed.substr(close + 1));
  line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
  return line;
}

std::optional<Fault> FaultAt(const Fault& whole, absl::string_view words) {
  const bool one_by_one = whole.before || whole.after || whole.module_edit || whole.refuses ||
                          !whole.skipped_rule.empty();
  if (!one_by_one || words.empty()) return std::nullopt;
  const std::vector<std::string> all = absl::StrSplit(words, '&');
  auto here = [all](const Instruction& instruction) {
    return std::all_of(all.begin(), all.end(),
                       [&](const std::string& word) { return Holds(instruction, word); });
  };
  Fault fault = whole;
  absl::StrAppend(&fault.id, "@", words);
  absl::StrAppend(&fault.what, ", only where: ", words);
  if (whole.before)
    fault.before = [here, act = whole.before](FaultSite& site) {
      if (here(site.instruction)) act(site);
    };
  if (whole.after)
    fault.after = [here, act = whole.after](FaultSite& site) {
      if (here(site.instruction)) act(site);
    };
  if (whole.module_edit)
    fault.module_edit = [here, act = whole.module_edit](Instruction& i) {
      return here(i) && act(i);
    };
  if (whole.refuses)
    fault.refuses = [here, act = whole.refuses](const Instruction& i) { return here(i) && act(i); };
  if (!whole.skipped_rule.empty()) fault.rule_skipped_if = here;
  return fault;
}

}  // namespace hlocts::backends
