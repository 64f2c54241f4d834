// SPDX-License-Identifier: Apache-2.0
#include "reports/effective_bits.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/strings/str_format.h"
#include "reports/verdict.h"

namespace hlocts::reports {

int64_t Total(const std::vector<int64_t>& quarters) {
  return std::accumulate(quarters.begin(), quarters.end(), int64_t{0});
}

double Quantile(const std::vector<int64_t>& quarters, double share) {
  int64_t rank = static_cast<int64_t>(share * static_cast<double>(Total(quarters))), seen = 0;
  for (size_t i = 0; i < quarters.size(); ++i) {
    seen += quarters[i];
    if (seen > rank) return static_cast<double>(i) / 4;
  }
  return 0;
}

namespace {

// Counts elements with fewer than two checked bits. One bit is enough for a format of one bit.
int64_t BelowTwoBits(const std::vector<int64_t>& quarters, int precision) {
  const size_t end = std::min<size_t>(quarters.size(), 4 * std::min(precision, 2));
  return std::accumulate(quarters.begin(), quarters.begin() + end, int64_t{0});
}

void AddQuarters(const std::vector<int64_t>& from, int64_t times, std::vector<int64_t>& into) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] += times * from[i];
}

}  // namespace

void AddCounts(const VerdictStatistics& from, int64_t times, VerdictStatistics& into) {
  const double bits =
      into.bits_checked_mean * static_cast<double>(into.elements) +
      static_cast<double>(times) * from.bits_checked_mean * static_cast<double>(from.elements);
  into.elements += times * from.elements;
  into.bits_checked_mean = into.elements > 0 ? bits / static_cast<double>(into.elements) : 0;
  into.unspecified_elements += times * from.unspecified_elements;
  into.unspecified_floats += times * from.unspecified_floats;
  into.draws += times * from.draws;
  into.wrong_elements += times * from.wrong_elements;
  for (const auto& [precision, quarters] : from.effective_quarters)
    AddQuarters(quarters, times, into.effective_quarters[precision]);
  std::vector<int64_t> all;
  int64_t below = 0;
  for (const auto& [precision, quarters] : into.effective_quarters) {
    AddQuarters(quarters, 1, all);
    below += BelowTwoBits(quarters, precision);
  }
  const int64_t total = Total(all);
  if (total == 0) return;
  into.effective_bits_median = Quantile(all, 0.5);
  into.effective_bits_p5 = Quantile(all, 0.05);
  into.below_two_bits_share = static_cast<double>(below) / static_cast<double>(total);
}

int64_t ElementsBelowTwoBits(const Verdict& verdict) {
  int64_t below = 0;
  for (const auto& [precision, quarters] : verdict.effective_quarters)
    below += BelowTwoBits(quarters, precision);
  return below;
}

int64_t ElementsBarelyChecked(const Verdict& verdict) {
  return ElementsBelowTwoBits(verdict) + verdict.unspecified_elements - verdict.unspecified_floats;
}

void EffectiveBitsTable::Add(const Verdict& verdict) {
  draws_ += verdict.draws;
  for (const auto& [precision, quarters] : verdict.effective_quarters) {
    AddQuarters(quarters, 1, quarters_[{verdict.exact_data, precision}]);
  }
}

std::string EffectiveBitsTable::ToText() const {
  std::string text;
  std::optional<bool> exact_before;
  for (const auto& [key, quarters] : quarters_) {
    auto [exact, precision] = key;
    if (exact != exact_before) {
      absl::StrAppendFormat(&text, "  effective bits%s:\n",
                            exact ? " on data exact by construction" : "");
    }
    exact_before = exact;
    int64_t total = Total(quarters);
    int64_t below = BelowTwoBits(quarters, precision);
    absl::StrAppendFormat(
        &text,
        "    of %2d: median %5.2f, 5th percentile %5.2f, %.1f%% below 2 bits (%d elements)\n",
        precision, Quantile(quarters, 0.5), Quantile(quarters, 0.05),
        total ? 100.0 * static_cast<double>(below) / static_cast<double>(total) : 0.0, total);
  }
  if (draws_ > 0) {
    absl::StrAppendFormat(&text, "    random draws, judged by their distribution: %d elements\n",
                          draws_);
  }
  return text;
}

}  // namespace hlocts::reports
