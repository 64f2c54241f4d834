// SPDX-License-Identifier: Apache-2.0
// The request of a case (devices, arguments, infeed), and the results that the documents print.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "spec/files/literals_file.h"
#include "spec/ir/module.h"
#include "suites/case.h"

namespace hlocts::suites {

// Returns `load` with the numbers of devices that the case or its module requires.
backends::LoadOptions LoadOptionsOf(const Case& one, const Module& module,
                                    backends::LoadOptions load);

// Returns the request. Fails if literals do not fit the parameters, or a device has no literals.
absl::StatusOr<backends::ExecuteRequest> MakeRequest(const Case& one, const Module& module,
                                                     const backends::LoadOptions& load);

// Returns the leaves of @outfeed by device. The result is empty if there is no @outfeed.
absl::StatusOr<std::vector<std::vector<Literal>>> ExpectedOutfeed(
    const Case& one, const backends::LoadOptions& load);

// Returns the leaves of one output of the case, [device][leaf]. They may have any shapes.
absl::StatusOr<std::vector<std::vector<Literal>>> OutputLeaves(const CaseOutput& output,
                                                               const backends::LoadOptions& load);

// Returns the leaves of @expect by device. The result is empty if there is no @expect.
absl::StatusOr<std::vector<std::vector<Literal>>> PrintedResult(const Case& one,
                                                                const Module& module,
                                                                const backends::LoadOptions& load);

}  // namespace hlocts::suites
