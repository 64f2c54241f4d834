// SPDX-License-Identifier: Apache-2.0
// Declares the World of one device: its position among the devices, its infeed and outfeed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/ops/collective.h"
#include "reference/world_interface.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"

namespace hlocts::reference {

// The rendezvous of devices, where they wait for each other.
//
// Every wait is a condition on the state of the Rendezvous. A deadlock is therefore detected at
// once: every device has ended or waits for a condition that is false. The error names each device
// and the operation at which it waits.
class Rendezvous {
 public:
  explicit Rendezvous(const DeviceGrid& grid);

  // Waits until every device of `group` has reached `site` as often as `device` has, and returns
  // all their operands in the order of the group. A deadlock error names the wait by `instruction`.
  absl::StatusOr<std::vector<std::vector<Literal>>> JoinRendezvous(
      int64_t device, const std::string& site, const std::vector<int64_t>& group,
      const std::string& instruction, std::vector<Literal> operands);

  // Records that `device` has executed the Recv of a channel (send.15-18).
  void Receive(int64_t device, int64_t channel);
  // Transfers data when `target` has executed the matching Recv, or at once if it is `device`.
  absl::Status Send(int64_t device, int64_t target, int64_t channel, const std::string& instruction,
                    Literal data);
  // Waits until data has been sent, and returns it.
  absl::StatusOr<Literal> AwaitData(int64_t device, int64_t channel,
                                    const std::string& instruction);

  // Records that the device executes nothing more, because it is done or has failed.
  void End(int64_t device);

  // Returns "replica 1", or "replica 1, partition 2" if there is more than one partition.
  std::string NameOf(int64_t device) const;

 private:
  struct RendezvousState {
    std::vector<std::vector<Literal>> operands;
    int64_t arrived = 0, left = 0;
  };
  struct Channel {
    int64_t receives = 0, sends = 0;
    std::deque<Literal> data;
  };
  struct DeviceState {
    bool ended = false;
    std::function<bool()> condition;  // empty if the device runs
    std::string wait;                 // "all-reduce.3 for replica 1"
  };
  using RendezvousKey =
      std::tuple<std::string, std::vector<int64_t>, int64_t>;  // site, group, visit

  absl::Status Wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string wait,
                    std::function<bool()> condition);
  void CheckForDeadlock();

  const DeviceGrid grid_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DeviceState> devices_;
  std::map<RendezvousKey, RendezvousState> rendezvous_;
  std::map<std::tuple<int64_t, std::string, std::vector<int64_t>>, int64_t> visits_;
  std::map<std::pair<int64_t, int64_t>, Channel> channels_;  // by receiving device and channel
  std::string deadlock_;                                     // empty if there is none
};

// TargetsOf returns the devices that get the data of a send of `device`. IsTarget returns true if a
// recv of `device` gets data. A frontend attribute of pipelined programs has the (source, target)
// pairs; without pairs, a device sends to itself.
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
