// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts verify`: checks a module by the documents' rules for valid modules.
#include <cstdio>
#include <iostream>

#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/module_file.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

absl::Status VerifyFile(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule loaded, OpenModule(path));
  return VerifyOpened(*loaded.module, path);
}

using Json = nlohmann::ordered_json;

struct VerifyOptions {
  std::vector<std::string> modules;
  bool json = false;
  std::string batch;
};

absl::StatusOr<std::vector<Json>> VerifyEntry(const Json& entry) {
  const std::string path = TextField(entry, "module");
  HLOCTS_RETURN_IF_ERROR(VerifyFile(path));
  return std::vector<Json>{BatchResult(path, absl::OkStatus())};
}

int RunVerify(const VerifyOptions& options) {
  if (!options.batch.empty())
    return RunBatch(options.batch, absl::StrJoin(options.modules, " "), VerifyEntry,
                    Json::object());
  if (options.modules.empty()) return Fail(InvalidInput("verify: expected a module or --batch"));
  int exit_status = kExitOk;
  for (const std::string& path : options.modules) {
    const absl::Status status = VerifyFile(path);
    if (options.json) {
      std::cout << JsonText(BatchResult(path, status)) << std::endl;
    } else if (status.ok()) {
      std::printf("%s: valid\n", path.c_str());
    } else {
      Fail(status);
    }
    exit_status = std::max(exit_status, ExitStatusOf(status));
  }
  return exit_status;
}

}  // namespace

Command VerifyCommand() {
  return {"verify", "check modules against all validity rules of the documents", [](Flags& flags) {
            auto options = std::make_shared<VerifyOptions>();
            flags.Positional("MODULE", &options->modules,
                             "files, case addresses, bundles (hlocts help modules)");
            flags.AddWatch();
            flags.Add("--json", &options->json, "print JSON lines");
            flags.Add("--batch", &options->batch, "file with one JSON object per line");
            return [options] { return RunVerify(*options); };
          }};
}

}  // namespace hlocts::tools
