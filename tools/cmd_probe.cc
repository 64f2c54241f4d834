// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts probe`: finds the operations and types that an engine supports, by running
// the smallest case of each.
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "reports/capabilities.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "suites/runner.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

struct ProbeOptions {
  CommonOptions common;
  std::vector<std::string> backends, queries;
  std::string tier = "smoke";
  bool no_cache = false;
};

// Returns the smallest case for each operation, type and form. A form is the name of a case without
// parameters. Omits reject cases, because a rejection does not show what an engine supports.
std::vector<suites::Case> SmallestCases(std::vector<suites::Case> cases) {
  std::map<std::string, suites::Case> smallest;
  for (suites::Case& one : cases) {
    if (!one.reject_rule.empty() || one.sweep) continue;
    reports::Verdict named;
    named.case_address = one.address;
    reports::Capabilities key;
    key.Add(named);
    const reports::CapabilityRow row = key.Rows("")[0];
    const std::string form = one.address.substr(0, one.address.find(':', row.operation.size() + 1));
    auto [place, is_new] = smallest.try_emplace(absl::StrCat(form, " ", row.type), one);
    if (!is_new && one.module_text.size() < place->second.module_text.size()) place->second = one;
  }
  std::vector<suites::Case> chosen;
  for (auto& [key, one] : smallest) chosen.push_back(std::move(one));
  return chosen;
}

// Returns the path of the cache entry, which depends on the engine, its version with all options,
// and the requested modules.
absl::StatusOr<std::string> CachePath(const std::string& engine, const std::string& version,
                                      const std::vector<suites::Case>& cases) {
  HLOCTS_ASSIGN_OR_RETURN(std::string cache, backends::EngineCache());
  std::error_code error;
  std::filesystem::create_directories(cache + "/probe", error);
  if (error) return absl::UnavailableError(absl::StrCat(cache, "/probe: ", error.message()));
  std::string text = absl::StrCat(engine, "\n", version);
  for (const suites::Case& one : cases)
    absl::StrAppend(&text, "\n", one.address, "\n", one.module_text, one.inputs_text);
  return absl::StrCat(cache, "/probe/", suites::Sha256(text), ".jsonl");
}

absl::StatusOr<std::vector<reports::Verdict>> FromCache(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  std::vector<reports::Verdict> verdicts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    HLOCTS_ASSIGN_OR_RETURN(reports::Verdict verdict,
                            reports::VerdictFromJson(text.substr(begin, end - begin)));
    verdicts.push_back(std::move(verdict));
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return verdicts;
}

absl::StatusOr<std::vector<reports::Verdict>> Probe(const ProbeOptions& options,
                                                    const std::string& backend,
                                                    const std::vector<suites::Case>& cases) {
  HLOCTS_ASSIGN_OR_RETURN(suites::Engines engine, suites::StartEngines({backend}, nullptr));
  const backends::BackendInfo info = engine.all[0]->info();
  auto path = CachePath(backends::RecordedName(backend), info.version, cases);
  std::vector<reports::Verdict> verdicts;
  if (path.ok() && !options.no_cache)
    if (auto kept = FromCache(*path); kept.ok()) verdicts = *std::move(kept);
  std::set<std::string> done;  // by this run or an interrupted one
  for (const reports::Verdict& verdict : verdicts) done.insert(verdict.case_address);
  std::vector<suites::Case> left;
  absl::c_copy_if(cases, std::back_inserter(left),
                  [&](const suites::Case& one) { return !done.contains(one.address); });
  if (left.empty()) return verdicts;
  suites::RunnerOptions runner;
  runner.diff.load.timeout_seconds = options.common.timeout_seconds;
  runner.diff.load.memory_bytes_max = options.common.memory_bytes_max;
  runner.stop = Interrupted;
  suites::RunCases(left, engine, runner, [&](const suites::Case&, const reports::Verdict& verdict) {
    if (!Interrupted()) verdicts.push_back(verdict);
  });
  std::string records;
  for (const reports::Verdict& verdict : verdicts)
    absl::StrAppend(&records, reports::VerdictToJson(verdict), "\n");
  // A failure to write only slows the next run.
  const bool is_kept = path.ok() && WriteFile(*path, records).ok();
  if (!Interrupted()) return verdicts;
  return absl::CancelledError(absl::StrCat("interrupted after ", verdicts.size(), " of ",
                                           cases.size(), " cases",
                                           is_kept ? "; the same command continues" : ""));
}

void PrintRows(const std::vector<reports::CapabilityRow>& rows, const std::string& engine,
               bool json) {
  int64_t whole = 0, part = 0;
  for (const reports::CapabilityRow& row : rows) {
    const char* state = row.unsupported == 0 ? "yes" : row.unsupported < row.cases ? "part" : "no";
    if (json) {
      Json line = {{"backend", engine},   {"operation", row.operation},
                   {"type", row.type},    {"supported", state},
                   {"cases", row.cases},  {"unsupported", row.unsupported},
                   {"reason", row.reason}};
      std::cout << JsonText(line) << std::endl;
    }
    whole += row.unsupported == 0;
    part += row.unsupported > 0 && row.unsupported < row.cases;
  }
  if (json) return;
  std::cout << engine << ": of " << rows.size() << " pairs of operation and type, " << whole
            << " are supported, " << part << " are partly supported\n";
}

int RunProbe(const ProbeOptions& options) {
  const std::vector<std::string> engines = backends::SplitBackendNames(options.backends);
  if (engines.empty()) return Fail(InvalidInput("probe: expected --backend"));
  auto selected = suites::SelectCases(options.queries, *suites::TierFromName(options.tier));
  if (!selected.ok()) return Fail(selected.status());
  const std::vector<suites::Case> cases = SmallestCases(*std::move(selected));
  if (cases.empty())
    return Fail(
        InvalidInput("probe: the selected cases are sweeps or invalid modules, which do not "
                     "show what an engine supports; hlocts run has their verdicts"));
  CatchInterrupts();
  for (const std::string& backend : engines) {
    auto verdicts = Probe(options, backend, cases);
    if (!verdicts.ok()) return Fail(verdicts.status());
    reports::Capabilities capabilities;
    for (const reports::Verdict& verdict : *verdicts) capabilities.Add(verdict);
    const std::string name = backends::RecordedName(backend);
    PrintRows(capabilities.Rows(name), name, options.common.json);
    if (!options.common.json) std::cout << capabilities.ToText();
  }
  return kExitOk;
}

}  // namespace

Command ProbeCommand() {
  return {"probe", "list the operations and types that an engine supports in valid modules",
          [](Flags& flags) {
            auto options = std::make_shared<ProbeOptions>();
            flags.Positional("QUERY", &options->queries, "operations, selected as in run");
            flags.Add("--backend", &options->backends, "engines, comma-separated; repeatable");
            flags.AddTier(&options->tier, "tier (hlocts help tiers)");
            flags.Add("--no-cache", &options->no_cache, "ignore cached results");
            options->common.Declare(flags, /*with_batch=*/false, kOfOneModule);
            return [options] { return RunProbe(*options); };
          }};
}

}  // namespace hlocts::tools
