// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/kept_promises.h"

#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/verdict.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/judge/element_text.h"

namespace hlocts::backends {
namespace {

void Fail(std::string reason, const char* clause, reports::Verdict& verdict) {
  verdict.kind = Outcome::kFail;
  verdict.reason = absl::StrCat(reason, ", clause ", clause);
}

bool SameBits(const Literal& a, const Literal& b) {
  return a.shape().CompatibleWith(b.shape()) && a.raw_size() == b.raw_size() &&
         std::memcmp(a.raw_data(), b.raw_data(), a.raw_size()) == 0;
}

void JudgeAlias(const Donation& alias, const std::vector<ArgumentState>& states,
                reports::Verdict& verdict) {
  for (const ArgumentState& state : states) {
    if (state.leaf != alias.argument) continue;
    if (!state.consumed) {
      Fail(absl::StrCat("argument leaf ", state.leaf,
                        " was donated and aliased, but is not consumed"),
           "aliasing.15", verdict);
    } else if (state.aliased_output >= 0 && state.aliased_output != alias.output) {
      Fail(absl::StrCat("argument leaf ", state.leaf, " shares memory with output leaf ",
                        state.aliased_output, ", expected output leaf ", alias.output),
           "aliasing.15", verdict);
    }
  }
}

// Fails if an input and an output without an alias share a buffer (aliasing.4). Sharing is an error
// only if the two values differ, since a result that is a parameter may be returned unchanged.
void JudgeApart(const ExecuteRequest& request, const ExecuteResult& result,
                const ArgumentState& state, reports::Verdict& verdict) {
  if (state.aliased_output < 0) return;
  if (request.arguments.empty() || result.outputs.empty()) return;
  const auto leaf = static_cast<size_t>(state.leaf);
  const auto output = static_cast<size_t>(state.aliased_output);
  if (leaf >= request.arguments[0].size() || output >= result.outputs[0].size()) return;
  if (SameBits(request.arguments[0][leaf], result.outputs[0][output])) return;
  Fail(absl::StrCat("argument leaf ", leaf, " was not donated, but shares memory with output leaf ",
                    output),
       "aliasing.4", verdict);
}

}  // namespace

void JudgeArguments(const Module& module, const ExecuteRequest& request,
                    const ExecuteResult& result, reports::Verdict& verdict) {
  if (verdict.kind != Outcome::kPass) return;
  const std::vector<int64_t> donated = DonatedLeaves(module, request);
  for (const Donation& alias : DonationsOf(module)) {
    if (alias.output >= 0 && absl::c_linear_search(donated, alias.argument))
      JudgeAlias(alias, result.arguments, verdict);
  }
  for (const ArgumentState& state : result.arguments) {
    if (!absl::c_linear_search(donated, state.leaf)) JudgeApart(request, result, state, verdict);
    if (!state.changed) continue;
    Fail(absl::StrCat("argument leaf ", state.leaf, " was not donated, but was changed"),
         "aliasing.19", verdict);
  }
}

void JudgeOutfeed(const std::vector<std::vector<Literal>>& expected, const ExecuteResult& result,
                  reports::Verdict& verdict) {
  if (expected.empty() || verdict.kind != Outcome::kPass) return;
  for (size_t d = 0; d < expected.size(); ++d) {
    const std::vector<Literal> none;
    const std::vector<Literal>& sent = d < result.outfeed.size() ? result.outfeed[d] : none;
    if (sent.size() != expected[d].size()) {
      return Fail(absl::StrCat("device ", d, ": expected ", expected[d].size(),
                               " leaves in the outfeed, found ", sent.size()),
                  "after_all.3", verdict);
    }
    for (size_t i = 0; i < sent.size(); ++i) {
      if (SameBits(sent[i], expected[d][i])) continue;
      return Fail(absl::StrCat("leaf ", i, " that device ", d, " sent to the outfeed is wrong"),
                  "after_all.3", verdict);
    }
  }
}

std::string MismatchedReplicas(const std::vector<std::vector<Literal>>& outputs) {
  if (outputs.size() < 2) return "";
  for (size_t o = 0; o < outputs[0].size(); ++o) {
    const Literal &one = outputs[0][o], &other = outputs[1][o];
    for (int64_t i = 0; i < one.element_count(); ++i) {
      const auto bytes = static_cast<int64_t>(one.raw_size()) / one.element_count();
      if (std::memcmp(one.raw_data() + i * bytes, other.raw_data() + i * bytes,
                      static_cast<size_t>(bytes)) == 0)
        continue;
      const std::vector<int64_t> index = MultiIndex(i, one.shape().dimensions());
      return absl::StrCat("devices hold different copies of an element: output ", o, " at [",
                          absl::StrJoin(index, ","), "] is ", ElementText(one, i), " on one and ",
                          ElementText(other, i), " on another");
    }
  }
  return "";
}

}  // namespace hlocts::backends
