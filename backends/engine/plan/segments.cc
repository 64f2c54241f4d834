// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/segments.h"

#include <algorithm>

#include "backends/engine/plan/windows.h"

namespace hlocts::plan {

bool Piece::IsEmpty() const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const PieceDimension& d) { return d.count == 0; });
}

Piece Piece::Simplified() const {
  Piece simple;
  simple.offset = offset;
  for (const PieceDimension& d : dimensions) {
    if (d.size == 1 && d.count == 1) continue;
    if (!simple.dimensions.empty() && d.IsAll()) {
      PieceDimension& outer = simple.dimensions.back();
      if (outer.step == 1 && outer.stride == d.stride * d.size) {
        outer = {outer.size * d.size, outer.low * d.size, 1, outer.count * d.size, d.stride};
        continue;
      }
    }
    simple.dimensions.push_back(d);
  }
  if (simple.dimensions.empty()) simple.dimensions.emplace_back();
  return simple;
}

namespace {

Piece Within(const View& operand, const ArrayType& result) {
  Piece piece;
  piece.offset = operand.offset;
  for (size_t d = 0; d < result.dimensions.size(); ++d) {
    const ViewDimension& from = operand.dimensions[d];
    piece.dimensions.push_back({result.dimensions[d], 0, 1, from.size, from.stride});
  }
  return piece;
}

}  // namespace

Piece PieceOfPad(const View& operand, const ArrayType& result, const PaddingConfig& padding) {
  Piece piece = Within(operand, result);
  for (size_t d = 0; d < piece.dimensions.size(); ++d) {
    // Element i is at position low + i*step. Elements outside the result are dropped. low and step
    // may have any int64 value.
    PieceDimension& at = piece.dimensions[d];
    const Int128 low = padding.dimensions[d].low, step = Int128{padding.dimensions[d].interior} + 1;
    const Int128 extent = at.size - 1 - low;
    const Int128 first = low >= 0 ? 0 : (-low - 1) / step + 1;
    const Int128 end = extent < 0 ? 0 : std::min<Int128>(at.count, extent / step + 1);
    at.count = static_cast<int64_t>(std::max<Int128>(end - first, 0));
    at.step = at.count > 1 ? static_cast<int64_t>(step) : 1;
    at.low = at.count == 0 ? 0 : static_cast<int64_t>(low + first * step);
    if (at.count > 0) piece.offset += static_cast<int64_t>(first) * at.stride;
  }
  return piece;
}

std::vector<Piece> PiecesOfConcatenate(absl::Span<const View> operands, const ArrayType& result,
                                       int64_t dimension) {
  std::vector<Piece> pieces;
  int64_t low = 0;
  for (const View& operand : operands) {
    pieces.push_back(Within(operand, result));
    pieces.back().dimensions[dimension].low = low;
    low += operand.dimensions[dimension].size;
  }
  return pieces;
}

Assembly AssemblyOf(const FusionPlan& fusion, const Graph& graph, const Node& node) {
  const ArrayType& result = graph.type(node.outputs[0]);
  if (node.opcode == Opcode::kPad) {
    const auto& padding = *node.source->Get<PaddingConfig>(Attr::kPadding);
    return {{PieceOfPad(fusion.SourceOf(node.operands[0]).view, result, padding)}, 1};
  }
  std::vector<View> operands;
  for (ValueId operand : node.operands) operands.push_back(fusion.SourceOf(operand).view);
  return {PiecesOfConcatenate(operands, result, node.source->IntList(Attr::kDimensions)[0])};
}

}  // namespace hlocts::plan
