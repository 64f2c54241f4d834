// SPDX-License-Identifier: Apache-2.0
// Passes over graphs. Every pass preserves all values, so disabling a pass only changes time and
// memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "backends/engine/plan/graph.h"
#include "spec/base/status.h"

namespace hlocts::plan {

// Computes the results of a graph without parameters on an engine.
using Evaluator = std::function<absl::StatusOr<std::vector<Literal>>(Graph& closed)>;

struct PassContext {
  const Evaluator* evaluate = nullptr;  // null if the engine computes nothing at load time
  bool however_small = false;           // apply passes to unprofitable cases, too, for tests
};

// Removes nodes whose results are unused.
void RemoveDeadNodes(Graph& graph, const PassContext& context);
// Merges equal nodes on equal operands.
void RemoveCommonNodes(Graph& graph, const PassContext& context);
// Removes moves and conversions that change nothing or that undo each other.
void RemoveNoOpMoves(Graph& graph, const PassContext& context);
// Simplifies x*1, x-x of integers, divisions by powers of two and similar operations. The rules
// preserve every value, including the sign of zero and NaN.
void SimplifyAlgebra(Graph& graph, const PassContext& context);
// Computes a value once and broadcasts it, if all operands of an operation are broadcasts.
void HoistBroadcasts(Graph& graph, const PassContext& context);
// Moves slices and reversals from element-wise results to their operands, so that the loop
// continues through them.
void SinkSlices(Graph& graph, const PassContext& context);
// Replaces a transpose that is the only user of a product by the product of the swapped operands.
void FoldTransposes(Graph& graph, const PassContext& context);
// Computes values that depend only on constants. The engine itself computes them.
void FoldConstants(Graph& graph, const PassContext& context);

struct PassRow {
  absl::string_view name;
  void (*run)(Graph& graph, const PassContext& context);
};
absl::Span<const PassRow> AllPasses();
// Parses a comma-separated list of passes to disable: names in AllPasses, names of the engine's own
// passes, or "all". Returns InvalidArgument for other names.
using PassNames = absl::flat_hash_set<std::string>;
absl::Status Disable(absl::string_view list, absl::Span<const absl::string_view> own,
                     PassNames& disabled);
// Runs all passes in order, except those in `disabled`.
void RunPasses(Graph& graph, const PassNames& disabled, const PassContext& context = {});

}  // namespace hlocts::plan
