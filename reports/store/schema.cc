// SPDX-License-Identifier: Apache-2.0
#include "reports/store/schema.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace hlocts::reports {
namespace {

constexpr int64_t kApplication = 0x686c6f63;  // "hloc", in the file's header

// The migration steps. Texts and addresses are stored once and referenced by number. A step is
// never changed or removed; new steps are added at the end.
constexpr const char* kSteps[] = {
    // Step 1: verdicts of suite runs.
    R"(
CREATE TABLE text(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX text_hash ON text(hash);
CREATE TABLE engine(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE test_case(id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE);
CREATE TABLE night(id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
CREATE TABLE run(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  night INTEGER NOT NULL REFERENCES night(id),
  identity TEXT NOT NULL UNIQUE,  -- what was asked for and when: once a night
  tier TEXT NOT NULL, profile TEXT NOT NULL, queries TEXT NOT NULL, shards INTEGER NOT NULL,
  started TEXT NOT NULL, finished TEXT NOT NULL,
  program TEXT NOT NULL, suite TEXT NOT NULL, cpu TEXT NOT NULL, cores INTEGER NOT NULL,
  problems TEXT NOT NULL);        -- why it is not complete; empty: every case, once, on every engine
CREATE TABLE run_engine(
  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  engine INTEGER NOT NULL REFERENCES engine(id),
  version TEXT NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY(run, engine)) WITHOUT ROWID;
CREATE TABLE verdict(
  run INTEGER NOT NULL, engine INTEGER NOT NULL, test_case INTEGER NOT NULL,
  mark INTEGER NOT NULL,          -- reports/nights/nights.h
  microseconds INTEGER NOT NULL, elements INTEGER NOT NULL, bits REAL NOT NULL,
  unspecified INTEGER NOT NULL, seed INTEGER,
  PRIMARY KEY(run, engine, test_case)) WITHOUT ROWID;
CREATE TABLE failure(
  run INTEGER NOT NULL, engine INTEGER NOT NULL, test_case INTEGER NOT NULL,
  detail INTEGER NOT NULL REFERENCES text(id), module INTEGER REFERENCES text(id),
  PRIMARY KEY(run, engine, test_case)) WITHOUT ROWID;
CREATE TABLE bits_checked(
  run INTEGER NOT NULL, engine INTEGER NOT NULL, operation TEXT NOT NULL,
  significand INTEGER NOT NULL,   -- bits of the format
  elements INTEGER NOT NULL, median REAL NOT NULL, p5 REAL NOT NULL,
  PRIMARY KEY(run, engine, operation, significand)) WITHOUT ROWID;
CREATE TABLE tally(               -- stays when a run's verdicts are pruned
  run INTEGER NOT NULL, engine INTEGER NOT NULL, mark INTEGER NOT NULL, cases INTEGER NOT NULL,
  PRIMARY KEY(run, engine, mark)) WITHOUT ROWID;
)",
    // Step 2: results of releases on the open findings; buckets of campaigns.
    R"(
CREATE TABLE finding(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  clause TEXT NOT NULL, guilty TEXT NOT NULL, module INTEGER REFERENCES text(id));
CREATE TABLE finding_mark(
  night INTEGER NOT NULL, finding INTEGER NOT NULL, engine INTEGER NOT NULL, mark INTEGER NOT NULL,
  PRIMARY KEY(night, finding, engine)) WITHOUT ROWID;
CREATE TABLE campaign(
  night INTEGER NOT NULL, identity TEXT NOT NULL UNIQUE, seed INTEGER NOT NULL,
  modules INTEGER NOT NULL, recipe TEXT NOT NULL);
CREATE TABLE bucket(
  night INTEGER NOT NULL, engine INTEGER NOT NULL, name TEXT NOT NULL,
  signature TEXT NOT NULL, origin TEXT NOT NULL, module INTEGER REFERENCES text(id),
  PRIMARY KEY(night, engine, name)) WITHOUT ROWID;
)",
    // Step 3: distances of accepted values from the exact ones.
    R"(
CREATE TABLE worst_ulps(
  run INTEGER NOT NULL, engine INTEGER NOT NULL, function TEXT NOT NULL, type TEXT NOT NULL,
  ulps REAL NOT NULL, argument TEXT NOT NULL, value TEXT NOT NULL,
  rule TEXT NOT NULL,             -- the bound that is stated: ulp(7)
  elements INTEGER NOT NULL,
  PRIMARY KEY(run, engine, function, type)) WITHOUT ROWID;
)",
    // Step 4: reports of nightly runs. A run that was imported by hand has no row.
    R"(
CREATE TABLE report(
  night INTEGER PRIMARY KEY, complete INTEGER NOT NULL,  -- 0: no run is compared with this one
  not_repeated INTEGER NOT NULL, notes TEXT NOT NULL);   -- one line each
)",
    // Step 5: runs of which only the verdicts that comparisons need remain.
    "CREATE TABLE pruned(run INTEGER PRIMARY KEY)",
};

absl::Status Step(Database& database, int version) {
  HLOCTS_ASSIGN_OR_RETURN(auto transaction, Transaction::Begin(database));
  // Another process may have applied the step while this one waited.
  HLOCTS_ASSIGN_OR_RETURN(int64_t now, database.Integer("PRAGMA user_version"));
  if (now >= version) return absl::OkStatus();
  HLOCTS_RETURN_IF_ERROR(database.Run(kSteps[version - 1]));
  HLOCTS_RETURN_IF_ERROR(database.Run(
      absl::StrCat("PRAGMA application_id = ", kApplication, "; PRAGMA user_version = ", version)));
  return transaction->Commit();
}

absl::StatusOr<int64_t> VersionOf(Database& database) {
  int64_t version = 0, application = 0, tables = 0;
  // One query reads one snapshot: another process may be creating the tables.
  HLOCTS_RETURN_IF_ERROR(
      database.Each("SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)"
                    " FROM pragma_user_version, pragma_application_id",
                    0, [&](const Statement& row) {
                      version = row.Integer(0);
                      application = row.Integer(1);
                      tables = row.Integer(2);
                    }));
  if (application != kApplication && (version != 0 || tables != 0)) {
    return InvalidInput(database.path(),
                        ": expected a run store, found the SQLite file of another program");
  }
  if (version > SchemaVersion()) {
    return InvalidInput(database.path(), ": expected a run store of version ", SchemaVersion(),
                        " or older, found version ", version, " of a newer hlocts");
  }
  return version;
}

}  // namespace

int SchemaVersion() { return static_cast<int>(std::size(kSteps)); }

absl::Status Migrate(Database& database, int version) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t now, VersionOf(database));
  for (int next = static_cast<int>(now) + 1; next <= version; ++next) {
    HLOCTS_RETURN_IF_ERROR(Step(database, next));
  }
  return absl::OkStatus();
}

absl::Status CheckSchema(Database& database) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t now, VersionOf(database));
  if (now == SchemaVersion()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(database.path(), ": a run store of version ", now,
                                             "; `hlocts store migrate` converts it to version ",
                                             SchemaVersion(), ", which this program reads"));
}

}  // namespace hlocts::reports
