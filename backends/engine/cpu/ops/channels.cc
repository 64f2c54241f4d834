// SPDX-License-Identifier: Apache-2.0
// Feeds, sends and receives; the number of the replica and of the partition.
#include <cstring>
#include <optional>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/plan/groups.h"

namespace hlocts::cpu {
namespace {

using plan::Message;
using Pairs = plan::DevicePairs;

absl::Status CheckNotHost(const OpContext& context) {
  if (!context.source().BoolOr(Attr::kIsHostTransfer, false)) return absl::OkStatus();
  return Unsupported(context.name(), ": transfers to and from the host by channel");
}

void Copy(const plan::ArrayType& type, const uint8_t* from, uint8_t* to) {
  if (type.bytes > 0) std::memcpy(to, from, static_cast<size_t>(type.bytes));
}

// The types of those leaves that are arrays, and of tokens with no bytes.
std::vector<plan::ArrayType> DataTypes(const plan::Graph& graph,
                                       absl::Span<const plan::ValueId> values, size_t count) {
  std::vector<plan::ArrayType> types;
  for (size_t k = 0; k < count; ++k) types.push_back(graph.type(values[k]));
  return types;
}

StepDraft Nothing() {
  StepDraft draft;
  draft.run = [](Run&, In, Out) { return absl::OkStatus(); };
  return draft;
}

}  // namespace

// The next items of the device's stream, one for each leaf.
absl::StatusOr<StepDraft> MakeInfeed(const OpContext& context) {
  const std::vector<plan::ArrayType> types =
      DataTypes(context.graph, context.node.outputs, context.node.outputs.size() - 1);
  const std::string name = context.name();
  StepDraft draft;
  draft.run = [=](Run& run, In, Out out) -> absl::Status {
    std::deque<Literal>& items = run.world->infeeds[run.device];
    for (size_t k = 0; k < types.size(); ++k) {
      if (items.empty()) {
        return absl::DeadlineExceededError(
            absl::StrCat("%", name, " waits for infeed, and all items are used up"));
      }
      const plan::ArrayType type = plan::TypeOf(items.front().shape());
      if (!(type == types[k])) {
        return InvalidInput("%", name, ": the next item of the infeed is ",
                            items.front().shape().ToString(false));
      }
      Copy(type, items.front().raw_data(), out[k]);
      items.pop_front();
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeOutfeed(const OpContext& context) {
  const std::vector<plan::ArrayType> types =
      DataTypes(context.graph, context.node.operands, context.node.operands.size() - 1);
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out) {
    for (size_t k = 0; k < types.size(); ++k) {
      const std::vector<int64_t> sizes(types[k].dimensions.begin(), types[k].dimensions.end());
      Literal item = Literal::Uninitialized(Shape(types[k].type, sizes));
      Copy(types[k], in[k], item.mutable_raw_data());
      run.world->outfeeds[run.device].push_back(std::move(item));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeSend(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  const std::vector<plan::ArrayType> types =
      DataTypes(context.graph, context.node.operands, context.node.operands.size() - 1);
  const std::optional<Pairs> pairs = plan::SendRecvPairsOf(context.source());
  const int64_t channel = context.source().IntOr(Attr::kChannelId, 0);
  const std::string name = context.name();
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out) {
    Message message;
    message.types = types;
    for (size_t k = 0; k < types.size(); ++k) {
      message.leaves.emplace_back(in[k], in[k] + types[k].bytes);
    }
    if (!pairs.has_value()) {
      return run.world->Send(run.device, run.device, channel, name, std::move(message));
    }
    for (const auto& [source, target] : *pairs) {
      if (source != run.device || target < 0 || target >= run.world->device_count()) continue;
      HLOCTS_RETURN_IF_ERROR(run.world->Send(run.device, target, channel, name, message));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeSendDone(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  return Nothing();
}

absl::StatusOr<StepDraft> MakeRecv(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  const int64_t channel = context.source().IntOr(Attr::kChannelId, 0);
  StepDraft draft;
  draft.run = [channel](Run& run, In, Out) {
    run.world->PostReceive(run.device, channel);
    return absl::OkStatus();
  };
  return draft;
}

// What was sent; zeros at a device that no pair names as target.
absl::StatusOr<StepDraft> MakeRecvDone(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  const std::vector<plan::ArrayType> types =
      DataTypes(context.graph, context.node.outputs, context.node.outputs.size() - 1);
  const std::optional<Pairs> pairs = plan::SendRecvPairsOf(context.source());
  const int64_t channel = context.source().IntOr(Attr::kChannelId, 0);
  const std::string name = context.name();
  StepDraft draft;
  draft.run = [=](Run& run, In, Out out) -> absl::Status {
    bool is_target = !pairs.has_value();
    for (const auto& pair : pairs.value_or(Pairs())) is_target |= pair.second == run.device;
    if (!is_target) {
      for (size_t k = 0; k < types.size(); ++k) {
        if (types[k].bytes > 0) std::memset(out[k], 0, static_cast<size_t>(types[k].bytes));
      }
      return absl::OkStatus();
    }
    HLOCTS_ASSIGN_OR_RETURN(const Message message, run.world->Receive(run.device, channel, name));
    if (!(message.types == types)) return InvalidInput("%", name, ": was sent another shape");
    for (size_t k = 0; k < types.size(); ++k) Copy(types[k], message.leaves[k].data(), out[k]);
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeReplicaId(const OpContext&) {
  StepDraft draft;
  draft.run = [](Run& run, In, Out out) {
    const uint32_t id = static_cast<uint32_t>(run.replica);
    std::memcpy(out[0], &id, sizeof(id));
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakePartitionId(const OpContext&) {
  StepDraft draft;
  draft.run = [](Run& run, In, Out out) {
    const uint32_t id = static_cast<uint32_t>(run.partition);
    std::memcpy(out[0], &id, sizeof(id));
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
