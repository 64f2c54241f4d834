// SPDX-License-Identifier: Apache-2.0
// Shrinks attributes to their defaults.
#include <algorithm>

#include "fuzz/shrink/shrinker.h"
#include "fuzz/shrink/size_edits.h"
#include "fuzz/triage/simplifications.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {
namespace {

using Edit = std::function<bool(Instruction& instruction)>;

bool TryEdit(Sample& sample, size_t computation, int64_t index, const Edit& edit,
             const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Instruction& instruction = *candidate.module->computations()[computation]->instructions()[index];
  if (!edit(instruction) || !InferEdited(*candidate.module, *sample.module)) return false;
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

bool DropOptional(Instruction& instruction, Attr attr) {
  if (!instruction.Has(attr)) return false;
  instruction.Remove(attr);
  return true;
}

Shape InDefaultLayout(const Shape& shape) { return shape.WithoutLayout().WithDefaultLayout(); }

// Pairs of edits that are valid only together: of a slice and its operand, an array and its window.

// The number of valid candidates after which an unsuccessful search ends.
constexpr int kCandidatesMax = 128;

int64_t AllElements(const Module& module) {
  int64_t elements = 0;
  for (const auto& instruction : module.entry()->instructions()) {
    for (const Shape& leaf : LeafShapes(instruction->shape()))
      elements += leaf.IsArray() ? leaf.ElementCount() : 0;
  }
  return elements;
}

// Returns nullptr unless both edits yield a smaller module that is valid or breaks the same rule.
std::unique_ptr<Sample> WithBoth(const Sample& sample, const std::string& rule,
                                 const SampleEdit& one, const SampleEdit& other) {
  auto candidate = std::make_unique<Sample>(sample.Clone());
  one(*candidate);
  other(*candidate);
  candidate->module->entry_computation_layout.reset();
  if (!InferEdited(*candidate->module, *sample.module) ||
      AllElements(*candidate->module) >= AllElements(*sample.module) ||
      RuleOf(VerifyModule(*candidate->module)) != rule)
    return nullptr;
  return candidate;
}

bool TryPairs(Sample& sample, const StillFails& still_fails) {
  const std::string rule = RuleOf(VerifyModule(*sample.module));
  std::vector<SampleEdit> edits = SizeEdits(sample);
  for (SampleEdit& edit : NumberEdits(sample)) edits.push_back(std::move(edit));
  int candidates = 0;
  for (size_t i = 0; i < edits.size(); ++i) {
    for (size_t j = i + 1; j < edits.size(); ++j) {
      std::unique_ptr<Sample> candidate = WithBoth(sample, rule, edits[i], edits[j]);
      if (!candidate) continue;
      if (KeepIfFails(sample, std::move(*candidate), still_fails)) return true;
      if (++candidates == kCandidatesMax) return false;
    }
  }
  return false;
}

// Edits that give bitcast-convert fewer parts per element, e.g. two halves instead of four bytes.

PrimitiveType UnsignedOf(int bits) {
  for (PrimitiveType type : {PrimitiveType::kU1, PrimitiveType::kU2, PrimitiveType::kU4,
                             PrimitiveType::kU8, PrimitiveType::kU16, PrimitiveType::kU32}) {
    if (BitWidth(type) == bits) return type;
  }
  return PrimitiveType::kInvalid;
}

// Returns the shape for elements of type `piece`. The last dimension counts the parts per element.
Shape InPieces(const Shape& shape, PrimitiveType piece) {
  Shape pieces = shape.WithElementType(piece).WithoutLayout().WithDefaultLayout();
  const int64_t last = shape.rank() - 1;
  pieces.set_dimension(last,
                       shape.dimension(last) * BitWidth(shape.element_type()) / BitWidth(piece));
  if (BitWidth(shape.element_type()) >= 8) pieces.mutable_layout() = shape.layout();
  return pieces;
}

// Returns the same bits in elements of type `piece`, the lowest bits of an element first.
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

// Retypes the side with more elements: the operand if `joins`, else the result.
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

bool DefaultLayouts(Sample& sample, const StillFails& still_fails) {
  if (!HasLayouts(*sample.module)) return false;
  Sample candidate = sample.Clone();
  for (const auto& computation : candidate.module->computations()) {
    for (const auto& instruction : computation->instructions())
      instruction->mutable_shape() = InDefaultLayout(instruction->shape());
  }
  candidate.module->entry_computation_layout.reset();
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

bool DefaultAttributes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    for (size_t i = 0; i < sample.module->computations()[c]->instructions().size(); ++i) {
      int64_t index = static_cast<int64_t>(i);
      Opcode opcode = sample.module->computations()[c]->instructions()[i]->opcode();
      for (const SimplifyingEdit& edit : SimplifyingEdits())
        progress = TryEdit(sample, c, index, edit.run, still_fails) || progress;
      for (const AttributeUse& use : RowOf(opcode).attribute_uses()) {
        if (use.required) continue;
        Edit drop = [&](Instruction& instruction) { return DropOptional(instruction, use.attr); };
        progress = TryEdit(sample, c, index, drop, still_fails) || progress;
      }
    }
  }
  return progress;
}

// Simplifies element types: tries f32, then s32 and a few others.

bool SimplerTypes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (PrimitiveType from : TypesOf(*sample.module)) {
    for (PrimitiveType to : SimplerTypesThan(from)) {
      if (to == from) continue;
      if (!KeepIfFails(sample, Retyped(sample, from, to), still_fails)) continue;
      progress = true;
      break;
    }
  }
  return progress;
}

bool ShrinkTogether(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  while (CountElements(*sample.module) > kElementsEnough && TryPairs(sample, still_fails))
    progress = true;
  return progress;
}

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
