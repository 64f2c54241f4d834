// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/faults/fault.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "backends/selftest/faults/fault_family.h"
#include "backends/selftest/faults/fault_place.h"
#include "spec/ir/module.h"

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

// Makes a fault that is restricted to some instructions ("maximum.drops-nan@=f64") or a member of a
// family ("add/operand-zero/1@=f32[3]").
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

}  // namespace hlocts::backends
