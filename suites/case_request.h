// SPDX-License-Identifier: Apache-2.0
// Returns a case's request (devices, arguments, infeed) and the result that the documents print.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "suites/case.h"

namespace hlocts::suites {

// Returns `load` with the devices that the case or its module requires.
backends::LoadOptions LoadOptionsOf(const Case& one, const Module& module,
                                    backends::LoadOptions load);

// Returns the case's request. Fails if its literals do not fit the parameters or a device has none.
absl::StatusOr<backends::ExecuteRequest> MakeRequest(const Case& one, const Module& module,
                                                     const backends::LoadOptions& load);

// Returns the leaves of @outfeed by device, or none if there is no @outfeed.
absl::StatusOr<std::vector<std::vector<Literal>>> ExpectedOutfeed(
    const Case& one, const backends::LoadOptions& load);

// Returns the leaves of an output of the case, [device][leaf], with any shapes.
absl::StatusOr<std::vector<std::vector<Literal>>> OutputLeaves(const CaseOutput& output,
                                                               const backends::LoadOptions& load);

// Returns the leaves of @expect by device, or none if there is no @expect.
absl::StatusOr<std::vector<std::vector<Literal>>> PrintedResult(const Case& one,
                                                                const Module& module,
                                                                const backends::LoadOptions& load);

}  // namespace hlocts::suites
