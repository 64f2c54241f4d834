// SPDX-License-Identifier: Apache-2.0
// Synchronization of the devices of one execution in collectives, channels and feeds. Each device
// is a thread. A wait that can never end is detected and reported.
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

#include "absl/types/span.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::plan {

// Pointers to an operation's operands. The pointer of a token is null.
using In = const uint8_t* const*;

// The arrays that a send transfers.
struct Message {
  std::vector<ArrayType> types;
  std::vector<std::vector<uint8_t>> leaves;
};

class Communicator {
 public:
  Communicator(int64_t replicas, int64_t partitions);

  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  int64_t device_count() const { return replicas_ * partitions_; }

  // Waits until all devices of `group` are at `site`, then calls combine(operands, position).
  // `operands` has the operands of each member in group order; `position` is this device's index in
  // the group. The operands remain valid until `combine` has returned on every member.
  using Combine = std::function<absl::Status(absl::Span<const In> operands, size_t position)>;
  absl::Status JoinRendezvous(int64_t device, const std::string& site,
                              const std::vector<int64_t>& group, const std::string& name,
                              In operands, const Combine& combine);

  void PostReceive(int64_t device, int64_t channel);
  // Sends a message. A send to another device waits until that device has posted the receive.
  absl::Status Send(int64_t device, int64_t target, int64_t channel, const std::string& name,
                    Message message);
  absl::StatusOr<Message> Receive(int64_t device, int64_t channel, const std::string& name);
  // Records that the device's program has finished. Waiting for the device is then an error.
  void End(int64_t device);

  // The items of each device's infeed and outfeed.
  std::vector<std::deque<Literal>> infeeds;
  std::vector<std::vector<Literal>> outfeeds;

 private:
  struct Device {
    bool ended = false;
    std::string wait;
    std::function<bool()> condition;
  };
  struct RendezvousState {
    std::vector<In> operands;
    int64_t arrived = 0, combined = 0, left = 0;
  };
  struct Channel {
    int64_t receives = 0, sends = 0;
    std::deque<Message> messages;
  };

  absl::Status Wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string wait,
                    std::function<bool()> condition);
  void CheckForDeadlock();
  std::string NameOf(int64_t device) const;

  const int64_t replicas_, partitions_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  std::string deadlock_;
  using Key = std::tuple<std::string, std::vector<int64_t>, int64_t>;
  std::map<Key, RendezvousState> rendezvous_;
  std::map<std::tuple<int64_t, std::string, std::vector<int64_t>>, int64_t> visits_;
  std::map<std::pair<int64_t, int64_t>, Channel> channels_;
};

}  // namespace hlocts::plan
