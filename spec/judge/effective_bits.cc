// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/effective_bits.h"

#include <algorithm>

#include "spec/judge/interval_columns.h"

namespace hlocts {

void EffectiveHistogram::Steps::AddElsewhere(size_t step, int64_t count) {
  constexpr size_t kFewMax = 32;
  for (auto& [listed, listed_count] : few_) {
    if (listed == step) return static_cast<void>(listed_count += count);
  }
  few_.push_back({step, count});
  if (few_.size() <= kFewMax) return;
  all_.resize(64 * kSteps + 1);
  for (const auto& [listed, listed_count] : few_) all_[listed] += listed_count;
  few_.clear();
}

EffectiveBits EffectiveHistogram::Summarize() const {
  EffectiveBits summary{.elements = total_, .unspecified = unspecified_};
  if (total_ == 0) return summary;
  std::map<size_t, int64_t> all;
  int64_t low = 0, wide = 0, low_wide = 0;
  for (const auto& of_precision : by_precision_) {
    const int precision = of_precision.first;
    const Steps& steps = of_precision.second;
    std::vector<int64_t>& quarters = summary.quarters[precision];
    quarters.resize(64 * 4 + 1);
    steps.ForEach([&](size_t step, int64_t count) {
      all[step] += count;
      quarters[step / (kSteps / 4)] += count;
      if (step < 2 * kSteps) low += count;
      if (precision < kPrecisionOfWide) return;
      wide += count;
      if (step < 2 * kSteps) low_wide += count;
    });
  }
  summary.median = At(all, 0.5);
  summary.percentile5 = At(all, 0.05);
  summary.mostly_below_two_bits = 2 * low_wide > wide;
  summary.share_below_2 = static_cast<double>(low) / static_cast<double>(total_);
  return summary;
}

double EffectiveHistogram::At(const std::map<size_t, int64_t>& steps, double share) const {
  int64_t rank = static_cast<int64_t>(share * static_cast<double>(total_)), seen = 0;
  for (const auto& [step, count] : steps) {
    seen += count;
    if (seen > rank) return static_cast<double>(step) / kSteps;
  }
  return 0;
}

const double* RoughLogs() {
  static const std::vector<double>* table = [] {
    auto* logs = new std::vector<double>(size_t{1} << kRoughBits);
    for (size_t i = 0; i < logs->size(); ++i) {
      (*logs)[i] =
          std::log2(1 + (static_cast<double>(i) + 0.5) / static_cast<double>(logs->size()));
    }
    (*logs)[0] = 0;  // exact for powers of two
    return logs;
  }();
  return table->data();
}

namespace {

// Returns the square of the midpoint of [lo, hi], or 0 if the interval is wider than |midpoint|.
double SquareOfMiddle(double lo, double hi, int64_t& count) {
  const double middle = lo / 2 + hi / 2;
  const bool says = hi - lo <= std::fabs(middle);  // false for NaN, i.e. no interval
  count += says;
  return says ? middle * middle : 0;
}

double SumOfSquares(const double* lo, const double* hi, int64_t size, int64_t& count) {
  constexpr int64_t kLanes = 4;
  double sums[kLanes] = {};  // independent, so that additions need not wait for each other
  count = 0;
  for (int64_t i = 0; i < size; ++i) {
    sums[i < size / kLanes * kLanes ? i % kLanes : 0] += SquareOfMiddle(lo[i], hi[i], count);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

double RootMeanSquare(const SetArray& set) {
  double sum = 0;
  int64_t count = 0;
  auto add = [&](const AcceptanceSet& s) {
    if (s.finite() && !s.integer()) sum += SquareOfMiddle(s.lo, s.hi, count);
  };
  if (const IntervalColumns* columns = set.columns().get()) {
    sum = SumOfSquares(columns->lo(), columns->hi(), columns->count(), count);
    for (const auto& [index, s] : columns->rest()) add(s);
  } else {
    for (const AcceptanceSet& s : set.sets()) add(s);
  }
  return count == 0 || std::isinf(sum) ? 0 : std::sqrt(sum / static_cast<double>(count));
}

double EffectiveBitsOfChoices(const std::vector<AcceptanceSet>& choices, const FloatFacts& facts,
                              double rms) {
  double values = 0;
  for (const AcceptanceSet& choice : choices) {
    values += std::exp2(facts.p - EffectiveBitsOf(choice, facts, rms));
  }
  return std::clamp(facts.p - std::log2(values), 0.0, static_cast<double>(facts.p));
}

}  // namespace hlocts
