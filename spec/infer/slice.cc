// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

absl::Status CheckRange(const SliceRange& range, int64_t d, int64_t size) {
  std::string place = absl::StrCat(" in dimension ", d);
  std::string found = absl::StrCat("[", range.start, ":", range.limit, ":", range.stride, "]");
  HLOCTS_EXPECT(range.start >= 0, "slice.8", absl::StrCat("a start of at least 0", place), found);
  HLOCTS_EXPECT(range.limit >= range.start, "slice.10",
                absl::StrCat("a limit not below the start", place), found);
  HLOCTS_EXPECT(size == kUnboundedSize || range.limit <= size, "slice.11",
                absl::StrCat("a limit of at most ", size, place), found);
  HLOCTS_EXPECT(range.stride >= 1, "slice.13", absl::StrCat("a stride of at least 1", place),
                found);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferSlice(const Instruction& slice, Signatures&) {
  const Shape& operand = slice.operand(0).shape();
  const std::vector<SliceRange>& ranges = slice.Get<SliceRanges>(Attr::kSlice)->dimensions;
  HLOCTS_EXPECT(static_cast<int64_t>(ranges.size()) == operand.rank(), "slice.7",
                absl::StrCat(operand.rank(), " ranges"), absl::StrCat(ranges.size()));
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const SliceRange& range = ranges[d];
    HLOCTS_RETURN_IF_ERROR(CheckRange(range, d, operand.dimension(d)));
    sizes.push_back(SlicedSize(range));
  }
  Shape result(operand.element_type(), sizes);
  // A slice of the whole dimension keeps its run-time size. Other slices have the size in the text.
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool whole = sizes[d] == operand.dimension(d) && ranges[d].stride == 1;
    if (whole && operand.is_dynamic_dimension(d)) result.set_dynamic_dimension(d, true);
  }
  return result;
}

}  // namespace hlocts
