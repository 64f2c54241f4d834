// SPDX-License-Identifier: Apache-2.0
// The tables of the run store and their versions.
#ifndef HLOCTS_REPORTS_STORE_SCHEMA_H_
#define HLOCTS_REPORTS_STORE_SCHEMA_H_

#include "reports/store/sqlite.h"

namespace hlocts::reports {

// The version that this program writes.
int SchemaVersion();

// Migrates a store, or a new file, from its version to `version`, one step after the other, each in
// full or not at all. Errors: a store of a newer program; a SQLite file of another program.
absl::Status Migrate(Database& database, int version = SchemaVersion());

// kUnavailable unless the store has the version of this program.
absl::Status CheckSchema(Database& database);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_SCHEMA_H_
