// SPDX-License-Identifier: Apache-2.0
// Finds faults that appear only when instructions are compiled together.
#pragma once

#include <memory>
#include <vector>

#include "backends/differ/pieces.h"

namespace hlocts::backends {

class MinimalGroupSearch {
 public:
  // `runner` must have run the module with one operation per piece and found nothing wrong.
  MinimalGroupSearch(const Module& module, PieceRunner& runner,
                     PieceRunner::Clock::time_point deadline)
      : module_(module), runner_(runner), deadline_(deadline) {}

  // Returns the smallest wrong piece that it finds. It starts with all instructions, then drops as
  // many as possible from the front and from the back, and those not connected to the rest. Returns
  // null if the piece of all instructions is not wrong.
  absl::StatusOr<std::unique_ptr<PieceRun>> Find();

 private:
  using Members = std::vector<const Instruction*>;
  absl::StatusOr<bool> Wrong(const Members& members);
  absl::Status Shrink(bool front);
  absl::Status TryComponents();

  const Module& module_;
  PieceRunner& runner_;
  PieceRunner::Clock::time_point deadline_;
  Members members_;  // of the smallest wrong piece so far
  std::unique_ptr<Piece> piece_;
  std::unique_ptr<PieceRun> run_;
};

}  // namespace hlocts::backends
