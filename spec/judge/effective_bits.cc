// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/effective_bits.h"

#include <cstring>

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
  EffectiveBits summary;
  summary.elements = total_;
  summary.unspecified = unspecified_;
  if (total_ == 0) return summary;
  std::map<size_t, int64_t> all;
  int64_t low = 0;
  for (const auto& [precision, steps] : by_precision_) {
    std::vector<int64_t>& quarters = summary.quarters[precision];
    quarters.resize(64 * 4 + 1);
    steps.ForEach([&](size_t step, int64_t count) {
      all[step] += count;
      quarters[step / (kSteps / 4)] += count;
      if (step < 2 * kSteps) low += count;
    });
  }
  summary.median = At(all, 0.5);
  summary.percentile5 = At(all, 0.05);
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

double RoughLog2(double x) {
  constexpr int kBits = 12;
  static const std::vector<double>* table = [] {
    auto* logs = new std::vector<double>(size_t{1} << kBits);
    for (size_t i = 0; i < logs->size(); ++i) {
      (*logs)[i] =
          std::log2(1 + (static_cast<double>(i) + 0.5) / static_cast<double>(logs->size()));
    }
    (*logs)[0] = 0;  // powers of two exactly
    return logs;
  }();
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return ExponentOf(x) + (*table)[(bits >> (52 - kBits)) & ((size_t{1} << kBits) - 1)];
}

double RootMeanSquare(const SetArray& set) {
  double sum = 0;
  int64_t count = 0;
  auto add = [&](const AcceptanceSet& s) {
    if (!s.finite() || s.integer()) return;
    double middle = s.lo / 2 + s.hi / 2;
    sum += middle * middle;
    ++count;
  };
  if (const IntervalColumns* columns = set.columns().get()) {
    const double *lo = columns->lo(), *hi = columns->hi();
    for (int64_t i = 0; i < columns->count(); ++i) {
      double middle = lo[i] / 2 + hi[i] / 2;
      sum += middle == middle ? middle * middle : 0;
    }
    count = columns->count() - static_cast<int64_t>(columns->rest().size());
    for (const auto& [index, s] : columns->rest()) add(s);
  } else {
    for (const AcceptanceSet& s : set.sets()) add(s);
  }
  return count == 0 || std::isinf(sum) ? 0 : std::sqrt(sum / count);
}

}  // namespace hlocts
