// SPDX-License-Identifier: Apache-2.0
// Executes a SortPlan with CUB. Its kernels are compiled into this library.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/runtime/cub_sort.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {

absl::StatusOr<bool> Call(const Gpu& gpu, const SortPlan& plan, const void* const* in,
                          void* const* out) {
  constexpr int kMemoryAllocation = 2;  // a cudaError_t
  // Errors: no code for this device, invalid PTX, no compiler for PTX, PTX of a newer toolkit.
  constexpr int kNotForThisDevice[] = {209, 218, 221, 222};
  if (plan.count > INT32_MAX) return false;
  const bool pairs = plan.kind != kSortF32;
  const uint32_t* values = pairs ? static_cast<const uint32_t*>(in[1]) : nullptr;
  uint32_t* moved = pairs ? static_cast<uint32_t*>(out[1]) : nullptr;
  const auto sort = [&](void* memory, size_t* bytes) {
    return CubSort(plan.kind, memory, bytes, in[0], out[0], values, moved,
                   static_cast<int>(plan.count), plan.end_bit, gpu.stream);
  };
  size_t bytes = 0;
  int status = sort(nullptr, &bytes);
  if (std::count(std::begin(kNotForThisDevice), std::end(kNotForThisDevice), status) != 0) {
    return Refused(absl::StrCat("CUB has no code for this device: status ", status));
  }
  if (status == 0) {
    const Workspace workspace(gpu, bytes > 0 ? bytes : 1);
    HLOCTS_RETURN_IF_ERROR(workspace.status());
    status = sort(workspace.data(), &bytes);
  }
  if (status == 0) return true;
  return LibraryFailed(gpu, "cub::DeviceRadixSort", status, status == kMemoryAllocation);
}

}  // namespace hlocts::cuda
