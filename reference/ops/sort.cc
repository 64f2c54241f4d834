#include "reference/kernels/sort.h"

#include <numeric>
#include <utility>

#include "reference/number_system.h"
#include "reference/ops/applied_computation.h"
#include "reference/ops/structured.h"

namespace hlocts {
namespace {

// The rows along one dimension: element i of row r lies at begin(r) + i * stride.
struct Rows {
  int64_t count = 0, size = 0, stride = 1;
  int64_t begin(int64_t row) const { return row / stride * size * stride + row % stride; }
};

Rows RowsAlong(absl::Span<const int64_t> dimensions, int64_t dimension) {
  Rows rows;
  rows.size = dimensions[dimension];
  rows.count = 1;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (static_cast<int64_t>(d) != dimension) rows.count *= dimensions[d];
    if (static_cast<int64_t>(d) > dimension) rows.stride *= dimensions[d];
  }
  return rows;
}

void MoveRow(const Rows& rows, int64_t begin, absl::Span<const int64_t> order,
             absl::Span<const Literal> operands, absl::Span<uint8_t* const> results,
             absl::Span<const int> widths) {
  for (size_t k = 0; k < operands.size(); ++k) {
    DispatchStorage(widths[k], [&](auto element) {
      using T = decltype(element);
      const T* from = operands[k].data<T>().data() + begin;
      T* to = reinterpret_cast<T*>(results[k]) + begin;
      for (int64_t i = 0; i < rows.size; ++i) to[i * rows.stride] = from[order[i] * rows.stride];
    });
  }
}

// One key decides: sorts numbers instead of calling the comparator.
void OrderByKeys(const Rows& rows, int64_t begin, const SortKeys& keys, bool descending,
                 absl::Span<int64_t> order) {
  struct Keyed {
    uint64_t key;
    int64_t index;
  };
  std::vector<Keyed> keyed(rows.size), scratch(rows.size);
  for (int64_t i = 0; i < rows.size; ++i) {
    const uint64_t key = keys.keys[begin + i * rows.stride];
    keyed[i] = {descending ? ~key : key, i};
  }
  StableMergeSort<Keyed>(absl::MakeSpan(keyed), absl::MakeSpan(scratch),
                         [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  for (int64_t i = 0; i < rows.size; ++i) order[i] = keyed[i].index;
}

// sort.16: parameter 2k is operand k's element of the first place, 2k + 1 that of the second.
void OrderByComparator(const Rows& rows, int64_t begin, absl::Span<const Literal> operands,
                       absl::Span<const int> widths, AppliedComputation& comparator,
                       absl::Span<int64_t> order) {
  std::vector<Slot> slots(2 * operands.size());
  std::vector<int64_t> scratch(order.size());
  std::iota(order.begin(), order.end(), 0);
  StableMergeSort<int64_t>(order, absl::MakeSpan(scratch), [&](int64_t a, int64_t b) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const uint8_t* data = operands[k].raw_data() + begin * widths[k];
      slots[2 * k].Load(data + a * rows.stride * widths[k], widths[k]);
      slots[2 * k + 1].Load(data + b * rows.stride * widths[k], widths[k]);
    }
    Slot result;
    comparator(slots.data(), &result);
    return result.Get<bool>();
  });
}

}  // namespace

// sort.6-19: every row along the dimension is permuted so that the comparator is false for each
// element and the one before it; all operands move together. Always stable, which is one of the
// orders an unstable sort may have (sort.21-24, ruling 0023); a comparator that contradicts itself
// gives some permutation (ruling 0024).
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
  const std::vector<int64_t>& named = instruction.IntList(Attr::kDimensions);
  const int64_t last = static_cast<int64_t>(dimensions.size()) - 1;
  const Rows rows =
      dimensions.empty() ? Rows{1, 1, 1} : RowsAlong(dimensions, named.empty() ? last : named[0]);
  const RecognizedComparator simple = RecognizeComparator(computation);
  constexpr int64_t kRowBytes = 6 * sizeof(int64_t);  // order, keys with indices, scratch
  HLOCTS_RETURN_IF_ERROR(
      context.ReserveBytes(operands[0].element_count() * sizeof(uint64_t) + rows.size * kRowBytes));
  SortKeys keys;
  if (simple.recognized && !IsComplex(operands[simple.key].element_type())) {
    keys = SortKeysOf(operands[simple.key], simple.total_order);
  }
  const bool by_keys = !keys.keys.empty() && !keys.any_nan;
  HLOCTS_ASSIGN_OR_RETURN(AppliedComputation comparator,
                          AppliedComputation::Of(context, computation));
  const std::vector<int> widths = ElementWidths(operands);
  std::vector<int64_t> order(rows.size);
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t begin = rows.begin(row);
    if (by_keys) {
      OrderByKeys(rows, begin, keys, simple.descending, absl::MakeSpan(order));
    } else {
      OrderByComparator(rows, begin, operands, widths, comparator, absl::MakeSpan(order));
      HLOCTS_RETURN_IF_ERROR(comparator.status());
    }
    MoveRow(rows, begin, order, operands, data, widths);
  }
  return Collated(instruction.shape(), std::move(results));
}

}  // namespace hlocts
