// SPDX-License-Identifier: Apache-2.0
// A failing case as files that `hlocts diff` takes, and the command line that shows the failure
// again.
#ifndef HLOCTS_SUITES_REPLAY_H_
#define HLOCTS_SUITES_REPLAY_H_

#include <string>

#include "backends/differ/differ.h"
#include "reports/verdict.h"
#include "suites/case.h"

namespace hlocts::suites {

// Writes <folder>/module.hlo (or control.hlo, where a reject case fails by its control), with
// inputs.txt, infeed.txt and expect.txt where the case has them, and returns the arguments of
// `hlocts` that repeat the verdict on the engine `backend`, quoted for a shell. `options` are those
// that the case ran under. kInternal when a file cannot be written.
absl::StatusOr<std::string> WriteReplay(const Case& one, const reports::Verdict& verdict,
                                        const std::string& backend,
                                        const backends::DiffOptions& options,
                                        const std::string& folder);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_REPLAY_H_
