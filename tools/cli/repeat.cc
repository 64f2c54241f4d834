// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/repeat.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/verdict.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {
namespace {

std::string CountsText(const OutcomeCounts& counts) {
  return absl::StrJoin(counts, ", ", [](std::string* text, const auto& count) {
    absl::StrAppend(text, count.second, " ", count.first);
  });
}

}  // namespace

void AddRepeat(Flags& flags, int64_t* runs) {
  flags.Add("--repeat", runs, "number of runs of each module; the first failure is reported", {1});
}

RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge) {
  RepeatedRun kept{run(), {}};
  if (runs <= 1) return kept;
  CatchInterrupts();
  StatusLine line;
  bool failed = false;
  for (int64_t i = 0; i < runs && !Interrupted(); ++i) {
    backends::RunOutcome again;
    if (i > 0) again = run();
    const backends::RunOutcome& outcome = i > 0 ? again : kept.outcome;
    const Outcome kind = judge(outcome).kind;
    ++kept.counts[std::string(OutcomeName(kind))];
    line.Show(absl::StrCat("run ", i + 1, " of ", runs, ": ", CountsText(kept.counts)));
    if (failed || !IsFailure(kind) || kind == Outcome::kInconclusive) continue;
    failed = true;
    if (i > 0) kept.outcome = std::move(again);
  }
  line.Clear();
  return kept;
}

void RecordRunCounts(const OutcomeCounts& counts, reports::Verdict& verdict) {
  if (counts.size() > 1) verdict.flake = CountsText(counts);
}

}  // namespace hlocts::tools
