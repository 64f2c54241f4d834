// SPDX-License-Identifier: Apache-2.0
#include "reports/store/run_store.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "reports/store/schema.h"
#include "reports/store/scrub.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'");
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunStore>> RunStore::OpenToWrite(const std::string& path) {
  std::error_code error;
  if (fs::path parent = fs::path(path).parent_path(); !parent.empty())
    fs::create_directories(parent, error);
  HLOCTS_ASSIGN_OR_RETURN(auto database, Database::Open(path, Database::Mode::kWrite));
  HLOCTS_RETURN_IF_ERROR(Migrate(*database));
  return std::unique_ptr<RunStore>(new RunStore(std::move(database)));
}

absl::StatusOr<std::unique_ptr<RunStore>> RunStore::OpenToRead(const std::string& path) {
  if (!fs::exists(path))
    return InvalidInput(
        path, ": no such run store; `hlocts store import DIR` or a finished nightly run makes it");
  HLOCTS_ASSIGN_OR_RETURN(auto database, Database::Open(path, Database::Mode::kRead));
  HLOCTS_RETURN_IF_ERROR(CheckSchema(*database));
  return std::unique_ptr<RunStore>(new RunStore(std::move(database)));
}

absl::StatusOr<std::vector<StoredRun>> RunStore::List() {
  std::vector<StoredRun> runs;
  HLOCTS_RETURN_IF_ERROR(database_->Each(
      "SELECT run.id, night.label, tier, profile, queries, started, finished, problems,"
      " (SELECT group_concat(engine.name, '\n') FROM run_engine JOIN engine"
      "  ON engine.id = run_engine.engine WHERE run_engine.run = run.id),"
      " (SELECT coalesce(sum(cases), 0) FROM tally WHERE tally.run = run.id AND mark <> 108),"
      " (SELECT coalesce(sum(cases), 0) FROM tally WHERE tally.run = run.id AND"
      "  lower(char(mark)) NOT IN ('l', 'n', 'p', 'u')),"  // 'l': missing
      " run.id IN (SELECT run FROM pruned) OR problems = '' AND run.id NOT IN (SELECT run FROM"
      " verdict)"
      " FROM run JOIN night ON night.id = run.night ORDER BY night.label, run.id",
      0, [&](const Statement& row) {
        runs.push_back({row.Integer(0), row.Text(1), row.Text(2), row.Text(3), row.Text(4),
                        row.Text(5), row.Text(6), row.Text(7),
                        absl::StrSplit(row.Text(8), '\n', absl::SkipEmpty()), row.Integer(9),
                        row.Integer(10), row.Integer(11) != 0});
      }));
  return runs;
}

absl::StatusOr<std::vector<StoredVerdict>> RunStore::VerdictsOf(const std::string& address) {
  std::vector<StoredVerdict> all;
  // The last run that did not lose the case has the maximum, and SQLite takes the mark of that row.
  const std::string sql = absl::StrCat(
      "SELECT label, name, mark, max(run.id * (mark <> 108)) FROM night JOIN run ON run.night ="
      " night.id JOIN run_engine AS ran ON ran.run = run.id JOIN engine ON engine.id = ran.engine"
      " JOIN verdict ON verdict.run = ran.run AND verdict.engine = ran.engine WHERE test_case ="
      " (SELECT id FROM test_case WHERE address = ",
      Quoted(address), ") GROUP BY 1, 2");
  HLOCTS_RETURN_IF_ERROR(database_->Each(sql, 0, [&](const Statement& row) {
    all.push_back({row.Text(0), row.Text(1), static_cast<char>(row.Integer(2))});
  }));
  if (!all.empty()) return all;
  return InvalidInput(database_->path(), ": expected the address of a case in the store, such as ",
                      "movement/pad:types:type=f32, found \"", address, "\"");
}

absl::Status RunStore::CheckNight(const std::string& night) {
  HLOCTS_ASSIGN_OR_RETURN(
      auto row, database_->Prepare("SELECT EXISTS (SELECT 1 FROM night WHERE label = ?),"
                                   " group_concat(label, ', ')"
                                   " FROM (SELECT label FROM night ORDER BY label DESC LIMIT 5)"));
  HLOCTS_RETURN_IF_ERROR(row->Bind(1, night).Step().status());
  if (row->Integer(0) != 0) return absl::OkStatus();
  return InvalidInput(database_->path(),
                      ": expected a nightly run of `hlocts store list` (newest: ", row->Text(1),
                      "), found \"", night, "\"");
}

absl::Status RunStore::RecordReport(const std::string& night, const std::vector<std::string>& notes,
                                    int64_t not_repeated, const std::vector<std::string>& without) {
  std::string sql;
  if (not_repeated >= 0) {
    absl::StrAppend(&sql, "INSERT OR REPLACE INTO report SELECT id, 1, ", not_repeated, ", ",
                    Quoted(Scrubbed(absl::StrJoin(notes, "\n"))),
                    " FROM night WHERE label = coalesce(nullif(", Quoted(night),
                    ", ''), (SELECT max(label) FROM night));");
  }
  for (const std::string& one : without) {
    HLOCTS_RETURN_IF_ERROR(CheckNight(one));
    absl::StrAppend(&sql,
                    "INSERT INTO report SELECT id, 0, 0, '' FROM night WHERE label = ", Quoted(one),
                    " ON CONFLICT(night) DO UPDATE SET complete = 0;");
  }
  return database_->Run(sql);
}

absl::StatusOr<int64_t> RunStore::Prune(int keep) {
  if (keep < 1) return InvalidInput("store prune: expected --keep=N, at least 2 (1 is read as 2)");
  HLOCTS_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(*database_));
  const std::string kept = absl::StrCat(
      "(SELECT id FROM night WHERE id NOT IN (SELECT night FROM report WHERE complete = 0)"
      " ORDER BY label DESC LIMIT ",
      std::max(keep, 2), ")");  // the newest, and the base of its comparison
  const std::string old = absl::StrCat(
      "(SELECT run.id FROM run JOIN night ON night.id = run.night WHERE night.id NOT IN ", kept,
      " AND label < (SELECT max(label) FROM night WHERE id IN ", kept, "))");
  HLOCTS_RETURN_IF_ERROR(database_->Run(absl::StrCat(
      "DELETE FROM verdict WHERE run IN ", old,
      " AND (run, engine, test_case) NOT IN (SELECT run, engine, test_case FROM"
      " (SELECT verdict.run, verdict.engine, test_case, mark, lag(mark) OVER sequence AS before,"
      " lead(mark) OVER sequence AS after",
      kComparedVerdicts, " AND verdict.run IN ", old,
      " WINDOW sequence AS (PARTITION BY verdict.engine, test_case ORDER BY label, verdict.run))"
      " WHERE before IS NOT mark OR after IS NULL)")));
  const int64_t gone = database_->changes();
  HLOCTS_RETURN_IF_ERROR(database_->Run(absl::StrCat(
      "INSERT OR IGNORE INTO pruned SELECT id FROM run WHERE id IN ", old,
      ";DELETE FROM failure WHERE run IN ", old, ";DELETE FROM bits_checked WHERE run IN ", old,
      ";DELETE FROM text WHERE id NOT IN (SELECT detail FROM failure)"
      " AND id NOT IN (SELECT module FROM failure WHERE module IS NOT NULL)"
      " AND id NOT IN (SELECT module FROM finding WHERE module IS NOT NULL)"
      " AND id NOT IN (SELECT module FROM bucket WHERE module IS NOT NULL);"
      "DELETE FROM test_case WHERE id NOT IN (SELECT test_case FROM verdict)")));
  HLOCTS_RETURN_IF_ERROR(transaction->Commit());
  HLOCTS_RETURN_IF_ERROR(database_->Run("VACUUM"));
  // Renew the backup: it must not restore texts under numbers that are now used for other texts.
  HLOCTS_RETURN_IF_ERROR(Check());
  return gone;
}

absl::Status RunStore::Check() {
  HLOCTS_ASSIGN_OR_RETURN(auto check, database_->Prepare("PRAGMA quick_check(1)"));
  HLOCTS_ASSIGN_OR_RETURN(bool row, check->Step());
  if (!row || check->Text(0) != "ok") {
    return absl::InternalError(
        absl::StrCat(database_->path(), ": the run store is damaged (", check->Text(0),
                     "); `hlocts store recover` renames it and recovers its contents"));
  }
  HLOCTS_RETURN_IF_ERROR(check->Run());
  const std::string backup = database_->path() + ".backup", half = backup + ".new";
  std::error_code error;
  fs::remove(half, error);
  HLOCTS_RETURN_IF_ERROR(database_->Run("VACUUM INTO " + Quoted(half)));
  fs::rename(half, backup, error);
  if (error) return absl::UnavailableError(absl::StrCat(backup, ": ", error.message()));
  return absl::OkStatus();
}

}  // namespace hlocts::reports
