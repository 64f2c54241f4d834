// SPDX-License-Identifier: Apache-2.0
// Arrays assembled from pieces of other arrays, as by pad and concatenate.
#pragma once

#include <vector>

#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {

// One dimension of a piece. The `count` positions low, low + step, ... of the assembled array show
// elements of the piece's array, and these elements are `stride` apart.
struct PieceDimension {
  int64_t size = 1;  // size of the assembled array
  int64_t low = 0, step = 1, count = 1, stride = 0;
  bool IsAll() const { return low == 0 && step == 1 && count == size; }
  bool operator==(const PieceDimension&) const = default;
};

// The positions of the assembled array that show elements of one array. `offset` is the number of
// the first of these elements.
struct Piece {
  int64_t offset = 0;
  absl::InlinedVector<PieceDimension, 6> dimensions;  // outermost first

  bool IsEmpty() const;
  // Returns the same piece with as few dimensions as possible, but at least one.
  Piece Simplified() const;
  bool operator==(const Piece&) const = default;
};

// Returns the piece of a pad's result that shows the operand. `operand` is the view by which the
// operand's elements are found in their array.
Piece PieceOfPad(const View& operand, const ArrayType& result, const PaddingConfig& padding);
// Returns the pieces of the operands of a concatenate along `dimension`.
std::vector<Piece> PiecesOfConcatenate(absl::Span<const View> operands, const ArrayType& result,
                                       int64_t dimension);

// The inputs of a pad or a concatenate: pieces, and the filling for positions that no piece covers.
struct Assembly {
  std::vector<Piece> pieces;  // of operands 0, 1, ..., or of the arrays of which these are views
  // The operand with the single element; -1 if the pieces cover everything.
  int filling = -1;
};
Assembly AssemblyOf(const FusionPlan& fusion, const Graph& graph, const Node& node);

}  // namespace hlocts::plan
