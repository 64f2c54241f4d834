// SPDX-License-Identifier: Apache-2.0
// Steps of infeed, outfeed, send, recv, replica-id and partition-id.
#include <cstring>
#include <optional>

#include "backends/engine/plan/groups.h"
#include "backends/engine/plan/shared_steps.h"

namespace hlocts::plan {
namespace {

absl::Status CheckNotHost(const Node& node) {
  if (!node.source->BoolOr(Attr::kIsHostTransfer, false)) return absl::OkStatus();
  return Unsupported(node.source->name(), ": host transfers by channel are not supported");
}

std::vector<ArrayType> WithoutToken(std::vector<ArrayType> types) {
  types.pop_back();
  return types;
}

SharedStep Number(int64_t Member::*number) {
  return [number](const Member& member, In, Out out) {
    const uint32_t id = static_cast<uint32_t>(member.*number);
    std::memcpy(out[0], &id, sizeof(id));
    return absl::OkStatus();
  };
}

}  // namespace

// Reads the next items of the device's infeed, one item for each leaf.
absl::StatusOr<SharedStep> InfeedStep(const Graph& graph, const Node& node) {
  const std::vector<ArrayType> types = WithoutToken(ResultTypes(graph, node));
  const std::string name = node.source->name();
  return [=](const Member& member, In, Out out) -> absl::Status {
    std::deque<Literal>& items = member.world->infeeds[member.device];
    for (size_t k = 0; k < types.size(); ++k) {
      if (items.empty()) {
        return absl::DeadlineExceededError(
            absl::StrCat("%", name, " waits for infeed, but all items are used up"));
      }
      if (!(TypeOf(items.front().shape()) == types[k])) {
        return InvalidInput("%", name, ": the next item of the infeed has a wrong shape, ",
                            items.front().shape().ToString(false));
      }
      CopyArray(types[k], items.front().raw_data(), out[k]);
      items.pop_front();
    }
    return absl::OkStatus();
  };
}

absl::StatusOr<SharedStep> OutfeedStep(const Graph& graph, const Node& node) {
  const std::vector<ArrayType> types = WithoutToken(OperandTypes(graph, node));
  return [=](const Member& member, In in, Out) {
    for (size_t k = 0; k < types.size(); ++k) {
      Literal item = Literal::Uninitialized(ShapeOf(types[k]));
      CopyArray(types[k], in[k], item.mutable_raw_data());
      member.world->outfeeds[member.device].push_back(std::move(item));
    }
    return absl::OkStatus();
  };
}

absl::StatusOr<SharedStep> SendStep(const Graph& graph, const Node& node) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(node));
  const std::vector<ArrayType> types = WithoutToken(OperandTypes(graph, node));
  const std::optional<DevicePairs> pairs = SendRecvPairsOf(*node.source);
  const int64_t channel = node.source->IntOr(Attr::kChannelId, 0);
  const std::string name = node.source->name();
  return [=](const Member& member, In in, Out) {
    const int64_t self = member.device;
    Message message;
    message.types = types;
    for (size_t k = 0; k < types.size(); ++k) {
      message.leaves.emplace_back(in[k], in[k] + types[k].bytes);
    }
    if (!pairs.has_value()) {
      return member.world->Send(self, self, channel, name, std::move(message));
    }
    for (const auto& [source, target] : *pairs) {
      if (source != self || target < 0 || target >= member.world->device_count()) continue;
      HLOCTS_RETURN_IF_ERROR(member.world->Send(self, target, channel, name, message));
    }
    return absl::OkStatus();
  };
}

absl::StatusOr<SharedStep> SendDoneStep(const Graph&, const Node& node) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(node));
  return [](const Member&, In, Out) { return absl::OkStatus(); };
}

absl::StatusOr<SharedStep> RecvStep(const Graph&, const Node& node) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(node));
  const int64_t channel = node.source->IntOr(Attr::kChannelId, 0);
  return [channel](const Member& member, In, Out) {
    member.world->PostReceive(member.device, channel);
    return absl::OkStatus();
  };
}

// Returns the sent values. Returns zeros on a device that is not the target of any pair.
absl::StatusOr<SharedStep> RecvDoneStep(const Graph& graph, const Node& node) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(node));
  const std::vector<ArrayType> types = WithoutToken(ResultTypes(graph, node));
  const std::optional<DevicePairs> pairs = SendRecvPairsOf(*node.source);
  const int64_t channel = node.source->IntOr(Attr::kChannelId, 0);
  const std::string name = node.source->name();
  return [=](const Member& member, In, Out out) -> absl::Status {
    bool is_target = !pairs.has_value();
    for (const auto& pair : pairs.value_or(DevicePairs()))
      is_target |= pair.second == member.device;
    if (!is_target) {
      ZeroArrays(types, out);
      return absl::OkStatus();
    }
    HLOCTS_ASSIGN_OR_RETURN(const Message message,
                            member.world->Receive(member.device, channel, name));
    if (!(message.types == types)) return InvalidInput("%", name, ": received a wrong shape");
    for (size_t k = 0; k < types.size(); ++k) CopyArray(types[k], message.leaves[k].data(), out[k]);
    return absl::OkStatus();
  };
}

absl::StatusOr<SharedStep> ReplicaIdStep(const Graph&, const Node&) {
  return Number(&Member::replica);
}
absl::StatusOr<SharedStep> PartitionIdStep(const Graph&, const Node&) {
  return Number(&Member::partition);
}

}  // namespace hlocts::plan
