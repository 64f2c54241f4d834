// SPDX-License-Identifier: Apache-2.0
// hlocts list: the cases, a line each.
#include <cstdio>
#include <iostream>

#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct Options {
  std::vector<std::string> queries;
  std::string tier = "exhaustive";
  bool json = false;
};

int RunList(const Options& options) {
  auto tier = suites::TierFromName(options.tier);
  if (!tier) return Fail(InvalidInput("--tier: expected smoke, presubmit, nightly or exhaustive"));
  auto cases = suites::SelectCases(options.queries, *tier);
  if (!cases.ok()) return Fail(cases.status());
  for (const suites::Case& one : *cases) {
    if (options.json) {
      nlohmann::ordered_json json = {{"case", one.address},
                                     {"operation", one.operation},
                                     {"opcode", one.opcode},
                                     {"clauses", one.clauses},
                                     {"tier", std::string(suites::TierName(one.tier))}};
      std::cout << json.dump() << "\n";
    } else {
      std::printf("%s  %s  %s\n", one.address.c_str(),
                  std::string(suites::TierName(one.tier)).c_str(),
                  absl::StrJoin(one.clauses, " ").c_str());
    }
  }
  return kExitOk;
}

}  // namespace

Command ListCommand() {
  return {"list", "list the cases that a query selects", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("QUERY", &options->queries,
                             "address or its beginning; * matches any run");
            flags.Add("--tier", &options->tier, "this tier and the smaller ones");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunList(*options); };
          }};
}

}  // namespace hlocts::tools
