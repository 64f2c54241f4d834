// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts backends`: lists the engines, and why some are unavailable.
#include <cstdio>
#include <iostream>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "backends/backend_list.h"
#include "nlohmann/json.hpp"
#include "spec/accuracy/target_facts.h"
#include "spec/base/json_text.h"
#include "spec/targets/targets.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct BackendsOptions {
  bool json = false, facts = false;
  std::vector<std::string> backends;
};

backends::BackendInfo InfoOf(const std::string& name) {
  auto backend = backends::MakeBackend(name);
  if (backend.ok()) return (*backend)->info();
  return {.name = name, .available = false, .error = ErrorOf(backend.status())};
}

void Print(const nlohmann::ordered_json& line) { std::cout << JsonText(line) << std::endl; }

std::string NameOf(const FactRow& row) {
  return absl::StrCat(row.name, row.value.empty() ? "" : "=", row.value);
}

// Prints the facts that engines can declare, and the facts in the files of targets.
int PrintFacts(bool json) {
  for (const FactRow& row : AllFacts()) {
    const std::string name = NameOf(row);
    if (json) {
      Print({{"fact", name}, {"grants", row.grants}, {"says", row.says}});
    } else {
      absl::PrintF("%-24s %-7s %s\n", name, row.grants ? "grants" : "narrows", row.says);
    }
  }
  auto targets = LoadTargets();
  if (!targets.ok()) return Fail(targets.status());
  for (const TargetFile& target : *targets) {
    if (json) {
      Print({{"target", target.name}, {"title", target.title}, {"facts", target.Facts()}});
      continue;
    }
    absl::PrintF("\n%s: %s\n", target.name, target.title);
    for (const TargetPromise& promise : target.promises)
      absl::PrintF("  %s\n    (%s)\n", absl::StrJoin(promise.facts, " "), promise.source);
  }
  return kExitOk;
}

// Prints the facts that engines declare, with their meaning, and the names of other facts.
int PrintFactsOf(const std::vector<std::string>& names, bool json) {
  for (const std::string& name : names) {
    const backends::BackendInfo info = InfoOf(name);
    if (!info.available && info.facts.empty())
      return Fail(absl::UnavailableError(absl::StrCat(name, ": ", info.error.Text())));
    if (json) {
      Print({{"name", name}, {"facts", info.facts}});
      continue;
    }
    absl::PrintF("%s declares %s\n", name, info.facts.empty() ? "no facts" : "these facts:");
    std::vector<std::string> others;
    for (const FactRow& row : AllFacts()) {
      const bool declared =
          absl::c_any_of(info.facts, [&](const auto& one) { return FindFact(one) == &row; });
      if (!declared) others.push_back(NameOf(row));
      if (declared && absl::StrContains(row.name, "OP.TYPE"))
        others.push_back(NameOf(row) + " (for other operations)");
    }
    for (const std::string& fact : info.facts) {
      const FactRow* row = FindFact(fact);
      absl::PrintF("  %-24s %s\n", fact, row ? row->says : "");
    }
    absl::PrintF("  not declared, so its sets do not assume them: %s\n",
                 absl::StrJoin(others, ", "));
  }
  return kExitOk;
}

int RunBackends(const BackendsOptions& options) {
  std::vector<std::string> names = backends::SplitBackendNames(options.backends);
  if (options.facts)
    return names.empty() ? PrintFacts(options.json) : PrintFactsOf(names, options.json);
  bool asked = !names.empty();
  if (!asked) names = backends::ListedBackends();
  bool all_available = true;
  for (const std::string& name : names) {
    backends::BackendInfo info = InfoOf(name);
    all_available = all_available && info.available;
    if (options.json) {
      Print({{"name", info.name},
             {"version", info.version},
             {"available", info.available},
             {"reason", info.error.Text()},
             {"capabilities", info.capabilities},
             {"facts", info.facts}});
    } else {
      absl::PrintF("%-14s %-12s %s\n", info.name, info.available ? "available" : "unavailable",
                   info.available ? info.version : info.error.Text());
      std::fflush(stdout);
    }
  }
  return asked && !all_available ? kExitHarness : kExitOk;
}

}  // namespace

Command BackendsCommand() {
  return {"backends", "list the engines and their availability", [](Flags& flags) {
            auto options = std::make_shared<BackendsOptions>();
            flags.Add("--json", &options->json, "print JSON lines");
            flags.Add(
                "--facts", &options->facts,
                "list the facts that an engine can declare, and the targets with theirs; with "
                "--backend, the facts that each engine declares, such as how it sums");
            flags.Add("--backend", &options->backends, "engines (also pjrt:PATH and exec:COMMAND)");
            return [options] { return RunBackends(*options); };
          }};
}

}  // namespace hlocts::tools
