// SPDX-License-Identifier: Apache-2.0
// Passes over graphs. Each keeps every value: disabling one by name only changes time and memory.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_PASSES_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_PASSES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "backends/engine/plan/graph.h"
#include "spec/base/status.h"

namespace hlocts::plan {

// The results of a graph without parameters, computed by an engine.
using Evaluator = std::function<absl::StatusOr<std::vector<Literal>>(Graph& closed)>;

struct PassContext {
  const Evaluator* evaluate = nullptr;  // null: the engine computes nothing at load
  bool however_small = false;           // also unprofitable cases, for tests
};

// Removes nodes whose results are unused.
void RemoveDeadNodes(Graph& graph, const PassContext& context);
// Keeps one of equal nodes on equal operands.
void RemoveCommonNodes(Graph& graph, const PassContext& context);
// Moves and conversions that change nothing, or that undo each other.
void RemoveNoOpMoves(Graph& graph, const PassContext& context);
// x*1, x-x of integers, divisions by powers of two and the like: rules that keep every value,
// including the sign of zero and NaN.
void SimplifyAlgebra(Graph& graph, const PassContext& context);
// Computes a value once and repeats the result, if its operands are repetitions.
void HoistBroadcasts(Graph& graph, const PassContext& context);
// Slices and reversals of element-wise results: the operands are sliced or reversed instead, so
// that the loop continues through them.
void SinkSlices(Graph& graph, const PassContext& context);
// Replaces the transpose of a product without other users by the product of the swapped operands.
void FoldTransposes(Graph& graph, const PassContext& context);
// Computes values that depend on constants alone, by the engine itself.
void FoldConstants(Graph& graph, const PassContext& context);

struct PassRow {
  absl::string_view name;
  void (*run)(Graph& graph, const PassContext& context);
};
absl::Span<const PassRow> AllPasses();
// The passes that a user's comma-separated list of names disables: some of AllPasses, some of the
// engine's own, or "all". InvalidArgument for other names.
using PassNames = absl::flat_hash_set<std::string>;
absl::Status Disable(absl::string_view list, absl::Span<const absl::string_view> own,
                     PassNames& disabled);
// Runs all passes but those named, in order.
void RunPasses(Graph& graph, const PassNames& disabled, const PassContext& context = {});

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_PASSES_H_
