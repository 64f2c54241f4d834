// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts list`: prints the cases, one per line.
#include <cstdio>
#include <iostream>

#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "suites/selection.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct ListOptions {
  std::vector<std::string> queries;
  std::string tier = "exhaustive", words;
  bool json = false;
};

absl::StatusOr<std::vector<suites::Case>> Select(const ListOptions& options) {
  auto tier = suites::TierFromName(options.tier).value_or(suites::Tier::kExhaustive);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<suites::Case> cases,
                          suites::SelectCases(options.queries, tier));
  HLOCTS_RETURN_IF_ERROR(suites::KeepWords(options.words, cases));
  return cases;
}

int RunList(const ListOptions& options) {
  auto cases = Select(options);
  if (!cases.ok()) return Fail(cases.status());
  for (const suites::Case& one : *cases) {
    if (options.json) {
      nlohmann::ordered_json json = {{"case", one.address},
                                     {"operation", one.operation},
                                     {"opcode", one.opcode},
                                     {"clauses", one.clauses},
                                     {"tier", std::string(suites::TierName(one.tier))}};
      std::cout << JsonText(json) << "\n";
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
            auto options = std::make_shared<ListOptions>();
            flags.Positional("QUERY", &options->queries,
                             "case address, or a prefix before / : or ,; * is a wildcard");
            flags.AddTier(&options->tier, "tier, with the smaller tiers");
            flags.Add("-k", &options->words, "words in the address: 'bf16 and not nan'");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunList(*options); };
          }};
}

}  // namespace hlocts::tools
