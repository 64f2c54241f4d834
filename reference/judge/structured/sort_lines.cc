// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/sort_lines.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace hlocts::reference {
namespace {

// The first or second elements of the pairs, of a row of points.
SetArray ExactLanes(const SetArray& row, const std::vector<std::pair<int64_t, int64_t>>& pairs,
                    bool first, const Shape& lanes) {
  Literal literal = Literal::Uninitialized(Shape(row.element_type(), lanes.dimensions()));
  int64_t bytes = StorageBytes(row.element_type());
  const uint8_t* from = row.literal().raw_data();
  uint8_t* to = literal.mutable_raw_data();
  for (const auto& [a, b] : pairs) {
    std::memcpy(to, from + (first ? a : b) * bytes, static_cast<size_t>(bytes));
    to += bytes;
  }
  SetArray array(std::move(literal));
  array.nan_bits_free = row.nan_bits_free;
  array.zero_sign_free = row.zero_sign_free;
  return array;
}

}  // namespace

absl::StatusOr<std::vector<AcceptanceSet>> ComparePairs(
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
  return value.array.AsSets();
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
  HLOCTS_ASSIGN_OR_RETURN(std::vector<AcceptanceSet> less, ComparePairs(job, rows, pairs));
  const Demands demands = DemandsOf(n, less);
  precedes = demands.precedes;
  // Outside strict the order beside a NaN is the engine's (sort.28), unless the comparator ranks
  // it.
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
  // A stable order that the comparator contradicts is not kept; nor one that contradicts itself.
  LineOrder order = OrderOfRows(n, precedes);
  if (!order.satisfiable) precedes.assign(n * n, 0);
  return order;
}

namespace {

// `from` may stand where `to` says what else may.
void MayStand(const SortJob& job, const AcceptanceSet& from, bool filled, AcceptanceSet& to) {
  to = filled ? Join(to, from) : from;
  if (!to.IsPoint() && to.cause == WideningCause::kPoint) {
    to.cause = WideningCause::kJump;
    to.origin = job.origin;
  }
}

}  // namespace

void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out) {
  int64_t n = job.lines.length, stride = job.lines.stride;
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> ties;
  for (int64_t i = 0; i < n; ++i) ties[{order.first[i], order.last[i]}].push_back(i);
  for (size_t k = 0; k < rows.size(); ++k) {
    int components = rows[k]->components();
    std::vector<bool> filled(n, false);
    for (const auto& [places, tied] : ties) {
      for (int c = 0; c < components; ++c) {
        AcceptanceSet any;
        for (int64_t i : tied) MayStand(job, rows[k]->At(start + i * stride, c), i != tied[0], any);
        for (int64_t place = places.first; place <= places.second; ++place) {
          MayStand(job, any, filled[place], out[k][(start + place * stride) * components + c]);
        }
      }
      std::fill(filled.begin() + places.first, filled.begin() + places.second + 1, true);
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
