// SPDX-License-Identifier: Apache-2.0
// Judges outputs by the results that a document prints, in addition to the acceptance sets.
#pragma once

#include <vector>

#include "reports/verdict_fwd.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// Compares outputs ([device][leaf]) with the printed result. `verdict` is the verdict by the sets.
// It becomes a failure if an output is not the printed one, unless outputs are accepted only
// because of a fact of the engine (`departures`), and a pass if all are equal and the sets were
// inconclusive. An empty `printed` changes nothing.
void ApplyPrintedResult(const std::vector<std::vector<Literal>>& printed,
                        const std::vector<std::vector<Literal>>& outputs,
                        reports::Verdict& verdict);

}  // namespace hlocts::backends
