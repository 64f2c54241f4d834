// Passes over graphs. Each keeps every value: it may be switched off by name, and nothing but time
// and memory changes.
#ifndef HLOCTS_BACKENDS_PLAN_PASSES_H_
#define HLOCTS_BACKENDS_PLAN_PASSES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "backends/plan/graph.h"
#include "spec/base/status.h"

namespace hlocts::plan {

// Nodes whose results nobody needs go.
void RemoveDeadNodes(Graph& graph);
// Of equal nodes on equal operands one stays.
void RemoveCommonNodes(Graph& graph);
// Moves and conversions that change nothing, or that undo each other.
void SimplifyMoves(Graph& graph);

struct PassRow {
  absl::string_view name;
  void (*run)(Graph& graph);
};
absl::Span<const PassRow> AllPasses();
// InvalidArgument when one of the names is neither a pass of AllPasses nor one of the engine's own.
absl::Status CheckPassNames(const absl::flat_hash_set<std::string>& names,
                            std::vector<std::string> own);
// All passes but those named, in order.
void RunPasses(Graph& graph, const absl::flat_hash_set<std::string>& disabled);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_PLAN_PASSES_H_
