// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <numeric>
#include <utility>

#include "reference/kernels/sort.h"
#include "reference/number_system.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {
namespace {

// Orders the first k positions by ascending key (`largest`: descending), ties by index.
void FirstK(const uint64_t* keys, bool largest, int64_t k, absl::Span<int64_t> order) {
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    if (keys[a] != keys[b]) return (keys[a] > keys[b]) == largest;
    return a < b;
  });
}

}  // namespace

// top_k.7-11: returns the k largest (smallest) elements of every row of the last dimension in
// order, and their indices; the lower index wins ties. Elements are in total order, so that +NaN is
// the largest and -0 is below +0 (ruling 0047).
absl::StatusOr<Literal> EvaluateTopK(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands) {
  const Literal& operand = operands[0];
  const int64_t k = instruction.IntOr(Attr::kK, 0);
  const bool largest = instruction.BoolOr(Attr::kLargest, true);
  if (!operand.shape().IsArray() || IsComplex(operand.element_type())) {
    return Unsupported(instruction.name(), ": topk cannot take ", operand.shape().ToString(false));
  }
  std::vector<int64_t> dimensions = operand.shape().dimensions();
  const int64_t size = dimensions.back();
  if (k > size) {
    return InvalidInput(instruction.name(), ": expected k of at most ", size, ", found ", k);
  }
  dimensions.back() = k;
  const PrimitiveType index_type = instruction.shape().tuple_shapes()[1].element_type();
  const Shape values_shape(operand.element_type(), dimensions),
      indices_shape(index_type, dimensions);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(Shape::Tuple({values_shape, indices_shape})));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(operand.element_count() * sizeof(uint64_t)));
  Literal values(values_shape), indices(indices_shape);
  const int width = StorageBytes(operand.element_type()), index_width = StorageBytes(index_type);
  uint8_t *value = values.mutable_raw_data(), *index = indices.mutable_raw_data();
  const std::vector<uint64_t> keys = SortKeysOf(operand, /*total_order=*/true);
  std::vector<int64_t> order(size);
  for (int64_t row = 0; row < (k == 0 ? 0 : values.element_count() / k); ++row) {
    FirstK(keys.data() + row * size, largest, k, absl::MakeSpan(order));
    for (int64_t i = 0; i < k; ++i, value += width, index += index_width) {
      std::memcpy(value, operand.raw_data() + (row * size + order[i]) * width, width);
      std::memcpy(index, &order[i], index_width);  // little-endian, truncated to the index type
    }
  }
  std::vector<Literal> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return Literal::Tuple(std::move(results));
}

}  // namespace hlocts::reference
