// SPDX-License-Identifier: Apache-2.0
// SortPlan by CUB, whose kernels are part of this library.
#include <algorithm>
#include <iterator>

#include "backends/engine/cuda/runtime/cub_sort.h"
#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {

LibraryStatus CallCub(const LibraryContext& context, const SortPlan& plan, const void* const* in,
                      void* const* out) {
  constexpr int kMemoryAllocation = 2;  // of cudaError_t
  // No code for this device, a stub of another version, invalid PTX, PTX of a newer toolkit.
  constexpr int kNotForThisDevice[] = {209, 218, 221, 222};
  if (plan.count > INT32_MAX) return Declined();
  const bool pairs = plan.kind != kSortF32;
  const uint32_t* values = pairs ? static_cast<const uint32_t*>(in[1]) : nullptr;
  uint32_t* moved = pairs ? static_cast<uint32_t*>(out[1]) : nullptr;
  const auto sort = [&](void* memory, size_t* bytes) {
    return CubSort(plan.kind, memory, bytes, in[0], out[0], values, moved,
                   static_cast<int>(plan.count), plan.end_bit, context.stream);
  };
  size_t bytes = 0;
  int status = sort(nullptr, &bytes);
  if (std::count(std::begin(kNotForThisDevice), std::end(kNotForThisDevice), status) != 0) {
    return Refused("CUB has no code for this device: status " + std::to_string(status));
  }
  if (status == 0) {
    const Workspace workspace(context, bytes > 0 ? bytes : 1);
    if (!workspace.ok()) return workspace.failure();
    status = sort(workspace.data(), &bytes);
  }
  if (status == 0) return {};
  return LibraryFailed(context, "cub::DeviceRadixSort", status, status == kMemoryAllocation);
}

}  // namespace hlocts::cuda
