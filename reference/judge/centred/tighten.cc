// SPDX-License-Identifier: Apache-2.0
// Chooses the elements from which sweeps start, and narrows their sets.
#include <algorithm>
#include <cmath>

#include "reference/judge/centred/prepare.h"
#include "reference/judge/centred/sweep.h"
#include "reference/judge/centred/tape.h"
#include "spec/judge/choices.h"
#include "spec/judge/effective_bits.h"

namespace hlocts::reference {
namespace {

using Flag = AcceptanceSet::Flag;

// Sweeps are worthwhile only for sets that determine less than this share of their format's bits.
constexpr double kShareOfBits = 2.0 / 3;
// kVisitsPerWork is the number of visits that sweeps may make for each element and term that the
// walk has read. kVisitsMin is the least number, for small modules; it costs at most a second.
constexpr double kVisitsPerWork = 2, kVisitsMin = 1 << 26;
// The largest number of wide elements in an element-wise operand of a sum; more take too long.
constexpr int64_t kWideOperandsMax = 64;
// The cost of preparing an element before the first sweep, in visits.
constexpr double kVisitsToPrepare = 4;
constexpr int64_t kSampled = 32, kProbed = 3;
// kEarlyStopShare is the share of a distance that an early stop may add. kEarlyStopShareIfCheap is
// used instead if sweeps from all elements cost at most kCheap of the budget.
constexpr double kEarlyStopShare = 0.2, kEarlyStopShareIfCheap = 0.02, kCheap = 1.0 / 16;
// Sweeps are worthwhile if they reduce the width of a probed set to less than this share.
constexpr double kGain = 0.9;

std::vector<int64_t> WideElements(const SetArray& array, const FloatFacts& facts) {
  const double unit = std::ldexp(1.0, -static_cast<int>(facts.p * kShareOfBits));
  const double least = RootMeanSquare(array) / 1000;
  std::vector<int64_t> wide;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    const AcceptanceSet s = array.At(i);
    const bool numbers = IsNumber(s) && !s.Has(Flag::kIntegral) && s.lo < s.hi;
    if (!numbers || (array.choices != nullptr && array.choices->Find(i) != nullptr)) continue;
    const double middle = std::fabs(s.lo / 2 + s.hi / 2);
    if (s.hi - s.lo > unit * std::max(middle, least)) wide.push_back(i);
  }
  return wide;
}

// Intersects `s` with [at - distance, at + distance]. Both contain every legal value.
bool Narrow(double at, double distance, const FloatFacts& facts, AcceptanceSet& s) {
  const double below = NextDown(at - distance), above = NextUp(at + distance);
  if (!std::isfinite(below) || !std::isfinite(above)) return false;
  const double lo = std::max(s.lo, facts.RoundUp(below)),
               hi = std::min(s.hi, facts.RoundDown(above));
  if (!(lo <= hi) || (lo == s.lo && hi == s.hi)) return false;
  s.lo = lo;
  s.hi = hi;
  if (s.Has(Flag::kPreRounding)) {
    s.rlo = std::min(lo, std::max(s.rlo, below));
    s.rhi = std::max(hi, std::min(s.rhi, above));
  } else {
    s.rlo = lo, s.rhi = hi;
  }
  if (lo > 0 || hi < 0) s.flags &= ~(Flag::kPosZero | Flag::kNegZero);
  return true;
}

}  // namespace

double Tape::BudgetOf(const Node& node, bool output, int64_t wide) const {
  const double left = std::max(kVisitsMin, kVisitsPerWork * work_) - spent_;
  if (output) return left;
  const double inside = left - kVisitsMin / 4;  // a part of the budget is kept for the outputs
  if (node.kind != NodeKind::kElementwise) return inside / 2;
  return wide > kWideOperandsMax ? 0 : inside / 6;
}

// Prepares all nodes up to `number`. Returns false if that exceeds the budget.
bool Tape::PrepareUpTo(int32_t number, double budget) {
  double cost = 0;
  for (size_t k = prepared_; k <= static_cast<size_t>(number); ++k) {
    cost += kVisitsToPrepare * static_cast<double>(nodes_[k]->set.element_count());
  }
  if (cost > budget) return false;
  spent_ += cost;
  for (; prepared_ <= static_cast<size_t>(number); ++prepared_) {
    PrepareNode(interpreter_, nodes_, *nodes_[prepared_], points_);
  }
  return true;
}

// Returns the cost of a full sweep, or 0 if the probed sweeps narrow no set.
double Tape::Probe(Sweeps& sweeps, const SetArray& array, absl::Span<const int64_t> wide,
                   double budget) {
  const int64_t count = static_cast<int64_t>(wide.size());
  double cost = 0;
  bool pays = false;
  for (int64_t k = 0; k < std::min(kProbed, count); ++k) {
    const int64_t i = wide[count * k / kProbed];
    const double distance = sweeps.From(array.node, {i}, budget)[0];
    const AcceptanceSet s = array.At(i);
    cost = std::max(cost, sweeps.cost());
    spent_ += sweeps.cost();
    pays = pays || 2 * distance < kGain * (s.hi - s.lo);
  }
  return pays ? cost : 0;
}

// Returns the cost per element of sweeping kSweepLanes neighbours together.
double Tape::ProbeTogether(Sweeps& sweeps, int32_t number, absl::Span<const int64_t> wide,
                           double budget) {
  if (wide.size() < 2 * kSweepLanes) return HUGE_VAL;
  sweeps.From(number, wide.subspan(wide.size() / 2, kSweepLanes), budget);
  spent_ += sweeps.cost();
  return sweeps.cost() / kSweepLanes;
}

// Runs full sweeps from `effort.whole` elements and short sweeps from the others.
void Tape::SweepFrom(Sweeps& sweeps, absl::Span<const int64_t> wide, const Effort& effort,
                     SetArray& array) {
  const int32_t number = array.node;
  Node& node = *nodes_[number];
  const FloatFacts& facts = FactsOf(array.element_type());
  const int64_t count = static_cast<int64_t>(wide.size());
  const std::shared_ptr<const ChoiceMap> choices = array.choices;
  std::vector<AcceptanceSet>& sets = array.mutable_sets();
  const int64_t groups = (count - 1) / effort.together + 1;
  const int64_t whole_groups = (effort.whole + effort.together - 1) / effort.together;
  int64_t next = 0;
  for (int64_t k = 0; k < count; k = next) {
    const bool whole = k / effort.together * whole_groups % groups < whole_groups;
    next = std::min(count, k + (whole ? effort.together : 1));
    const auto group = wide.subspan(k, next - k);
    const auto distances =
        sweeps.From(number, group, whole ? effort.budget : effort.budget / count);
    spent_ += sweeps.cost();
    for (size_t l = 0; l < group.size(); ++l) {
      const int64_t i = group[l];
      if (Narrow(node.boxes[i].at, distances[l], facts, sets[i])) NarrowBox(node, i, sets[i]);
    }
  }
  array.choices = choices;  // elements that no sweep started from keep their choices
  node.set = array;
  array.node = number;
}

// Computes the number of elements that get a full sweep. For an array that is not an output, this
// is at least half of the elements or none, since readers use the elements together.
Tape::Effort Tape::EffortFor(Sweeps& sweeps, int32_t number, absl::Span<const int64_t> wide,
                             double alone, const Effort& most) {
  const double together = ProbeTogether(sweeps, number, wide, most.budget);
  const int64_t count = static_cast<int64_t>(wide.size());
  const int64_t affordable = static_cast<int64_t>(most.budget / std::min(alone, together));
  Effort effort = most;
  effort.together = together < alone ? kSweepLanes : 1;
  effort.whole = std::min(count, std::max(most.whole, affordable));
  if (most.whole == 0 && 2 * affordable < count) effort.whole = 0;
  return effort;
}

void Tape::Tighten(SetArray& array, bool output) {
  if (points_) return;
  if (array.node < 0 || array.exact() || !IsFloat(array.element_type())) return;
  if (array.joint != nullptr || !array.runtime_sizes.empty()) return;
  Node& node = *nodes_[array.node];
  if (node.kind == NodeKind::kLeaf || node.tightened) return;
  node.settled = !node.meets;
  if (node.settled) return;
  const std::vector<int64_t> wide = WideElements(array, FactsOf(array.element_type()));
  const double count = static_cast<double>(wide.size());
  node.settled = wide.empty();
  const double budget = BudgetOf(node, output, static_cast<int64_t>(wide.size()));
  if (node.settled || budget < 1) return;
  if (!PrepareUpTo(array.node, budget) || node.kind == NodeKind::kLeaf) return;
  Sweeps sweeps(nodes_);
  sweeps.SetEarlyStopShare(kEarlyStopShareIfCheap);
  double alone = Probe(sweeps, array, wide, budget);
  if (alone * count > kCheap * budget) {
    sweeps.SetEarlyStopShare(kEarlyStopShare);
    alone = Probe(sweeps, array, wide, budget);
  }
  node.settled = alone == 0;
  if (node.settled) return;
  const Effort effort =
      EffortFor(sweeps, array.node, wide, alone, {budget, output ? kSampled : 0, 1});
  if (effort.whole == 0) return;
  node.tightened = node.settled = true;
  SweepFrom(sweeps, wide, effort, array);
}

}  // namespace hlocts::reference
