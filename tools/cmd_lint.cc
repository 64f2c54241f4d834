// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts lint`: reports every mistake in case files, with its line.
#include <filesystem>
#include <iostream>

#include "backends/backend_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "suites/lint.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct LintOptions {
  std::vector<std::string> paths;
  bool json = false;
};

bool HoldsNoCaseFile(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, none))
    if (entry.path().extension() == ".case") return false;
  return true;
}

absl::StatusOr<int> Lint(const LintOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> reference,
                          backends::MakeBackend("reference"));
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) paths.push_back(suites::HomeFolder() + "/suites/cases");
  size_t count = 0;
  for (const std::string& path : paths) {
    if (HoldsNoCaseFile(path))
      return InvalidInput(path, ": no case file (*.case) in this directory");
    HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> mistakes,
                            suites::LintCases(path, *reference, Interrupted));
    count += mistakes.size();
    for (const std::string& mistake : mistakes) {
      if (options.json) {
        nlohmann::ordered_json line = {{"path", path}, {"mistake", mistake}};
        std::cout << JsonText(line) << "\n";
      } else {
        std::cout << mistake << "\n";
      }
    }
  }
  if (!options.json) std::cout << CountText(count, "mistake") << std::endl;
  return count == 0 ? kExitOk : kExitUsage;
}

}  // namespace

Command LintCommand() {
  return {"lint", "find mistakes in case files, such as values that contradict the reference",
          [](Flags& flags) {
            auto options = std::make_shared<LintOptions>();
            flags.Positional("PATH", &options->paths, "files or directories (default: the suite)");
            flags.AddWatch();
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] {
              CatchInterrupts();
              auto status = Lint(*options);
              return status.ok() ? *status : Fail(status.status());
            };
          }};
}

}  // namespace hlocts::tools
