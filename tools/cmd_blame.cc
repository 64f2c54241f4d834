// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts blame`: finds the compiler pass that causes a failure.
#include <filesystem>
#include <iostream>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/differ/pieces.h"
#include "backends/passes/pass_blame.h"
#include "fuzz/triage/bundle.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "reports/store/scrub.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "suites/replay.h"
#include "tools/cli/common.h"
#include "tools/cli/judging.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using backends::FailurePhase;
using backends::JudgedStage;
using backends::PassBlame;
using Json = nlohmann::ordered_json;

struct BlameOptions {
  CommonOptions common;
  std::vector<std::string> subjects;
  std::string inputs, backend, profile, keep;
  std::optional<uint64_t> seed;
  int64_t runs = 0;  // if not given: 10; for a flake, as many as recorded
  bool one_step = false;
};

bool HasAnswer(const PassBlame& blame) { return blame.failing_phase != FailurePhase::kUnknown; }

absl::StatusOr<PassBlame> BlameSample(const BlameOptions& options, const fuzz::Bundle& bundle,
                                      const backends::EngineFactory& engine) {
  const backends::LoadOptions& load = bundle.options.load;
  backends::ExecuteRequest request;
  request.arguments.assign(load.replicas * load.partitions, bundle.sample.arguments);
  backends::BlameSubject subject{.module = bundle.sample.module.get(), .request = &request};
  subject.options.profile = bundle.options.profile;
  subject.options.load = load;
  subject.invalid = bundle.options.invalid;
  const reports::Verdict& recorded = bundle.result.verdict;
  const bool flaky = options.runs > 1 || !recorded.flake.empty();
  subject.runs = options.runs > 0 ? options.runs : FlakeRunsOf(recorded);
  subject.tries = flaky ? subject.runs : 1;
  if (options.one_step) return backends::BlameInOneStep(subject, engine);
  HLOCTS_ASSIGN_OR_RETURN(TemporaryFolder folder, TemporaryFolder::Make("hlocts-blame"));
  if (!options.keep.empty()) folder.MoveToOnDestruction(options.keep);
  return backends::BlamePass(subject, engine, folder.path());
}

struct SubjectBlame : PassBlame {
  std::string piece;  // the blamed piece, if the module's outputs show no failure
};

// Adds to the reason that the conversion to StableHLO is the suspect, and the command that confirms
// it, if the engine receives StableHLO.
void AddConversion(const BlameOptions& options, const std::string& path, const std::string& engine,
                   std::string& reason) {
  const std::optional<std::string> rewriter = backends::ConversionOf(engine);
  if (!rewriter) return;
  absl::StrAppend(&reason, reason.empty() ? "" : "; ", "suspect: the conversion to StableHLO");
  if (rewriter->empty()) return;
  absl::StrAppend(
      &reason, ", if this command fails: ", ProgramAsCalled(), " diff ", suites::ShellQuoted(path),
      " --backend=", *rewriter,
      options.inputs.empty() ? "" : " --inputs=" + suites::ShellQuoted(options.inputs),
      options.seed ? absl::StrCat(" --seed=", *options.seed, " --data=", options.common.data) : "",
      options.profile.empty() ? "" : " --profile=" + options.profile);
}

absl::StatusOr<SubjectBlame> Blame(const BlameOptions& options, const std::string& path) {
  HLOCTS_RETURN_IF_ERROR(CheckOutputFolder("--keep", options.keep));
  const auto profile = ProfileFromName(options.profile);
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, LoadSubject(path, options.inputs, options.seed,
                                                           "default", options.common));
  if (profile) bundle.options.profile = *profile;
  const std::string name = options.backend.empty() ? bundle.backend : options.backend;
  if (name.empty()) return InvalidInput("blame: expected --backend");
  if (options.backend.empty())
    HLOCTS_RETURN_IF_ERROR(CheckRecordedEngine(bundle.result.verdict, path));
  bundle.options.load = options.common.ToLoadOptions(*bundle.sample.module);
  bundle.options.load = fuzz::DevicesOf(bundle.sample, bundle.options);
  StatusLine line;
  int64_t runs = 0;
  const backends::EngineFactory engine = [&] {  // each run starts the engine anew
    line.Show(absl::StrCat("blaming: run ", ++runs, " of ", name), /*in_log=*/true);
    return backends::MakeBackend(name);
  };
  SubjectBlame blame;
  PassBlame& whole = blame;
  HLOCTS_ASSIGN_OR_RETURN(whole, BlameSample(options, bundle, engine));
  if (!HasAnswer(blame) && !backends::IsFinding(blame.verdict.kind)) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> own, engine());
    line.Clear();
    blame.piece = ContinueWithPiece(bundle.sample, *own, bundle.options, "blaming");
    if (blame.piece.empty()) {
      blame.reason += PerhapsFixed(path);
      return blame;
    }
    bundle.options.load = fuzz::DevicesOf(bundle.sample, bundle.options);
    HLOCTS_ASSIGN_OR_RETURN(whole, BlameSample(options, bundle, engine));
  }
  if (blame.failing_phase == FailurePhase::kBeforePasses && !bundle.options.invalid)
    AddConversion(options, path, name, blame.reason);
  return blame;
}

std::string Accepted(const PassBlame& blame) {
  return blame.verdict.first_failure ? blame.verdict.first_failure->accepted : "";
}

// Returns a phrase about the runs with the suspected pass switched off, or "".
std::string ConfirmationText(const PassBlame& blame) {
  if (!blame.without)
    return blame.runs_needed <= 1 || blame.failed_without > 0
               ? ""
               : absl::StrCat("not confirmed: this takes ", blame.runs_needed,
                              " correct runs without the pass (--repeat=N)");
  const std::string without = absl::StrCat(
      blame.runs_needed <= 1
          ? ""
          : absl::StrCat(" in ", blame.confirmed ? "" : "1 of ", blame.runs_without, " runs"),
      " without ", blame.switched_off);
  const std::string needed = blame.switched_off == backends::kShardings
                                 ? " (a program for several devices needs its partitioner)"
                                 : "";
  if (blame.confirmed) return absl::StrCat("confirmed: correct", without, needed);
  if (blame.without->kind != blame.verdict.kind)
    return absl::StrCat("not confirmed: ", OutcomeName(blame.without->kind), without, needed);
  return absl::StrCat("not confirmed: still wrong", without, needed,
                      ", so another pass or the code generation is wrong too");
}

std::string Confirmation(const PassBlame& blame) {
  if (!blame.without) return "";
  if (blame.confirmed && blame.failing_phase == FailurePhase::kAfterPass)
    return absl::StrCat("correct without ", blame.switched_off);
  return blame.confirmed ? "confirmed" : "not confirmed";
}

Json ToJson(const std::string& path, const SubjectBlame& blame) {
  Json stages = Json::array();
  for (const JudgedStage& stage : blame.stages) {
    stages.push_back({{"after", stage.stage.after},
                      {"pipeline", stage.stage.pipeline},
                      {"file", stage.stage.file},
                      {"verdict", OutcomeName(stage.verdict.kind)},
                      {"reason", stage.verdict.reason}});
  }
  return {{"module", path},
          {"piece", blame.piece},
          {"backend", blame.verdict.backend},
          {"backend_version", blame.verdict.backend_version},
          {"verdict", OutcomeName(blame.verdict.kind)},
          {"guilty", backends::FailurePhaseName(blame.failing_phase)},
          {"answer", AnswerText(blame)},
          {"pass", blame.pass},
          {"pipeline", blame.pipeline},
          {"suspects", blame.suspects},
          {"confirmed", blame.confirmed},
          {"confirmation", ConfirmationText(blame)},
          {"failed", blame.failed},
          {"runs", blame.runs},
          {"switched_off", blame.switched_off},
          {"failed_without_pass", blame.failed_without},
          {"runs_without_pass", blame.runs_without},
          {"actual", blame.actual},
          {"actual_without_pass", blame.actual_without},
          {"verdict_without_pass", blame.without ? OutcomeName(blame.without->kind) : ""},
          {"accepted", Accepted(blame)},
          {"reason", blame.reason},
          {"dumps", blame.dumps},
          {"stages", stages}};
}

void PrintStages(const PassBlame& blame) {
  for (const JudgedStage& stage : blame.stages) {
    const bool unknown = stage.verdict.kind == Outcome::kUnsupported;
    std::cout << absl::StrFormat("  %-52s %s%s\n", backends::StageName(stage.stage),
                                 unknown ? "not evaluated" : OutcomeName(stage.verdict.kind),
                                 stage.verdict.reason.empty() ? "" : ": " + stage.verdict.reason);
  }
}

void PrintBlame(const std::string& path, const PassBlame& blame) {
  std::cout << OutcomeName(blame.verdict.kind) << "  " << blame.verdict.backend << "  " << path
            << "\n";
  if (blame.dumps > 0 && !blame.stages.empty())
    std::cout << "  " << blame.dumps << " dumped modules, " << blame.stages.size() << " examined\n";
  PrintStages(blame);
  std::cout << "guilty: " << AnswerText(blame) << "\n";
  if (!blame.reason.empty()) std::cout << "  " << blame.reason << "\n";
  if (!blame.suspects.empty())
    std::cout << "  suspects: " << backends::SuspectsText(blame.suspects) << "\n";
  if (blame.without) {
    std::cout << "  unchanged: " << blame.actual << "; without " << blame.switched_off << ": "
              << blame.actual_without;
    if (!Accepted(blame).empty()) std::cout << "; accepted: " << Accepted(blame);
    std::cout << "\n";
  }
  if (!blame.deterministic())
    std::cout << "  not deterministic: the unchanged module fails in " << blame.failed << " of "
              << blame.runs << " runs\n";
  const std::string confirmation = ConfirmationText(blame);
  std::cout << (confirmation.empty() ? "" : "  " + confirmation + "\n") << std::flush;
}

// Prints the failure's row of the table for several failures.
void PrintRow(const std::string& path, const PassBlame& blame) {
  std::cout << absl::StrFormat("%-48s %-9s %-38s %s", NameOfFolder(path),
                               OutcomeName(blame.verdict.kind), AnswerText(blame),
                               Confirmation(blame))
            << std::endl;
}

void PrintShares(const std::vector<SubjectBlame>& all) {
  std::map<std::string, int> counts;
  int answered = 0, confirmed = 0;
  for (const SubjectBlame& blame : all) {
    ++counts[std::string(backends::FailurePhaseName(blame.failing_phase))];
    answered += HasAnswer(blame) ? 1 : 0;
    confirmed += blame.confirmed ? 1 : 0;
  }
  std::cout << answered << " of " << all.size() << " decided;";
  for (const auto& [name, count] : counts) std::cout << " " << name << " " << count << ";";
  std::cout << " " << confirmed << " confirmed by switching the pass off" << std::endl;
}

// Writes blame.json and a line of README.md into a bundle or a copied finding, not into a record.
absl::Status KeepInBundle(const std::string& path, const SubjectBlame& blame) {
  auto folder = std::filesystem::weakly_canonical(path);
  if (!folder.has_filename()) folder = folder.parent_path();  // of a final slash
  const bool is_record = absl::EndsWith(folder.parent_path().string(), "/results/findings");
  if (!HasAnswer(blame) || is_record || !reports::HasRecordedVerdict(path)) return absl::OkStatus();
  Json json = ToJson(folder.filename().string(), blame);
  for (Json& stage : json["stages"])
    stage["reason"] = reports::Scrubbed(stage["reason"].get<std::string>());
  json["reason"] = reports::Scrubbed(blame.reason);
  HLOCTS_RETURN_IF_ERROR(WriteFile(path + "/blame.json", JsonText(json) + "\n"));
  const std::string confirmation = ConfirmationText(blame);
  return fuzz::WriteReadmeLine(
      path, absl::StrCat("Blame: ", AnswerText(blame), confirmation.empty() ? "" : "; ",
                         confirmation, " (blame.json)."));
}

int RunBlame(const BlameOptions& options) {
  if (options.subjects.empty()) return Fail(InvalidInput("blame: expected a module or a bundle"));
  std::vector<SubjectBlame> all;
  int status = kExitOk;
  for (const std::string& path : options.subjects) {
    auto blame = Blame(options, path);
    if (!blame.ok()) {
      const bool is_one = options.subjects.size() == 1;
      status = std::max(status, Fail(is_one ? blame.status() : Annotate(blame.status(), path)));
      continue;
    }
    if (options.common.json) {
      std::cout << JsonText(ToJson(path, *blame)) << std::endl;
    } else if (options.subjects.size() == 1) {
      PrintBlame(path, *blame);
    } else {
      PrintRow(path, *blame);
    }
    if (absl::Status kept = KeepInBundle(path, *blame); !kept.ok()) Fail(kept);
    if (!HasAnswer(*blame)) status = std::max(status, kExitFailed);
    all.push_back(*std::move(blame));
  }
  if (!options.common.json && options.subjects.size() > 1) PrintShares(all);
  return status;
}

}  // namespace

Command BlameCommand() {
  return {"blame", "find the compiler pass that causes a failure", [](Flags& flags) {
            auto options = std::make_shared<BlameOptions>();
            flags.Positional("MODULE|BUNDLE", &options->subjects,
                             "modules or bundles (several: one line per module); not confirmed: "
                             "the failure remains without the pass");
            flags.Add("--backend", &options->backend, "engine (default: that of the bundle)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.AddChoice("--profile", &options->profile, {"strict", "default", "relaxed"},
                            "strictness of the judge (default: that of the bundle)");
            flags.Add("--repeat", &options->runs,
                      "number of runs of the unchanged module, which show whether the failure is "
                      "deterministic (default: 10)",
                      {1});
            flags.Add("--one-step", &options->one_step,
                      "only decide between HLO passes and code generation, by the optimized module "
                      "that the plugin returns; needs no dumps");
            flags.Add("--keep", &options->keep, "directory in which the dumps are kept");
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunBlame(*options); };
          }};
}

}  // namespace hlocts::tools
