// SPDX-License-Identifier: Apache-2.0
// Code that judge and diff share: making a Differ for a job, printing verdicts and explanations.
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

// Handles --repeat=N: runs a module N times, to find failures that are not deterministic. The
// verdict states how often the module failed.

// The number of runs by outcome; empty for a single run.
using OutcomeCounts = std::map<std::string, int64_t>;  // as Verdict::runs

struct RepeatedRun {
  backends::RunOutcome outcome;  // of the first failure, or of the first run
  OutcomeCounts counts;
};

void AddRepeat(Flags& flags, int64_t* runs);

// Runs `runs` times, or until Ctrl-C. `judge` is not called for a single run.
RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge);

// Adds the counts of repeated runs to the verdict if they differ.
void RecordRunCounts(const OutcomeCounts& counts, reports::Verdict& verdict);

// The number of runs of a recorded verdict that failed as it did, and of all its runs; zeros if it
// has no counts.
struct RecordedRuns {
  int64_t failed = 0, all = 0;
};
RecordedRuns RecordedRunsOf(const reports::Verdict& verdict);
// Returns how often to run a module whose recorded failure may be a flake: ten times, or as often
// as it was run before.
int64_t FlakeRunsOf(const reports::Verdict& recorded);
// Returns `given` (--repeat), or if it is 0 the runs of a flake, and says so; else 1.
int64_t RunsOf(int64_t given, const reports::Verdict& recorded, bool silent,
               absl::string_view what);

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common);

// Fills in the fields that only the caller knows.
void Complete(const Job& job, reports::Verdict& verdict);
// Adds to an inconclusive verdict the instruction with the widest set.
void AddWidest(const Job& job, backends::Differ& differ, const std::vector<std::string>& facts,
               reports::Verdict& verdict);

// The verdict as a JSON line, with the outcomes of the --repeat runs and, for a failure, the
// sentences of the documents.
std::string JsonLineOf(const reports::Verdict& verdict, const OutcomeCounts& counts = {});
// Prints a JSON line, or the story (story.h).
void PrintVerdict(const reports::Verdict& verdict, bool json, const std::string& replay = "",
                  const OutcomeCounts& counts = {});
// Prints the derivation from the inputs, step by step, of the set of the failing element, or of the
// widest set if all elements passed. Prints also the piece that is wrong in isolation.
void PrintExplanation(const Job& job, backends::Differ& differ, const reports::Verdict& verdict,
                      int64_t partitions, const std::vector<std::string>& facts);

// Reads a bundle, or a module with its inputs and `profile`, for commands that take either.
absl::StatusOr<fuzz::Bundle> LoadSubject(const std::string& path, const std::string& inputs,
                                         std::optional<uint64_t> seed, const std::string& profile,
                                         const CommonOptions& options);

// Prints the line on standard error that a command continues with this piece; `next` is the verb.
void SayPiece(const std::string& piece, absl::string_view next);
// Replaces a sample whose outputs show no failure by a piece of it that fails by itself, says so,
// and returns the name of the piece; "" if there is none.
std::string ContinueWithPiece(fuzz::Sample& sample, backends::Backend& engine,
                              const fuzz::TrialOptions& options, absl::string_view next);

// Adds --suspect of diff, judge and run: "off", "look" or "fail".
void AddSuspectFlag(Flags& flags, std::string& suspect);
backends::DiffOptions::Suspect SuspectOf(const std::string& suspect);

// Returns the worst exit status of the verdicts. A verdict that is unsupported yields 1, since
// nothing was judged; so does one that is suspect if `suspect_fails`.
int ExitStatusOf(const std::vector<reports::Verdict>& verdicts, bool suspect_fails = false);

}  // namespace hlocts::tools
