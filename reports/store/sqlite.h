// SPDX-License-Identifier: Apache-2.0
// Wraps SQLite with errors as absl::Status, each a sentence that names the file. Only sqlite.cc
// includes SQLite's header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hlocts::reports {

// A prepared statement. As in SQLite, parameters count from 1 and columns from 0.
class Statement {
 public:
  Statement(sqlite3* database, sqlite3_stmt* statement, std::string path);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(int parameter, int64_t value);
  Statement& Bind(int parameter, double value);
  Statement& Bind(int parameter, absl::string_view value);
  Statement& BindNull(int parameter);
  // Binds the unchanged value of another statement's current row.
  Statement& BindFrom(int parameter, const Statement& row, int column);
  // Returns true for a row, or false at the end, after which parameters can be bound again.
  absl::StatusOr<bool> Step();
  // Runs a statement that returns no row.
  absl::Status Run();
  int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  int Columns() const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  std::string path_;
};

class Database {
 public:
  enum class Mode { kRead, kWrite };
  // Opens a database. If another process writes, waits for it. kWrite creates the file and switches
  // it to a write-ahead log: a killed writer loses only its transaction, and readers never wait.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  absl::Status Run(const std::string& sql);  // runs statements without parameters
  absl::StatusOr<std::unique_ptr<Statement>> Prepare(const std::string& sql);
  absl::StatusOr<int64_t> Integer(const std::string& sql);  // first value of the first row
  // Calls `row` for each row of a query with at most one parameter.
  absl::Status Each(const std::string& sql, int64_t parameter,
                    const std::function<void(const Statement&)>& row);
  int64_t last_id() const;
  int64_t changes() const;  // rows that the last statement changed

 private:
  Database(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
  sqlite3* database_;
  std::string path_;
};

// A transaction, rolled back unless committed. Begins as a writer, which prevents deadlocks.
class Transaction {
 public:
  static absl::StatusOr<std::unique_ptr<Transaction>> Begin(Database& database);
  ~Transaction();
  absl::Status Commit();

 private:
  explicit Transaction(Database& database) : database_(database) {}
  Database& database_;
  bool open_ = true;
};

}  // namespace hlocts::reports
