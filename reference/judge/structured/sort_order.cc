// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/sort_order.h"

#include "reference/kernels/sort.h"

namespace hlocts::reference {
namespace {

// Sets of rows, stored as bits.
class RowSets {
 public:
  explicit RowSets(int64_t n) : words_((n + 63) / 64), bits_(static_cast<size_t>(n * words_), 0) {}
  void Add(int64_t set, int64_t row) { bits_[set * words_ + row / 64] |= uint64_t{1} << row % 64; }
  bool Has(int64_t set, int64_t row) const {
    return bits_[set * words_ + row / 64] >> row % 64 & 1;
  }
  void AddAll(int64_t set, int64_t from) {
    for (int64_t w = 0; w < words_; ++w) bits_[set * words_ + w] |= bits_[from * words_ + w];
  }
  int64_t Count(int64_t set) const {
    int64_t count = 0;
    for (int64_t w = 0; w < words_; ++w) count += __builtin_popcountll(bits_[set * words_ + w]);
    return count;
  }

 private:
  int64_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace

LineOrder OrderOfRows(int64_t n, const RowRelation& before) {
  LineOrder order;
  order.first.assign(n, 0);
  order.last.assign(n, n - 1);
  std::vector<uint32_t> rows(n);
  order.satisfiable = OrderTopologically(
      absl::MakeSpan(rows), [&](int64_t i, int64_t j) { return before[i * n + j] != 0; });
  if (!order.satisfiable) return order;
  RowSets reached(n);  // set j contains the rows that reach j
  for (int64_t j : rows) {
    for (int64_t i = 0; i < n; ++i) {
      if (before[i * n + j] == 0 || reached.Has(j, i)) continue;
      reached.AddAll(j, i);
      reached.Add(j, i);
    }
  }
  for (int64_t j = 0; j < n; ++j) {
    order.first[j] = reached.Count(j);
    for (int64_t i = 0; i < n; ++i) order.last[i] -= reached.Has(j, i) ? 1 : 0;
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      order.partial = order.partial || (before[i * n + j] != 0 && order.last[i] >= order.first[j]);
    }
  }
  return order;
}

std::vector<Truth> TruthsOf(const SetArray& preds) {
  std::vector<Truth> truths(preds.element_count());
  if (preds.exact()) {
    const uint8_t* bytes = preds.literal().raw_data();
    for (Truth& t : truths) t = *bytes++ != 0 ? kSurelyTrue : kSurelyFalse;
    return truths;
  }
  for (size_t i = 0; i < truths.size(); ++i) {
    const AcceptanceSet& s = preds.sets()[i];
    const bool open = s.unspecified() || s.ilo != s.ihi;
    truths[i] = open ? kUncertain : s.ilo == 1 ? kSurelyTrue : kSurelyFalse;
  }
  return truths;
}

OrderConstraints OrderConstraintsOf(int64_t n, const std::vector<Truth>& less) {
  OrderConstraints demands;
  demands.precedes.assign(n * n, 0);
  demands.kept.assign(n * n, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const Truth s = less[i * n + j], turned = less[j * n + i];
      demands.certain = demands.certain && s != kUncertain;
      demands.precedes[i * n + j] = !MayBeFalse(s) && !MayBeTrue(turned);
      demands.kept[i * n + j] = i < j && !MayBeTrue(s) && !MayBeTrue(turned);
    }
  }
  return demands;
}

bool IsWeakOrder(int64_t n, const RowRelation& precedes) {
  std::vector<int64_t> before(n, 0), behind(n, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      behind[i] += precedes[i * n + j];
      before[j] += precedes[i * n + j];
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const bool tied = precedes[i * n + j] == 0 && precedes[j * n + i] == 0;
      if (tied && (before[i] != before[j] || behind[i] != behind[j])) return false;
    }
  }
  return true;
}

}  // namespace hlocts::reference
