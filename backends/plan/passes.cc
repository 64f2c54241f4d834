#include "backends/plan/passes.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace hlocts::plan {
namespace {

constexpr PassRow kPasses[] = {
    {"moves", SimplifyMoves},
    {"cse", RemoveCommonNodes},
    {"dce", RemoveDeadNodes},
};

}  // namespace

absl::Span<const PassRow> AllPasses() { return kPasses; }

absl::Status CheckPassNames(const absl::flat_hash_set<std::string>& names,
                            std::vector<std::string> own) {
  for (const PassRow& pass : AllPasses()) own.emplace_back(pass.name);
  for (const std::string& name : names) {
    if (std::find(own.begin(), own.end(), name) == own.end()) {
      return InvalidInput("no pass is called \"", name, "\"; there are ", absl::StrJoin(own, ", "));
    }
  }
  return absl::OkStatus();
}

void RunPasses(Graph& graph, const absl::flat_hash_set<std::string>& disabled) {
  for (const PassRow& pass : kPasses) {
    if (!disabled.contains(std::string(pass.name))) pass.run(graph);
  }
}

}  // namespace hlocts::plan
