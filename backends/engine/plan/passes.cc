// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/passes.h"

#include <set>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace hlocts::plan {
namespace {

constexpr PassRow kPasses[] = {
    {"no-op-moves", RemoveNoOpMoves},
    {"algebra", SimplifyAlgebra},
    {"broadcast-hoisting", HoistBroadcasts},
    {"slice-sinking", SinkSlices},
    {"cse", RemoveCommonNodes},
    {"transpose-folding", FoldTransposes},
    {"constant-folding", FoldConstants},
    {"dce", RemoveDeadNodes},
};

}  // namespace

absl::Span<const PassRow> AllPasses() { return kPasses; }

absl::Status Disable(absl::string_view list, absl::Span<const absl::string_view> own,
                     PassNames& disabled) {
  PassNames known(own.begin(), own.end());
  for (const PassRow& pass : AllPasses()) known.emplace(pass.name);
  for (absl::string_view name : absl::StrSplit(list, ',', absl::SkipEmpty())) {
    if (name == "all") {
      disabled.insert(known.begin(), known.end());
    } else if (known.contains(name)) {
      disabled.emplace(name);
    } else {
      const std::set<absl::string_view> sorted(known.begin(), known.end());
      return InvalidInput("no pass is called \"", name, "\"; the passes are ",
                          absl::StrJoin(sorted, ", "), ", and all");
    }
  }
  return absl::OkStatus();
}

void RunPasses(Graph& graph, const PassNames& disabled, const PassContext& context) {
  for (const PassRow& pass : kPasses) {
    if (!disabled.contains(pass.name)) pass.run(graph, context);
  }
}

}  // namespace hlocts::plan
