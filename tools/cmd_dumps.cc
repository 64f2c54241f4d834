// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts dumps`: lists a dump directory of XLA. If inputs are given, finds the pass
// that changed the values.
#include <algorithm>
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/passes/pass_blame.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "tools/cli/judging.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using backends::DumpedModule;
using backends::JudgedStage;
using backends::Stage;
using Json = nlohmann::ordered_json;

struct DumpsOptions {
  CommonOptions common;
  std::string folder, inputs, profile = "default";
  std::optional<uint64_t> seed;
  std::optional<uint64_t> module;
};

struct DumpReport {
  std::vector<Stage> stages;        // in dump order
  std::vector<JudgedStage> judged;  // empty unless inputs are given
};

// Judges all later dumps by the sets of the compiler's input.
absl::StatusOr<std::vector<JudgedStage>> JudgeDump(const DumpsOptions& options,
                                                   const DumpedModule& module,
                                                   const std::vector<Stage>& stages) {
  const std::string first = absl::StrCat(options.folder, "/", stages.front().file);
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(first, options.inputs, options.seed, options.common));
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(job, options.profile, options.common));
  backends::Differ differ(*job.module, job.request, diff);
  return backends::JudgeStages({job.module.get(), &job.request, diff}, stages, differ, {});
}

absl::StatusOr<DumpReport> InspectDump(const DumpsOptions& options, const DumpedModule& module) {
  DumpReport looked;
  HLOCTS_ASSIGN_OR_RETURN(looked.stages, backends::StagesOf(options.folder, module));
  if (looked.stages.empty() || (options.inputs.empty() && !options.seed)) return looked;
  HLOCTS_ASSIGN_OR_RETURN(looked.judged, JudgeDump(options, module, looked.stages));
  return looked;
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
  return {{"number", module.number},    {"name", module.name},
          {"passes", module.passes},    {"complete", module.complete},
          {"running", module.running},  {"files", module.files.size()},
          {"stages", std::move(stages)}};
}

void Print(const DumpedModule& module, const DumpReport& looked) {
  std::cout << absl::StrFormat("module_%04d %s: %d passes, %d distinct modules", module.number,
                               module.name, module.passes, looked.stages.size());
  if (!module.complete && module.passes > 0)
    std::cout << "; the dumps end in " << (module.running.empty() ? "the middle" : module.running);
  std::cout << "\n";
  for (size_t i = 0; i < looked.stages.size(); ++i) {
    const Stage& stage = looked.stages[i];
    std::cout << absl::StrFormat("  %-30s %s", stage.after.empty() ? "given" : stage.after,
                                 stage.file);
    if (i < looked.judged.size()) {
      const reports::Verdict& verdict = looked.judged[i].verdict;
      std::cout << "\n    " << OutcomeName(verdict.kind) << (verdict.reason.empty() ? "" : ": ")
                << verdict.reason;
    } else if (!looked.judged.empty()) {
      std::cout << "\n    not judged: follows a wrong module";
    }
    std::cout << "\n";
  }
  for (const backends::DumpFile& dump : module.files) {
    if (dump.kind == backends::DumpKind::kSnapshot)
      std::cout << absl::StrFormat("  %-30s %s\n", "snapshot with inputs", dump.file);
  }
  if (looked.stages.empty())
    std::cout << "  no modules; dump with --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*\n";
  std::cout << std::flush;
}

// Returns the modules that the options select. Checks that the inputs file can be read.
absl::StatusOr<std::vector<DumpedModule>> Asked(const DumpsOptions& options) {
  if (options.folder.empty()) return InvalidInput("dumps: expected a directory");
  HLOCTS_ASSIGN_OR_RETURN(auto modules, backends::ReadDumpFolder(options.folder));
  if (!options.inputs.empty()) HLOCTS_RETURN_IF_ERROR(ReadFile(options.inputs).status());
  if (modules.empty()) return InvalidInput(options.folder, ": no module");
  if (!options.module) return modules;
  std::vector<std::string> numbers;
  for (const DumpedModule& module : modules) {
    if (module.number == static_cast<int64_t>(*options.module))
      return std::vector<DumpedModule>{module};
    numbers.push_back(absl::StrCat(module.number));
  }
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
    for (const JudgedStage& stage : looked->judged) {
      if (stage.verdict.kind == Outcome::kFail) status = std::max(status, kExitFailed);
    }
    if (options.common.json) {
      std::cout << JsonText(ToJson(module, *looked)) << std::endl;
    } else {
      Print(module, *looked);
    }
  }
  return status;
}

}  // namespace

Command DumpsCommand() {
  return {"dumps", "find the pass that changed the values, in a dump directory of XLA",
          [](Flags& flags) {
            auto options = std::make_shared<DumpsOptions>();
            flags.Positional(
                "DIR", &options->folder,
                "directory that XLA wrote with --xla_dump_to=DIR --xla_dump_hlo_pass_re=.*");
            flags.Add("--module", &options->module, "number of the only module to read");
            flags.Add("--inputs", &options->inputs,
                      "literals file; judge every dumped module by the sets of the first");
            flags.Add("--seed", &options->seed, "seed of random inputs");
            flags.Add("--profile", &options->profile, "strict, default or relaxed");
            options->common.DeclareData(flags);
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunDumps(*options); };
          }};
}

}  // namespace hlocts::tools
