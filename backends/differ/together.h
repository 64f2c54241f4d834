// SPDX-License-Identifier: Apache-2.0
// What is wrong only when it is compiled together: the smallest run of instructions found.
#ifndef HLOCTS_BACKENDS_DIFFER_TOGETHER_H_
#define HLOCTS_BACKENDS_DIFFER_TOGETHER_H_

#include <memory>
#include <vector>

#include "backends/differ/pieces.h"

namespace hlocts::backends {

class TogetherSearch {
 public:
  // `runner` has run the module at one operation a piece and found nothing wrong.
  TogetherSearch(const Module& module, PieceRunner& runner, PieceRunner::Clock::time_point deadline)
      : module_(module), runner_(runner), deadline_(deadline) {}

  // Starts with all instructions, then drops as many as it can from the front, from the back, and
  // what does not hang together with the rest. Null: not even all of them are wrong again.
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

#endif  // HLOCTS_BACKENDS_DIFFER_TOGETHER_H_
