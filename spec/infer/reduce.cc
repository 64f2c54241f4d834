// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/rules.h"

namespace hlocts {

absl::StatusOr<Shape> InferReduce(const Instruction& reduce, Signatures& signatures) {
  HLOCTS_EXPECT(reduce.operand_count() % 2 == 0, "reduce.2", "N operands and N init values",
                absl::StrCat(reduce.operand_count(), " in all"));
  int64_t count = reduce.operand_count() / 2;
  const Shape& first = reduce.operand(0).shape();
  const std::vector<int64_t>& dimensions = reduce.IntList(Attr::kDimensions);
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("reduce.7", "dimensions", dimensions, first.rank()));
  std::vector<int64_t> kept = DimensionsExcept(first.rank(), dimensions);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types,
                          ReducerTypes("reduce.5", reduce, Attr::kToApply, count, signatures));
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = reduce.operand(i).shape();
    HLOCTS_RETURN_IF_ERROR(
        ExpectFolded({"reduce.3", "reduce.10", "reduce.5", "reduce.4"}, reduce, i, types));
    Shape result(operand.element_type(), {});  // reduce.15, .16
    for (int64_t d : kept) AppendDimension(result, operand, d);
    results.push_back(std::move(result));
  }
  return OneOrTuple(std::move(results));
}

}  // namespace hlocts
