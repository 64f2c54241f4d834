// SPDX-License-Identifier: Apache-2.0
// Localises a failure of a module to the piece that is wrong (acceptance: pieces run by themselves
// on the engine's own bits; a piece that is right by itself is not blamed).
//
// Each instruction of a failing module runs as a module of its own. Where none is wrong, the
// smallest set that is wrong when compiled together is searched. A failure that disappears in every
// cut is not localised. The search takes at most the time limit once more. No output is added to
// the module, since that would change the compiled code. An engine that receives StableHLO
// (`via:rewriter:stablehlo`) is inconclusive where the converted module, evaluated, is wrong too.
// Tests plant faults with injecting_backend.h.
#ifndef HLOCTS_BACKENDS_DIFFER_BLAME_H_
#define HLOCTS_BACKENDS_DIFFER_BLAME_H_

#include "backends/differ/differ.h"

namespace hlocts::backends {

// `whole` is the verdict on the outputs of `module`. As `options` request, the module is cut, its
// pieces are judged, and the verdict is
// - that of the first wrong piece, where a piece is wrong and the outputs do not show it,
// - a pass by pieces, where the outputs alone say nothing,
// - otherwise `whole`, whose failure then names the piece that is wrong.
reports::Verdict WithPieces(reports::Verdict whole, const Module& module,
                            const ExecuteRequest& request, const DiffOptions& options,
                            Backend& backend);

// Runs a sharded module that failed without its shardings, where options.blame asks for it, and
// records the outcome in the localisation.
void AddPartitioning(const Module& module, const ExecuteRequest& request,
                     const DiffOptions& options, Backend& backend, reports::Verdict& verdict);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_BLAME_H_
