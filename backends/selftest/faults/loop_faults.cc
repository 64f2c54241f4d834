// SPDX-License-Identifier: Apache-2.0
// Faults of loops and branches: wrong trip counts, and wrong branches (as in
// tensorflow/tensorflow#123067, openxla/xla#42042).
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kTripsMax = 100'000;

// Evaluates a loop's condition and body, so that a fault can change the number of trips.
class Loop {
 public:
  explicit Loop(FaultSite& site)
      : site_(site),
        condition_(*site.instruction.CalledComputation(Attr::kCondition)),
        body_(*site.instruction.CalledComputation(Attr::kBody)),
        state_(site.operands[0]) {}

  bool Holds(const Literal& state) {
    absl::StatusOr<Literal> value = site_.context.Call(condition_, {state});
    return value.ok() && ReadInteger(*value, 0) != 0;
  }
  Literal Next(const Literal& state) {
    absl::StatusOr<Literal> next = site_.context.Call(body_, {state});
    return next.ok() ? *std::move(next) : state;
  }
  Literal& state() { return state_; }

 private:
  FaultSite& site_;
  const Computation& condition_;
  const Computation& body_;
  Literal state_;
};

bool HasDeviceOrHostEffects(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      Family family = RowOf(instruction->opcode()).family;
      if (family == Family::kCollective || family == Family::kChannel) return true;
    }
  }
  return false;
}

using Rerun = void (*)(Loop&);
void Run(Rerun rerun, FaultSite& site) {
  if (HasDeviceOrHostEffects(*site.instruction.parent()->parent())) return;
  site.memory.busy = true;
  Loop loop(site);
  rerun(loop);
  *site.result = loop.state();
  site.memory.busy = false;
}

void OneTripLess(Loop& loop) {
  for (int64_t trip = 0; trip < kTripsMax && loop.Holds(loop.state()); ++trip) {
    Literal next = loop.Next(loop.state());
    if (!loop.Holds(next)) return;
    loop.state() = next;
  }
}
void OneTripMore(Loop& loop) {
  for (int64_t trip = 0; trip < kTripsMax && loop.Holds(loop.state()); ++trip) {
    loop.state() = loop.Next(loop.state());
  }
  loop.state() = loop.Next(loop.state());
}
void AtLeastOneTrip(Loop& loop) {
  for (int64_t trip = 0; trip < kTripsMax && (trip == 0 || loop.Holds(loop.state())); ++trip) {
    loop.state() = loop.Next(loop.state());
  }
}
// Runs the loop as if it were unrolled by two without a remainder loop.
void OddTripDropped(Loop& loop) {
  for (int64_t trip = 0; trip < kTripsMax && loop.Holds(loop.state()); ++trip) {
    Literal next = loop.Next(loop.state());
    if (!loop.Holds(next)) return;
    loop.state() = loop.Next(next);
  }
}
void AtMost16Trips(Loop& loop) {
  for (int64_t trip = 0; trip < 16 && loop.Holds(loop.state()); ++trip) {
    loop.state() = loop.Next(loop.state());
  }
}

// Runs no trips if the step does not divide the distance to the bound.
void UnevenStepIsNoTrip(Loop& loop) {
  const Literal first = loop.state();
  if (!first.shape().IsTuple() || first.elements().empty()) return OneTripLess(loop);
  const Literal& counter = first.elements()[0];
  if (!counter.shape().IsScalar() || !IsInteger(counter.element_type())) {
    while (loop.Holds(loop.state())) loop.state() = loop.Next(loop.state());
    return;
  }
  int64_t start = ReadInteger(counter, 0), step = 0, trips = 0;
  while (trips < kTripsMax && loop.Holds(loop.state())) {
    loop.state() = loop.Next(loop.state());
    if (trips++ == 0) step = ReadInteger(loop.state().elements()[0], 0) - start;
  }
  if (trips == 0 || step == 0) return;
  // If the step divides the distance between start and limit, the condition must also be true for a
  // counter that is one less than the final one.
  Literal nearer = loop.state();
  WriteInteger(nearer.mutable_elements()[0], 0, ReadInteger(nearer.elements()[0], 0) - 1);
  if (step > 1 && !loop.Holds(nearer)) loop.state() = first;
}

bool SwapBranches(Instruction& instruction) {
  Computation* yes = instruction.CalledComputation(Attr::kTrueComputation);
  Computation* no = instruction.CalledComputation(Attr::kFalseComputation);
  if (yes != nullptr && no != nullptr) {
    instruction.Set(Attr::kTrueComputation, no);
    instruction.Set(Attr::kFalseComputation, yes);
  } else if (auto* branches =
                 Attribute<std::vector<Computation*>>(instruction, Attr::kBranchComputations)) {
    std::swap(branches->front(), branches->back());
  }
  return true;
}

void NextBranch(FaultSite& site) {
  Literal& index = site.operands[0];
  if (index.element_type() == PrimitiveType::kPred) return;
  int64_t branches = static_cast<int64_t>(site.operands.size()) - 1;
  int64_t at = ReadInteger(index, 0);
  if (at >= 0 && at + 1 < branches) WriteInteger(index, 0, at + 1);
}

// Changes a condition "not equal" to "less than", so that the loop also ends beyond the bound.
bool NotEqualBecomesLess(Instruction& loop) {
  Computation* condition = loop.CalledComputation(Attr::kCondition);
  if (condition == nullptr || condition->root() == nullptr) return false;
  Instruction* root = condition->root();
  if (root->opcode() != Opcode::kCompare || root->WordOr(Attr::kDirection, "") != "NE")
    return false;
  root->Set(Attr::kDirection, Word{"LT"});
  return true;
}

// A fault by which a branch index out of range selects the first branch instead of the last.
template <bool below, bool above>
void OutsideTakesFirst(FaultSite& site) {
  Literal& index = site.operands[0];
  if (index.element_type() == PrimitiveType::kPred) return;
  const int64_t branches = static_cast<int64_t>(site.operands.size()) - 1;
  const int64_t at = ReadInteger(index, 0);
  if ((below && at < 0) || (above && at >= branches)) WriteInteger(index, 0, 0);
}

struct BranchRow {
  const char* id;
  const char* what;
  void (*before)(FaultSite&);
};
constexpr BranchRow kBranchRows[] = {
    {"conditional.outside-takes-first",
     "an out-of-range branch index selects the first branch instead of the last",
     OutsideTakesFirst<true, true>},
    {"conditional.negative-takes-first",
     "a negative branch index selects the first branch instead of the last",
     OutsideTakesFirst<true, false>},
    {"conditional.too-large-takes-first",
     "a branch index beyond the last selects the first branch instead of the last",
     OutsideTakesFirst<false, true>},
};

}  // namespace

void AddLoopFaults(std::vector<Fault>& faults) {
  struct Row {
    const char* id;
    const char* what;
    Rerun rerun;
  };
  for (const Row& row :
       {Row{"while.one-trip-less", "the last iteration is not executed", OneTripLess},
        Row{"while.one-trip-more", "one iteration too many", OneTripMore},
        Row{"while.at-least-one-trip", "tested after the body", AtLeastOneTrip},
        Row{"while.odd-trip-dropped", "unrolled by two without a remainder", OddTripDropped},
        Row{"while.at-most-16-trips", "unrolled 16 times and not looped", AtMost16Trips},
        Row{"while.uneven-step-is-no-trip", "a step that does not divide the bound: no iterations",
            UnevenStepIsNoTrip}}) {
    faults.push_back(AfterFault(row.id, FaultClass::kTripCount, Opcode::kWhile, row.what,
                                [rerun = row.rerun](FaultSite& site) { Run(rerun, site); }));
  }
  faults.push_back(ModuleEditFault(
      "conditional.branches-swapped", FaultClass::kTripCount, Opcode::kConditional,
      "true and false, or the first and the last branch, are swapped", SwapBranches));
  faults.push_back(BeforeFault("conditional.next-branch", FaultClass::kTripCount,
                               Opcode::kConditional, "branches are counted from 1", NextBranch));
  faults.push_back(ModuleEditFault("while.until-not-less", FaultClass::kTripCount, Opcode::kWhile,
                                   "a loop until equality is treated as one until not less",
                                   NotEqualBecomesLess));
}

void AddBranchFaults(std::vector<Fault>& faults) {
  for (const BranchRow& row : kBranchRows) {
    faults.push_back(BeforeFault(row.id, FaultClass::kIndexClamping, Opcode::kConditional, row.what,
                                 row.before));
  }
}

}  // namespace hlocts::backends
