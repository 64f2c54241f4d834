// SPDX-License-Identifier: Apache-2.0
// Arrays assembled from others: the source of each part of a pad or a concatenate.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_SEGMENTS_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_SEGMENTS_H_

#include <vector>

#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/view.h"

namespace hlocts::plan {

// Along one dimension of the whole: places low, low + step, ... show `count` neighbours of the
// array, `stride` elements apart.
struct PieceDimension {
  int64_t size = 1;  // of the whole
  int64_t low = 0, step = 1, count = 1, stride = 0;
  bool IsAll() const { return low == 0 && step == 1 && count == size; }
  bool operator==(const PieceDimension&) const = default;
};

// The places of the whole that show elements of one array; the first of them is `offset`.
struct Piece {
  int64_t offset = 0;
  absl::InlinedVector<PieceDimension, 6> dimensions;  // outermost first

  bool IsEmpty() const;
  // The same with as few dimensions as possible, but at least one.
  Piece Simplified() const;
  bool operator==(const Piece&) const = default;
};

// The operand of a pad within the result; the view gives the location of its elements.
Piece PieceOfPad(const View& operand, const ArrayType& result, const PaddingConfig& padding);
// The operands of a concatenate along `dimension`.
std::vector<Piece> PiecesOfConcatenate(absl::Span<const View> operands, const ArrayType& result,
                                       int64_t dimension);

// The inputs of a pad or a concatenate: its first operands, piece by piece, on a filling.
struct Assembly {
  std::vector<Piece> pieces;  // of operands 0, 1, ..., or of what these are views of
  int filling = -1;           // the operand that is one element; -1: the pieces leave nothing open
};
Assembly AssemblyOf(const FusionPlan& fusion, const Graph& graph, const Node& node);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_SEGMENTS_H_
