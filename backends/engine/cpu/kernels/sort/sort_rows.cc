// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/sort/sort_rows.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels {

absl::Status CheckRows(const SortRequest& request, int64_t max_size) {
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.outer, request.size, request.inner}, count));
  if (request.operands.empty()) return InvalidInput("sort: expected at least one operand");
  if (request.size > max_size)
    return Unsupported("sort: expected at most ", max_size, " elements in a row, found ",
                       request.size);
  for (const SortOperand& operand : request.operands) {
    if (!IsArrayType(operand.type)) return InvalidInput("sort: expected operands that are arrays");
  }
  return absl::OkStatus();
}

namespace {

// Prefetches the elements of the next block, because a row may be in distant memory.
template <int kBytes>
void PermuteBytes(const char* from, int64_t stride, const uint32_t* order, int64_t begin,
                  int64_t end, char* to, int64_t to_stride) {
  constexpr int64_t kBlock = 512;
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t last = std::min(end, first + kBlock);
    for (int64_t i = first; i < last; ++i) __builtin_prefetch(from + order[i] * stride * kBytes);
    for (int64_t i = first; i < last; ++i) {
      std::memcpy(to + i * to_stride * kBytes, from + order[i] * stride * kBytes, kBytes);
    }
  }
}

}  // namespace

void PermuteRow(const Parallel& parallel, const RowRange& rows, int64_t first,
                const SortOperand& operand, const uint32_t* order, char* row_copy) {
  const int bytes = StorageBytes(operand.type);
  const char* from = static_cast<const char*>(operand.input) + first * bytes;
  char* to = static_cast<char*>(operand.output) + first * bytes;
  int64_t stride = rows.inner;
  if (operand.input == operand.output) {
    for (int64_t i = 0; i < rows.size; ++i) {
      std::memcpy(row_copy + i * bytes, from + i * stride * bytes, bytes);
    }
    from = row_copy;
    stride = 1;
  }
  parallel.For(rows.size, 2.0, [&](int64_t begin, int64_t end) {
    VisitWidth(bytes, [&](auto zero) {
      PermuteBytes<sizeof(zero)>(from, stride, order, begin, end, to, rows.inner);
    });
  });
}

}  // namespace hlocts::kernels
