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

// Returns the claim in the directory; an empty object if there is none.
Json ClaimIn(const std::string& folder) {
  auto text = ReadFile(folder + "/claim.json");
  Json claim = text.ok() ? ParseJson<Json>(*text) : Json::object();
  return claim.is_object() ? claim : Json::object();
}

// Returns the SHA-256 of each plugin, by engine name.
std::map<std::string, std::string> PluginsOf(Json claim) {
  std::map<std::string, std::string> plugins;
  if (!claim["plugins"].is_object()) return plugins;
  for (const auto& [engine, row] : claim["plugins"].items())
    plugins[engine] = TextField(row, "sha256", "");
  return plugins;
}

void Print(const VerifyClaimOptions& options, int status, const std::vector<std::string>& problems,
           const std::vector<suites::Conformance>& engines) {
  if (options.json) {
    Json line = {{"claim", options.folder},
                 {"holds", problems.empty()},
                 {"conformant", status == kExitOk},
                 {"problems", problems},
                 {"engines", Json::array()}};
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
  const Json claim = ClaimIn(options.folder);
  auto plugins = PluginsOf(claim);
  if (claim.contains("edition"))
    std::cout << "judged by " << TextField(claim, "edition", "") << "\n";
  for (const std::string& problem : problems) std::cout << problem << "\n";
  for (const suites::Conformance& engine : engines) {
    std::cout << engine.ToText() << "\n";
    if (!engine.facts.empty())
      std::cout << "  declared facts: " << absl::StrJoin(engine.facts, ", ") << "\n";
    if (plugins.count(engine.engine))
      std::cout << "  plugin sha256 " << plugins[engine.engine] << "\n";
  }
  std::cout << options.folder << ": the package is "
            << (problems.empty() ? "intact" : "NOT what was claimed") << std::endl;
}

absl::StatusOr<int> VerifyClaim(const VerifyClaimOptions& options) {
  if (options.folder.empty()) return InvalidInput("verify-claim: expected a directory");
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> problems, suites::CheckClaim(options.folder));
  std::vector<suites::Conformance> engines;
  if (auto run = reports::LoadRun(options.folder); run.ok())
    engines = suites::ConformanceOf(run->record, run->verdicts);
  bool good = true;
  for (suites::Conformance& engine : engines) {
    if (!problems.empty()) {
      engine.level = 0;
      engine.against.push_back("the package is not intact");
    }
    good = good && engine.level > 0;
  }
  if (!options.badge.empty() && !engines.empty())
    HLOCTS_RETURN_IF_ERROR(WriteFile(options.badge, engines[0].ToSvg()));
  // A script must be able to distinguish a damaged claim from an engine with failures.
  const bool checked = problems.empty() && !engines.empty();
  const int status = !checked ? kExitUsage : good ? kExitOk : kExitFailed;
  Print(options, status, problems, engines);
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
