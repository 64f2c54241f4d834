// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/scatter_plan.h"

#include <algorithm>

#include "reference/kernels/gather_scatter.h"
#include "spec/ir/instruction.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// Limits the possible positions of a window. If there are more, any element may have any value.
constexpr size_t kPlacesMax = 16;

// Returns the values that an index may have; empty if there are too many.
std::vector<int64_t> IndexValues(const SetArray& indices, int64_t at) {
  std::vector<int64_t> values;
  for (const AcceptanceSet& s : ChoicesAt(indices, at)) {
    if (s.unspecified() || s.ihi - s.ilo >= static_cast<Int128>(kPlacesMax)) return {};
    for (Int128 value = s.ilo; value <= s.ihi; ++value) {
      values.push_back(value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value));
    }
    if (values.size() > kPlacesMax) return {};
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Returns the possible starts of the window whose index vector begins at `at`; empty if too many.
std::vector<std::vector<int64_t>> StartsOf(const WindowsGeometry& geometry, const SetArray& indices,
                                           absl::Span<const int64_t> batch, int64_t at) {
  std::vector<std::vector<int64_t>> starts = {
      std::vector<int64_t>(geometry.operand_dimensions.size(), 0)};
  for (const auto& [dimension, coordinate] : geometry.batching) {
    starts[0][dimension] = batch[coordinate];
  }
  for (size_t i = 0; i < geometry.index_map.size(); ++i) {
    std::vector<std::vector<int64_t>> longer;
    const int64_t element = at + static_cast<int64_t>(i) * geometry.vector_stride;
    for (int64_t value : IndexValues(indices, element)) {
      for (std::vector<int64_t> start : starts) {
        start[geometry.index_map[i]] = value;
        longer.push_back(std::move(start));
      }
    }
    if (longer.size() > kPlacesMax) return {};
    starts = std::move(longer);
  }
  return starts;
}

// Calls visit(positions) for every window, with an empty list if there are too many.
template <typename Visit>
void ForEachWindow(const WindowsGeometry& geometry, const SetArray& indices, const Visit& visit) {
  if (geometry.window_count() == 0) return;
  const std::vector<int64_t>& sizes = geometry.batch_sizes;
  std::vector<int64_t> batch(sizes.size(), 0);
  while (true) {
    int64_t at = 0;
    for (size_t d = 0; d < batch.size(); ++d) at += batch[d] * geometry.batch_index_strides[d];
    std::vector<WindowPlace> places;
    for (const std::vector<int64_t>& start : StartsOf(geometry, indices, batch, at)) {
      places.push_back(PlaceAt(geometry, batch, start, /*clamp=*/false));
    }
    visit(places);
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0 && ++batch[d] == sizes[d]; --d) batch[d] = 0;
    if (d < 0) return;
  }
}

void PlanUncertain(const WindowsGeometry& geometry, const SetArray& indices, bool whole,
                   ScatterPlan& plan) {
  ForEachWindow(geometry, indices, [&](const std::vector<WindowPlace>& places) {
    plan.open = plan.open || places.empty();
    plan.uncertain = plan.uncertain || places.size() > 1;
    for (const WindowPlace& place : places) {
      plan.partly = plan.partly || place.partly;
      if (place.partly && whole) continue;
      ForEachUpdate(geometry, place, [&](int64_t to, int64_t from) {
        (places.size() == 1 ? plan.updates : plan.maybe)[to].push_back(from);
        return true;
      });
    }
  });
}

std::vector<int64_t> IndexNumbers(const Literal& literal) {
  std::vector<int64_t> values(literal.element_count());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Int128 value = PointOf(literal, i).ilo;
    values[i] = value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
  }
  return values;
}

void PlanCertain(const Instruction& scatter, const WindowsGeometry& geometry,
                 const Literal& indices, bool whole, ScatterPlan& plan) {
  std::vector<WindowPlace> places = PlacesOf(geometry, IndexNumbers(indices), false);
  for (const WindowPlace& place : places) {
    plan.partly = plan.partly || place.partly;
    if (place.partly && whole) continue;
    ForEachUpdate(geometry, place, [&](int64_t to, int64_t from) {
      plan.updates[to].push_back(from);
      return true;
    });
  }
  if (!scatter.BoolOr(Attr::kIndicesAreSorted, false)) return;
  for (size_t i = 1; i < places.size(); ++i) {
    plan.violates_attribute |= places[i].operand_base < places[i - 1].operand_base;
  }
}

}  // namespace

ScatterPlan PlanScatter(const Instruction& scatter, const SetArray& operand,
                        const SetArray& indices, const SetArray& updates, bool whole) {
  WindowsGeometry geometry =
      ScatterGeometryOf(scatter, operand.shape().dimensions(), indices.shape().dimensions(),
                        updates.shape().dimensions());
  ScatterPlan plan;
  plan.updates.resize(operand.element_count());
  plan.maybe.resize(operand.element_count());
  if (indices.exact()) {
    PlanCertain(scatter, geometry, indices.literal(), whole, plan);
  } else {
    PlanUncertain(geometry, indices, whole, plan);
    plan.violates_attribute = plan.uncertain && scatter.BoolOr(Attr::kIndicesAreSorted, false);
  }
  if (scatter.BoolOr(Attr::kUniqueIndices, false)) {
    for (size_t i = 0; i < plan.updates.size(); ++i) {
      plan.violates_attribute |= plan.updates[i].size() + plan.maybe[i].size() > 1;
    }
  }
  return plan;
}

}  // namespace hlocts::reference
