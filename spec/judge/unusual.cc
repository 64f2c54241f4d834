// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/unusual.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/index_util.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

bool Numbers(const AcceptanceSet& s) { return !s.unspecified() && !s.integer() && s.finite(); }

// Returns true if the value is outside the set by more than one unit in the last place.
bool Outside(const AcceptanceSet& s, double x, const FloatFacts& facts) {
  return x < s.lo - facts.Ulp(x) || x > s.hi + facts.Ulp(x);
}

// Counts the elements of one output whose sets the probabilistic bounds narrow.
struct LeafCount {
  int64_t compared = 0, outside = 0, far = 0, first_far = -1;
  // The distinct likely sets. Elements with equal likely sets (the same sum) have correlated
  // errors.
  std::set<std::pair<double, double>> sets;

  void Add(const AcceptanceSet& usual, const AcceptanceSet& far_set, const AcceptanceSet& likely,
           double x, int64_t i, const FloatFacts& facts) {
    if (!Numbers(usual) || !Numbers(far_set) || !Numbers(likely) || !std::isfinite(x)) return;
    if (likely.lo == usual.lo && likely.hi == usual.hi) return;
    ++compared;
    if (static_cast<int64_t>(sets.size()) < kJointTestMin) sets.insert({likely.lo, likely.hi});
    outside += Outside(likely, x, facts);
    if (!Outside(far_set, x, facts)) return;
    ++far;
    if (first_far < 0) first_far = i;
  }
  bool Together() const {
    return static_cast<int64_t>(sets.size()) >= kJointTestMin && 2 * outside > compared;
  }
};

LeafCount CountLeaf(const SetArray& usual, const SetArray& far, const SetArray& likely,
                    const Literal& actual) {
  LeafCount count;
  const FloatFacts& facts = FactsOf(ComponentType(likely.element_type()));
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    for (int c = 0; c < likely.components(); ++c) {
      count.Add(usual.At(i, c), far.At(i, c), likely.At(i, c), RealAt(actual, i, c), i, facts);
    }
  }
  return count;
}

std::string TextOf(size_t output, const LeafCount& count, const Literal& actual) {
  if (count.far > 0) {
    return absl::StrCat(
        "output ", output, ": ", count.far, " of ", count.compared,
        " elements are acceptable but improbable, the first at [",
        absl::StrJoin(MultiIndex(count.first_far, actual.shape().dimensions()), ","), "]");
  }
  if (!count.Together()) return "";
  return absl::StrCat("output ", output, ": ", count.outside, " of ", count.compared,
                      " elements are outside the range that 90% of the elements should be in");
}

bool Comparable(const SetArray& set, const Literal& actual) {
  const PrimitiveType type = set.element_type();
  return !set.exact() && set.joint == nullptr && (IsFloat(type) || IsComplex(type)) &&
         !actual.has_runtime_sizes() && actual.element_count() == set.element_count();
}

}  // namespace

double VeryLikelyFactor(int64_t sums) {
  return std::sqrt(
      2 * std::log(2 * static_cast<double>(std::max<int64_t>(sums, 1)) / kVeryLikelyProbability));
}

Unusual FindUnusual(const ModuleAcceptance& usual, const ModuleAcceptance& far,
                    const ModuleAcceptance& likely, absl::Span<const Literal> actual) {
  Unusual found;
  const size_t outputs =
      std::min({usual.leaves.size(), far.leaves.size(), likely.leaves.size(), actual.size()});
  for (size_t i = 0; i < outputs; ++i) {
    if (likely.leaves[i].token || !Comparable(likely.leaves[i].set, actual[i])) continue;
    const LeafCount count =
        CountLeaf(usual.leaves[i].set, far.leaves[i].set, likely.leaves[i].set, actual[i]);
    if (count.compared == 0) continue;
    const std::string text = TextOf(i, count, actual[i]);
    ++found.tensors;
    found.tensors_marked += !text.empty();
    found.elements += count.compared;
    found.elements_marked += count.far;
    if (found.text.empty()) found.text = text;
  }
  return found;
}

}  // namespace hlocts
