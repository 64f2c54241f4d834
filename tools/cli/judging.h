// SPDX-License-Identifier: Apache-2.0
// Code that judge and diff share: creating a Differ for a job, printing verdicts and explanations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/differ/differ.h"
#include "fuzz/triage/bundle.h"
#include "reports/verdict_fwd.h"
#include "tools/cli/common.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// Handles --repeat=N: runs a module N times to find nondeterministic failures. The verdict states
// how often the module failed.

// The number of runs by outcome. Empty if there was only one run.
using OutcomeCounts = std::map<std::string, int64_t>;  // as Verdict::runs

struct RepeatedRun {
  backends::RunOutcome outcome;  // of the first failure, or of the first run if none failed
  OutcomeCounts counts;
};

void AddRepeat(Flags& flags, int64_t* runs);

// Runs `runs` times, or until Ctrl-C. Does not call `judge` if there is only one run.
RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge);

// Adds the counts of repeated runs to the verdict if the runs differ.
void RecordRunCounts(const OutcomeCounts& counts, reports::Verdict& verdict);

// Returns how often to run a module whose recorded failure may be a flake: as often as before, or
// ten times.
int64_t FlakeRunsOf(const reports::Verdict& recorded);
// Returns `given` (--repeat) if it is above 0. Otherwise returns 1 or, if `recorded` is a flake,
// FlakeRunsOf(recorded), and prints this number unless `silent`.
int64_t RunsOf(int64_t given, const reports::Verdict& recorded, bool silent,
               absl::string_view what);

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common);

// Sets the fields that only the caller knows and, if the verdict is inconclusive, probable or to be
// explained, the instruction with the widest set.
// `options` are those of `differ`.
void Complete(const Job& job, const backends::DiffOptions& options, backends::Differ& differ,
              const std::vector<std::string>& facts, bool explained, reports::Verdict& verdict);

// Returns a hint to `hlocts history` for a bundle that no longer fails; "" for a module.
std::string PerhapsFixed(const std::string& path);

// Returns the verdict as a JSON line, with the outcomes of the --repeat runs and, for a failure,
// the sentences of the documents.
std::string JsonLineOf(const reports::Verdict& verdict, const OutcomeCounts& counts = {});
// Prints the verdict as a JSON line or as text (story.h).
void PrintVerdict(const reports::Verdict& verdict, bool json, const std::string& replay = "",
                  bool explained = false);
// Prints how the set of the failing element follows from the inputs, step by step; if all elements
// passed, explains the widest set. Also prints the piece that is wrong in isolation.
void PrintExplanation(const Job& job, backends::Differ& differ, const reports::Verdict& verdict,
                      int64_t partitions, const std::vector<std::string>& facts);

// Returns the address of the case that `module` names: its address, its directory in a run, or a
// module there. Returns "" for another file or directory.
std::string CaseAddressOf(const std::string& module);

// Loads a bundle, or a module with inputs and `profile`, for commands that accept either.
absl::StatusOr<fuzz::Bundle> LoadSubject(const std::string& path, const std::string& inputs,
                                         std::optional<uint64_t> seed, const std::string& profile,
                                         const CommonOptions& options);

// Prints to standard error that a command continues with this piece; `next` is the verb.
void SayPiece(const std::string& piece, absl::string_view next);
// If the outputs of a sample show no failure, but one of its pieces fails in isolation, replaces
// the sample by this piece, prints this, and returns its name. Otherwise returns "".
std::string ContinueWithPiece(fuzz::Sample& sample, backends::Backend& engine,
                              const fuzz::TrialOptions& options, absl::string_view next);

// Adds --suspect of diff, judge and run: "off", "look" or "fail".
void AddSuspectFlag(Flags& flags, std::string& suspect);
backends::DiffOptions::Suspect SuspectOf(const std::string& suspect);

// Returns the worst exit status of the verdicts. `unsupported` yields 1, because nothing was
// judged. If `suspect_fails`, so does `suspect`.
int ExitStatusOf(const std::vector<reports::Verdict>& verdicts, bool suspect_fails = false);

}  // namespace hlocts::tools
