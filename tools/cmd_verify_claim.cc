// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts verify-claim`: checks whether a claim is intact, and prints its level.
#include <iostream>

#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "reports/run_record.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "suites/claim.h"
#include "suites/conformance.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyClaimOptions {
  std::string folder, badge;
  bool json = false;
};

void Print(const VerifyClaimOptions& options, int status, const std::vector<std::string>& problems,
           bool suite_differs, const std::vector<suites::Conformance>& engines) {
  if (options.json) {
    Json line = {{"claim", options.folder},         {"holds", problems.empty()},
                 {"conformant", status == kExitOk}, {"problems", problems},
                 {"suite_differs", suite_differs},  {"engines", Json::array()}};
    for (const suites::Conformance& engine : engines) {
      line["engines"].push_back({{"name", engine.engine},
                                 {"version", engine.version},
                                 {"tier", engine.tier},
                                 {"profile", engine.profile},
                                 {"level", engine.level},
                                 {"counts", engine.counts},
                                 {"against", engine.against},
                                 {"facts", engine.facts}});
    }
    std::cout << JsonText(line) << std::endl;
    return;
  }
  auto text = ReadFile(options.folder + "/claim.json");
  Json claim = text.ok() ? ParseJson<Json>(*text) : Json(), plugins;
  if (claim.is_object()) plugins = claim["plugins"];
  if (claim.contains("edition"))
    std::cout << "judged by " << TextField(claim, "edition", "") << "\n";
  for (const std::string& problem : problems) std::cout << problem << "\n";
  for (const suites::Conformance& engine : engines) {
    std::cout << engine.ToText() << "\n";
    if (!engine.facts.empty())
      std::cout << "  declared facts: " << absl::StrJoin(engine.facts, ", ") << "\n";
    if (plugins.is_object() && plugins.contains(engine.engine))
      std::cout << "  plugin sha256 " << TextField(plugins[engine.engine], "sha256", "") << "\n";
  }
  std::cout << options.folder << ": the package is "
            << (suite_differs ? "not checked: your suite is not the claim's, which its release has"
                : problems.empty() ? "intact"
                                   : "NOT what was claimed")
            << std::endl;
}

absl::StatusOr<int> VerifyClaim(const VerifyClaimOptions& options) {
  if (options.folder.empty()) return InvalidInput("verify-claim: expected a directory");
  bool suite_differs = false;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> problems,
                          suites::CheckClaim(options.folder, suite_differs));
  std::vector<suites::Conformance> engines;
  if (auto run = reports::LoadRun(options.folder); run.ok())
    engines = suites::ConformanceOf(run->record, run->verdicts);
  bool good = true;
  for (suites::Conformance& engine : engines) {
    if (!problems.empty()) {
      engine.level = 0;
      engine.against.push_back(suite_differs ? "your suite is not the claim's"
                                             : "the package is not intact");
    }
    good = good && engine.level > 0;
  }
  if (!options.badge.empty() && !engines.empty())
    HLOCTS_RETURN_IF_ERROR(WriteFile(options.badge, engines[0].ToSvg()));
  // A script must be able to distinguish a damaged claim from an engine with failures.
  const bool checked = problems.empty() && !engines.empty();
  const int status = !checked ? kExitUsage : good ? kExitOk : kExitFailed;
  Print(options, status, problems, suite_differs, engines);
  return status;
}

}  // namespace

Command VerifyClaimCommand() {
  return {"verify-claim", "check that a claim package is intact and print its conformance level",
          [](Flags& flags) {
            auto options = std::make_shared<VerifyClaimOptions>();
            flags.Positional("DIR", &options->folder, "directory of run --claim --out=DIR");
            flags.Add("--badge", &options->badge, "SVG file to write, for the first engine");
            flags.Add("--json", &options->json, "print JSON");
            return [options] {
              auto status = VerifyClaim(*options);
              return status.ok() ? *status : Fail(status.status());
            };
          }};
}

}  // namespace hlocts::tools
