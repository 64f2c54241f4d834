#include "spec/judge/effective_bits.h"

#include <cstring>

#include "spec/judge/interval_columns.h"

namespace hlocts {

EffectiveBits EffectiveHistogram::Summarize() const {
  EffectiveBits summary;
  summary.elements = total_;
  summary.unspecified = unspecified_;
  if (total_ == 0) return summary;
  std::vector<int64_t> all(64 * kSteps + 1);
  for (const auto& [precision, steps] : by_precision_) {
    std::vector<int64_t>& quarters = summary.quarters[precision];
    quarters.resize(64 * 4 + 1);
    for (size_t i = 0; i < steps.size(); ++i) {
      all[i] += steps[i];
      quarters[i / (kSteps / 4)] += steps[i];
    }
  }
  summary.median = At(all, 0.5);
  summary.percentile5 = At(all, 0.05);
  int64_t low = 0;
  for (size_t i = 0; i < 2 * kSteps; ++i) low += all[i];
  summary.share_below_2 = static_cast<double>(low) / static_cast<double>(total_);
  return summary;
}

double EffectiveHistogram::At(const std::vector<int64_t>& steps, double share) const {
  int64_t rank = static_cast<int64_t>(share * static_cast<double>(total_)), seen = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    seen += steps[i];
    if (seen > rank) return static_cast<double>(i) / kSteps;
  }
  return 0;
}

double RoughLog2(double x) {
  constexpr int kBits = 12;
  static const std::vector<double>* table = [] {
    auto* logs = new std::vector<double>(size_t{1} << kBits);
    for (size_t i = 0; i < logs->size(); ++i) {
      (*logs)[i] = std::log2(1 + (static_cast<double>(i) + 0.5) / static_cast<double>(logs->size()));
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
