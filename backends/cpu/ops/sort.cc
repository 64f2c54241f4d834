// sort by any comparator, always stable; top-k by total order.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/cpu/element_function.h"
#include "backends/cpu/ops/op_list.h"
#include "backends/cpu/ops/strided.h"

namespace hlocts::cpu {
namespace {

// Positions, merged so that any comparator terminates with a permutation.
template <typename Less>
absl::Status MergeSort(std::vector<int64_t>& order, Less&& less) {
  std::vector<int64_t> other(order.size());
  const size_t n = order.size();
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      const size_t middle = std::min(begin + width, n), end = std::min(middle + width, n);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool take_right = left == middle;
        if (!take_right && right < end) {
          HLOCTS_ASSIGN_OR_RETURN(take_right, less(order[right], order[left]));
        }
        other[out] = take_right ? order[right++] : order[left++];
      }
    }
    order.swap(other);
  }
  return absl::OkStatus();
}

struct Rows {
  int64_t outer = 1, size = 1, inner = 1;
};

void MoveRow(const Rows& rows, int64_t begin, const std::vector<int64_t>& order, int width,
             const uint8_t* from, uint8_t* to) {
  for (int64_t i = 0; i < rows.size; ++i) {
    std::memcpy(to + (begin + i * rows.inner) * width,
                from + (begin + order[i] * rows.inner) * width, static_cast<size_t>(width));
  }
}

}  // namespace

absl::StatusOr<StepDraft> MakeSort(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto comparator,
                          context.compiler.CompileElements(context.called(0)));
  const plan::ArrayType& first = context.in(0);
  const std::vector<int64_t>& named = context.source().IntList(Attr::kDimensions);
  Rows rows;
  const int64_t dimension = named.empty() ? first.rank() - 1 : named[0];
  for (int64_t d = 0; d < first.rank(); ++d) {
    (d < dimension ? rows.outer : d == dimension ? rows.size : rows.inner) *= first.dimensions[d];
  }
  std::vector<int> widths;
  for (size_t k = 0; k < context.node.operands.size(); ++k) widths.push_back(context.in(k).width());
  const bool is_empty = first.elements == 0;
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out out) -> absl::Status {
    if (is_empty) return absl::OkStatus();
    std::vector<int64_t> order(rows.size);
    std::vector<const uint8_t*> pair(2 * widths.size());
    for (int64_t row = 0; row < rows.outer * rows.inner; ++row) {
      const int64_t begin = row / rows.inner * rows.size * rows.inner + row % rows.inner;
      std::iota(order.begin(), order.end(), 0);
      HLOCTS_RETURN_IF_ERROR(
          MergeSort(order, [&](int64_t a, int64_t b) -> absl::StatusOr<bool> {
            for (size_t k = 0; k < widths.size(); ++k) {
              pair[2 * k] = in[k] + (begin + a * rows.inner) * widths[k];
              pair[2 * k + 1] = in[k] + (begin + b * rows.inner) * widths[k];
            }
            uint8_t less = 0;
            uint8_t* result = &less;
            HLOCTS_RETURN_IF_ERROR(comparator->Apply(run, pair.data(), &result, 1));
            return less != 0;
          }));
      for (size_t k = 0; k < widths.size(); ++k) {
        MoveRow(rows, begin, order, widths[k], in[k], out[k]);
      }
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeTopK(const OpContext& context) {
  const plan::ArrayType operand = context.in(0);
  const int64_t k = context.source().IntOr(Attr::kK, 0);
  const bool largest = context.source().BoolOr(Attr::kLargest, true);
  if (IsComplex(operand.type) || operand.rank() == 0) {
    return Unsupported(context.name(), ": topk of ", PrimitiveTypeName(operand.type));
  }
  const int64_t size = operand.dimensions.back();
  const int64_t rows = size == 0 ? 0 : operand.elements / size;
  const int width = operand.width(), index_width = context.out(1).width();
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    std::vector<uint64_t> keys(size);
    std::vector<int64_t> order(size);
    for (int64_t row = 0; row < rows; ++row) {
      const uint8_t* from = in[0] + row * size * width;
      TotalOrderKeys(operand.type, from, keys.data(), size);
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
        if (keys[a] != keys[b]) return (keys[a] > keys[b]) == largest;
        return a < b;
      });
      for (int64_t i = 0; i < k; ++i) {
        std::memcpy(out[0] + (row * k + i) * width, from + order[i] * width,
                    static_cast<size_t>(width));
        std::memcpy(out[1] + (row * k + i) * index_width, &order[i],
                    static_cast<size_t>(index_width));
      }
    }
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
