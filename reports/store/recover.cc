// SPDX-License-Identifier: Apache-2.0
// Recovers a damaged store: copies each readable row, and the rows that only the backup has.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/store/run_store.h"
#include "reports/store/schema.h"

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

// Copies rows up to the first unreadable page. Returns the number of rows added.
absl::StatusOr<int64_t> Copy(Database& from, const std::string& table, const std::string& order,
                             Database& to) {
  int64_t added = 0;
  auto rows = from.Prepare(absl::StrCat("SELECT * FROM ", table, order));
  if (!rows.ok()) return 0;
  const int columns = (*rows)->Columns();
  const std::vector<std::string> marks(static_cast<size_t>(columns), "?");
  auto add = to.Prepare(
      absl::StrCat("INSERT OR IGNORE INTO ", table, " VALUES(", absl::StrJoin(marks, ","), ")"));
  if (!add.ok()) return 0;  // a table of another version
  while (true) {
    auto row = (*rows)->Step();
    if (!row.ok() || !*row) return added;
    for (int i = 0; i < columns; ++i) (*add)->BindFrom(i + 1, **rows, i);
    // A row that violates a constraint is damage and is skipped; a full disk is an error.
    absl::Status done = (*add)->Run();
    if (done.ok()) added += to.changes();
    if (!done.ok() && done.message().find("no space left") != std::string::npos) return done;
  }
}

// Copies from the front, then from the back to get the rows after the damage.
absl::StatusOr<int64_t> CopyAll(const std::string& path, Database& to) {
  auto from = Database::Open(path, Database::Mode::kRead);
  if (!from.ok()) return 0;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<std::string> tables, TablesOf(to));
  int64_t added = 0;
  for (const std::string& table : tables) {
    auto key = (*from)->Prepare(absl::StrCat("SELECT rowid FROM ", table, " LIMIT 1"));
    const char* last_first = key.ok() ? " ORDER BY rowid DESC" : " ORDER BY 1 DESC, 2 DESC, 3 DESC";
    for (const char* order : {"", last_first}) {
      HLOCTS_ASSIGN_OR_RETURN(int64_t rows, Copy(**from, table, order, to));
      added += rows;
    }
  }
  return added;
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
  int64_t read = 0, copied = 0;
  {
    HLOCTS_ASSIGN_OR_RETURN(auto to, Database::Open(made, Database::Mode::kWrite));
    HLOCTS_RETURN_IF_ERROR(Migrate(*to));
    HLOCTS_RETURN_IF_ERROR(to->Run("PRAGMA foreign_keys = 0"));
    HLOCTS_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(*to));
    HLOCTS_ASSIGN_OR_RETURN(read, CopyAll(path, *to));
    if (fs::exists(path + ".backup")) {
      HLOCTS_ASSIGN_OR_RETURN(copied, CopyAll(path + ".backup", *to));
    }
    HLOCTS_RETURN_IF_ERROR(transaction->Commit());
    HLOCTS_RETURN_IF_ERROR(to->Run("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  int number = 1;
  while (fs::exists(absl::StrCat(path, ".damaged-", number))) ++number;
  const std::string aside = absl::StrCat(path, ".damaged-", number);
  Move(path, aside);
  Move(made, path);
  return absl::StrCat("the old file is ", aside, "; ", read, " rows were read back from it and ",
                      copied, " from ", path, ".backup");
}

}  // namespace hlocts::reports
