// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/copy_plan.h"

#include <algorithm>

#include "backends/engine/cuda/compile/program_builder.h"

namespace hlocts::cuda {
namespace {

constexpr int kWidest = 16;
// If a side of a matrix is shorter, most of a tile is empty.
constexpr int64_t kSideToTile = 16;

// Returns true if the view consists of contiguous, aligned groups of `factor` elements.
bool HoldsRuns(const plan::View& view, int64_t factor) {
  const auto& dimensions = view.dimensions;
  if (dimensions.empty() || dimensions.back().stride != 1) return false;
  if (dimensions.back().size % factor != 0 || view.offset % factor != 0) return false;
  return std::all_of(dimensions.begin(), dimensions.end() - 1,
                     [&](const plan::ViewDimension& d) { return d.stride % factor == 0; });
}

plan::View Widened(plan::View view, int64_t factor) {
  view.offset /= factor;
  for (plan::ViewDimension& d : view.dimensions) d.stride /= factor;
  view.dimensions.back() = {view.dimensions.back().size / factor, 1};
  return view.Simplified();
}

// Returns a view of all dimensions except `row` and the last, with these strides.
absl::StatusOr<hl::View> OthersOf(const plan::View& view, size_t row,
                                  absl::Span<const int64_t> strides) {
  plan::View others;
  for (size_t d = 0; d + 1 < view.dimensions.size(); ++d) {
    if (d != row) others.dimensions.push_back({view.dimensions[d].size, strides[d]});
  }
  HLOCTS_ASSIGN_OR_RETURN(hl::View result, DeviceView(others));
  return result;
}

}  // namespace

absl::StatusOr<BoxPlan> PlanBox(const plan::View& from, const plan::View& to, int bytes,
                                bool widen) {
  plan::View source = from.Simplified(), target = to.Simplified();
  int64_t factor = kWidest / bytes;
  while (factor > 1 && !(widen && HoldsRuns(source, factor) && HoldsRuns(target, factor))) {
    factor /= 2;
  }
  if (factor > 1) {
    source = Widened(std::move(source), factor);
    target = Widened(std::move(target), factor);
  }
  BoxPlan plan;
  plan.args.bytes = bytes * static_cast<int>(factor);
  plan.count = source.elements();
  HLOCTS_ASSIGN_OR_RETURN(plan.args.from, DeviceView(source));
  HLOCTS_ASSIGN_OR_RETURN(plan.args.to, DeviceView(target));
  return plan;
}

absl::StatusOr<std::optional<TransposePlan>> PlanTranspose(const plan::View& from, int bytes) {
  const plan::View view = from.Simplified();
  const size_t rank = view.dimensions.size();
  const auto is_row = [](const plan::ViewDimension& d) { return d.stride == 1; };
  const auto row = std::find_if(view.dimensions.begin(), view.dimensions.end(), is_row);
  if (rank < 2 || row == view.dimensions.end() || row == view.dimensions.end() - 1 ||
      view.dimensions.back().stride == 0 || row->size < kSideToTile ||
      view.dimensions.back().size < kSideToTile) {
    return std::optional<TransposePlan>();
  }
  const size_t r = static_cast<size_t>(row - view.dimensions.begin());
  std::vector<int64_t> from_strides(rank), to_strides(rank, 1);
  for (size_t d = rank; d-- > 0;) {
    from_strides[d] = view.dimensions[d].stride;
    if (d + 1 < rank) to_strides[d] = to_strides[d + 1] * view.dimensions[d + 1].size;
  }
  TransposePlan plan;
  hl::TransposeArgs& args = plan.args;
  HLOCTS_ASSIGN_OR_RETURN(args.from, OthersOf(view, r, from_strides));
  HLOCTS_ASSIGN_OR_RETURN(args.to, OthersOf(view, r, to_strides));
  args.from.offset = view.offset;
  args.phases = 2;
  args.bytes = bytes;
  args.rows = row->size;
  args.columns = view.dimensions.back().size;
  args.column_from = view.dimensions.back().stride;
  args.row_to = to_strides[r];
  const int64_t tile = hl::TileOf(bytes);
  args.row_tiles = (args.rows + tile - 1) / tile;
  args.column_tiles = (args.columns + tile - 1) / tile;
  args.narrow = view.elements() < kNarrowElements ? 1 : 0;
  const int64_t others = view.elements() / (args.rows * args.columns);
  plan.blocks = args.row_tiles * args.column_tiles * others;
  return std::optional<TransposePlan>(plan);
}

}  // namespace hlocts::cuda
