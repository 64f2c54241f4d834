// SPDX-License-Identifier: Apache-2.0
// Steps that every engine executes in the same way on row-major arrays in host memory: feeds,
// messages between devices, collectives, custom calls, partition-id and replica-id. An engine whose
// arrays are not in host memory passes copies.
#pragma once

#include <cstring>
#include <functional>
#include <memory>

#include "backends/engine/plan/communicator.h"

namespace hlocts::plan {

using Out = uint8_t* const*;            // pointers to results; null for tokens
using Operands = absl::Span<const In>;  // the operands of each member of a collective
// Applies the collective's computation to operand k of all members, in the order of the group, and
// stores the result in `out`.
using Reduce = std::function<absl::Status(Operands all, size_t k, uint8_t* out)>;

// The device that runs a step.
struct Member {
  int64_t replica = 0, partition = 0, device = 0;
  Communicator* world = nullptr;
  Reduce reduce;  // set for collectives with a computation; runs on the engine
};
inline void CopyArray(const ArrayType& type, const uint8_t* from, uint8_t* to) {
  if (type.bytes > 0) std::memcpy(to, from, static_cast<size_t>(type.bytes));
}
inline void ZeroArrays(absl::Span<const ArrayType> types, Out arrays) {
  for (size_t k = 0; k < types.size(); ++k) {
    if (types[k].bytes > 0) std::memset(arrays[k], 0, static_cast<size_t>(types[k].bytes));
  }
}
using SharedStep = std::function<absl::Status(const Member& member, In in, Out out)>;

// Declares the steps that channel_steps.cc defines: InfeedStep and so on.
#define HLOCTS_SHARED_STEPS(F) \
  F(Infeed) F(Outfeed) F(Send) F(SendDone) F(Recv) F(RecvDone) F(ReplicaId) F(PartitionId)
#define HLOCTS_SHARED_STEP(Name) \
  absl::StatusOr<SharedStep> Name##Step(const Graph& graph, const Node& node);
HLOCTS_SHARED_STEPS(HLOCTS_SHARED_STEP)
#undef HLOCTS_SHARED_STEP

// Returns the step of a collective (collective_steps.cc).
absl::StatusOr<SharedStep> CollectiveStep(const Graph& graph, const Node& node);

// Returns the step of a custom call that enters or leaves a manual region (manual_region_step.cc).
absl::StatusOr<SharedStep> ManualRegionStep(const Graph& graph, const Node& node, bool enters);

// Returns a step that calls the node's function in `library` (custom_call.cc).
absl::StatusOr<SharedStep> CustomCallStep(const Graph& graph, const Node& node,
                                          std::shared_ptr<void> library);

}  // namespace hlocts::plan
