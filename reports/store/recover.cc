// SPDX-License-Identifier: Apache-2.0
// Recovers a damaged store: copies each readable row, and the rows that only the backup has.
#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/store/run_store.h"
#include "reports/store/schema.h"
#include "spec/base/count_text.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::vector<std::string>> TablesOf(Database& database) {
  std::vector<std::string> tables;
  HLOCTS_RETURN_IF_ERROR(database.Each(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      " ORDER BY rowid",
      0, [&](const Statement& row) { tables.push_back(row.Text(0)); }));
  return tables;
}

struct Copied {
  int64_t rows = 0;
  std::set<std::string> cut;  // tables with a page that cannot be read
};

// Copies rows up to the first unreadable page.
absl::Status Copy(Database& from, const std::string& table, const std::string& order, Database& to,
                  Copied& copied) {
  auto rows = from.Prepare(absl::StrCat("SELECT * FROM ", table, order));
  if (!rows.ok()) copied.cut.insert(table);
  if (!rows.ok()) return absl::OkStatus();
  const int columns = (*rows)->Columns();
  const std::vector<std::string> marks(static_cast<size_t>(columns), "?");
  auto add = to.Prepare(
      absl::StrCat("INSERT OR IGNORE INTO ", table, " VALUES(", absl::StrJoin(marks, ","), ")"));
  if (!add.ok()) return absl::OkStatus();  // a table of another version
  while (true) {
    auto row = (*rows)->Step();
    if (!row.ok()) copied.cut.insert(table);
    if (!row.ok() || !*row) return absl::OkStatus();
    for (int i = 0; i < columns; ++i) (*add)->BindFrom(i + 1, **rows, i);
    // A row that violates a constraint is damage and is skipped; a full disk is an error.
    absl::Status done = (*add)->Run();
    if (done.ok()) copied.rows += to.changes();
    if (!done.ok() && done.message().find("no space left") != std::string::npos) return done;
  }
}

// Copies from the front, then from the back to get the rows after the damage.
absl::StatusOr<Copied> CopyAll(const std::string& path, Database& to) {
  Copied copied;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> tables, TablesOf(to));
  auto from = Database::Open(path, Database::Mode::kRead);
  if (!from.ok()) copied.cut = {tables.begin(), tables.end()};
  if (!from.ok()) return copied;
  for (const std::string& table : tables) {
    auto key = (*from)->Prepare(absl::StrCat("SELECT rowid FROM ", table, " LIMIT 1"));
    const char* last_first = key.ok() ? " ORDER BY rowid DESC" : " ORDER BY 1 DESC, 2 DESC, 3 DESC";
    for (const char* order : {"", last_first})
      HLOCTS_RETURN_IF_ERROR(Copy(**from, table, order, to, copied));
  }
  return copied;
}

// Removes the rows that name a lost row, whose number a new engine, case or text would get. Marks
// their runs, and those without all verdicts that they had, as incomplete. Returns the number of
// rows by table: "290 of verdict without engine".
absl::StatusOr<std::vector<std::string>> RemoveOrphans(Database& to) {
  std::vector<std::pair<std::string, std::string>> columns;  // table and column
  std::set<std::string> of_runs;                             // tables with a column `run`
  HLOCTS_RETURN_IF_ERROR(to.Each(
      "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE c.name IN"
      " ('night', 'run', 'engine', 'test_case', 'finding', 'detail', 'module') ORDER BY t.rowid",
      0, [&](const Statement& row) {
        columns.emplace_back(row.Text(0), row.Text(1));
        if (row.Text(1) == "run") of_runs.insert(row.Text(0));
      }));
  const std::string mark =
      "UPDATE run SET problems = 'rows of this run are lost: import it again' WHERE problems = ''";
  std::vector<std::string> removed;
  for (const auto& [table, column] : columns) {
    const bool is_text = column == "detail" || column == "module";
    const std::string where =
        absl::StrCat(" WHERE ", column, " NOT IN (SELECT id FROM ", is_text ? "text" : column, ")");
    if (column == "module") {
      HLOCTS_RETURN_IF_ERROR(to.Run(absl::StrCat("UPDATE ", table, " SET module = NULL", where)));
      continue;
    }
    if (of_runs.contains(table))
      HLOCTS_RETURN_IF_ERROR(
          to.Run(absl::StrCat(mark, " AND id IN (SELECT run FROM ", table, where, ")")));
    HLOCTS_RETURN_IF_ERROR(to.Run(absl::StrCat("DELETE FROM ", table, where)));
    if (to.changes() > 0)
      removed.push_back(absl::StrCat(to.changes(), " of ", table, " without ", column));
  }
  const absl::Status marked = to.Run(absl::StrCat(
      mark,
      " AND ((SELECT count(DISTINCT engine) FROM tally WHERE tally.run = id) <> (SELECT count(*)"
      " FROM run_engine WHERE run_engine.run = id) OR id NOT IN (SELECT run FROM pruned) AND"
      " (SELECT count(*) FROM verdict WHERE verdict.run = id) IS NOT (SELECT sum(cases) FROM tally"
      " WHERE tally.run = id))"));
  return marked.ok() ? absl::StatusOr<std::vector<std::string>>(removed) : marked;
}

bool IsHealthy(const std::string& path) {
  if (!RunStore::OpenToRead(path).ok()) return false;
  auto database = Database::Open(path, Database::Mode::kRead);
  if (!database.ok()) return false;
  auto check = (*database)->Prepare("PRAGMA quick_check(1)");
  if (!check.ok()) return false;
  auto row = (*check)->Step();
  return row.ok() && *row && (*check)->Text(0) == "ok";
}

void Move(const std::string& from, const std::string& to) {
  std::error_code error;
  for (const char* part : {"-wal", "-shm", ""}) fs::rename(from + part, to + part, error);
}

}  // namespace

absl::StatusOr<std::string> RecoverStore(const std::string& path) {
  if (!fs::exists(path)) return InvalidInput(path, ": no such run store");
  if (IsHealthy(path)) return std::string("every page can be read; nothing was changed");
  const std::string made = path + ".recovered";
  std::error_code error;
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(made + part, error);
  Copied read, copied;
  std::vector<std::string> removed;
  int64_t incomplete = 0;
  {
    HLOCTS_ASSIGN_OR_RETURN(auto to, Database::Open(made, Database::Mode::kWrite));
    HLOCTS_RETURN_IF_ERROR(Migrate(*to));
    HLOCTS_RETURN_IF_ERROR(to->Run("PRAGMA foreign_keys = 0"));
    HLOCTS_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(*to));
    HLOCTS_ASSIGN_OR_RETURN(read, CopyAll(path, *to));
    if (fs::exists(path + ".backup")) {
      HLOCTS_ASSIGN_OR_RETURN(copied, CopyAll(path + ".backup", *to));
    }
    HLOCTS_ASSIGN_OR_RETURN(removed, RemoveOrphans(*to));
    HLOCTS_ASSIGN_OR_RETURN(incomplete,
                            to->Integer("SELECT count(*) FROM run WHERE problems <> ''"));
    HLOCTS_RETURN_IF_ERROR(transaction->Commit());
    HLOCTS_RETURN_IF_ERROR(to->Run("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  int number = 1;
  while (fs::exists(absl::StrCat(path, ".damaged-", number))) ++number;
  const std::string aside = absl::StrCat(path, ".damaged-", number);
  Move(path, aside);
  Move(made, path);
  const bool whole = read.cut.empty();
  return absl::StrCat(
      "the old file is ", aside, "; ", read.rows, " rows were read back from it and ", copied.rows,
      " from ", path, ".backup", whole ? "" : "; unless the backup had them, rows are lost of ",
      absl::StrJoin(read.cut, ", "),
      removed.empty() ? "" : "; removed rows: ", absl::StrJoin(removed, ", "),
      incomplete == 0
          ? ""
          : absl::StrCat("; incomplete in `hlocts store list`: ", CountText(incomplete, "run")));
}

}  // namespace hlocts::reports
