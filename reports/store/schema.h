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

// The end of a query of the verdicts that later runs are compared with: none of a nightly run
// without a complete report, or in which the engine was dead (HasNoVerdicts).
inline constexpr char kComparedVerdicts[] =
    " FROM night JOIN run ON run.night = night.id JOIN verdict ON verdict.run = run.id"
    " WHERE verdict.mark <> 108 AND night.id NOT IN (SELECT night FROM report WHERE complete = 0)"
    " AND (night.id, verdict.engine) IN (SELECT run.night, tally.engine FROM run JOIN tally ON"
    " tally.run = run.id GROUP BY 1, 2 HAVING max(mark NOT IN (67, 69, 84, 99, 101, 108, 116))"
    " OR sum(cases * (mark <> 108)) < 10)";  // codes of C, E, T, c, e, l (missing) and t

}  // namespace hlocts::reports
