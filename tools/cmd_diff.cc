// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts diff`: runs a module on engines and judges each engine.
#include <filesystem>
#include <iostream>
#include <map>

#include "backends/backend_list.h"
#include "backends/differ/blame.h"
#include "fuzz/triage/failure_signature.h"
#include "generators/shardings.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/literals_file.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "suites/replay.h"
#include "tools/cli/judging.h"
#include "tools/cli/known_finding.h"
#include "tools/cli/limits.h"
#include "tools/cli/load_job.h"
#include "tools/cli/story.h"
#include "tools/commands.h"
#include "tools/search/search_command.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct DiffOptions {
  CommonOptions common;
  std::string module, inputs, outputs, expect, profile = "default", suspect = "look";
  std::vector<std::string> backends;
  std::optional<uint64_t> seed;
  SearchFlags search;
  int64_t cut = 0, partitions = 0, runs = 1;
  bool explain = false, invalid = false, unusual = false, group = false;
};

// A verdict, the outcomes of the --repeat runs, and the search that found the inputs, if any.
struct DiffAnswer {
  reports::Verdict verdict;
  OutcomeCounts runs;
  std::string signature;  // signature of a failure, for --group
  std::optional<InputSearch> search;
  std::optional<KnownFinding> known;
  std::optional<PieceFiles> piece = {};
};
// Modules by the signatures of their failures, for --group.
using Groups = std::map<std::string, std::vector<std::string>>;

// The engines, which keep running between the modules of a batch.
using Engines = std::map<std::string, std::unique_ptr<backends::Backend>>;

absl::StatusOr<backends::Backend*> ReadyEngine(Engines& engines, const std::string& name) {
  auto& engine = engines[name];
  if (!engine) {
    HLOCTS_ASSIGN_OR_RETURN(engine, backends::MakeBackend(name));
  }
  return engine.get();
}

// Handles --invalid: the module breaks a rule, and every engine must reject it.
absl::StatusOr<std::vector<DiffAnswer>> DiffInvalidFile(const DiffOptions& options,
                                                        const std::vector<std::string>& names,
                                                        Engines& engines) {
  auto loaded = OpenModule(options.module);
  if (absl::IsNotFound(loaded.status())) return loaded.status();
  if (loaded.ok() && VerifyModule(*loaded->module).ok())
    return InvalidInput(options.module, ": --invalid: the module is valid");
  std::vector<DiffAnswer> answers;
  for (const std::string& name : names) {
    HLOCTS_ASSIGN_OR_RETURN(backends::Backend * backend, ReadyEngine(engines, name));
    backends::DiffOptions diff;
    if (loaded.ok()) diff.load = options.common.ToLoadOptions(*loaded->module);
    reports::Verdict verdict = loaded.ok()
                                   ? backends::DiffInvalidModule(*loaded->module, *backend, diff)
                                   : backends::DiffUnreadableModule(loaded.status(), *backend);
    verdict.module = options.module;
    const absl::Status refusal = loaded.ok() ? VerifyModule(*loaded->module) : loaded.status();
    verdict.notes.push_back(
        absl::StrCat("the module is invalid: ", refusal.message(), " [", RuleOf(refusal), "]"));
    answers.push_back({std::move(verdict), {}, "", std::nullopt, std::nullopt});
  }
  return answers;
}

// Judges the runs of --repeat, and the pieces of a run whose outputs decide nothing. Localises only
// one failure.
absl::Status RunOnEngine(const DiffOptions& options, const std::string& file, const Job& job,
                         const backends::DiffOptions& diff, backends::Differ& differ,
                         backends::Backend& backend, DiffAnswer& answer) {
  backends::DiffOptions brief = diff;
  brief.blame = brief.unusual = brief.describe = false;
  backends::Differ judge(*job.module, job.request, brief);
  RepeatedRun repeated = RunRepeatedly(
      options.runs,
      [&] { return backends::RunModule(backend, *job.module, diff.load, job.request); },
      [&](const backends::RunOutcome& outcome) { return judge.DiffOutcome(outcome, backend); });
  answer.verdict = differ.DiffOutcome(repeated.outcome, backend);
  answer.runs = std::move(repeated.counts);
  RecordRunCounts(answer.runs, answer.verdict);
  if (backends::IsFinding(answer.verdict.kind) && !options.search.output.empty())
    KeepInputs(job, diff.load.partitions, file);
  if (options.outputs.empty() || !repeated.outcome.has_values()) return absl::OkStatus();
  return WriteLiterals(FileOfDevices(repeated.outcome.result.outputs, diff.load.partitions),
                       LeafRole::kOutput, options.outputs);
}

// If only a piece shows the failure, writes this piece, which the suggested commands use.
void KeepPiece(const DiffOptions& options, const std::string& file, const Job& job,
               const backends::DiffOptions& diff, backends::Backend& backend, DiffAnswer& answer) {
  if (!answer.verdict.localisation.in_piece || !options.common.batch.empty()) return;
  const auto piece = backends::FindHiddenPiece(*job.module, job.request, diff, backend);
  if (piece.module == nullptr) return;
  auto files = WritePiece(piece, diff.load.partitions, file);
  if (files.ok()) {
    answer.piece = *std::move(files);
  } else {
    Fail(Annotate(files.status(), "the failing piece was not written"));
  }
}

// Returns the command that reproduces the verdict on one engine: the user's command line, or, if a
// search found the inputs or only a piece fails, a command with these inputs or this piece.
std::string ReplayOf(const DiffOptions& options, const std::string& engine,
                     const DiffAnswer& answer) {
  if (options.common.json) return "";
  if (answer.piece)
    return CommandOn("diff", answer.piece->module, answer.piece->inputs, engine, options.profile);
  if (options.module == "-") return "";
  if (answer.search)
    return CommandOn("diff", options.module, answer.search->file, engine, options.profile);
  return backends::SplitBackendNames(options.backends).size() == 1
             ? OwnCommandLine()
             : absl::StrCat(OwnCommandLine(), "   (here: ", engine, ")");
}

Json JsonOf(const DiffAnswer& answer, const std::string& line) {
  Json json = ParseJson<Json>(line);
  if (auto address = CaseAddressOf(answer.verdict.module); !address.empty()) json["case"] = address;
  if (!answer.runs.empty()) json["runs"] = answer.runs;
  if (!answer.signature.empty()) json["signature"] = answer.signature;
  if (answer.known) answer.known->AddTo(json);
  if (answer.piece)
    json["piece"] = {{"name", answer.piece->name},
                     {"module", answer.piece->module},
                     {"inputs", answer.piece->inputs}};
  if (answer.search) json["search"] = ParseJson<Json>(SearchJson(*answer.search));
  return json;
}

void PrintAnswer(const DiffOptions& options, const std::string& engine, const DiffAnswer& answer) {
  if (options.common.json) {
    std::cout << JsonText(JsonOf(answer, JsonLineOf(answer.verdict))) << std::endl;
    return;
  }
  PrintVerdict(answer.verdict, false, ReplayOf(options, engine, answer), options.explain);
  if (answer.known) std::cout << answer.known->ToLine() << std::endl;
  if (answer.search)
    std::cout << "    search:   " << SearchText(*answer.search, engine) << std::endl;
  if (answer.piece)
    std::cout << "    next:     "
              << CommandOn("shrink", answer.piece->module, answer.piece->inputs, engine,
                           options.profile)
              << std::endl;
}

absl::StatusOr<backends::DiffOptions> OptionsFor(const Job& job, const DiffOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(job, options.profile, options.common));
  if (!options.expect.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(
        diff.printed_result,
        ReadDeviceLeaves(options.expect, backends::OutputLeafShapes(*job.module),
                         options.common.DeviceCount(*job.module), diff.load.partitions));
  }
  diff.cut = options.cut;
  diff.blame = diff.checkpoints = true;
  diff.unusual = options.unusual;
  diff.suspect = SuspectOf(options.suspect);
  return diff;
}

absl::StatusOr<std::vector<DiffAnswer>> DiffFile(const DiffOptions& options, Engines& engines) {
  std::vector<std::string> names = backends::SplitBackendNames(options.backends);
  if (names.empty()) return InvalidInput("diff: expected --backend");
  if (options.invalid) return DiffInvalidFile(options, names, engines);
  if (options.search.given && !options.inputs.empty())
    return InvalidInput("expected --inputs or --search-time, found both");
  bool has_inputs = true;
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJobOr(options.module, options.inputs,
                                             options.search.given ? std::nullopt : options.seed,
                                             options.common, &has_inputs));
  const bool search = options.search.given ? HasArguments(job) : !has_inputs;
  if (!options.outputs.empty() && (names.size() > 1 || search))
    return InvalidInput("diff: --outputs: expected one engine, and inputs or a seed");
  if (options.partitions > 0)
    HLOCTS_RETURN_IF_ERROR(
        generators::Shard(options.partitions, options.seed.value_or(1), *job.module));
  HLOCTS_ASSIGN_OR_RETURN(const backends::DiffOptions diff, OptionsFor(job, options));
  // All engines share the sets unless each engine has its own inputs.
  std::optional<backends::Differ> differ;
  std::vector<DiffAnswer> answers;
  for (const std::string& name : names) {
    HLOCTS_ASSIGN_OR_RETURN(backends::Backend * backend, ReadyEngine(engines, name));
    DiffAnswer answer;
    const std::string file =
        InputsFile(options.search.output, options.module, name, names.size() == 1);
    if (search) {
      answer.search.emplace();
      HLOCTS_ASSIGN_OR_RETURN(answer.verdict,
                              FindInputs(options.search, options.seed, names.size(), diff, file,
                                         *backend, job, *answer.search));
      differ.reset();
    }
    if (!differ) differ.emplace(*job.module, job.request, diff);
    if (!search) {
      HLOCTS_RETURN_IF_ERROR(RunOnEngine(options, file, job, diff, *differ, *backend, answer));
    } else if (!answer.search->name.empty()) {
      Confirm(*differ, *backend, answer.verdict);
    }
    Complete(job, diff, *differ, backend->info().facts, options.explain, answer.verdict);
    KeepPiece(options, file, job, diff, *backend, answer);
    if (IsFailure(answer.verdict.kind) && job.request.arguments.size() == 1) {
      reports::Verdict of_case = answer.verdict;
      of_case.case_address = CaseAddressOf(answer.verdict.module);
      answer.known = KnownFindingOf(std::move(of_case),
                                    {job.module->Clone(), job.request.arguments[0], false});
    }
    if (options.group && fuzz::CountsAsFinding(answer.verdict.kind))
      answer.signature = fuzz::SignatureOf(answer.verdict, *job.module);
    if (options.explain && !options.common.json) {
      PrintAnswer(options, name, answer);
      PrintExplanation(job, *differ, answer.verdict, diff.load.partitions, backend->info().facts);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

absl::StatusOr<std::vector<Json>> AnswerEntry(const DiffOptions& options, Engines& engines,
                                              const Json& entry) {
  DiffOptions merged = options;
  merged.explain = false;
  merged.module = TextField(entry, "module");
  merged.inputs = TextField(entry, "inputs");
  merged.profile = TextField(entry, "profile", options.profile);
  const Json engine = entry.value("backend", Json());
  if (engine.is_string()) merged.backends = {engine.get<std::string>()};
  if (engine.is_array()) merged.backends = engine.get<std::vector<std::string>>();
  HLOCTS_ASSIGN_OR_RETURN(merged.seed, SeedField(entry, options.seed));
  HLOCTS_ASSIGN_OR_RETURN(merged.common, WithEntry(options.common, entry));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<DiffAnswer> made, DiffFile(merged, engines));
  std::vector<Json> answers;
  for (const DiffAnswer& answer : made)
    answers.push_back(JsonOf(answer, reports::VerdictToJson(answer.verdict)));
  return answers;
}

// Prints the groups, beginning with the largest.
void PrintGroups(const Groups& groups) {
  std::multimap<int64_t, Json> lines;
  for (const auto& [signature, modules] : groups) {
    const auto count = static_cast<int64_t>(modules.size());
    lines.insert({-count, {{"group", signature}, {"count", count}, {"modules", modules}}});
  }
  for (const auto& [order, line] : lines) std::cout << JsonText(line) << std::endl;
}

int RunBatchOf(const DiffOptions& options, Engines& engines) {
  if (!options.outputs.empty() || !options.search.output.empty())
    return Fail(InvalidInput("diff: --batch: expected no --outputs and no --output, one file"));
  Groups groups;
  const int status = RunBatch(
      options.common.batch, options.module + options.inputs,
      [&](const Json& entry) { return AnswerEntry(options, engines, entry); },
      {{"profile", options.profile}},
      [&](const Json& entry, const Json& answer) {
        if (!answer.contains("signature")) return;
        groups[TextField(answer, "signature")].push_back(TextField(entry, "module"));
      });
  PrintGroups(groups);
  return status;
}

int RunDiff(const DiffOptions& options) {
  Engines engines;
  if (!options.common.batch.empty()) return RunBatchOf(options, engines);
  if (options.group) return Fail(InvalidInput("diff: --group: expected --batch"));
  if (options.module.empty()) return Fail(InvalidInput("diff: expected a module or --batch"));
  if (options.invalid && (options.seed || !options.inputs.empty()))
    return Fail(
        InvalidInput("diff --invalid: the module is not run: expected no inputs and no seed"));
  LimitTime();
  const std::vector<std::string> names = backends::SplitBackendNames(options.backends);
  auto answers = DiffFile(options, engines);
  if (!answers.ok()) {
    const bool of_case = !options.invalid && !RuleOf(answers.status()).empty() &&
                         !fs::is_regular_file(options.module);
    return Fail(of_case ? Annotate(answers.status(), "expected --invalid for an invalid module")
                        : answers.status());
  }
  std::vector<reports::Verdict> verdicts;
  for (size_t i = 0; i < answers->size(); ++i) {
    // An invalid module has no sets that could be explained; the reason names the broken rule.
    const bool printed = options.explain && !options.common.json && !options.invalid;
    if (!printed) PrintAnswer(options, names[i], (*answers)[i]);
    verdicts.push_back(std::move((*answers)[i].verdict));
  }
  return ExitStatusOf(verdicts, options.suspect == "fail");
}

}  // namespace

Command DiffCommand() {
  return {"diff", "run a module on engines and judge what they return", [](Flags& flags) {
            auto options = std::make_shared<DiffOptions>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed,
                                          "seed of random inputs, or of the search");
            flags.Add("--backend", &options->backends, "engines, comma-separated; repeatable");
            flags.AddProfile(&options->profile);
            flags.Add(
                "--cut", &options->cut,
                "also judge pieces of about N floating-point operations (1: each instruction)",
                {1});
            flags.Add("--partitions", &options->partitions,
                      "number of devices for which engines partition the module; without shardings "
                      "it gets random ones (--seed)",
                      {2, 64});
            AddRepeat(flags, &options->runs);
            flags.Add("--group", &options->group,
                      "with --batch: print one line per failure signature at the end");
            flags.Add("--explain", &options->explain,
                      "print the accepted values with the reason, and the wrong instruction");
            AddSuspectFlag(flags, options->suspect);
            flags.Add("--unusual", &options->unusual,
                      "also print values of a pass that are acceptable but improbable");
            flags.Add("--expect", &options->expect,
                      "literals file; outputs must equal it bit for bit and be acceptable");
            flags.Add("--outputs", &options->outputs,
                      "literals file to write, with the outputs for given inputs or seed");
            flags.Add("--invalid", &options->invalid,
                      "state that the module is invalid; an engine passes if it rejects it");
            options->search.Declare(flags);
            flags.AddWatch();
            options->common.Declare(flags);
            return [options] { return RunDiff(*options); };
          }};
}

}  // namespace hlocts::tools
