// SPDX-License-Identifier: Apache-2.0
// Declares the World of one device: its position among the devices, its infeed and outfeed.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/world/rendezvous.h"
#include "reference/world_interface.h"

namespace hlocts::reference {

// Return the devices that a send of this device reaches, and whether its recv gets data, by the
// pairs in a frontend attribute of pipelined programs. Without pairs a device sends to itself.
std::vector<int64_t> TargetsOf(const Instruction& send, int64_t device, int64_t device_count);
bool IsTarget(const Instruction& recv_done, int64_t device);

class DeviceEnvironmentImpl : public DeviceEnvironment {
 public:
  // `infeed` contains what the host feeds, in order. `place` is shared and must outlive this.
  DeviceEnvironmentImpl(const DeviceGrid& grid, int64_t device, std::vector<Literal> infeed,
                        Rendezvous& place)
      : grid_(grid), device_(device), infeed_(std::move(infeed)), place_(place) {}

  int64_t replica_id() const override { return device_ / grid_.partitions; }
  int64_t partition_id() const override { return device_ % grid_.partitions; }
  int64_t partition_count() const override { return grid_.partitions; }
  absl::StatusOr<Literal> Evaluate(EvalContext& context, const Instruction& instruction,
                                   absl::Span<Literal> operands) override;

  // Returns the literals that outfeed has sent to the host, in order.
  std::vector<Literal>& outfeed() { return outfeed_; }

 private:
  absl::StatusOr<Literal> Collective(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands);
  absl::StatusOr<Literal> ShardToFull(const Instruction& instruction, absl::Span<Literal> operands);
  absl::StatusOr<Literal> Infeed(const Instruction& instruction);
  absl::StatusOr<Literal> NextInfeedLiteral(const Instruction& infeed, const Shape& shape);
  absl::StatusOr<Literal> Outfeed(absl::Span<Literal> operands);
  absl::StatusOr<Literal> Send(const Instruction& instruction, absl::Span<Literal> operands);
  absl::StatusOr<Literal> ReceiveDone(const Instruction& instruction);

  const DeviceGrid grid_;
  const int64_t device_;
  std::vector<Literal> infeed_;
  size_t next_infeed_index_ = 0;
  std::vector<Literal> outfeed_;
  Rendezvous& place_;
};

}  // namespace hlocts::reference
