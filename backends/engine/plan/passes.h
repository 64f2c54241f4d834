// SPDX-License-Identifier: Apache-2.0
// Passes over graphs. No pass changes a value, so disabling a pass affects only time and memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "backends/engine/plan/graph.h"
#include "spec/base/status.h"

namespace hlocts::plan {

// A function by which an engine computes the results of a graph without parameters.
using Evaluator = std::function<absl::StatusOr<std::vector<Literal>>(Graph& closed)>;

struct PassContext {
  const Evaluator* evaluate = nullptr;  // null if the engine computes nothing at load time
  bool however_small = false;           // for tests: apply passes even if that saves no time
};

// Removes nodes whose results are unused.
void RemoveDeadNodes(Graph& graph, const PassContext& context);
// Merges nodes with equal opcodes, attributes and operands.
void RemoveCommonNodes(Graph& graph, const PassContext& context);
// Removes moves and conversions that change nothing or undo each other.
void RemoveNoOpMoves(Graph& graph, const PassContext& context);
// Simplifies x*1, x-x of integers, divisions by powers of two and similar operations. Every value
// remains the same, including signs of zeros and NaN.
void SimplifyAlgebra(Graph& graph, const PassContext& context);
// If an operation's operands are all broadcasts, computes each distinct element once, then
// broadcasts.
void HoistBroadcasts(Graph& graph, const PassContext& context);
// Moves slices and reversals from element-wise results to their operands, so that more nodes can be
// in one loop.
void SinkSlices(Graph& graph, const PassContext& context);
// Replaces a dot whose only user is a transpose by the dot of the exchanged operands.
void FoldTransposes(Graph& graph, const PassContext& context);
// Replaces values that depend only on constants by constants, which the engine computes.
void FoldConstants(Graph& graph, const PassContext& context);

struct PassRow {
  absl::string_view name;
  void (*run)(Graph& graph, const PassContext& context);
};
absl::Span<const PassRow> AllPasses();
// Parses a comma-separated list of passes to disable: names in AllPasses, names in `own` (the
// passes of one engine), or "all". Returns InvalidArgument for other names.
using PassNames = absl::flat_hash_set<std::string>;
absl::Status Disable(absl::string_view list, absl::Span<const absl::string_view> own,
                     PassNames& disabled);
// Runs all passes in order except those in `disabled`.
void RunPasses(Graph& graph, const PassNames& disabled, const PassContext& context = {});

}  // namespace hlocts::plan
