// SPDX-License-Identifier: Apache-2.0
#include "reference/world/device_world.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reference/ops/sharding_call.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

Literal TupleOf(Literal a, Literal b) {
  std::vector<Literal> elements;
  elements.push_back(std::move(a));
  elements.push_back(std::move(b));
  return Literal::Tuple(std::move(elements));
}

// Returns a context of send or recv: (data, u32[], token[]).
Literal ContextOf(Literal data, int64_t channel) {
  std::vector<Literal> elements;
  elements.push_back(std::move(data));
  elements.push_back(
      Literal::Scalar<uint32_t>(PrimitiveType::kU32, static_cast<uint32_t>(channel)));
  elements.emplace_back(Shape::Token());
  return Literal::Tuple(std::move(elements));
}

// Returns the name of a collective's rendezvous: its channel (all_gather.13), or the instruction.
std::string SiteOf(const Instruction& instruction) {
  const absl::string_view opcode = OpcodeName(instruction.opcode());
  if (const int64_t* channel = instruction.Get<int64_t>(Attr::kChannelId)) {
    return absl::StrCat(opcode, " channel ", *channel);
  }
  return absl::StrCat(opcode, " at ", reinterpret_cast<uintptr_t>(&instruction));
}

// (source, target) pairs of devices of a send and its recv, from the frontend attribute of
// pipelined programs: "{{0,1},{1,2}}". nullopt: each device sends to itself.
using Pairs = std::vector<std::pair<int64_t, int64_t>>;
std::optional<Pairs> PairsOf(const Instruction& instruction) {
  const auto* attributes = instruction.Get<StringMap>(Attr::kFrontendAttributes);
  if (attributes == nullptr) return std::nullopt;
  for (const auto& [key, value] : attributes->entries) {
    if (key != "_xla_send_recv_source_target_pairs") continue;
    std::vector<int64_t> numbers;
    for (const char* at = value.c_str(); *at != '\0';) {
      char* end = nullptr;
      const int64_t number = std::strtoll(at, &end, 10);
      if (end != at) numbers.push_back(number);
      at = end != at ? end : at + 1;
    }
    Pairs pairs;
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      pairs.push_back({numbers[i], numbers[i + 1]});
    return pairs;
  }
  return std::nullopt;
}

}  // namespace

Rendezvous::Rendezvous(const DeviceGrid& grid) : grid_(grid), devices_(grid.size()) {}

std::string Rendezvous::NameOf(int64_t device) const {
  std::string name = absl::StrCat("replica ", device / grid_.partitions);
  if (grid_.partitions > 1) absl::StrAppend(&name, ", partition ", device % grid_.partitions);
  return name;
}

// Detects a deadlock. Is called with the mutex held whenever a device begins to wait or ends.
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

std::vector<int64_t> TargetsOf(const Instruction& send, int64_t device, int64_t device_count) {
  const std::optional<Pairs> pairs = PairsOf(send);
  if (!pairs.has_value()) return {device};
  std::vector<int64_t> targets;
  for (const auto& [source, target] : *pairs) {
    if (source == device && target >= 0 && target < device_count) targets.push_back(target);
  }
  return targets;
}

bool IsTarget(const Instruction& recv_done, int64_t device) {
  const std::optional<Pairs> pairs = PairsOf(recv_done);
  if (!pairs.has_value()) return true;
  return std::any_of(pairs->begin(), pairs->end(),
                     [&](const auto& pair) { return pair.second == device; });
}

absl::StatusOr<Literal> DeviceEnvironmentImpl::Collective(EvalContext& context,
                                                          const Instruction& instruction,
                                                          absl::Span<Literal> operands) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group, GroupOf(instruction, grid_, device_));
  if (group.empty()) return Literal(instruction.shape());  // a broadcast without this device
  HLOCTS_ASSIGN_OR_RETURN(
      const std::vector<std::vector<Literal>> all,
      place_.JoinRendezvous(device_, SiteOf(instruction), group, instruction.name(),
                            {operands.begin(), operands.end()}));
  RendezvousState meeting = {grid_, group, all, 0};
  while (group[meeting.position] != device_) ++meeting.position;
  return EvaluateCollectiveAtRendezvous(context, instruction, meeting);
}

// Evaluates the call with the operands of all partitions of the replica.
absl::StatusOr<Literal> DeviceEnvironmentImpl::ShardToFull(const Instruction& instruction,
                                                           absl::Span<Literal> operands) {
  std::vector<int64_t> group;
  for (int64_t p = 0; p < grid_.partitions; ++p) {
    group.push_back(replica_id() * grid_.partitions + p);
  }
  HLOCTS_ASSIGN_OR_RETURN(
      const std::vector<std::vector<Literal>> all,
      place_.JoinRendezvous(device_, SiteOf(instruction), group, instruction.name(),
                            {operands.begin(), operands.end()}));
  return EvaluateShardToFull(instruction, all);
}

// Returns the next item of the infeed, which must have `shape`.
absl::StatusOr<Literal> DeviceEnvironmentImpl::NextInfeedLiteral(const Instruction& infeed,
                                                                 const Shape& shape) {
  if (next_infeed_index_ >= infeed_.size()) {
    // Ruling 0066: an infeed without input waits forever.
    return absl::DeadlineExceededError(absl::StrCat("%", infeed.name(), " waits for infeed at ",
                                                    place_.NameOf(device_), ": all ",
                                                    infeed_.size(), " items are used up"));
  }
  const Literal& next = infeed_[next_infeed_index_++];
  if (!next.shape().CompatibleWith(shape)) {
    return InvalidInput("%", infeed.name(), ": item ", next_infeed_index_ - 1,
                        " of the infeed: expected ", shape.ToString(false), ", found ",
                        next.shape().ToString(false));
  }
  return next;
}

// infeed.4-10: returns one item of the infeed and a token. A tuple is one item, or as many items as
// it has elements; the empty tuple reads nothing.
absl::StatusOr<Literal> DeviceEnvironmentImpl::Infeed(const Instruction& instruction) {
  const Shape& shape = instruction.shape().tuple_shapes()[0];
  const bool whole = !shape.IsTuple() || (next_infeed_index_ < infeed_.size() &&
                                          infeed_[next_infeed_index_].shape().IsTuple() &&
                                          !shape.tuple_shapes().empty());
  Literal data;
  if (whole) {
    HLOCTS_ASSIGN_OR_RETURN(data, NextInfeedLiteral(instruction, shape));
  } else {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HLOCTS_ASSIGN_OR_RETURN(Literal literal, NextInfeedLiteral(instruction, element));
      elements.push_back(std::move(literal));
    }
    data = Literal::Tuple(std::move(elements));
  }
  return TupleOf(std::move(data), Literal(Shape::Token()));
}

absl::StatusOr<Literal> DeviceEnvironmentImpl::Outfeed(absl::Span<Literal> operands) {
  outfeed_.push_back(operands[0]);
  return Literal(Shape::Token());
}

// send.4-10: sends to the Recv of the same channel, on this device or on devices that pairs name.
absl::StatusOr<Literal> DeviceEnvironmentImpl::Send(const Instruction& instruction,
                                                    absl::Span<Literal> operands) {
  const int64_t channel = instruction.IntOr(Attr::kChannelId, 0);
  for (int64_t target : TargetsOf(instruction, device_, grid_.size())) {
    HLOCTS_RETURN_IF_ERROR(place_.Send(device_, target, channel, instruction.name(), operands[0]));
  }
  return ContextOf(operands[0], channel);
}

// recv.4-5, .14: returns the data; a device that no pair names as target gets zeros.
absl::StatusOr<Literal> DeviceEnvironmentImpl::ReceiveDone(const Instruction& instruction) {
  const Shape& shape = instruction.shape().tuple_shapes()[0];
  if (!IsTarget(instruction, device_)) return TupleOf(Literal(shape), Literal(Shape::Token()));
  HLOCTS_ASSIGN_OR_RETURN(
      Literal data,
      place_.AwaitData(device_, instruction.IntOr(Attr::kChannelId, 0), instruction.name()));
  if (!data.shape().CompatibleWith(shape)) {
    return InvalidInput("%", instruction.name(), ": expected ", shape.ToString(false),
                        ", received ", data.shape().ToString(false));
  }
  return TupleOf(std::move(data), Literal(Shape::Token()));
}

absl::StatusOr<Literal> DeviceEnvironmentImpl::Evaluate(EvalContext& context,
                                                        const Instruction& instruction,
                                                        absl::Span<Literal> operands) {
  if (instruction.BoolOr(Attr::kIsHostTransfer, false)) {
    return Unsupported(instruction.name(), ": host transfers by channel are not supported");
  }
  if (IsCollective(instruction.opcode())) return Collective(context, instruction, operands);
  if (instruction.opcode() == Opcode::kCustomCall) return ShardToFull(instruction, operands);
  const std::optional<ops::Transfer> transfer = ops::TransferOf(instruction.opcode());
  if (!transfer.has_value()) {
    return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()),
                       " between devices");
  }
  switch (*transfer) {
    case ops::Transfer::kInfeed:
      return Infeed(instruction);
    case ops::Transfer::kOutfeed:
      return Outfeed(operands);
    case ops::Transfer::kSend:
      return Send(instruction, operands);
    case ops::Transfer::kSendDone:
      return Literal(Shape::Token());
    case ops::Transfer::kRecv: {
      const int64_t channel = instruction.IntOr(Attr::kChannelId, 0);
      place_.Receive(device_, channel);
      return ContextOf(Literal(instruction.shape().tuple_shapes()[0]), channel);
    }
    case ops::Transfer::kRecvDone:
      return ReceiveDone(instruction);
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace hlocts::reference
