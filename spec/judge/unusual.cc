// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/unusual.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/index_util.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

struct LeafCount {
  int64_t compared = 0, outside = 0, far = 0, first_far = -1;
};

// Half widths of the set between its middle and the value; the last place of the format is no
// deviation. Negative: the set says nothing.
double Deviation(const AcceptanceSet& s, const Literal& actual, int64_t i, int component,
                 const FloatFacts& facts) {
  constexpr uint16_t kOther = AcceptanceSet::kNan | AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  if (s.unspecified() || s.integer() || !s.finite() || (s.flags & kOther) || s.lo == s.hi) {
    return -1;
  }
  const double x = RealAt(actual, i, component), middle = s.lo / 2 + s.hi / 2;
  const double half = s.hi / 2 - s.lo / 2;
  if (!std::isfinite(x) || !std::isfinite(half)) return -1;
  return std::max(std::fabs(x - middle) - facts.Ulp(x), 0.0) / half;
}

LeafCount CountLeaf(const SetArray& set, const Literal& actual) {
  LeafCount count;
  const FloatFacts& facts = FactsOf(ComponentType(set.element_type()));
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    for (int c = 0; c < set.components(); ++c) {
      const double deviation = Deviation(set.At(i, c), actual, i, c, facts);
      if (deviation < 0) continue;
      ++count.compared;
      count.outside += deviation > 1;
      if (deviation <= kFarHalfWidths) continue;
      ++count.far;
      if (count.first_far < 0) count.first_far = i;
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
  if (count.compared < kTogetherMin || 2 * count.outside <= count.compared) return "";
  return absl::StrCat("output ", output, ": ", count.outside, " of ", count.compared,
                      " elements lie where less than one in ten is expected");
}

}  // namespace

std::string UnusualText(const ModuleAcceptance& likely, absl::Span<const Literal> actual) {
  for (size_t i = 0; i < likely.leaves.size() && i < actual.size(); ++i) {
    const LeafAcceptance& leaf = likely.leaves[i];
    if (leaf.token || leaf.set.exact() || leaf.set.joint != nullptr) continue;
    const PrimitiveType type = leaf.set.element_type();
    const bool real = IsFloat(type) || IsComplex(type);
    if (!real || actual[i].has_runtime_sizes() ||
        actual[i].element_count() != leaf.set.element_count()) {
      continue;
    }
    std::string text = TextOf(i, CountLeaf(leaf.set, actual[i]), actual[i]);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace hlocts
