// SPDX-License-Identifier: Apache-2.0
// hlocts replay: is the failure of a bundle still there?
#include <iostream>

#include "absl/strings/match.h"
#include "backends/backend_list.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/infer/verifier.h"
#include "tools/cli/common.h"
#include "tools/cli/judging.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> bundles;
  std::string backend;
};

// The failure is still there: any verdict that a bundle is made of.
absl::StatusOr<reports::Verdict> Replay(const Options& options, const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(fuzz::Bundle bundle, fuzz::ReadBundle(folder));
  absl::Status valid = VerifyModule(*bundle.sample.module);
  if (!valid.ok() && !bundle.options.invalid) return Annotate(valid, folder + "/module.hlo");
  std::string name = options.backend.empty() ? bundle.backend : options.backend;
  if (options.backend.empty() &&
      (absl::StartsWith(name, "pjrt:") || absl::StartsWith(name, "exec:"))) {
    return InvalidInput(folder, " is of ", name,
                        ", and where that lies is not recorded: expected --backend");
  }
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine,
                          backends::MakeBackend(name, options.common.timeout_seconds));
  backends::BackendInfo info = engine->info();
  if (!info.available) return absl::UnavailableError(absl::StrCat(name, ": ", info.reason));
  bundle.options.load = options.common.ToLoadOptions(*bundle.sample.module);
  reports::Verdict verdict = fuzz::RunTrial(bundle.sample, *engine, bundle.options, false).verdict;
  verdict.module = folder;
  return verdict;
}

int RunReplay(const Options& options) {
  if (options.bundles.empty()) return Fail(InvalidInput("replay: expected a bundle"));
  int status = kExitOk;
  for (const std::string& folder : options.bundles) {
    auto verdict = Replay(options, folder);
    if (!verdict.ok()) {
      status = std::max(status, Fail(verdict.status()));
      continue;
    }
    PrintVerdict(*verdict, options.common.json);
    status = std::max(status, ExitStatusOf(*verdict));
  }
  return status;
}

}  // namespace

Command ReplayCommand() {
  return {"replay", "run bundles again; 1 when a failure is still there", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("BUNDLE", &options->bundles, "folder of a bundle");
            flags.Add("--backend", &options->backend, "another engine than the bundle's");
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] { return RunReplay(*options); };
          }};
}

}  // namespace hlocts::tools
