// SPDX-License-Identifier: Apache-2.0
// hlocts judge: are these outputs acceptable?
#include "nlohmann/json.hpp"
#include "tools/cli/judging.h"
#include "tools/cli/story.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonOptions common;
  std::string module, inputs, outputs, profile = "default";
  std::vector<std::string> facts;
  std::optional<uint64_t> seed;
  bool explain = false;
};

absl::StatusOr<reports::Verdict> JudgeFiles(const Options& options) {
  if (options.outputs.empty()) return InvalidInput("judge: expected --outputs");
  HLOCTS_ASSIGN_OR_RETURN(Job job,
                          LoadJob(options.module, options.inputs, options.seed, options.common));
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(job, options.profile, options.common));
  HLOCTS_ASSIGN_OR_RETURN(
      auto outputs,
      ReadDeviceLeaves(options.outputs, backends::OutputLeafShapes(*job.module),
                       diff.load.replicas * diff.load.partitions, diff.load.partitions));
  for (const std::string& fact : options.facts) {
    TargetFacts scratch;
    HLOCTS_RETURN_IF_ERROR(SetTargetFact(fact, scratch));
  }
  backends::Differ differ(*job.module, job.request, diff);
  reports::Verdict verdict = differ.JudgeOutputs(outputs, options.facts);
  Complete(job, verdict);
  if (options.explain && !options.common.json) {
    PrintVerdict(verdict, false, OwnCommandLine());
    PrintExplanation(job, differ, verdict, diff.load.partitions, options.facts);
  }
  return verdict;
}

Json AnswerEntry(const Options& options, const Json& entry) {
  Options merged = options;
  merged.explain = false;
  merged.module = TextField(entry, "module");
  merged.inputs = TextField(entry, "inputs");
  merged.outputs = TextField(entry, "outputs");
  merged.profile = TextField(entry, "profile", options.profile);
  auto seed = SeedField(entry, options.seed);
  auto common = WithEntry(options.common, entry);
  absl::Status status = seed.ok() ? common.status() : seed.status();
  if (status.ok()) {
    merged.seed = *seed;
    merged.common = *common;
    auto verdict = JudgeFiles(merged);
    if (verdict.ok()) return Json::parse(reports::VerdictToJson(*verdict));
    status = verdict.status();
  }
  reports::Verdict error;
  error.module = merged.module;
  error.profile = merged.profile;
  error.reason = std::string(status.message());
  return Json::parse(reports::VerdictToJson(error));
}

int RunJudge(const Options& options) {
  if (!options.common.batch.empty()) {
    return RunBatch(options.common.batch, [&](const Json& entry) {
      return std::vector<Json>{AnswerEntry(options, entry)};
    });
  }
  if (options.module.empty()) return Fail(InvalidInput("judge: expected a module or --batch"));
  auto verdict = JudgeFiles(options);
  if (!verdict.ok()) return Fail(verdict.status());
  if (!options.explain || options.common.json)
    PrintVerdict(*verdict, options.common.json, OwnCommandLine());
  return ExitStatusOf(std::vector<reports::Verdict>{*verdict});
}

}  // namespace

Command JudgeCommand() {
  return {"judge", "decide whether given outputs are acceptable", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case folder (hlocts help modules)");
            flags.Add("--inputs", &options->inputs, "literals file (text or .npz)");
            flags.Add("--seed", &options->seed, "make random inputs from this seed");
            flags.Add("--outputs", &options->outputs,
                      "literals file with what the engine returned");
            flags.AddChoice("--profile", &options->profile, {"strict", "default", "relaxed"},
                            "how much an engine may do");
            flags.Add("--fact", &options->facts, "what the engine promises, e.g. convert.saturate");
            flags.Add("--explain", &options->explain, "say what was accepted and why");
            options->common.DeclareData(flags);
            options->common.Declare(flags);
            return [options] { return RunJudge(*options); };
          }};
}

}  // namespace hlocts::tools
