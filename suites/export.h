// SPDX-License-Identifier: Apache-2.0
// Exports the suite as plain files, for users without this program (`hlocts export`).
//
// DIR/manifest.jsonl has one line per case: {"case","operation","opcode","clauses","tier","kind",
// "folder","devices","files"}. kind is "run" (execute, then judge by expected.jsonl) or "reject"
// (module.hlo must be rejected, control.hlo must be accepted). DIR/<folder> contains module.hlo,
// module.pb and, if the case has them, inputs.txt, inputs.npz, infeed.txt, control.hlo, expect.txt
// (results that the documents print) and expected.jsonl (the acceptance sets on the first device;
// expected.r1.p0.jsonl and so on for the others).
#pragma once

#include <string>

#include "backends/differ/differ.h"
#include "suites/case.h"

namespace hlocts::suites {

// Writes the directory of the case and returns its line of the manifest. If the judge cannot
// compute an acceptance set, writes no expected.jsonl, and the line has a field "inconclusive" with
// the reason. Returns kInternal if a file cannot be written.
absl::StatusOr<std::string> ExportCase(const Case& one, const backends::DiffOptions& options,
                                       const std::string& out);

}  // namespace hlocts::suites
