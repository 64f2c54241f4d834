// SPDX-License-Identifier: Apache-2.0
#include "reference/world/rendezvous.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlocts::reference {

Rendezvous::Rendezvous(const DeviceGrid& grid) : grid_(grid), devices_(grid.size()) {}

std::string Rendezvous::NameOf(int64_t device) const {
  std::string name = absl::StrCat("replica ", device / grid_.partitions);
  if (grid_.partitions > 1) absl::StrAppend(&name, ", partition ", device % grid_.partitions);
  return name;
}

// Detects a deadlock. Called with the mutex held whenever a device begins to wait or ends.
void Rendezvous::CheckForDeadlock() {
  std::vector<std::string> waits, ended;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const DeviceState& state = devices_[d];
    const std::string name = NameOf(static_cast<int64_t>(d));
    if (state.ended) {
      ended.push_back(name);
    } else if (!state.condition || state.condition()) {
      return;
    } else {
      waits.push_back(absl::StrCat(name, " waits in ", state.wait));
    }
  }
  if (waits.empty() || !deadlock_.empty()) return;
  deadlock_ = absl::StrCat("deadlock: ", absl::StrJoin(waits, "; "));
  if (!ended.empty()) absl::StrAppend(&deadlock_, "; already ended: ", absl::StrJoin(ended, "; "));
  changed_.notify_all();
}

absl::Status Rendezvous::Wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string wait,
                              std::function<bool()> condition) {
  DeviceState& state = devices_[device];
  state.wait = std::move(wait);
  state.condition = std::move(condition);
  CheckForDeadlock();
  changed_.wait(lock, [&] { return !deadlock_.empty() || state.condition(); });
  const bool come_true = state.condition();
  state.condition = nullptr;
  if (come_true) return absl::OkStatus();
  // Ruling 0077: a deadlock is a time-out, like an engine's hang, but is reported sooner.
  return absl::DeadlineExceededError(deadlock_);
}

absl::StatusOr<std::vector<std::vector<Literal>>> Rendezvous::JoinRendezvous(
    int64_t device, const std::string& site, const std::vector<int64_t>& group,
    const std::string& instruction, std::vector<Literal> operands) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t size = static_cast<int64_t>(group.size());
  const RendezvousKey key(site, group, visits_[{device, site, group}]++);
  RendezvousState& meeting = rendezvous_[key];
  meeting.operands.resize(size);
  const auto position = std::find(group.begin(), group.end(), device) - group.begin();
  HLOCTS_CHECK(position < size);
  meeting.operands[position] = std::move(operands);
  if (++meeting.arrived == size) {
    changed_.notify_all();
  } else {
    std::vector<std::string> others;
    for (int64_t member : group) {
      if (member != device) others.push_back(NameOf(member));
    }
    HLOCTS_RETURN_IF_ERROR(
        Wait(lock, device, absl::StrCat("%", instruction, " for ", absl::StrJoin(others, ", ")),
             [&meeting, size] { return meeting.arrived == size; }));
  }
  std::vector<std::vector<Literal>> all = meeting.operands;
  if (++meeting.left == size) rendezvous_.erase(key);
  return all;
}

void Rendezvous::Receive(int64_t device, int64_t channel) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++channels_[{device, channel}].receives;
  changed_.notify_all();
}

absl::Status Rendezvous::Send(int64_t device, int64_t target, int64_t channel,
                              const std::string& instruction, Literal data) {
  std::unique_lock<std::mutex> lock(mutex_);
  Channel& end = channels_[{target, channel}];
  const int64_t mine = end.sends++;
  if (target != device) {
    HLOCTS_RETURN_IF_ERROR(Wait(lock, device,
                                absl::StrCat("%", instruction, " for the recv of channel ", channel,
                                             " at ", NameOf(target)),
                                [&end, mine] { return end.receives > mine; }));
  }
  end.data.push_back(std::move(data));
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<Literal> Rendezvous::AwaitData(int64_t device, int64_t channel,
                                              const std::string& instruction) {
  std::unique_lock<std::mutex> lock(mutex_);
  Channel& end = channels_[{device, channel}];
  HLOCTS_RETURN_IF_ERROR(Wait(lock, device,
                              absl::StrCat("%", instruction, " for a send on channel ", channel),
                              [&end] { return !end.data.empty(); }));
  Literal data = std::move(end.data.front());
  end.data.pop_front();
  return data;
}

void Rendezvous::End(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex_);
  devices_[device].ended = true;
  CheckForDeadlock();
}

}  // namespace hlocts::reference
