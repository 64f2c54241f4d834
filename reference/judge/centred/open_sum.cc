// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/judge/centred/open_element.h"

namespace hlocts::reference {
namespace {

// A sum of at most this many terms exceeds no limit of lemma 44, even if all errors have one sign.
constexpr int64_t kFewTerms = 32;
// The number of results of a node for which EqualTermsFactor compares the terms.
constexpr int64_t kSampledResults = 8;
// Terms form a group if they differ by less than the largest rounding divided by this number.
constexpr double kAlikeGroups = 16;

// Sums over the terms of one result in the reference execution.
struct TermSums {
  double value = 0, magnitude = 0;
  double positive = 0;            // the sum of the positive terms
  double count = 0, squares = 0;  // over nonzero terms, since adding zero is exact
  Square carried = 0;             // the sum of the squares of the deviations of terms
  bool silent = true, broken = false;
  // The largest magnitude of a sum of some of the terms.
  double LargestPartial() const { return std::max(positive, magnitude - positive); }
};

double TermAt(const Preparing& p, int64_t l, int64_t r) {
  const double term = p.Operand(0).boxes[l].at;
  return p.node.kind != NodeKind::kProducts ? term : term * p.Operand(1).boxes[r].at;
}

TermSums SumTermsOf(const Preparing& p, int64_t i) {
  TermSums sums;
  const bool products = p.node.kind == NodeKind::kProducts;
  p.node.terms.ForEach(i, [&](int64_t l, int64_t r) {
    for (size_t k = 0; k < (products ? 2 : 1); ++k) {
      const int64_t j = k == 0 ? l : r;
      sums.broken = sums.broken || p.Operand(k).states[j] == Node::kBroken;
      sums.silent = sums.silent && AddsNoError(p.Operand(k), j);
    }
    if (p.points) {
      const Box& left = p.Operand(0).boxes[l];
      const Box right = products ? p.Operand(1).boxes[r] : Box{1, 1, 1};
      sums.carried += SquareOf(SteepestFactor(right) * left.deviation) +
                      SquareOf(SteepestFactor(left) * right.deviation);
    }
    const double term = TermAt(p, l, r);
    sums.value += term;
    sums.magnitude += std::fabs(term);
    sums.positive += std::max(term, 0.0);
    sums.squares += term * term;
    sums.count += term != 0;
  });
  return sums;
}

// Returns the error of a sum whose roundings are independent (lemma 44). It includes the errors of
// additions, of products that are rounded before they are added, of operands that are read with
// fewer bits (and may all be truncated), and of partial sums with fewer bits.
double LikelySumError(const SumRule& rule, double alike, const TermSums& sums) {
  const double largest = sums.LargestPartial();
  const double additions = std::sqrt(alike * sums.count * rule.passes) * largest;
  const double products = rule.additions_only ? 0 : sums.magnitude;
  const double read =
      rule.operand_error * std::sqrt(alike * sums.squares + sums.value * sums.value);
  const double parts = rule.partial == nullptr
                           ? 0
                           : std::sqrt(rule.partials) * std::ldexp(largest, -rule.partial->p);
  return std::hypot(std::ldexp(std::hypot(additions, products), -rule.precision), read, parts);
}

}  // namespace

double EqualTermsFactor(const Preparing& p, int precision) {
  const int64_t results = p.node.set.element_count();
  double most = 1;
  for (int64_t k = 0; k < std::min(results, kSampledResults); ++k) {
    const int64_t i = results * k / std::min(results, kSampledResults);
    if (p.node.terms.Count(i) <= kFewTerms) continue;
    std::vector<double> terms;
    p.node.terms.ForEach(i, [&](int64_t l, int64_t r) {
      if (const double term = TermAt(p, l, r); term != 0) terms.push_back(term);
    });
    std::sort(terms.begin(), terms.end());
    const double rounding = std::ldexp(SumTermsOf(p, i).LargestPartial(), -precision);
    double squares = 0;
    for (size_t first = 0, last = 0; first < terms.size(); first = last) {
      double roundings = 0;  // in units of `rounding`; each is at most 1
      do {
        roundings += std::min(std::fabs(terms[last++]) / rounding, 1.0);
      } while (last < terms.size() && terms[last] - terms[first] <= rounding / kAlikeGroups);
      squares += roundings * roundings;
    }
    if (!terms.empty()) most = std::max(most, squares / static_cast<double>(terms.size()));
  }
  return most;
}

bool PrepareSum(const Preparing& p, const SetContext& context, const SumRule& rule, double alike,
                int64_t i) {
  Node& node = p.node;
  double error = node.sums.errors[i];
  if (!std::isfinite(error) && !p.points) return false;
  const TermSums sums = SumTermsOf(p, i);
  if (sums.broken) return false;
  // Partial sums of an execution may overflow although the f64 execution does not.
  if (p.points && sums.LargestPartial() > p.facts.max / 2) return false;
  const Box before = node.boxes[i];
  if (!Open(p, i, sums.value)) return false;
  const double stored = StoreNoise(context, node.boxes[i], 0);
  if (!std::isfinite(stored)) {
    node.boxes[i] = before;
    return false;
  }
  const double count = static_cast<double>(node.terms.Count(i));
  const bool flushes = p.interpreter.profile() != Profile::kStrict;
  const double underflow = count * (flushes ? p.facts.min_normal : p.facts.tiny);
  if (p.points) error = LikelySumError(rule, alike, sums) + underflow;
  SetNoise(p, i, error + (count + 2) * 0x1p-52 * sums.magnitude + kLeast, stored);
  SetSpread(p, i, HUGE_VAL);
  SetDeviation(p, i, sums.carried);
  if (sums.silent) node.states[i] = Node::kClosed;
  return true;
}

bool PrepareSelection(const Preparing& p, int64_t i) {
  Node& node = p.node;
  const int64_t begin = node.terms.first[i], end = node.terms.first[i + 1];
  std::vector<Box> boxes;
  double value = node.terms.largest ? -HUGE_VAL : HUGE_VAL;
  const Node& operand = p.Operand(0);
  for (int64_t t = begin; t < end; ++t) {
    const int64_t j = node.terms.lhs[t];
    boxes.push_back(p.points ? Widened(operand.boxes[j]) : operand.boxes[j]);
    value =
        node.terms.largest ? std::max(value, boxes.back().at) : std::min(value, boxes.back().at);
  }
  absl::Span<Slope> slopes(node.slopes.data() + begin, boxes.size());
  SelectionSlopes(node.terms.largest, boxes, slopes);
  for (int64_t t = begin; t < end; ++t) {
    if (!IsUsable(operand, node.terms.lhs[t], slopes[t - begin])) return false;
  }
  if (!Open(p, i, value)) return false;
  AddFlush(p, i);
  SetSpread(p, i, HUGE_VAL);
  Square squares = 0;
  for (size_t k = 0; k < boxes.size(); ++k)
    squares += SquareOf(Steepest(slopes[k]) * boxes[k].deviation);
  SetDeviation(p, i, squares);
  return true;
}

}  // namespace hlocts::reference
