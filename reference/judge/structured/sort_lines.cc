// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/sort_lines.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "reference/kernels/sort.h"
#include "spec/ir/element_width.h"

namespace hlocts::reference {
namespace {

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

// Returns the first or the second elements of the pairs from an exact row.
SetArray ExactLanes(const SetArray& row, const std::vector<std::pair<int64_t, int64_t>>& pairs,
                    bool first, const Shape& lanes) {
  Literal literal = Literal::Uninitialized(Shape(row.element_type(), lanes.dimensions()));
  const uint8_t* from = row.literal().raw_data();
  uint8_t* to = literal.mutable_raw_data();
  VisitWidth(StorageBytes(row.element_type()), [&](auto element) {
    constexpr size_t kBytes = sizeof(element);
    for (const auto& [a, b] : pairs) {
      std::memcpy(to, from + (first ? a : b) * static_cast<int64_t>(kBytes), kBytes);
      to += kBytes;
    }
  });
  SetArray array(std::move(literal));
  array.nan_bits_free = row.nan_bits_free;
  array.zero_sign_free = row.zero_sign_free;
  return array;
}

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

absl::StatusOr<std::vector<Truth>> ComparePairs(
    const SortJob& job, absl::Span<const SetArray* const> rows,
    const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<SetValue> arguments;
  Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(pairs.size())});
  for (const SetArray* row : rows) {
    for (bool first : {true, false}) {
      if (row->exact()) {
        arguments.emplace_back(ExactLanes(*row, pairs, first, lanes));
        continue;
      }
      std::vector<AcceptanceSet> sets;
      for (const auto& [a, b] : pairs) {
        for (int c = 0; c < row->components(); ++c) sets.push_back(row->At(first ? a : b, c));
      }
      arguments.emplace_back(
          Compress(SetArray(Shape(row->element_type(), lanes.dimensions()), std::move(sets))));
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(SetValue value,
                          job.interpreter.CallLanes(job.comparator, arguments, lanes));
  return TruthsOf(value.array);
}

namespace {

bool HasNanInLine(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start) {
  for (const SetArray* row : rows) {
    if (!job.nan || !IsFloat(row->element_type())) continue;
    for (int64_t i = 0; i < job.lines.length; ++i) {
      const AcceptanceSet s = row->At(start + i * job.lines.stride);
      if (s.unspecified() || s.Has(AcceptanceSet::kNan)) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<LineOrder> OrderOfLine(const SortJob& job, absl::Span<const SetArray* const> rows,
                                      int64_t start, RowRelation& precedes) {
  int64_t n = job.lines.length;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      pairs.emplace_back(start + i * job.lines.stride, start + j * job.lines.stride);
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Truth> less, ComparePairs(job, rows, pairs));
  const OrderConstraints demands = OrderConstraintsOf(n, less);
  precedes = demands.precedes;
  // Outside the strict profile, the engine chooses the order of a line that contains a NaN
  // (sort.28), unless the comparator ranks NaNs.
  const bool ranked = demands.certain && IsWeakOrder(n, precedes);
  if (!ranked && job.interpreter.profile() != Profile::kStrict && HasNanInLine(job, rows, start)) {
    precedes.assign(n * n, 0);
    return OrderOfRows(n, precedes);
  }
  if (job.stable && demands.certain) {
    RowRelation both = precedes;
    for (size_t k = 0; k < both.size(); ++k) both[k] |= demands.kept[k];
    LineOrder order = OrderOfRows(n, both);
    if (order.satisfiable) return order;
  }
  // The order of a stable sort is required only if it does not contradict the comparator. No order
  // is required if the comparator contradicts itself.
  LineOrder order = OrderOfRows(n, precedes);
  if (!order.satisfiable) precedes.assign(n * n, 0);
  return order;
}

namespace {

// Joins the set of a row into the set of a position, which is unset unless `filled`.
void JoinRowIntoPosition(const SortJob& job, const AcceptanceSet& from, bool filled,
                         AcceptanceSet& to) {
  to = filled ? Join(to, from) : from;
  if (!to.IsPoint() && to.cause == WideningCause::kPoint) {
    to.cause = WideningCause::kJump;
    to.origin = job.origin;
  }
}

bool SamePlaces(const LineOrder& order, int64_t a, int64_t b) {
  return order.first[a] == order.first[b] && order.last[a] == order.last[b];
}

// Returns the rows in the order of their possible positions, with equal rows next to each other.
std::vector<int64_t> ByPlaces(const LineOrder& order) {
  std::vector<int64_t> rows(order.first.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
    return std::pair(order.first[a], order.last[a]) < std::pair(order.first[b], order.last[b]);
  });
  return rows;
}

}  // namespace

void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out) {
  const int64_t n = job.lines.length, stride = job.lines.stride;
  const std::vector<int64_t> tied = ByPlaces(order);
  for (size_t k = 0; k < rows.size(); ++k) {
    int components = rows[k]->components();
    std::vector<bool> filled(n, false);
    for (int64_t begin = 0, end; begin < n; begin = end) {
      const int64_t first = order.first[tied[begin]], last = order.last[tied[begin]];
      for (end = begin; end < n && SamePlaces(order, tied[end], tied[begin]);) ++end;
      for (int c = 0; c < components; ++c) {
        AcceptanceSet any;
        for (int64_t i = begin; i < end; ++i) {
          JoinRowIntoPosition(job, rows[k]->At(start + tied[i] * stride, c), i != begin, any);
        }
        for (int64_t place = first; place <= last; ++place) {
          JoinRowIntoPosition(job, any, filled[place],
                              out[k][(start + place * stride) * components + c]);
        }
      }
      std::fill(filled.begin() + first, filled.begin() + last + 1, true);
    }
  }
}

std::vector<int> ClustersOf(const LineOrder& order) {
  size_t n = order.first.size();
  std::vector<int64_t> reach(n, 0);
  for (size_t i = 0; i < n; ++i) {
    reach[order.first[i]] = std::max(reach[order.first[i]], order.last[i]);
  }
  std::vector<int> clusters(n, 0);
  int64_t end = -1;
  int cluster = -1;
  for (size_t k = 0; k < n; ++k) {
    if (static_cast<int64_t>(k) > end) ++cluster;
    end = std::max(end, reach[k]);
    clusters[k] = cluster;
  }
  return clusters;
}

}  // namespace hlocts::reference
