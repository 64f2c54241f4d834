// SPDX-License-Identifier: Apache-2.0
// Passes over graphs. Each keeps every value: it may be switched off by name, and nothing but time
// and memory changes.
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
  bool however_small = false;           // also what is not worth it, to be tested
};

// Nodes whose results nobody needs go.
void RemoveDeadNodes(Graph& graph, const PassContext& context);
// Of equal nodes on equal operands one stays.
void RemoveCommonNodes(Graph& graph, const PassContext& context);
// Moves and conversions that change nothing, or that undo each other.
void RemoveNoOpMoves(Graph& graph, const PassContext& context);
// x*1, x-x of integers, divisions by powers of two and their like: rules that keep every value,
// the sign of zero and NaN included.
void SimplifyAlgebra(Graph& graph, const PassContext& context);
// What is computed alike for many places, as its operands are repetitions, is computed once and
// then repeated.
void HoistBroadcasts(Graph& graph, const PassContext& context);
// Slices and reversals of what is computed element by element: the operands are sliced or reversed,
// so that the loop goes on through them.
void SinkSlices(Graph& graph, const PassContext& context);
// Transposes of products, where nobody else wants these: the product of the operands exchanged.
void FoldTransposes(Graph& graph, const PassContext& context);
// What depends on constants alone is computed now, by the engine itself.
void FoldConstants(Graph& graph, const PassContext& context);

struct PassRow {
  absl::string_view name;
  void (*run)(Graph& graph, const PassContext& context);
};
absl::Span<const PassRow> AllPasses();
// The passes that a user's list of names separated by commas switches off: some of AllPasses, some
// of the engine's own, or "all". InvalidArgument for other names.
using PassNames = absl::flat_hash_set<std::string>;
absl::Status Disable(absl::string_view list, absl::Span<const absl::string_view> own,
                     PassNames& disabled);
// All passes but those named, in order.
void RunPasses(Graph& graph, const PassNames& disabled, const PassContext& context = {});

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_PASSES_H_
