// SPDX-License-Identifier: Apache-2.0
// Shape rule of broadcast, the opcode for both Broadcast and BroadcastInDim. It repeats the operand
// along new dimensions; the builder converts size-1 dimensions to new ones with a reshape.
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferBroadcast(const Instruction& broadcast, Signatures&) {
  const Shape &operand = broadcast.operand(0).shape(), &result = broadcast.shape();
  const std::vector<int64_t>& dimensions = broadcast.IntList(Attr::kDimensions);
  HLOCTS_RETURN_IF_ERROR(ExpectArray("broadcast_in_dim.1", "the result", result));
  HLOCTS_EXPECT(result.element_type() == operand.element_type(), "broadcast_in_dim.1",
                absl::StrCat("a result of type ", TypeText(operand.element_type())),
                ShapeText(result));
  HLOCTS_EXPECT(static_cast<int64_t>(dimensions.size()) == operand.rank(), "broadcast_in_dim.5",
                absl::StrCat(operand.rank(), " dimensions, one for each of ", ShapeText(operand)),
                ListText(dimensions));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("broadcast_in_dim.8", "dimensions of the result",
                                          dimensions, result.rank()));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    HLOCTS_EXPECT(CompatibleSize(operand.dimensions()[i], result.dimensions()[dimensions[i]]),
                  "broadcast_in_dim.9",
                  absl::StrCat("size ", operand.dimensions()[i], " in dimension ", dimensions[i]),
                  ShapeText(result));
  }
  return result.WithoutLayout();
}

}  // namespace hlocts
