// SPDX-License-Identifier: Apache-2.0
#include "reference/world/device_world.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
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

// Returns the rendezvous of a collective: its channel (all_gather.13), else the instruction.
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
    // Ruling 0066: an infeed without input waits for ever.
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

// send.4-10: sends to the Recv of the same channel, on this device or on those that the pairs name.
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
