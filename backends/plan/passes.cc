#include "backends/plan/passes.h"

namespace hlocts::plan {
namespace {

constexpr PassRow kPasses[] = {
    {"moves", SimplifyMoves},
    {"cse", RemoveCommonNodes},
    {"dce", RemoveDeadNodes},
};

}  // namespace

absl::Span<const PassRow> AllPasses() { return kPasses; }

void RunPasses(Graph& graph, const absl::flat_hash_set<std::string>& disabled) {
  for (const PassRow& pass : kPasses) {
    if (!disabled.contains(std::string(pass.name))) pass.run(graph);
  }
}

}  // namespace hlocts::plan
