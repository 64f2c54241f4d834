// SPDX-License-Identifier: Apache-2.0
// Computes reductions whose computation returns one of its two arguments, such as a user-defined
// maximum. If the computation orders the terms, every order and tree returns a greatest term.
#include "reference/judge/sums/reductions.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kTermsMax = 64;       // one bit per term in a uint64_t
constexpr int64_t kPairsMax = 1 << 15;  // pairs in all results together

// Returns true if lane `lane` of x is one number, not a NaN, that equals lane `other` of y.
bool SamePoint(const SetValue& x, int64_t lane, const SetValue& y, int64_t other) {
  if (x.tuple) {
    for (size_t k = 0; k < x.elements.size(); ++k) {
      if (!SamePoint(x.elements[k], lane, y.elements[k], other)) return false;
    }
    return true;
  }
  for (int c = 0; c < x.array.components(); ++c) {
    const AcceptanceSet a = x.array.At(lane, c), b = y.array.At(other, c);
    if (!a.IsPoint() || !b.IsPoint() || a.Has(AcceptanceSet::kNan)) return false;
    if (!IsSubset(a, b) || !IsSubset(b, a)) return false;
  }
  return true;
}

// Compares `count` terms of the pool from `first` on: bit y of element x is set if term x may win
// against term y. Returns {} if the result for some pair is neither of the two terms.
std::vector<uint64_t> PossibleWinners(const SetValue& pool, const SetValue& results, int64_t first,
                                      int64_t count) {
  std::vector<uint64_t> wins(count, 0);
  for (int64_t x = 0; x < count; ++x) {
    for (int64_t y = 0; y < count; ++y) {
      const int64_t lane = (first + x) * count + y;
      const bool left = SamePoint(results, lane, pool, first + x);
      const bool right = SamePoint(results, lane, pool, first + y);
      if (!left && !right) return {};
      if (left) wins[x] |= uint64_t{1} << y;
      if (right) wins[y] |= uint64_t{1} << x;
    }
  }
  return wins;
}

bool IsTransitive(const std::vector<uint64_t>& wins) {
  for (size_t x = 0; x < wins.size(); ++x) {
    for (size_t y = 0; y < wins.size(); ++y) {
      if ((wins[x] >> y & 1) && (wins[y] & ~wins[x]) != 0) return false;
    }
  }
  return true;
}

// Returns the results of the body on each pair of terms of the same reduction.
absl::StatusOr<SetValue> OnPairs(SetInterpreter& interpreter, const Computation& body,
                                 const SetValue& pool, int64_t lanes, int64_t count) {
  std::vector<int64_t> left, right;
  for (int64_t first = 0; first < lanes * count; first += count) {
    for (int64_t pair = 0; pair < count * count; ++pair) {
      left.push_back(first + pair / count);
      right.push_back(first + pair % count);
    }
  }
  std::vector<SetValue> arguments;
  for (const std::vector<int64_t>* side : {&left, &right}) {
    const SetValue picked = LanesOf(pool, *side);
    if (!picked.tuple) arguments.push_back(picked);
    for (const SetValue& element : picked.elements) arguments.push_back(element);
  }
  const Shape shape(PrimitiveType::kPred, {static_cast<int64_t>(left.size())});
  return interpreter.CallLanes(body, arguments, shape);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<int64_t>>> GreatestTerms(SetInterpreter& interpreter,
                                                                const Computation& body,
                                                                const SetValue& pool, int64_t lanes,
                                                                int64_t count) {
  std::vector<std::vector<int64_t>> greatest(lanes);
  if (count == 0 || count > kTermsMax || lanes * count * count > kPairsMax) return greatest;
  HLOCTS_ASSIGN_OR_RETURN(SetValue results, OnPairs(interpreter, body, pool, lanes, count));
  const uint64_t all = ~uint64_t{0} >> (64 - count);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const std::vector<uint64_t> wins = PossibleWinners(pool, results, lane * count, count);
    if (wins.empty() || !IsTransitive(wins)) continue;
    for (int64_t x = 0; x < count; ++x) {
      if (wins[x] == all) greatest[lane].push_back(lane * count + x);
    }
  }
  return greatest;
}

SetValue LanesOf(const SetValue& value, const std::vector<int64_t>& at) {
  if (value.tuple) {
    std::vector<SetValue> elements;
    for (const SetValue& element : value.elements) elements.push_back(LanesOf(element, at));
    return SetValue::Tuple(std::move(elements));
  }
  const SetArray& array = value.array;
  std::vector<AcceptanceSet> sets;
  for (int64_t i : at) {
    for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(i, c));
  }
  Shape shape(array.element_type(), {static_cast<int64_t>(at.size())});
  return SetValue(Compress(SetArray(shape, std::move(sets))));
}

}  // namespace hlocts::reference
