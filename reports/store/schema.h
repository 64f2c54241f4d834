// SPDX-License-Identifier: Apache-2.0
// Declares the tables of the run store and their versions.
#pragma once

#include "reports/store/sqlite.h"

namespace hlocts::reports {

// Returns the version that this program writes.
int SchemaVersion();

// Migrates a store, or a new file, to `version`. Each step is atomic. Fails if a newer program
// wrote the store, or if the SQLite file belongs to another program.
absl::Status Migrate(Database& database, int version = SchemaVersion());

// Returns kUnavailable unless the store has the version of this program.
absl::Status CheckSchema(Database& database);

}  // namespace hlocts::reports
