// SPDX-License-Identifier: Apache-2.0
// Imports directories of runs and campaigns into the store.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "reports/store/findings.h"
#include "reports/store/import_work.h"
#include "reports/store/scrub.h"
#include "reports/store/writer.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kModuleBytesMax = 64 * 1024;  // longer texts of failing cases are cut

std::string TextOf(const std::string& path) {
  auto text = ReadFile(path);
  if (!text.ok()) return "";
  if (text->size() <= kModuleBytesMax) return *text;
  return text->substr(0, kModuleBytesMax) + "\n... truncated\n";
}

class Importer {
 public:
  Importer(Database& database, const ImportOptions& options)
      : writer_(database), database_(database), options_(options) {}

  absl::StatusOr<Imported> Import(const ImportWork& work) {
    done_.night = options_.night.empty() ? work.first_day : options_.night;
    HLOCTS_ASSIGN_OR_RETURN(night_, writer_.NightlyRunId(done_.night));
    for (const RunShards& group : work.runs) HLOCTS_RETURN_IF_ERROR(AddGroup(group));
    for (const std::string& folder : work.campaigns) HLOCTS_RETURN_IF_ERROR(AddCampaign(folder));
    for (const std::string& path : work.histories) HLOCTS_RETURN_IF_ERROR(AddHistory(path));
    for (const std::string& folder : work.bundles) HLOCTS_RETURN_IF_ERROR(AddRecorded(folder));
    return done_;
  }

 private:
  absl::Status AddGroup(const RunShards& group);
  absl::Status AddVerdicts(int64_t run, const std::string& folder, MergeCheck& check);
  absl::Status EndRun(int64_t run, MergeCheck& check);
  absl::Status AddCampaign(const std::string& folder);
  absl::Status AddBucket(const std::string& folder, const Json& json);
  absl::Status AddHistory(const std::string& path);
  absl::Status AddRecorded(const std::string& folder);
  absl::Status AddMark(int64_t finding, const std::string& release, char mark, const char* how);
  const std::string& StoredName(const std::string& engine) const {
    return options_.engine.empty() ? engine : options_.engine;
  }
  absl::StatusOr<int64_t> FindingId(const std::string& folder);

  StoreWriter writer_;
  Database& database_;
  const ImportOptions& options_;
  Imported done_;
  int64_t night_ = 0;
};

// Returns the module of a case that failed or is flaky, or "" if none was written.
std::string ModuleOf(const std::string& folder, const Verdict& verdict) {
  if (!IsFailure(verdict.kind) && verdict.flake.empty()) return "";
  const std::string files =
      absl::StrCat(folder, "/cases/", absl::StrReplaceAll(verdict.case_address, {{"/", "."}}));
  std::string module = TextOf(files + (verdict.of_control ? "/control.hlo" : "/module.hlo"));
  return module.empty() ? TextOf(files + "/control.hlo") : module;
}

absl::Status Importer::AddVerdicts(int64_t run, const std::string& folder, MergeCheck& check) {
  return ReadVerdicts(folder, [&](Verdict verdict) {
    if (!check.Add(verdict.backend, verdict.case_address)) return absl::OkStatus();
    ++done_.verdicts;
    verdict.backend = StoredName(verdict.backend);
    return writer_.AddVerdict(run, verdict, ModuleOf(folder, verdict));
  });
}

// Rejects a run with missing verdicts, or counts them as lost if options.incomplete.
absl::Status Importer::EndRun(int64_t run, MergeCheck& check) {
  const std::vector<std::string> problems = check.Problems();
  if (!problems.empty() && !options_.incomplete) {
    return InvalidInput(
        "the run is not complete, nothing was imported (--incomplete accepts it and counts missing "
        "verdicts as lost):\n",
        absl::StrJoin(problems, "\n"));
  }
  for (const auto& [engine, address] : check.Missing())
    HLOCTS_RETURN_IF_ERROR(writer_.AddMissingVerdict(run, StoredName(engine), address));
  HLOCTS_ASSIGN_OR_RETURN(auto note, database_.Prepare("UPDATE run SET problems = ? WHERE id = ?"));
  note->Bind(1, Scrubbed(absl::StrJoin(problems, "\n"))).Bind(2, run);
  HLOCTS_RETURN_IF_ERROR(note->Run());
  ++done_.runs;
  return writer_.FinishRun(run);
}

// Imports the shards of a run. Checks them after writing; an incomplete run is rolled back.
absl::Status Importer::AddGroup(const RunShards& group) {
  RunRecord record = group.records[0];
  std::vector<std::string>().swap(record.selection);  // one copy is enough: it may have 10^6 cases
  for (std::string& engine : record.backends) engine = StoredName(engine);
  std::vector<const RunRecord*> shards;
  for (const RunRecord& shard : group.records) {
    shards.push_back(&shard);
    record.started = std::min(record.started, shard.started);
    record.finished = std::max(record.finished, shard.finished);
  }
  const std::string identity = absl::StrCat(done_.night, "|", IdentityOf(group));
  HLOCTS_ASSIGN_OR_RETURN(bool known, writer_.HasRun(identity));
  if (known) {
    ++done_.already_imported;
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(int64_t run, writer_.AddRun(night_, identity, record));
  MergeCheck check(group.folders, std::move(shards));
  for (const std::string& folder : group.folders) {
    HLOCTS_RETURN_IF_ERROR(AddVerdicts(run, folder, check));
  }
  return EndRun(run, check);
}

absl::Status Importer::AddCampaign(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(folder + "/state.json"));
  Json state = ParseJson<Json>(text);
  if (!state.is_object() || !state.contains("seed") || !state["seed"].is_number_integer())
    return InvalidInput(folder, "/state.json: expected the state of a campaign");
  int64_t modules = state.value("next", int64_t{0});
  if (state.contains("done") && state["done"].is_array())
    modules += static_cast<int64_t>(state["done"].size());
  const std::string recipe = Scrubbed(Field(state, "recipe"));
  // The campaigns of a nightly run have one seed, so the identity includes their engines.
  const std::string identity =
      absl::StrCat(done_.night, "|", JsonText(state["seed"]), "|", recipe,
                   Scrubbed(state.contains("backends") ? JsonText(state["backends"]) : ""));
  HLOCTS_ASSIGN_OR_RETURN(auto add,
                          database_.Prepare("INSERT OR REPLACE INTO campaign VALUES(?,?,?,?,?)"));
  add->Bind(1, night_).Bind(2, identity).Bind(4, modules).Bind(5, recipe);
  add->Bind(3, static_cast<int64_t>(state["seed"].get<uint64_t>()));
  HLOCTS_RETURN_IF_ERROR(add->Run());
  ++done_.campaigns;
  HLOCTS_ASSIGN_OR_RETURN(const auto findings, LastingFindings(folder + "/findings.jsonl"));
  for (const Json& one : findings) HLOCTS_RETURN_IF_ERROR(AddBucket(folder, one));
  return absl::OkStatus();
}

absl::Status Importer::AddBucket(const std::string& folder, const Json& json) {
  if (Field(json, "bucket").empty()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(int64_t engine, writer_.EngineId(Field(json, "backend")));
  HLOCTS_ASSIGN_OR_RETURN(auto add,
                          database_.Prepare("INSERT OR REPLACE INTO bucket VALUES(?,?,?,?,?,?)"));
  add->Bind(1, night_).Bind(2, engine).Bind(3, Scrubbed(Field(json, "bucket")));
  add->Bind(4, Scrubbed(Field(json, "signature"))).Bind(5, Scrubbed(Field(json, "origin")));
  // The bundle is at the path that the campaign recorded, or in `folder` if the output was moved.
  const std::string bundle = Field(json, "folder");
  std::string module = TextOf(bundle + "/module.hlo");
  if (module.empty())
    module = TextOf(
        absl::StrCat(folder, "/findings/", fs::path(bundle).filename().string(), "/module.hlo"));
  if (module.empty()) {
    add->BindNull(6);
  } else {
    HLOCTS_ASSIGN_OR_RETURN(int64_t id, writer_.TextId(module));
    add->Bind(6, id);
  }
  return add->Run();
}

// Runs name the findings of the program by paths relative to its own directory.
absl::StatusOr<int64_t> Importer::FindingId(const std::string& recorded) {
  const std::string folder = InstalledFinding(recorded);
  const std::string name = fs::path(folder).filename().string();
  const Finding finding = ReadFinding(folder);
  HLOCTS_ASSIGN_OR_RETURN(int64_t module, writer_.TextId(TextOf(folder + "/module.hlo")));
  HLOCTS_ASSIGN_OR_RETURN(
      auto add,
      database_.Prepare("INSERT INTO finding(name, title, clause, guilty, module)"
                        " VALUES(?,?,?,?,?) ON CONFLICT(name) DO UPDATE SET title = excluded.title,"
                        " clause = excluded.clause, guilty = excluded.guilty,"
                        " module = excluded.module RETURNING id"));
  add->Bind(1, name).Bind(2, Scrubbed(finding.title)).Bind(3, finding.clause);
  add->Bind(4, finding.failing_phase).Bind(5, module);
  HLOCTS_ASSIGN_OR_RETURN(bool row, add->Step());
  HLOCTS_CHECK(row);
  const int64_t id = add->Integer(0);
  HLOCTS_RETURN_IF_ERROR(add->Run());
  return id;
}

absl::Status Importer::AddMark(int64_t finding, const std::string& release, char mark,
                               const char* how) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t engine, writer_.EngineId(release));
  HLOCTS_ASSIGN_OR_RETURN(auto add, database_.Prepare(absl::StrCat(
                                        "INSERT OR ", how, " INTO finding_mark VALUES(?,?,?,?)")));
  add->Bind(1, night_).Bind(2, finding).Bind(3, engine).Bind(4, int64_t{mark});
  return add->Run();
}

// Adds recorded results, which results of this nightly run override.
absl::Status Importer::AddRecorded(const std::string& folder) {
  const std::string bundle = fs::path(folder + "/").parent_path().string();
  HLOCTS_ASSIGN_OR_RETURN(int64_t finding, FindingId(bundle));
  for (const auto& [release, mark] : RecordedMarks(bundle))
    HLOCTS_RETURN_IF_ERROR(AddMark(finding, release, mark, "IGNORE"));
  ++done_.findings;
  return absl::OkStatus();
}

absl::Status Importer::AddHistory(const std::string& path) {
  return ReadLines(path, [&](const Json& json) -> absl::Status {
    // A record that is not a verdict shows nothing about the finding.
    auto verdict = VerdictFromJson(JsonText(json));
    if (!verdict.ok()) return absl::OkStatus();
    // `replay` names the bundle; `diff` names its module.
    const fs::path named(verdict->module);
    const std::string folder = (named.extension() == ".hlo" ? named.parent_path() : named).string();
    HLOCTS_ASSIGN_OR_RETURN(int64_t finding, FindingId(folder));
    ++done_.findings;
    return AddMark(finding, verdict->backend, WithoutExpectation(MarkOf(*verdict)), "REPLACE");
  });
}

}  // namespace

absl::StatusOr<Imported> RunStore::Import(const std::vector<std::string>& folders,
                                          const ImportOptions& options) {
  if (folders.empty()) return InvalidInput("store import: expected a directory");
  HLOCTS_ASSIGN_OR_RETURN(ImportWork work, SortFolders(folders));
  HLOCTS_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(*database_));
  Importer importer(*database_, options);
  HLOCTS_ASSIGN_OR_RETURN(Imported done, importer.Import(work));
  HLOCTS_RETURN_IF_ERROR(transaction->Commit());
  return done;
}

}  // namespace hlocts::reports
