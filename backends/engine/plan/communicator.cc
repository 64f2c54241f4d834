// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/communicator.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace hlocts::plan {

Communicator::Communicator(int64_t replicas, int64_t partitions)
    : infeeds(replicas * partitions),
      outfeeds(replicas * partitions),
      replicas_(replicas),
      partitions_(partitions),
      devices_(replicas * partitions) {}

std::string Communicator::NameOf(int64_t device) const {
  std::string name = absl::StrCat("replica ", device / partitions_);
  if (partitions_ > 1) absl::StrAppend(&name, ", partition ", device % partitions_);
  return name;
}

// Records a deadlock if all running devices wait for conditions that are false. Must be called with
// the mutex held whenever a device begins to wait or ends.
void Communicator::CheckForDeadlock() {
  if (!deadlock_.empty()) return;
  std::vector<std::string> waits, ended;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const Device& device = devices_[d];
    if (device.ended) {
      ended.push_back(NameOf(static_cast<int64_t>(d)));
    } else if (!device.condition || device.condition()) {
      return;
    } else {
      waits.push_back(absl::StrCat(NameOf(static_cast<int64_t>(d)), " waits in ", device.wait));
    }
  }
  if (waits.empty()) return;
  deadlock_ = absl::StrCat("deadlock: ", absl::StrJoin(waits, "; "));
  if (!ended.empty()) absl::StrAppend(&deadlock_, "; ended: ", absl::StrJoin(ended, "; "));
  changed_.notify_all();
}

absl::Status Communicator::Wait(std::unique_lock<std::mutex>& lock, int64_t device,
                                std::string wait, std::function<bool()> condition) {
  Device& state = devices_[device];
  state.wait = std::move(wait);
  state.condition = std::move(condition);
  CheckForDeadlock();
  changed_.wait(lock, [&] { return !deadlock_.empty() || state.condition(); });
  const bool come = state.condition();
  state.condition = nullptr;
  return come ? absl::OkStatus() : absl::DeadlineExceededError(deadlock_);
}

absl::Status Communicator::JoinRendezvous(int64_t device, const std::string& site,
                                          const std::vector<int64_t>& group,
                                          const std::string& name, In operands,
                                          const Combine& combine) {
  const int64_t size = static_cast<int64_t>(group.size());
  const size_t position =
      static_cast<size_t>(std::find(group.begin(), group.end(), device) - group.begin());
  if (size == 1) return combine({operands}, 0);
  std::unique_lock<std::mutex> lock(mutex_);
  const Key key(site, group, visits_[{device, site, group}]++);
  RendezvousState& meeting = rendezvous_[key];
  meeting.operands.resize(size);
  meeting.operands[position] = operands;
  ++meeting.arrived;
  changed_.notify_all();
  std::vector<std::string> others;
  for (int64_t member : group) {
    if (member != device) others.push_back(NameOf(member));
  }
  const std::string wait = absl::StrCat("%", name, " for ", absl::StrJoin(others, ", "));
  HLOCTS_RETURN_IF_ERROR(
      Wait(lock, device, wait, [&meeting, size] { return meeting.arrived == size; }));
  lock.unlock();
  const absl::Status status = combine(meeting.operands, position);
  lock.lock();
  ++meeting.combined;
  changed_.notify_all();
  HLOCTS_RETURN_IF_ERROR(
      Wait(lock, device, wait, [&meeting, size] { return meeting.combined == size; }));
  if (++meeting.left == size) rendezvous_.erase(key);
  return status;
}

void Communicator::PostReceive(int64_t device, int64_t channel) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++channels_[{device, channel}].receives;
  changed_.notify_all();
}

absl::Status Communicator::Send(int64_t device, int64_t target, int64_t channel,
                                const std::string& name, Message message) {
  std::unique_lock<std::mutex> lock(mutex_);
  Channel& end = channels_[{target, channel}];
  const int64_t mine = end.sends++;
  if (target != device) {
    HLOCTS_RETURN_IF_ERROR(
        Wait(lock, device,
             absl::StrCat("%", name, " for the recv of channel ", channel, " at ", NameOf(target)),
             [&end, mine] { return end.receives > mine; }));
  }
  end.messages.push_back(std::move(message));
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<Message> Communicator::Receive(int64_t device, int64_t channel,
                                              const std::string& name) {
  std::unique_lock<std::mutex> lock(mutex_);
  Channel& end = channels_[{device, channel}];
  HLOCTS_RETURN_IF_ERROR(Wait(lock, device,
                              absl::StrCat("%", name, " for a send on channel ", channel),
                              [&end] { return !end.messages.empty(); }));
  Message message = std::move(end.messages.front());
  end.messages.pop_front();
  return message;
}

void Communicator::End(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex_);
  devices_[device].ended = true;
  CheckForDeadlock();
}

}  // namespace hlocts::plan
