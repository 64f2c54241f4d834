// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts dumps`: lists a dump directory of XLA. If inputs are given, finds the pass
// that changed the values.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/passes/pass_blame.h"
#include "nlohmann/json.hpp"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "tools/cli/facts.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/load_job.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using backends::DumpedModule;
using backends::JudgedStage;
using backends::Stage;
using Json = nlohmann::ordered_json;

struct DumpsOptions {
  CommonOptions common;
  FactOptions facts;
  std::string folder, inputs, profile = "default";
  std::optional<uint64_t> seed;
  std::optional<uint64_t> module;
};

bool Fails(const JudgedStage& stage) { return stage.verdict.kind == Outcome::kFail; }
bool Passes(const JudgedStage& stage) { return stage.verdict.kind == Outcome::kPass; }

struct DumpReport {
  std::vector<Stage> stages;        // in dump order
  std::vector<JudgedStage> judged;  // on the last input; empty unless inputs are given
  int64_t inputs = 0;               // number of inputs judged
  int64_t undecided = 0;            // number of inputs without a failure, but not all stages pass
  std::string input;                // "seed 3, data edge" of the last input, if generated
};

// Reads the dumps of a module. Judges all later ones by the sets of the compiler's input, on
// generated inputs until one of them fails, unless there are neither inputs nor a seed.
absl::StatusOr<DumpReport> InspectDump(const DumpsOptions& options, const DumpedModule& module) {
  DumpReport report;
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<std::string> facts, options.facts.Given());
  HLOCTS_ASSIGN_OR_RETURN(report.stages, backends::StagesOf(options.folder, module));
  if (report.stages.empty() || (options.inputs.empty() && !options.seed)) return report;
  const std::string first = absl::StrCat(options.folder, "/", report.stages.front().file);
  for (int64_t wanted = 1; report.inputs < wanted && !Interrupted(); ++report.inputs) {
    CommonOptions common = options.common;
    std::optional<uint64_t> seed = options.seed;
    if (seed) SelectInput(report.inputs, seed, common);
    HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(first, options.inputs, seed, common));
    if (seed) wanted = InputCount(job, options.common);
    if (seed) report.input = absl::StrCat("seed ", *seed, ", data ", common.data);
    HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                            MakeDiffOptions(job, options.profile, common));
    backends::Differ differ(*job.module, job.request, diff);
    HLOCTS_ASSIGN_OR_RETURN(
        report.judged, backends::JudgeStages({job.module.get(), &job.request, diff}, report.stages,
                                             differ, {.facts = facts}));
    if (absl::c_any_of(report.judged, Fails))
      wanted = 0;
    else if (!absl::c_all_of(report.judged, Passes))
      ++report.undecided;
  }
  return report;
}

Json ToJson(const DumpedModule& module, const DumpReport& looked) {
  Json stages = Json::array();
  for (size_t i = 0; i < looked.stages.size(); ++i) {
    const Stage& stage = looked.stages[i];
    Json entry = {{"file", stage.file}, {"after", stage.after}, {"pipeline", stage.pipeline}};
    if (i < looked.judged.size()) {
      entry["verdict"] = OutcomeName(looked.judged[i].verdict.kind);
      entry["reason"] = reports::ReasonText(looked.judged[i].verdict);
    }
    stages.push_back(std::move(entry));
  }
  return {{"number", module.number},       {"name", module.name},
          {"passes", module.passes},       {"complete", module.complete},
          {"running", module.running},     {"files", module.files.size()},
          {"inputs", looked.inputs},       {"input", looked.input},
          {"undecided", looked.undecided}, {"stages", std::move(stages)}};
}

// Returns the conclusion of `blame`, or how many stages agree with the first.
std::string EndText(const DumpedModule& module, const DumpReport& looked) {
  backends::PassBlame blame;
  blame.stages = looked.judged;
  Conclude(module, /*has_values=*/true, blame);
  if (absl::c_any_of(looked.judged, Fails)) {
    using backends::FailurePhase;
    const bool later = blame.failing_phase == FailurePhase::kAfterPass && !blame.pass.empty();
    const bool in_pipeline = blame.failing_phase == FailurePhase::kPass && !blame.pipeline.empty();
    return absl::StrCat(
        "guilty: ", later ? "a change " : "", AnswerText(blame),
        in_pipeline ? absl::StrCat(" (", blame.pipeline, ")") : "",
        blame.suspects.empty() ? "" : "; suspects: ", backends::SuspectsText(blame.suspects),
        blame.reason.empty() ? "" : "; ", blame.reason);
  }
  const auto open = absl::c_find_if_not(looked.judged, Passes);
  if (open == looked.judged.end())
    return looked.judged.size() == 1
               ? "one stage: there is no other to compare with it"
               : absl::StrCat("all ", CountText(looked.judged.size(), "stage"), " agree");
  return absl::StrCat(looked.judged.size() - absl::c_count_if(looked.judged, Passes), " of ",
                      CountText(looked.judged.size(), "stage"), " not decided, the first is ",
                      StageName(open->stage), ": ", reports::FoldedReason(open->verdict));
}

void Print(const DumpedModule& module, const DumpReport& looked) {
  std::cout << absl::StrFormat("module_%04d %s: %s, %s", module.number, module.name,
                               CountText(module.passes, "pass", "passes"),
                               CountText(looked.stages.size(), "distinct module"));
  if (!module.complete && module.passes > 0)
    std::cout << "; the dumps end in " << (module.running.empty() ? "the middle" : module.running);
  if (looked.judged.empty() && !looked.stages.empty())
    std::cout << "; not judged: --seed=N or --inputs=FILE";
  if (!looked.input.empty())
    std::cout << "; judged on " << CountText(looked.inputs, "input") << ", verdicts of "
              << looked.input;
  std::cout << "\n";
  for (size_t i = 0; i < looked.stages.size(); ++i) {
    const Stage& stage = looked.stages[i];
    std::cout << absl::StrFormat("  %-52s %s", backends::StageName(stage), stage.file);
    if (i < looked.judged.size()) {
      const reports::Verdict& verdict = looked.judged[i].verdict;
      std::cout << "\n    " << OutcomeName(verdict.kind) << (verdict.reason.empty() ? "" : ": ")
                << verdict.reason;
    }
    std::cout << "\n";
  }
  for (const backends::DumpFile& dump : module.files) {
    if (dump.kind == backends::DumpKind::kSnapshot)
      std::cout << absl::StrFormat("  %-52s %s\n",
                                   absl::StrContains(dump.file, "unoptimized")
                                       ? "module before all passes, with inputs"
                                       : "compiled module, after all passes, with inputs",
                                   dump.file);
  }
  const std::string undecided =
      absl::StrCat("; not decided: ", looked.undecided, " of ", CountText(looked.inputs, "input"));
  if (const size_t judged = looked.judged.size(); judged > 0 && judged < looked.stages.size())
    std::cout << "  not judged: " << CountText(looked.stages.size() - judged, "module")
              << " after a wrong one\n";
  if (!looked.judged.empty())
    std::cout << EndText(module, looked) << (looked.undecided > 0 ? undecided : "") << "\n";
  if (looked.stages.empty())
    std::cout << "  no modules; dump with --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*\n";
  std::cout << std::flush;
}

// Returns the modules that the options select. Checks that the inputs file can be read.
absl::StatusOr<std::vector<DumpedModule>> Asked(const DumpsOptions& options) {
  if (options.folder.empty()) return InvalidInput("dumps: expected a directory");
  if (std::filesystem::is_regular_file(options.folder))
    return InvalidInput(options.folder, ": expected a directory, found a file; two modules: ",
                        "`hlocts compare A B`");
  HLOCTS_ASSIGN_OR_RETURN(auto modules, backends::ReadDumpFolder(options.folder));
  if (!options.inputs.empty()) HLOCTS_RETURN_IF_ERROR(ReadFile(options.inputs).status());
  if (!options.module) return modules;
  std::vector<std::string> numbers;
  std::vector<DumpedModule> asked;
  for (DumpedModule& module : modules) {
    numbers.push_back(absl::StrCat(module.number));
    if (module.number == static_cast<int64_t>(*options.module)) asked.push_back(std::move(module));
  }
  if (!asked.empty()) return asked;
  return InvalidInput("--module: expected one of ", absl::StrJoin(numbers, ", "), ", found ",
                      *options.module);
}

int RunDumps(const DumpsOptions& options) {
  auto modules = Asked(options);
  if (!modules.ok()) return Fail(modules.status());
  int status = kExitOk;
  for (const DumpedModule& module : *modules) {
    auto looked = InspectDump(options, module);
    if (!looked.ok()) {
      status = std::max(status, Fail(looked.status()));
      continue;
    }
    std::vector<reports::Verdict> verdicts;
    for (const backends::JudgedStage& stage : looked->judged) verdicts.push_back(stage.verdict);
    status = std::max(status, ExitStatusOf(verdicts));
    if (options.common.json) {
      std::cout << JsonText(ToJson(module, *looked)) << std::endl;
    } else {
      Print(module, *looked);
    }
  }
  return Interrupted() ? InterruptStatus() : status;
}

}  // namespace

Command DumpsCommand() {
  return {"dumps", "find the pass that changed the values, in a dump directory of XLA",
          [](Flags& flags) {
            auto options = std::make_shared<DumpsOptions>();
            flags.Positional(
                "DIR", &options->folder,
                "directory that XLA wrote with --xla_dump_to=DIR --xla_dump_hlo_pass_re=.*; "
                "without --seed and --inputs its modules are listed");
            flags.Add("--module", &options->module, "number of the modules to read");
            options->common.data.clear();
            options->common.DeclareInputs(flags, &options->inputs, &options->seed,
                                          "first seed of inputs, on which the sets of the first "
                                          "module judge all others: all kinds, unless --data is "
                                          "given, until a module fails");
            flags.Add("--profile", &options->profile, "strict, default or relaxed");
            options->facts.Declare(flags);
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] {
              CatchInterrupts();
              return RunDumps(*options);
            };
          }};
}

}  // namespace hlocts::tools
