// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"
#include "spec/infer/window_util.h"

namespace hlocts {

absl::StatusOr<Shape> InferPad(const Instruction& pad, Signatures&) {
  const Shape &operand = pad.operand(0).shape(), &value = pad.operand(1).shape();
  const std::vector<PaddingDimension>& padding = pad.Get<PaddingConfig>(Attr::kPadding)->dimensions;
  HLOCTS_EXPECT(value.IsScalar() && value.element_type() == operand.element_type(), "pad.3",
                absl::StrCat("padding_value a scalar of type ", TypeText(operand.element_type())),
                ShapeText(value));
  HLOCTS_EXPECT(static_cast<int64_t>(padding.size()) == operand.rank(), "pad.7",
                absl::StrCat(operand.rank(), " entries in padding"), absl::StrCat(padding.size()));
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    HLOCTS_EXPECT(padding[d].interior >= 0, "pad.12",
                  absl::StrCat("interior padding of at least 0 in dimension ", d),
                  absl::StrCat(padding[d].interior));
    bool unknown = operand.dimension(d) == kUnboundedSize;
    sizes.push_back(unknown ? kUnboundedSize : PaddedSize(operand.dimension(d), padding[d]));
    HLOCTS_EXPECT(unknown || sizes[d] >= 0, "pad.10",
                  absl::StrCat("a result size of at least 0 in dimension ", d),
                  absl::StrCat(sizes[d]));
  }
  Shape result(operand.element_type(), sizes);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_dynamic_dimension(d)) result.set_dynamic_dimension(d, true);
  }
  return result;
}

}  // namespace hlocts
