// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferTranspose(const Instruction& transpose, Signatures&) {
  const Shape& operand = transpose.operand(0).shape();
  const std::vector<int64_t>& permutation = transpose.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(static_cast<int64_t>(permutation.size()) == operand.rank(), "transpose.5",
                absl::StrCat("a permutation of all ", operand.rank(), " dimensions"),
                ListText(permutation));
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("transpose.5", "permutation", permutation, operand.rank()));
  std::vector<int64_t> sizes;
  for (int64_t from : permutation) sizes.push_back(operand.dimension(from));
  Shape result(operand.element_type(), sizes);  // transpose.4
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (operand.is_dynamic_dimension(permutation[d])) result.set_dynamic_dimension(d, true);
  }
  return result;
}

}  // namespace hlocts
