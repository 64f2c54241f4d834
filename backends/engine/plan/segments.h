// SPDX-License-Identifier: Apache-2.0
// Arrays assembled from pieces of other arrays, as by pad and concatenate.
#pragma once

#include <vector>

#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {

// One dimension of a piece. The `count` positions low, low + step, ... of the assembled array
// contain elements of the piece's array that are `stride` apart.
struct PieceDimension {
  int64_t size = 1;  // size of the assembled array
  int64_t low = 0, step = 1, count = 1, stride = 0;
  bool IsAll() const { return low == 0 && step == 1 && count == size; }
  bool operator==(const PieceDimension&) const = default;
};

// The positions of an assembled array that contain elements of one array. `offset` is the index of
// the first of these elements in that array.
struct Piece {
  int64_t offset = 0;
  absl::InlinedVector<PieceDimension, 6> dimensions;  // outermost first

  bool IsEmpty() const;
  // Returns the same piece with as few dimensions as possible, but at least one.
  Piece Simplified() const;
  bool operator==(const Piece&) const = default;
};

// Returns the piece of a pad's result that contains the operand. `operand` maps positions of the
// operand to elements of its base array.
Piece PieceOfPad(const View& operand, const ArrayType& result, const PaddingConfig& padding);
// Returns the pieces of the result of a concatenate along `dimension`, one for each operand.
std::vector<Piece> PiecesOfConcatenate(absl::Span<const View> operands, const ArrayType& result,
                                       int64_t dimension);

// The inputs of a pad or a concatenate: the pieces, and a value for positions that no piece covers.
struct Assembly {
  std::vector<Piece> pieces;  // positions of operands, or of the arrays that they view
  // Index of the operand with the value for other positions; -1 if the pieces cover everything.
  int filling = -1;
};
Assembly AssemblyOf(const FusionPlan& fusion, const Graph& graph, const Node& node);

}  // namespace hlocts::plan
