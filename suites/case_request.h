// SPDX-License-Identifier: Apache-2.0
// A case as an engine's input: devices, arguments, infeed; also the result that the documents
// print.
#ifndef HLOCTS_SUITES_CASE_REQUEST_H_
#define HLOCTS_SUITES_CASE_REQUEST_H_

#include <vector>

#include "backends/backend.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "suites/case.h"

namespace hlocts::suites {

// `load` with the devices that the case or its module asks for.
backends::LoadOptions LoadOptionsOf(const Case& one, const Module& module,
                                    backends::LoadOptions load);

// Errors: leaves that do not fit the module, a device without leaves.
absl::StatusOr<backends::ExecuteRequest> MakeRequest(const Case& one, const Module& module,
                                                     const backends::LoadOptions& load);

// Leaves of @outfeed by device; empty without @outfeed.
absl::StatusOr<std::vector<std::vector<Literal>>> ExpectedOutfeed(
    const Case& one, const backends::LoadOptions& load);

// The leaves of an answer of the case, [device][leaf], of any shapes.
absl::StatusOr<std::vector<std::vector<Literal>>> OutputLeaves(const CaseOutput& output,
                                                               const backends::LoadOptions& load);

// Leaves of @expect by device; empty without @expect.
absl::StatusOr<std::vector<std::vector<Literal>>> PrintedResult(const Case& one,
                                                                const Module& module,
                                                                const backends::LoadOptions& load);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_CASE_REQUEST_H_
