// SPDX-License-Identifier: Apache-2.0
#include "reports/store/sqlite.h"

#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"

namespace hlocts::reports {
namespace {

constexpr int kWaitMilliseconds = 10 * 60 * 1000;  // wait for a writer; an import takes a minute

// Returns kInternal for a damaged store, else kUnavailable, with the error and its remedy. It is
// never an input error.
absl::Status StatusOf(sqlite3* database, int code, const std::string& path) {
  const char* message = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::InternalError(
          absl::StrCat(path, ": the run store is damaged (", message,
                       "); `hlocts store recover` renames it and recovers its contents"));
    case SQLITE_FULL:
      return absl::UnavailableError(absl::StrCat(
          path, ": no space left on the disk; nothing was added, and the store is unchanged"));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::UnavailableError(absl::StrCat(path, ": cannot be opened (", message, ")"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(
          absl::StrCat(path, ": another process has been writing for ten minutes"));
    default:
      return absl::UnavailableError(absl::StrCat(path, ": ", message));
  }
}

}  // namespace

Statement::Statement(sqlite3* database, sqlite3_stmt* statement, std::string path)
    : database_(database), statement_(statement), path_(std::move(path)) {}
Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Bind(int parameter, int64_t value) {
  HLOCTS_CHECK(sqlite3_bind_int64(statement_, parameter, value) == SQLITE_OK);
  return *this;
}
Statement& Statement::Bind(int parameter, double value) {
  HLOCTS_CHECK(sqlite3_bind_double(statement_, parameter, value) == SQLITE_OK);
  return *this;
}
Statement& Statement::Bind(int parameter, absl::string_view value) {
  HLOCTS_CHECK(sqlite3_bind_text(statement_, parameter, value.empty() ? "" : value.data(),
                                 static_cast<int>(value.size()), SQLITE_TRANSIENT) == SQLITE_OK);
  return *this;
}
Statement& Statement::BindNull(int parameter) {
  HLOCTS_CHECK(sqlite3_bind_null(statement_, parameter) == SQLITE_OK);
  return *this;
}

Statement& Statement::BindFrom(int parameter, const Statement& row, int column) {
  HLOCTS_CHECK(sqlite3_bind_value(statement_, parameter,
                                  sqlite3_column_value(row.statement_, column)) == SQLITE_OK);
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  absl::Status status = code == SQLITE_DONE ? absl::OkStatus() : StatusOf(database_, code, path_);
  sqlite3_reset(statement_);
  if (!status.ok()) return status;
  return false;
}

absl::Status Statement::Run() {
  HLOCTS_ASSIGN_OR_RETURN(bool row, Step());
  if (row) sqlite3_reset(statement_);
  return absl::OkStatus();
}

int64_t Statement::Integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::Real(int column) const { return sqlite3_column_double(statement_, column); }
std::string Statement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (!text) return "";
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}
int Statement::Columns() const { return sqlite3_column_count(statement_); }

namespace {

// Switches to the write-ahead log. SQLite waits for other locks, but not for this one.
absl::Status SwitchToLog(sqlite3* handle, Database& database) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMilliseconds);
  while (true) {
    absl::Status status = database.Run("PRAGMA journal_mode = WAL");
    const bool busy = !status.ok() && sqlite3_errcode(handle) == SQLITE_BUSY;
    if (!busy || std::chrono::steady_clock::now() > end) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, Mode mode) {
  sqlite3* handle = nullptr;
  // A reader opens the file for writing too, if permitted, to recover the log of a killed writer.
  int code = sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | (mode == Mode::kWrite ? SQLITE_OPEN_CREATE : 0), nullptr);
  if (code != SQLITE_OK) {
    absl::Status status = StatusOf(handle, code, path);
    sqlite3_close(handle);
    return status;
  }
  std::unique_ptr<Database> database(new Database(handle, path));
  sqlite3_busy_timeout(handle, kWaitMilliseconds);
  if (mode == Mode::kRead) {
    HLOCTS_RETURN_IF_ERROR(database->Run("PRAGMA query_only = 1"));
  } else {
    HLOCTS_RETURN_IF_ERROR(SwitchToLog(handle, *database));
    HLOCTS_RETURN_IF_ERROR(
        database->Run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1;"
                      "PRAGMA journal_size_limit = 16777216"));
  }
  HLOCTS_RETURN_IF_ERROR(database->Run("PRAGMA cache_size = -65536"));
  return database;
}

Database::~Database() { sqlite3_close(database_); }

absl::Status Database::Run(const std::string& sql) {
  int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : StatusOf(database_, code, path_);
}

absl::StatusOr<std::unique_ptr<Statement>> Database::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr);
  if (code != SQLITE_OK) return StatusOf(database_, code, path_);
  return std::make_unique<Statement>(database_, statement, path_);
}

absl::StatusOr<int64_t> Database::Integer(const std::string& sql) {
  HLOCTS_ASSIGN_OR_RETURN(auto statement, Prepare(sql));
  HLOCTS_ASSIGN_OR_RETURN(bool row, statement->Step());
  return row ? statement->Integer(0) : 0;
}

absl::Status Database::Each(const std::string& sql, int64_t parameter,
                            const std::function<void(const Statement&)>& row) {
  HLOCTS_ASSIGN_OR_RETURN(auto statement, Prepare(sql));
  if (sql.find('?') != std::string::npos) statement->Bind(1, parameter);
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(bool more, statement->Step());
    if (!more) return absl::OkStatus();
    row(*statement);
  }
}

int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_); }
int64_t Database::changes() const { return sqlite3_changes(database_); }

absl::StatusOr<std::unique_ptr<Transaction>> Transaction::Begin(Database& database) {
  HLOCTS_RETURN_IF_ERROR(database.Run("BEGIN IMMEDIATE"));
  return std::unique_ptr<Transaction>(new Transaction(database));
}

Transaction::~Transaction() {
  if (open_) (void)database_.Run("ROLLBACK");
}

absl::Status Transaction::Commit() {
  HLOCTS_RETURN_IF_ERROR(database_.Run("COMMIT"));
  open_ = false;
  return absl::OkStatus();
}

}  // namespace hlocts::reports
