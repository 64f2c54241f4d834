// SPDX-License-Identifier: Apache-2.0
// Feeds, sends and receives, through the host; the number of the replica and of the partition.
#include <optional>

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/plan/groups.h"

namespace hlocts::cuda {
namespace {

using Pairs = plan::DevicePairs;
using Types = std::vector<plan::ArrayType>;

absl::Status CheckNotHost(const OpContext& context) {
  if (!context.source().BoolOr(Attr::kIsHostTransfer, false)) return absl::OkStatus();
  return Unsupported(context.name(), ": transfers to and from the host by channel");
}

// The types of all values but the token at the end.
template <class Values>
Types DataTypes(const plan::Graph& graph, const Values& values) {
  Types types;
  for (size_t k = 0; k + 1 < values.size(); ++k) types.push_back(graph.type(values[k]));
  return types;
}

StepDraft Nothing() {
  StepDraft draft;
  draft.work = [](Run&, In, Out) { return absl::OkStatus(); };
  return draft;
}

}  // namespace

// The next items of the device's stream, one for each leaf.
absl::StatusOr<StepDraft> MakeInfeed(const OpContext& context) {
  const Types types = DataTypes(context.graph, context.node.outputs);
  const std::string name = context.name();
  StepDraft draft;
  draft.work = [=](Run& run, In, Out out) -> absl::Status {
    std::deque<Literal>& items = run.world->infeeds[run.device_number];
    for (size_t k = 0; k < types.size(); ++k) {
      if (items.empty()) {
        return absl::DeadlineExceededError(
            absl::StrCat("%", name, " waits for infeed, and all items are used up"));
      }
      const Literal item = std::move(items.front());
      items.pop_front();
      if (!(plan::TypeOf(item.shape()) == types[k])) {
        return InvalidInput("%", name, ": the next item of the infeed is ",
                            item.shape().ToString(false));
      }
      HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], item.raw_data(), types[k].bytes));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeOutfeed(const OpContext& context) {
  const Types types = DataTypes(context.graph, context.node.operands);
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out) -> absl::Status {
    for (size_t k = 0; k < types.size(); ++k) {
      const std::vector<int64_t> sizes(types[k].dimensions.begin(), types[k].dimensions.end());
      Literal item = Literal::Uninitialized(Shape(types[k].type, sizes));
      HLOCTS_RETURN_IF_ERROR(run.device().Download(item.mutable_raw_data(), in[k], types[k].bytes));
      run.world->outfeeds[run.device_number].push_back(std::move(item));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeSend(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  const Types types = DataTypes(context.graph, context.node.operands);
  const std::optional<Pairs> pairs = plan::SendRecvPairsOf(context.source());
  const int64_t channel = context.source().IntOr(Attr::kChannelId, 0);
  const std::string name = context.name();
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out) -> absl::Status {
    plan::Message message;
    message.types = types;
    for (size_t k = 0; k < types.size(); ++k) {
      HLOCTS_ASSIGN_OR_RETURN(message.leaves.emplace_back(), ToHost(run, in[k], types[k].bytes));
    }
    const int64_t self = run.device_number;
    if (!pairs.has_value()) return run.world->Send(self, self, channel, name, std::move(message));
    for (const auto& [source, target] : *pairs) {
      if (source != self || target < 0 || target >= run.world->device_count()) continue;
      HLOCTS_RETURN_IF_ERROR(run.world->Send(self, target, channel, name, message));
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
  draft.work = [channel](Run& run, In, Out) {
    run.world->PostReceive(run.device_number, channel);
    return absl::OkStatus();
  };
  return draft;
}

// What was sent; zeros at a device that no pair names as target.
absl::StatusOr<StepDraft> MakeRecvDone(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckNotHost(context));
  const Types types = DataTypes(context.graph, context.node.outputs);
  const std::optional<Pairs> pairs = plan::SendRecvPairsOf(context.source());
  const int64_t channel = context.source().IntOr(Attr::kChannelId, 0);
  const std::string name = context.name();
  StepDraft draft;
  draft.work = [=](Run& run, In, Out out) -> absl::Status {
    bool is_target = !pairs.has_value();
    for (const auto& pair : pairs.value_or(Pairs())) is_target |= pair.second == run.device_number;
    plan::Message message;
    if (is_target) {
      HLOCTS_ASSIGN_OR_RETURN(message, run.world->Receive(run.device_number, channel, name));
      if (!(message.types == types)) return InvalidInput("%", name, ": was sent another shape");
    }
    for (size_t k = 0; k < types.size(); ++k) {
      const std::vector<uint8_t> zeros(is_target ? 0 : static_cast<size_t>(types[k].bytes));
      const uint8_t* data = is_target ? message.leaves[k].data() : zeros.data();
      HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], data, types[k].bytes));
    }
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeReplicaId(const OpContext&) {
  StepDraft draft;
  draft.work = [](Run& run, In, Out out) {
    const uint32_t id = static_cast<uint32_t>(run.replica);
    return run.device().Upload(out[0], &id, sizeof(id));
  };
  return draft;
}

absl::StatusOr<StepDraft> MakePartitionId(const OpContext&) {
  StepDraft draft;
  draft.work = [](Run& run, In, Out out) {
    const uint32_t id = static_cast<uint32_t>(run.partition);
    return run.device().Upload(out[0], &id, sizeof(id));
  };
  return draft;
}

}  // namespace hlocts::cuda
