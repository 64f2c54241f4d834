// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/sort_lines.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "spec/ir/element_width.h"

namespace hlocts::reference {
namespace {

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
  // Outside the strict profile, the engine chooses the order in a line with a NaN (sort.28), unless
  // the comparator ranks NaNs.
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
  // A stable order is required only if the comparator agrees; no order is required if it
  // contradicts itself.
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
