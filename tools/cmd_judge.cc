// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts judge`: decides whether given outputs are acceptable.
#include <filesystem>
#include <iostream>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "tools/cli/facts.h"
#include "tools/cli/judging.h"
#include "tools/cli/limits.h"
#include "tools/cli/story.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

struct JudgeOptions {
  CommonOptions common;
  std::string module, inputs, outputs, profile = "default", suspect = "look";
  FactOptions facts;
  std::optional<uint64_t> seed;
  int64_t partitions = 1;
  bool explain = false, sets = false, unusual = false;
};

// Loads the module; if --partitions is given, as one that an engine has partitioned.
absl::StatusOr<Job> LoadJudged(const JudgeOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(Job job,
                          LoadJob(options.module, options.inputs, options.seed, options.common));
  if (options.partitions > 1 && job.module->num_partitions == 1) {
    job.module->num_partitions = options.partitions;
    if (!HasShardings(*job.module)) job.module->entry()->root()->Set(Attr::kSharding, Sharding());
  }
  return job;
}

absl::StatusOr<reports::Verdict> JudgeFiles(const JudgeOptions& options) {
  const HardLimit limit(HardDeadline(options.common));
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJudged(options));
  std::vector<std::vector<Literal>> outputs(1);
  const bool has_own = options.outputs.empty() && std::filesystem::is_directory(options.module);
  const std::string file = has_own ? options.module + "/actual.txt" : options.outputs;
  if (file.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(LoadedModule snapshot, OpenModule(options.module));
    outputs[0] = std::move(snapshot.results);
    if (outputs[0].empty())
      return InvalidInput("judge: expected --outputs, --sets or a snapshot with its result");
  }
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(job, options.profile, options.common));
  diff.unusual = options.unusual;
  diff.suspect = SuspectOf(options.suspect);
  diff.blame = true;  // finds where an accepted NaN originates
  if (!file.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(
        outputs, ReadDeviceLeaves(file, backends::OutputLeafShapes(*job.module),
                                  diff.load.replicas * diff.load.partitions, diff.load.partitions));
  }
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<std::string> facts, options.facts.Given());
  backends::Differ differ(*job.module, job.request, diff);
  reports::Verdict verdict = differ.JudgeOutputs(outputs, facts);
  Complete(job, diff, differ, facts, options.explain, verdict);
  if (options.explain && !options.common.json) {
    PrintVerdict(verdict, false, OwnCommandLine(), /*explained=*/true);
    PrintExplanation(job, differ, verdict, diff.load.partitions, facts);
  }
  return verdict;
}

// Prints the acceptance sets. This requires no outputs.
absl::Status PrintSets(const JudgeOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJudged(options));
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(job, options.profile, options.common));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<std::string> facts, options.facts.Given());
  backends::Differ differ(*job.module, job.request, diff);
  for (int64_t device = 0; device < diff.load.replicas * diff.load.partitions; ++device) {
    HLOCTS_ASSIGN_OR_RETURN(const ModuleAcceptance* accepted, differ.Acceptance(device, facts));
    std::cout << (options.common.json ? AcceptanceToJsonl(*accepted) : SetsText(*accepted))
              << std::flush;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Json>> AnswerEntry(const JudgeOptions& options, const Json& entry) {
  JudgeOptions merged = options;
  merged.explain = false;
  merged.module = TextField(entry, "module");
  merged.inputs = TextField(entry, "inputs");
  merged.outputs = TextField(entry, "outputs");
  merged.profile = TextField(entry, "profile", options.profile);
  HLOCTS_ASSIGN_OR_RETURN(merged.seed, SeedField(entry, options.seed));
  HLOCTS_ASSIGN_OR_RETURN(merged.common, WithEntry(options.common, entry));
  HLOCTS_ASSIGN_OR_RETURN(const reports::Verdict verdict, JudgeFiles(merged));
  return std::vector<Json>{ParseJson<Json>(reports::VerdictToJson(verdict))};
}

int RunJudge(const JudgeOptions& options) {
  if (auto facts = options.facts.Given(); !facts.ok()) return Fail(facts.status());
  if (!options.common.batch.empty())
    return RunBatch(options.common.batch, options.module + options.inputs + options.outputs,
                    [&](const Json& entry) { return AnswerEntry(options, entry); },
                    {{"profile", options.profile}});
  if (options.module.empty()) return Fail(InvalidInput("judge: expected a module or --batch"));
  LimitTime();
  const HardLimit limit(HardDeadline(options.common));
  if (options.sets && !options.outputs.empty())
    return Fail(InvalidInput("judge: expected --outputs or --sets, found both"));
  if (options.sets) {
    const absl::Status printed = PrintSets(options);
    return printed.ok() ? kExitOk : Fail(printed);
  }
  auto verdict = JudgeFiles(options);
  if (!verdict.ok()) return Fail(verdict.status());
  if (!options.explain || options.common.json)
    PrintVerdict(*verdict, options.common.json, OwnCommandLine());
  return ExitStatusOf(std::vector<reports::Verdict>{*verdict}, options.suspect == "fail");
}

}  // namespace

Command JudgeCommand() {
  return {"judge", "decide whether given outputs are acceptable", [](Flags& flags) {
            auto options = std::make_shared<JudgeOptions>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.Add("--outputs", &options->outputs,
                      "literals file with the outputs of the engine (actual.txt of a bundle)");
            flags.AddProfile(&options->profile);
            options->facts.Declare(flags);
            flags.Add("--partitions", &options->partitions,
                      "number of devices over which the engine partitioned the module", {1, 4096});
            flags.Add(
                "--sets", &options->sets,
                "print the accepted values of each element; judge nothing (not with --outputs)");
            flags.Add("--explain", &options->explain, "with outputs: print the sets with reasons");
            AddSuspectFlag(flags, options->suspect);
            flags.Add("--unusual", &options->unusual,
                      "also print values of a pass that are acceptable but improbable");
            flags.AddWatch();
            options->common.Declare(flags);
            return [options] { return RunJudge(*options); };
          }};
}

}  // namespace hlocts::tools
