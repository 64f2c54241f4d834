// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts export`: writes the suite, with acceptance sets, as plain files.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "suites/export.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ExportOptions {
  std::vector<std::string> queries;
  std::string tier = "smoke", profile = "default", out;
};

absl::StatusOr<int64_t> Export(const ExportOptions& options) {
  if (options.out.empty()) return InvalidInput("export: expected --out=DIR");
  HLOCTS_ASSIGN_OR_RETURN(
      std::vector<suites::Case> cases,
      suites::SelectCases(options.queries, *suites::TierFromName(options.tier)));
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  std::ofstream manifest(options.out + "/manifest.jsonl");
  if (error || !manifest) return InvalidInput("--out: ", options.out, ": cannot be written");
  backends::DiffOptions diff;
  diff.profile = *ProfileFromName(options.profile);
  int64_t done = 0;
  for (const suites::Case& one : cases) {
    if (Interrupted())
      return absl::CancelledError("interrupted; the manifest lists the cases written");
    auto line = suites::ExportCase(one, diff, options.out);
    if (!line.ok()) return Annotate(line.status(), one.address);
    manifest << *line << std::endl;
    if (isatty(STDERR_FILENO) && ++done % 32 == 0)
      std::fprintf(stderr, "\r%lld of %zu ", static_cast<long long>(done), cases.size());
  }
  return static_cast<int64_t>(cases.size());
}

int RunExport(const ExportOptions& options) {
  CatchInterrupts();
  auto count = Export(options);
  if (!count.ok()) return Fail(count.status());
  std::cout << CountText(*count, "case") << " in " << options.out << ", listed in " << options.out
            << "/manifest.jsonl" << std::endl;
  return kExitOk;
}

}  // namespace

Command ExportCommand() {
  return {"export", "write cases as plain files with their acceptance sets", [](Flags& flags) {
            auto options = std::make_shared<ExportOptions>();
            flags.Positional("QUERY", &options->queries,
                             "case address, or a prefix before / : or ,; * is a wildcard");
            flags.AddTier(&options->tier, "tier (hlocts help tiers)");
            flags.AddProfile(&options->profile);
            flags.Add("--out", &options->out, "directory to write");
            return [options] { return RunExport(*options); };
          }};
}

}  // namespace hlocts::tools
