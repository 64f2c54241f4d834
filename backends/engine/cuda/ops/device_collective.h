// SPDX-License-Identifier: Apache-2.0
// Collectives that devices do among themselves: each member makes contiguous parts of its arrays,
// the library moves and sums them, each member makes arrays of what it got.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_OPS_DEVICE_COLLECTIVE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_OPS_DEVICE_COLLECTIVE_H_

#include <optional>
#include <vector>

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/plan/groups.h"

namespace hlocts::cuda {

// How many have run in this process.
int64_t DeviceCollectives();

class DeviceCollective {
 public:
  // nullopt: of this opcode, or of these types and computations, no library does it.
  static std::optional<DeviceCollective> Of(const OpContext& context,
                                            const plan::CollectivePlan& plan);
  // False: members share devices, or sizes do not fit, and they meet on the host.
  absl::StatusOr<bool> operator()(Run& run, const std::vector<int64_t>& group, In in,
                                  Out out) const;

 private:
  bool Fits(const std::vector<int64_t>& group, const Run& run) const;
  bool FitsArray(size_t k, int64_t members) const;
  CollectiveCall CallFor(size_t k, const std::vector<int64_t>& group, const Run& run) const;
  bool SetSources(const std::vector<int64_t>& group, const Run& run, int32_t* sources) const;
  absl::Status Meet(Run& run, const std::vector<int64_t>& group,
                    const std::vector<const void*>& from, const std::vector<void*>& to) const;
  absl::StatusOr<Buffer> Packed(Run& run, size_t k, int64_t members, In in) const;
  absl::Status Unpack(Run& run, size_t k, int64_t members, const void* packed, Out out) const;
  bool IsOfOperands() const { return kind_ == kExchange && dimension_ < 0; }
  size_t calls() const { return IsOfOperands() ? 1 : in_.size(); }

  plan::CollectivePlan plan_;
  int32_t kind_ = 0;
  bool is_broadcast_ = false;
  std::vector<int32_t> reductions_;  // of each array
  int64_t dimension_ = -1;           // -1: all-to-all of operands
  std::vector<plan::ArrayType> in_, out_;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_OPS_DEVICE_COLLECTIVE_H_
