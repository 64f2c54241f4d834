// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/facts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/backend_list.h"
#include "spec/accuracy/target_facts.h"
#include "spec/ir/index_util.h"
#include "spec/judge/choices.h"
#include "spec/judge/joint.h"
#include "spec/targets/targets.h"

namespace hlocts::tools {

absl::StatusOr<std::vector<std::string>> FactsOfName(const std::string& name) {
  absl::StatusOr<TargetFile> target = FindTarget(name);
  if (target.ok()) return target->Facts();
  auto backend = backends::MakeBackend(name);
  if (!backend.ok())
    return InvalidInput(target.status().message(), "; single facts, such as dot.sums=f32, are in ",
                        "`hlocts backends --facts`");
  return (*backend)->info().facts;
}

void FactOptions::Declare(Flags& flags) {
  flags.Add("--fact", &facts, "fact of the engine, e.g. convert.saturate");
  flags.Add("--facts-of", &of, "target of `hlocts backends --facts`, or engine, whose facts apply");
}

absl::StatusOr<std::vector<std::string>> FactOptions::Given() const {
  std::vector<std::string> all;
  if (!of.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(all, FactsOfName(of));
  }
  for (const std::string& fact : facts) {
    TargetFacts scratch;
    HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, scratch));
    all.push_back(fact);
  }
  return all;
}

std::map<std::string, std::vector<std::string>> PromisesOf(const std::vector<std::string>& engines,
                                                           const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> promises;
  for (size_t i = 0; i < engines.size() && i < names.size(); ++i) {
    auto backend = backends::MakeBackend(engines[i]);
    if (backend.ok()) promises[names[i]] = (*backend)->info().facts;
  }
  return promises;
}

namespace {

std::string MadeBy(const ModuleAcceptance& accepted, const SetArray& set, int64_t i) {
  uint32_t origin = set.exact() ? set.origin : set.At(i).origin;
  if (origin == 0) origin = set.origin;
  if (origin == 0 || origin >= accepted.origins.size()) return "";
  const Origin& made = accepted.origins[origin];
  return absl::StrCat("  ", made.rule, " of ", made.instruction);
}

std::string Place(const std::vector<int64_t>& sizes, int64_t i) {
  return absl::StrCat("[", absl::StrJoin(MultiIndex(i, sizes), ","), "]");
}

void AppendLeaf(const ModuleAcceptance& accepted, size_t output, std::string& text) {
  const LeafAcceptance& leaf = accepted.leaves[output];
  absl::StrAppend(&text, "output ", output, ": ", leaf.shape.ToString(false));
  if (leaf.token) {
    absl::StrAppend(&text, " (a token)\n");
    return;
  }
  if (leaf.set.joint != nullptr)
    absl::StrAppend(&text, ", together judged by ", leaf.set.joint->kind());
  absl::StrAppend(&text, "\n");
  const int64_t count = leaf.set.element_count();
  for (int64_t first = 0; first < count;) {
    const std::string line =
        absl::StrCat(ElementSetText(leaf.set, first), MadeBy(accepted, leaf.set, first));
    int64_t next = first + 1;
    while (next < count &&
           absl::StrCat(ElementSetText(leaf.set, next), MadeBy(accepted, leaf.set, next)) == line) {
      ++next;
    }
    const std::vector<int64_t>& sizes = leaf.set.shape().dimensions();
    absl::StrAppend(&text, "  ", Place(sizes, first));
    if (next > first + 1) absl::StrAppend(&text, " to ", Place(sizes, next - 1));
    absl::StrAppend(&text, ": ", line, "\n");
    first = next;
  }
}

}  // namespace

std::string SetsText(const ModuleAcceptance& accepted) {
  std::string text;
  for (size_t output = 0; output < accepted.leaves.size(); ++output)
    AppendLeaf(accepted, output, text);
  return text;
}

}  // namespace hlocts::tools
