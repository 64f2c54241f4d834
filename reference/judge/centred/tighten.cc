// SPDX-License-Identifier: Apache-2.0
// Which elements are swept from, and what is made of it.
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

// Sweeps pay where less than this share of a format's bits is settled.
constexpr double kShareOfBits = 2.0 / 3;
// Visits of sweeps for each element and term that the walk looked at, and some for small modules:
// those take a fifth of a second where sets stay wide.
constexpr double kVisitsPerWork = 2, kVisitsMin = 1 << 24;
// Of an element-wise operand of a sum: more elements than a vector has are not worth it.
constexpr int64_t kFeedingMax = 64;
// What an element costs before the first sweep.
constexpr double kVisitsToPrepare = 4;
constexpr int64_t kSampled = 32, kProbed = 3;
// Worth it if a probed set loses a tenth.
constexpr double kGain = 0.9;

bool IsNumbers(const AcceptanceSet& s) {
  constexpr uint16_t kOther = Flag::kNan | Flag::kPosInf | Flag::kNegInf | Flag::kUnspecified |
                              Flag::kScaledHull | Flag::kIntegral;
  return s.finite() && !s.integer() && !s.Has(kOther) && s.lo < s.hi;
}

// The elements whose sets are wide.
std::vector<int64_t> WideElements(const SetArray& array, const FloatFacts& facts) {
  const double unit = std::ldexp(1.0, -static_cast<int>(facts.p * kShareOfBits));
  const double least = RootMeanSquare(array) / 1000;
  std::vector<int64_t> wide;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    const AcceptanceSet s = array.At(i);
    if (!IsNumbers(s) || (array.choices != nullptr && array.choices->Find(i) != nullptr)) continue;
    const double middle = std::fabs(s.lo / 2 + s.hi / 2);
    if (s.hi - s.lo > unit * std::max(middle, least)) wide.push_back(i);
  }
  return wide;
}

// Both sets hold every legal value, so what they share does.
bool Narrow(double at, double distance, const FloatFacts& facts, AcceptanceSet& s) {
  const double below = NextDown(at - distance), above = NextUp(at + distance);
  if (!std::isfinite(below) || !std::isfinite(above)) return false;
  const double lo = std::max(s.lo, facts.RoundUp(below)),
               hi = std::min(s.hi, facts.RoundDown(above));
  if (!(lo <= hi) || (lo == s.lo && hi == s.hi)) return false;
  s.lo = lo;
  s.hi = hi;
  if (s.Has(Flag::kHull)) {
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
  const double inside = left - kVisitsMin / 4;  // something is kept for the outputs
  if (node.kind != NodeKind::kElementwise) return inside / 2;
  return wide > kFeedingMax ? 0 : inside / 6;
}

// False where that takes more than the budget.
bool Tape::PrepareUpTo(int32_t number, double budget) {
  double cost = 0;
  for (size_t k = prepared_; k <= static_cast<size_t>(number); ++k) {
    cost += kVisitsToPrepare * static_cast<double>(nodes_[k]->set.element_count());
  }
  if (cost > budget) return false;
  spent_ += cost;
  for (; prepared_ <= static_cast<size_t>(number); ++prepared_) {
    PrepareNode(interpreter_, nodes_, *nodes_[prepared_]);
  }
  return true;
}

// The visits that a whole sweep makes; 0: sweeps say no more than the sets.
double Tape::Probe(Sweep& sweep, const SetArray& array, const std::vector<int64_t>& wide,
                   double budget) {
  const int64_t count = static_cast<int64_t>(wide.size());
  double visits = 0;
  bool pays = false;
  for (int64_t k = 0; k < std::min(kProbed, count); ++k) {
    const int64_t i = wide[count * k / kProbed];
    const double distance = sweep.DistanceAt(array.node, i, static_cast<int64_t>(budget));
    const AcceptanceSet s = array.At(i);
    visits = std::max(visits, static_cast<double>(sweep.visits()));
    spent_ += static_cast<double>(sweep.visits());
    pays = pays || 2 * distance < kGain * (s.hi - s.lo);
  }
  return pays ? visits : 0;
}

// Whole sweeps from all elements, or from some, and short ones from the others.
void Tape::SweepFrom(Sweep& sweep, const std::vector<int64_t>& wide, const Effort& effort,
                     SetArray& array) {
  const int32_t number = array.node;
  Node& node = *nodes_[number];
  const FloatFacts& facts = FactsOf(array.element_type());
  const int64_t count = static_cast<int64_t>(wide.size());
  const int64_t budget = static_cast<int64_t>(effort.budget);
  const std::shared_ptr<const ChoiceMap> choices = array.choices;
  std::vector<AcceptanceSet>& sets = array.mutable_sets();
  for (int64_t k = 0; k < count; ++k) {
    const bool whole = k * effort.whole % count < effort.whole;
    const int64_t i = wide[k];
    const double distance = sweep.DistanceAt(number, i, whole ? budget : budget / count);
    spent_ += static_cast<double>(sweep.visits());
    if (Narrow(node.boxes[i].at, distance, facts, sets[i])) NarrowBox(node, i, sets[i]);
  }
  array.choices = choices;  // of elements that no sweep began from
  node.set = array;
  array.node = number;
}

void Tape::Tighten(SetArray& array, bool output) {
  if (array.node < 0 || array.exact() || !IsFloat(array.element_type())) return;
  if (array.joint != nullptr || !array.runtime_sizes.empty()) return;
  Node& node = *nodes_[array.node];
  if (node.kind == NodeKind::kLeaf || node.tightened || !node.meets) return;
  const std::vector<int64_t> wide = WideElements(array, FactsOf(array.element_type()));
  const int64_t count = static_cast<int64_t>(wide.size());
  Effort effort = {BudgetOf(node, output, count), count};
  if (wide.empty() || effort.budget < 1) return;
  if (!PrepareUpTo(array.node, effort.budget) || node.kind == NodeKind::kLeaf) return;
  Sweep sweep(nodes_);
  const double visits = Probe(sweep, array, wide, effort.budget);
  if (visits == 0) return;
  node.tightened = true;
  const int64_t affordable = static_cast<int64_t>(effort.budget / visits);
  effort.whole = std::min(count, output ? std::max(kSampled, affordable) : affordable);
  SweepFrom(sweep, wide, effort, array);
}

}  // namespace hlocts::reference
