// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/sort.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "reference/number_system.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"
#include "reference/recognized.h"

namespace hlocts::reference {
namespace {

// The rows along one dimension. Element i of row r is at begin(r) + i * stride.
struct Rows {
  int64_t count = 0, size = 0, stride = 1;
  int64_t begin(int64_t row) const { return row / stride * size * stride + row % stride; }
};

Rows RowsAlong(absl::Span<const int64_t> dimensions, int64_t dimension) {
  Rows rows{.count = 1, .size = dimensions[dimension]};
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (static_cast<int64_t>(d) != dimension) rows.count *= dimensions[d];
    if (static_cast<int64_t>(d) > dimension) rows.stride *= dimensions[d];
  }
  return rows;
}

// Copies each row's element source(i) to position i, for all operands.
template <typename Source>
void MoveRow(const Rows& rows, int64_t begin, absl::Span<const Literal> operands,
             absl::Span<uint8_t* const> results, absl::Span<const int> widths, Source&& source) {
  for (size_t k = 0; k < operands.size(); ++k) {
    DispatchStorage(widths[k], [&](auto element) {
      using T = decltype(element);
      const T* from = operands[k].data<T>().data() + begin;
      T* to = reinterpret_cast<T*>(results[k]) + begin;
      for (int64_t i = 0; i < rows.size; ++i) to[i * rows.stride] = from[source(i) * rows.stride];
    });
  }
}

// Sorts one row at a time; buffers are kept for the next row.
struct RowSorter {
  const Rows& rows;
  absl::Span<const Literal> operands;
  absl::Span<uint8_t* const> results;
  absl::Span<const int> widths;
  AppliedComputation& comparator;
  std::vector<uint32_t> order, scratch;
  std::vector<uint8_t> odd;

  // Sorts by one integer key per element instead of calling the comparator.
  void ByKeys(int64_t begin, const SortKeyReader& reader, bool descending) {
    const uint64_t turn = descending ? ~uint64_t{0} >> (64 - reader.bits()) : 0;
    auto key = [&](uint32_t i) { return reader[begin + i * rows.stride] ^ turn; };
    order.resize(rows.size);
    std::iota(order.begin(), order.end(), 0);
    // The position breaks ties, so that the sort is stable.
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
    MoveRow(rows, begin, operands, results, widths, [&](int64_t i) { return order[i]; });
  }

  // sort.16: parameters 2k and 2k + 1 are operand k's elements at the first and second position.
  void ByComparator(int64_t begin) {
    std::vector<Slot> slots(2 * operands.size());
    order.resize(rows.size);
    scratch.resize(rows.size);
    std::iota(order.begin(), order.end(), 0);
    auto holds = [&](int64_t a, int64_t b) {
      for (size_t k = 0; k < operands.size(); ++k) {
        const uint8_t* data = operands[k].raw_data() + begin * widths[k];
        slots[2 * k].Load(data + a * rows.stride * widths[k], widths[k]);
        slots[2 * k + 1].Load(data + b * rows.stride * widths[k], widths[k]);
      }
      Slot result;
      comparator(slots.data(), &result);
      return result.Get<bool>();
    };
    // A comparator that is true in both directions (LE of equal elements) puts neither first.
    auto precedes = [&](int64_t a, int64_t b) { return holds(a, b) && !holds(b, a); };
    if (FindOdd(begin)) {
      OrderWithOddRows(absl::MakeSpan(order), absl::MakeSpan(scratch), odd, precedes);
    } else {
      StableMergeSort<uint32_t>(absl::MakeSpan(order), absl::MakeSpan(scratch), precedes);
      // A merge sort may leave rows out of order if ties are not transitive. Then they are ordered
      // topologically: ties keep their order unless that contradicts the comparator.
      const auto keeps = [&](int64_t a, int64_t b) {
        return precedes(a, b) || (a < b && !holds(a, b) && !holds(b, a));
      };
      if (rows.size <= kAllPairsMax && !IsInOrder(precedes) &&
          !OrderTopologically(absl::MakeSpan(order), keeps)) {
        OrderWithOddRows(absl::MakeSpan(order), absl::MakeSpan(scratch), odd, precedes);
      }
    }
    MoveRow(rows, begin, operands, results, widths, [&](int64_t i) { return order[i]; });
  }

  // Rows of at most this length are compared pair by pair.
  static constexpr int64_t kAllPairsMax = 256;

  template <typename Precedes>
  bool IsInOrder(const Precedes& precedes) const {
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t j = i + 1; j < order.size(); ++j) {
        if (precedes(order[j], order[i])) return false;
      }
    }
    return true;
  }

  // Finds the positions that contain a NaN. Returns false if there are none.
  bool FindOdd(int64_t begin) {
    odd.assign(rows.size, 0);
    bool any = false;
    for (const Literal& operand : operands) {
      if (!IsFloat(operand.element_type())) continue;
      const SortKeyReader numbers(operand, /*total_order=*/false);
      for (int64_t i = 0; i < rows.size; ++i) {
        const bool nan = !numbers.HasKey(begin + i * rows.stride);
        odd[i] = odd[i] != 0 || nan;
        any = any || nan;
      }
    }
    return any;
  }
};

bool AllHaveKeys(const Rows& rows, int64_t begin, const SortKeyReader& reader) {
  for (int64_t i = 0; i < rows.size; ++i) {
    if (!reader.HasKey(begin + i * rows.stride)) return false;
  }
  return true;
}

// Returns the rows along the dimension attribute, or else along the last dimension.
Rows RowsOf(const Instruction& sort, const std::vector<int64_t>& dimensions) {
  if (dimensions.empty()) return {1, 1, 1};
  const std::vector<int64_t>& named = sort.IntList(Attr::kDimensions);
  return RowsAlong(dimensions,
                   named.empty() ? static_cast<int64_t>(dimensions.size()) - 1 : named[0]);
}

// Orders the first k positions by ascending key (`largest`: descending), ties by index.
void FirstK(const uint64_t* keys, bool largest, int64_t k, absl::Span<int64_t> order) {
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    if (keys[a] != keys[b]) return (keys[a] > keys[b]) == largest;
    return a < b;
  });
}

}  // namespace

// sort.6-19: permutes every row along the dimension so that the comparator puts no later element
// before an earlier one; all operands move together. The sort is stable unless that contradicts the
// comparator; this is also a permitted order of an unstable sort (sort.21-24, ruling 0023). An
// inconsistent comparator yields some permutation (ruling 0024).
absl::StatusOr<Literal> EvaluateSort(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands) {
  const Computation& computation = *instruction.CalledComputation(Attr::kToApply);
  const std::vector<int64_t>& dimensions = operands[0].shape().dimensions();
  std::vector<Literal> results;
  std::vector<uint8_t*> data;
  for (const Literal& operand : operands) {
    HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(operand.shape()));
    results.emplace_back(Shape(operand.element_type(), dimensions));
  }
  for (Literal& result : results) data.push_back(result.mutable_raw_data());
  if (results[0].element_count() == 0) return Collated(instruction.shape(), std::move(results));
  const Rows rows = RowsOf(instruction, dimensions);
  if (rows.size > UINT32_MAX) {
    return absl::ResourceExhaustedError(absl::StrCat(instruction.name(), ": rows of ", rows.size,
                                                     " elements are too long to sort"));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(rows.size * 2 * sizeof(uint32_t)));
  const RecognizedComparator simple = RecognizeComparator(computation);
  std::optional<SortKeyReader> reader;
  if (simple.recognized && !IsComplex(operands[simple.key].element_type())) {
    reader.emplace(operands[simple.key], simple.total_order);
  }
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation comparator,
                          AppliedComputation::Of(context, computation));
  const std::vector<int> widths = ElementWidths(operands);
  RowSorter sorter{rows, operands, data, widths, comparator, {}, {}, {}};
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t begin = rows.begin(row);
    if (reader && AllHaveKeys(rows, begin, *reader)) {
      sorter.ByKeys(begin, *reader, simple.descending);
    } else {
      sorter.ByComparator(begin);
      HLOCTS_RETURN_IF_ERROR(comparator.status());
    }
  }
  return Collated(instruction.shape(), std::move(results));
}

// top_k.7-11: returns the k largest (smallest) elements of every row of the last dimension in
// order, and their indices; of equal elements, the lower index comes first. Elements are in total
// order: +NaN is the largest and -0 is below +0 (ruling 0047).
absl::StatusOr<Literal> EvaluateTopK(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands) {
  const Literal& operand = operands[0];
  const int64_t k = instruction.IntOr(Attr::kK, 0);
  const bool largest = instruction.BoolOr(Attr::kLargest, true);
  if (!operand.shape().IsArray() || IsComplex(operand.element_type())) {
    return Unsupported(instruction.name(), ": topk cannot sort ", operand.shape().ToString(false));
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
