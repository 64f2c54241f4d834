// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferReverse(const Instruction& reverse, Signatures&) {
  const Shape& operand = reverse.operand(0).shape();
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("rev.3", "dimensions", reverse.IntList(Attr::kDimensions), operand.rank()));
  return operand.WithoutLayout();  // rev.5
}

}  // namespace hlocts
