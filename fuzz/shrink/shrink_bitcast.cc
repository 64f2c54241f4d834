// SPDX-License-Identifier: Apache-2.0
// Shrinks bitcast-convert to fewer parts per element, such as two halves instead of four bytes.
#include <algorithm>

#include "fuzz/shrink/shrinker.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {
namespace {

PrimitiveType UnsignedOf(int bits) {
  for (PrimitiveType type : {PrimitiveType::kU1, PrimitiveType::kU2, PrimitiveType::kU4,
                             PrimitiveType::kU8, PrimitiveType::kU16, PrimitiveType::kU32}) {
    if (BitWidth(type) == bits) return type;
  }
  return PrimitiveType::kInvalid;
}

// Returns the shape with elements of type `piece`; the last dimension counts the parts.
Shape InPieces(const Shape& shape, PrimitiveType piece) {
  Shape pieces = shape.WithElementType(piece).WithoutLayout().WithDefaultLayout();
  const int64_t last = shape.rank() - 1;
  pieces.set_dimension(last,
                       shape.dimension(last) * BitWidth(shape.element_type()) / BitWidth(piece));
  if (BitWidth(shape.element_type()) >= 8) pieces.mutable_layout() = shape.layout();
  return pieces;
}

// Returns the same bits, lowest first.
Literal InPieces(const Literal& literal, PrimitiveType piece) {
  Literal pieces(InPieces(literal.shape(), piece));
  const int64_t from = BitWidth(literal.element_type()), to = BitWidth(piece);
  const int64_t bytes_from = StorageBytes(literal.element_type()), bytes_to = StorageBytes(piece);
  for (int64_t bit = 0; bit < literal.element_count() * from; ++bit) {
    const uint8_t* source = literal.raw_data() + bit / from * bytes_from + bit % from / 8;
    const int set = *source >> (bit % from % 8) & 1;
    uint8_t& target = pieces.mutable_raw_data()[bit / to * bytes_to + bit % to / 8];
    target = static_cast<uint8_t>(target | set << (bit % to % 8));
  }
  return pieces;
}

// Retypes the side with more elements: an operand whose elements are joined, or a split result.
bool SetPieces(Sample& sample, Instruction& bitcast, bool joins, PrimitiveType piece) {
  if (!joins) {
    bitcast.mutable_shape() = InPieces(bitcast.shape(), piece);
    return true;
  }
  Instruction& leaf = *bitcast.mutable_operands()[0];
  if (!ChangeData(sample, leaf, [&](const Literal& data) { return InPieces(data, piece); }))
    return false;
  leaf.mutable_shape() = InPieces(leaf.shape(), piece);
  return true;
}

bool TryPieces(Sample& sample, size_t index, PrimitiveType piece, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Instruction& bitcast = *candidate.module->entry()->instructions()[index];
  const bool joins = bitcast.shape().rank() < bitcast.operand(0).shape().rank();
  if (!SetPieces(candidate, bitcast, joins, piece)) return false;
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

}  // namespace

bool WholeInsteadOfConcatenate(Sample& sample, const StillFails& still_fails) {
  const auto& instructions = sample.module->entry()->instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i]->opcode() != Opcode::kBitcastConvert) continue;
    const Shape &from = instructions[i]->operand(0).shape(), &to = instructions[i]->shape();
    if (from.rank() == to.rank() || from.is_dynamic()) continue;
    const int one = BitWidth(from.element_type()), other = BitWidth(to.element_type());
    for (int bits = std::max(one, other) / 2; bits > std::min(one, other); bits /= 2) {
      const PrimitiveType piece = UnsignedOf(bits);
      if (piece != PrimitiveType::kInvalid && TryPieces(sample, i, piece, still_fails)) return true;
    }
  }
  return false;
}

}  // namespace hlocts::fuzz
