// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/faults/fault.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/selftest/faults/fault_family.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"

namespace hlocts::backends {

absl::string_view FaultClassName(FaultClass fault_class) {
  constexpr absl::string_view kNames[] = {"index-clamping",   "index-type",   "padding",
                                          "window",           "in-place",     "nan",
                                          "signed-zero",      "comparator",   "group-order",
                                          "accumulate-type",  "trip-count",   "dropped-tail",
                                          "swapped-operands", "stale-buffer", "numeric-error",
                                          "integer",          "movement",     "rewrite",
                                          "partition",        "text",         "inference",
                                          "literal"};
  return kNames[static_cast<size_t>(fault_class)];
}

bool IsSharedLayer(FaultClass fault_class) { return fault_class >= FaultClass::kText; }

const std::vector<Fault>& AllFaults() {
  static const std::vector<Fault>* faults = [] {
    auto* all = new std::vector<Fault>();
    for (auto add :
         {AddIndexFaults, AddBranchFaults, AddWindowFaults, AddInPlaceFaults, AddValueFaults,
          AddIntegerFaults, AddOrderFaults, AddSortFaults, AddGroupFaults, AddAccumulateFaults,
          AddLoopFaults, AddTailFaults, AddMovementFaults, AddRewriteFaults, AddPartitionFaults,
          AddTextFaults, AddInferenceFaults, AddLiteralFaults}) {
      add(*all);
    }
    std::stable_sort(all->begin(), all->end(),
                     [](const Fault& a, const Fault& b) { return a.fault_class < b.fault_class; });
    return all;
  }();
  return *faults;
}

namespace {

// Returns a fault that is restricted to some instructions ("maximum.drops-nan@=f64"), or a member
// of a family ("add/operand-zero/1@=f32[3]").
std::optional<Fault> MakeFault(absl::string_view id) {
  const size_t at = id.find('@');
  if (at == absl::string_view::npos) return MakeFamilyFault(id);
  const absl::string_view name = id.substr(0, at), words = id.substr(at + 1);
  for (const Fault& fault : AllFaults()) {
    if (fault.id == name) return FaultAt(fault, words);
  }
  std::optional<Fault> whole = MakeFamilyFault(name);
  return whole ? FaultAt(*whole, words) : std::nullopt;
}

bool Holds(const Instruction& instruction, absl::string_view word) {
  const bool wanted = !absl::ConsumePrefix(&word, "!");
  const std::string name(word);
  const bool found = PropertyNamesOf(instruction).count(name) > 0 ||
                     PeculiaritiesOfModule(instruction).count(name) > 0 ||
                     absl::StrContains(LineOf(instruction), word);
  return found == wanted;
}

}  // namespace

const Fault* FindFault(absl::string_view id) {
  for (const Fault& fault : AllFaults()) {
    if (fault.id == id) return &fault;
  }
  // Members of families are made on request and kept.
  static std::mutex mutex;
  static auto* made = new std::map<std::string, Fault, std::less<>>();
  std::lock_guard<std::mutex> lock(mutex);
  auto found = made->find(std::string(id));
  if (found != made->end()) return &found->second;
  std::optional<Fault> fault = MakeFault(id);
  return fault ? &made->emplace(std::string(id), *std::move(fault)).first->second : nullptr;
}

absl::string_view PermittedBy(absl::string_view id) {
  static constexpr absl::string_view kPermitted[][2] = {
      {"reduce.computation-arguments-swapped", "ruling 0021"},
      {"reduce-window.computation-arguments-swapped", "ruling 0021"},
      {"reduce-window.init-twice", "sentence reduce.17"},
      {"rng.same-numbers-again", "no sentence that tells two draws apart"},
  };
  for (const auto& [permitted, by] : kPermitted) {
    if (permitted == id) return by;
  }
  return "";
}

bool AppliesTo(const Fault& fault, const Module& module) {
  if (fault.opcodes.empty()) return true;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (std::find(fault.opcodes.begin(), fault.opcodes.end(), instruction->opcode()) !=
          fault.opcodes.end()) {
        return true;
      }
    }
  }
  return false;
}

Literal FaultSite::Evaluate(const Instruction& other, std::vector<Literal> others,
                            Literal otherwise) {
  reference::Evaluator evaluator = reference::EvaluatorOf(other.opcode());
  if (evaluator == nullptr) return otherwise;
  bool was_busy = std::exchange(memory.busy, true);
  absl::StatusOr<Literal> value = evaluator(context, other, absl::MakeSpan(others));
  memory.busy = was_busy;
  return value.ok() ? *std::move(value) : otherwise;
}

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
