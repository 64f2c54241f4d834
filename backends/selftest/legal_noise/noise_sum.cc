// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/legal_noise/noise_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "backends/selftest/elements.h"

namespace hlocts::backends {
namespace {

// Rounds a factor away from zero if `away`, otherwise towards zero, or in the opposite direction if
// the permitted error is too small for that. Does not round factors near the ends of f32's range.
double ReadFactor(double x, const FactorReading& reading, bool away) {
  const double size = std::fabs(x);
  if (reading.bits == 0 || !(size > 0x1p-100 && size < 0x1p100)) return x;
  const double unit = std::ldexp(1.0, std::ilogb(size) + 1 - reading.bits);
  const double below = std::floor(size / unit) * unit;
  if (below == size) return x;
  const double wanted = away ? below + unit : below, other = away ? below : below + unit;
  return std::copysign(std::fabs(wanted - size) <= reading.error * size ? wanted : other, x);
}

class Summation {
 public:
  Summation(const SumStyle& style, generators::SplitMix64& random)
      : style_(style), random_(random) {}

  double Run(std::vector<SumTerm> terms) {
    if (terms.empty()) return style_.multiply ? 1 : 0;
    if (style_.left.bits > 0 || style_.right.bits > 0) ReadFactors(terms);
    switch (style_.order) {
      case SumOrder::kBackward:
        std::reverse(terms.begin(), terms.end());
        return Sequence(terms);
      case SumOrder::kPairs:
        return Tree(terms);
      case SumOrder::kLanes:
        return Lanes(terms);
      case SumOrder::kShuffled:
        Shuffle(terms);
        return Sequence(terms);
      case SumOrder::kShuffledTree:
        Shuffle(terms);
        return Tree(terms);
      case SumOrder::kForward:
        break;
    }
    return Sequence(terms);
  }

 private:
  // Rounds factors so that the errors of all products have the same sign.
  void ReadFactors(std::vector<SumTerm>& terms) {
    const bool up = random_.Below(2) == 0;
    for (SumTerm& term : terms) {
      const bool away = (term.a * term.b > 0) == up;
      term = {ReadFactor(term.a, style_.left, away), ReadFactor(term.b, style_.right, away)};
    }
  }
  double Stored(double value) const {
    double stored = RoundTo(style_.step, value);
    bool tiny = std::fabs(value) < FormatOf(style_.step).min_normal() && stored != 0;
    return tiny && style_.flush ? std::copysign(0.0, stored) : stored;
  }
  double Value(const SumTerm& term) const { return Stored(term.a * term.b); }
  // Returns the stored result of an addition whose exact sum is `value`.
  double Added(double value) const {
    if (style_.bits > 0) return Stored(TruncateTo(style_.bits, value));
    double stored = RoundTo(style_.step, value);
    bool beyond = std::fabs(stored) > std::fabs(value) && std::isfinite(stored);
    if (!style_.truncate || !beyond || style_.step != PrimitiveType::kF32) return Stored(value);
    return Stored(std::nextafter(static_cast<float>(stored), 0.0f));
  }
  double Combine(double a, double b) const {
    if (style_.multiply) return Stored(a * b);
    return style_.step == PrimitiveType::kF64 ? Stored(a + b) : Added(AddToOdd(a, b));
  }
  double Append(double sum, const SumTerm& term) const {
    if (!style_.contract || style_.multiply) return Combine(sum, Value(term));
    if (style_.step == PrimitiveType::kF64) return Stored(std::fma(term.a, term.b, sum));
    return Added(AddToOdd(sum, term.a * term.b));  // the product is exact in double
  }

  double Sequence(const std::vector<SumTerm>& terms) const {
    double sum = Value(terms[0]);
    for (size_t i = 1; i < terms.size(); ++i) sum = Append(sum, terms[i]);
    return sum;
  }
  double Tree(const std::vector<SumTerm>& terms) const {
    std::vector<double> level;
    for (const SumTerm& term : terms) level.push_back(Value(term));
    while (level.size() > 1) {
      size_t half = level.size() / 2;
      for (size_t i = 0; i < half; ++i) level[i] = Combine(level[2 * i], level[2 * i + 1]);
      if (level.size() % 2 == 1) level[half++] = level.back();
      level.resize(half);
    }
    return level[0];
  }
  double Lanes(const std::vector<SumTerm>& terms) const {
    size_t lanes = std::min(terms.size(), static_cast<size_t>(style_.lanes));
    std::vector<SumTerm> sums;
    for (size_t lane = 0; lane < lanes; ++lane) {
      double sum = Value(terms[lane]);
      for (size_t i = lane + lanes; i < terms.size(); i += lanes) sum = Append(sum, terms[i]);
      sums.push_back({sum, 1});
    }
    return Tree(sums);
  }
  void Shuffle(std::vector<SumTerm>& terms) {
    for (size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random_.Below(i)]);
  }

  const SumStyle& style_;
  generators::SplitMix64& random_;
};

}  // namespace

double NoisySum(const SumStyle& style, std::vector<SumTerm> terms, generators::SplitMix64& random) {
  return Summation(style, random).Run(std::move(terms));
}

double AddToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  double shadow = sum - a;
  double error = (a - (sum - shadow)) + (b - shadow);
  if (error == 0 || !std::isfinite(error)) return sum;
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (bits % 2 == 1) return sum;
  // The exact sum is between two doubles; the odd one is returned.
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace hlocts::backends
