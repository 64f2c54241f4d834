// SPDX-License-Identifier: Apache-2.0
// Results that a document prints, as a second judge next to the acceptance sets.
#ifndef HLOCTS_BACKENDS_DIFFER_PRINTED_RESULT_H_
#define HLOCTS_BACKENDS_DIFFER_PRINTED_RESULT_H_

#include <vector>

#include "reports/verdict_fwd.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// `verdict` is that of the sets on `outputs`, [device][leaf]. It becomes a failure where an output
// is not the printed one, and a pass where all are and the sets were inconclusive. An empty
// `printed` changes nothing.
void ApplyPrintedResult(const std::vector<std::vector<Literal>>& printed,
                        const std::vector<std::vector<Literal>>& outputs,
                        reports::Verdict& verdict);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_PRINTED_RESULT_H_
