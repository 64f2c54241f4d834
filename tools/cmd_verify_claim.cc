// SPDX-License-Identifier: Apache-2.0
// hlocts verify-claim: does a claim package hold?
#include <iostream>

#include "nlohmann/json.hpp"
#include "suites/claim.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct Options {
  std::string folder;
  bool json = false;
};

int RunVerifyClaim(const Options& options) {
  if (options.folder.empty()) return Fail(InvalidInput("verify-claim: expected a folder"));
  auto problems = suites::CheckClaim(options.folder);
  if (!problems.ok()) return Fail(problems.status());
  if (options.json) {
    nlohmann::ordered_json line = {
        {"claim", options.folder}, {"holds", problems->empty()}, {"problems", *problems}};
    std::cout << line.dump() << std::endl;
  } else {
    for (const std::string& problem : *problems) std::cout << problem << "\n";
    std::cout << options.folder << ": the claim " << (problems->empty() ? "holds" : "does not hold")
              << std::endl;
  }
  return problems->empty() ? kExitOk : kExitFailed;
}

}  // namespace

Command VerifyClaimCommand() {
  return {"verify-claim", "check a claim package made by run --claim", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("DIR", &options->folder, "folder of run --claim --out=DIR");
            flags.Add("--json", &options->json, "print JSON");
            return [options] { return RunVerifyClaim(*options); };
          }};
}

}  // namespace hlocts::tools
