// SPDX-License-Identifier: Apache-2.0
// Finds the piece of a failing module that is wrong. A piece is a part of the module that runs as a
// separate module on values that the engine itself computed. A piece that is correct in isolation
// is not blamed.
//
// Each instruction of a failing module runs as a separate module. If none is wrong, the search
// looks for the smallest set that is wrong when compiled together. A failure that disappears in
// every cut is not localised. The search may take as long as the time limit of the run. It adds no
// output to the module, since that would change the compiled code. For an engine that receives
// StableHLO (`via:rewriter:stablehlo`), the verdict is inconclusive if the reference's values of
// the converted module are also wrong. Tests plant faults with injecting_backend.h.
#pragma once

#include "backends/differ/differ.h"
#include "backends/differ/pieces.h"

namespace hlocts::backends {

// Cuts the module and judges its pieces as `options` request. `outputs` ([device][leaf]) are the
// outputs of the whole module, `sets` their acceptance sets, one per device (none if there are no
// values), and `whole` the verdict on them. Returns
// - the verdict on the first wrong piece, if there is one and the outputs do not show the fault,
// - a pass by pieces, if all pieces are correct but the outputs are inconclusive,
// - otherwise `whole`, whose failure then names the wrong piece.
// In the first case, sets `hidden` to this piece unless it is null.
reports::Verdict WithPieces(reports::Verdict whole,
                            const std::vector<std::vector<Literal>>& outputs,
                            absl::Span<const ModuleAcceptance> sets, const Module& module,
                            const ExecuteRequest& request, const DiffOptions& options,
                            Backend& backend, WrongPiece* hidden = nullptr);

// Runs the module. If its outputs show no failure but a piece fails in isolation, returns the piece
// with arguments that the engine itself computed. Otherwise the result has no module.
WrongPiece FindHiddenPiece(const Module& module, const ExecuteRequest& request, DiffOptions options,
                           Backend& backend);

// If options.blame is set, runs a failing sharded module without its shardings and records in the
// verdict's localisation whether the failure disappears.
void AddPartitioning(const Module& module, const ExecuteRequest& request,
                     const DiffOptions& options, Backend& backend, reports::Verdict& verdict);

}  // namespace hlocts::backends
