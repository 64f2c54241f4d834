// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/pieces.h"

namespace hlocts::backends {

absl::StatusOr<std::vector<WrongPiece>> FindWrongPieces(const Module& module,
                                                        const ExecuteRequest& request,
                                                        const DiffOptions& options,
                                                        Backend& backend, size_t most) {
  CutOptions each;
  each.operations = 1;
  const auto time = std::chrono::duration<double>(options.load.timeout_seconds);
  PieceRunner runner(
      module, request, options, backend, each,
      PieceRunner::Clock::now() + std::chrono::duration_cast<PieceRunner::Clock::duration>(time));
  HLOCTS_ASSIGN_OR_RETURN(auto runs, runner.FindAllWrong(most));
  std::vector<WrongPiece> pieces;
  for (const auto& run : runs)
    pieces.push_back({run->piece->module->Clone(), std::move(run->request)});
  return pieces;
}

}  // namespace hlocts::backends
