// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts store`: keeps nightly runs in one file.
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "reports/store/run_store.h"
#include "spec/base/json_text.h"
#include "tools/cli/common.h"
#include "tools/cli/flag_values.h"
#include "tools/cmd_report_page.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using reports::RunStore;

struct StoreOptions {
  std::vector<std::string> words;  // the action, then directories
  std::string path = kStorePath;
  reports::ImportOptions import;
  int64_t keep = 0;
  bool json = false;
};

absl::StatusOr<reports::Imported> ImportTo(const std::string& path, const StoreOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(auto store, RunStore::OpenToWrite(path));
  return store->Import({options.words.begin() + 1, options.words.end()}, options.import);
}

int Import(const StoreOptions& options) {
  // An error must not create a store. The import that would create it is therefore tried in memory.
  absl::StatusOr<reports::Imported> done = reports::Imported();
  if (!std::filesystem::exists(options.path)) done = ImportTo(":memory:", options);
  if (done.ok()) done = ImportTo(options.path, options);
  if (!done.ok()) return Fail(done.status());
  if (options.json) {
    nlohmann::ordered_json line = {{"night", done->night},       {"runs", done->runs},
                                   {"verdicts", done->verdicts}, {"campaigns", done->campaigns},
                                   {"findings", done->findings}, {"known", done->already_imported}};
    std::cout << JsonText(line) << std::endl;
  } else {
    absl::PrintF("%s: nightly run %s: %s with %s, %s, %s of findings; %d already imported\n",
                 options.path, done->night, CountText(done->runs, "run"),
                 CountText(done->verdicts, "verdict"), CountText(done->campaigns, "campaign"),
                 CountText(done->findings, "mark"), done->already_imported);
  }
  return kExitOk;
}

int List(const StoreOptions& options) {
  auto store = RunStore::OpenToRead(options.path);
  if (!store.ok()) return Fail(store.status());
  auto runs = (*store)->List();
  if (!runs.ok()) return Fail(runs.status());
  int width = 12;
  for (const reports::StoredRun& run : *runs)
    width = std::max(width, static_cast<int>(run.night.size()));
  if (!options.json)
    std::printf("%-*s %4s  %-10s %9s %7s  %-12s %s\n", width, "NIGHT", "RUN", "TIER", "VERDICTS",
                "NO PASS", "STATE", "ENGINES");
  for (const reports::StoredRun& run : *runs) {
    const char* state = run.pruned             ? "counts only"
                        : run.problems.empty() ? "complete"
                                               : "INCOMPLETE";
    if (options.json) {
      nlohmann::ordered_json line = {{"night", run.night},       {"run", run.id},
                                     {"tier", run.tier},         {"profile", run.profile},
                                     {"queries", run.queries},   {"started", run.started},
                                     {"finished", run.finished}, {"engines", run.engines},
                                     {"verdicts", run.verdicts}, {"not_pass", run.bad},
                                     {"problems", run.problems}, {"pruned", run.pruned}};
      std::cout << JsonText(line) << "\n";
    } else {
      absl::PrintF("%-*s %4d  %-10s %9d %7d  %-12s %s\n", width, run.night, run.id, run.tier,
                   run.verdicts, run.bad, state, absl::StrJoin(run.engines, " "));
    }
  }
  return kExitOk;
}

int PrintCase(const StoreOptions& options) {
  auto store = RunStore::OpenToRead(options.path);
  if (!store.ok()) return Fail(store.status());
  auto verdicts = (*store)->VerdictsOf(options.words.back());
  if (!verdicts.ok()) return Fail(verdicts.status());
  for (const auto& [night, engine, mark] : *verdicts) {
    const bool expected = reports::IsRun(mark) && !reports::IsUnexpected(mark);
    const nlohmann::ordered_json line = {{"night", night},
                                         {"engine", engine},
                                         {"verdict", std::string(reports::MarkName(mark))},
                                         {"expected", expected}};
    const std::string word = reports::MarkWord(mark, absl::ascii_toupper(mark));
    std::cout << (options.json ? JsonText(line) : absl::StrCat(night, "  ", engine, "  ", word))
              << "\n";
  }
  return kExitOk;
}

// Opens a store for writing. Does not create a missing file.
absl::StatusOr<std::unique_ptr<RunStore>> OpenExisting(const std::string& path) {
  if (!std::filesystem::exists(path)) return InvalidInput(path, ": no such run store");
  return RunStore::OpenToWrite(path);
}

// Prints what an action did to the store.
int Say(const StoreOptions& options, const std::string& done,
        const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json line = {{"store", options.path}, {"sentence", done}};
  line.update(more);
  std::cout << (options.json ? JsonText(line) : absl::StrCat(options.path, ": ", done))
            << std::endl;
  return kExitOk;
}

int Prune(const StoreOptions& options) {
  auto store = OpenExisting(options.path);
  if (!store.ok()) return Fail(store.status());
  auto gone = (*store)->Prune(static_cast<int>(options.keep));
  if (!gone.ok()) return Fail(gone.status());
  return Say(
      options,
      absl::StrCat("removed ", CountText(*gone, "verdict"),
                   " of older nightly runs; kept counts, what comparisons need, and the newest ",
                   std::max<int64_t>(options.keep, 2), " runs with a report"),
      {{"removed", *gone}});
}

int CheckOrMigrate(const StoreOptions& options, bool check) {
  auto store = OpenExisting(options.path);
  absl::Status status = store.status();
  if (status.ok() && check) status = (*store)->Check();
  if (!status.ok()) {
    const int other = Fail(status);
    return absl::IsInternal(status) ? kExitFailed : other;
  }
  return Say(options, check ? "every page can be read; its backup copy was renewed"
                            : "has the version that this program uses");
}

int Recover(const StoreOptions& options) {
  auto said = reports::RecoverStore(options.path);
  return said.ok() ? Say(options, *said) : Fail(said.status());
}

int RunStoreAction(const StoreOptions& options) {
  const std::string action = options.words.empty() ? "" : options.words[0];
  if (action == "import") return Import(options);
  if (action == "list") return List(options);
  if (action == "case" && options.words.size() == 2) return PrintCase(options);
  if (action == "prune") return Prune(options);
  if (action == "check" || action == "migrate") return CheckOrMigrate(options, action == "check");
  if (action == "recover") return Recover(options);
  return Fail(
      InvalidInput("store: expected import, list, case ADDRESS, prune, check, migrate or recover, ",
                   "found ", FoundText(action)));
}

}  // namespace

Command StoreCommand() {
  return {"store", "manage the database of nightly runs", [](Flags& flags) {
            auto options = std::make_shared<StoreOptions>();
            flags.Positional(
                "ACTION", &options->words,
                "import DIR...; list; case ADDRESS; prune --keep=N; check; migrate; recover. "
                "list: NO PASS counts verdicts other than pass, unsupported and nan_bits; STATE is "
                "complete, INCOMPLETE (verdicts missing) or counts only (pruned); further rows of "
                "a night, of tier exhaustive, have its repeated regressions, one for each engine "
                "with repeats. case: prints its "
                "verdict in each nightly run on each engine. prune: removes the verdicts of all "
                "but the newest N nightly runs with a report (at least 2), except each case's last "
                "one in these runs and the first of equal ones, which comparisons need; keeps "
                "counts and findings, and changes only this file and its backup",
                {"import", "list", "case", "prune", "check", "migrate", "recover"});
            flags.Add("--store", &options->path, "file (out/store.db)");
            flags.Add("--night", &options->import.night,
                      "import: name of the nightly run, which orders runs (the day)");
            flags.Add("--incomplete", &options->import.incomplete,
                      "import: accept an incomplete run; missing verdicts count as lost");
            flags.Add("--keep", &options->keep, "prune: nightly runs whose verdicts are kept");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunStoreAction(*options); };
          }};
}

}  // namespace hlocts::tools
