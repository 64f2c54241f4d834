// SPDX-License-Identifier: Apache-2.0
#include "tools/digits/widen.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "generators/input_recipes.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/kinds.h"

namespace hlocts::tools {
namespace {

PrimitiveType WideType(PrimitiveType type) {
  if (IsFloat(type)) return PrimitiveType::kF64;
  return IsComplex(type) ? PrimitiveType::kC128 : type;
}

Shape WideShape(const Shape& shape) {
  Shape wide = shape;
  for (Shape& part : wide.mutable_tuple_shapes()) part = WideShape(part);
  if (shape.IsArray()) wide.set_element_type(WideType(shape.element_type()));
  return wide;
}

bool KeepsItsType(Opcode opcode) {
  return ops::IsOneOf(
      opcode, {Opcode::kBitcastConvert, Opcode::kBitcast, Opcode::kRng, Opcode::kRngBitGenerator,
               Opcode::kCustomCall, Opcode::kInfeed, Opcode::kStochasticConvert});
}

Instruction* AddConvert(Instruction* from, PrimitiveType type, Instruction* behind) {
  Computation* computation = from->parent();
  Shape shape = from->shape();
  shape.set_element_type(type);
  auto convert =
      std::make_unique<Instruction>(absl::StrCat(from->name(), ".as.", PrimitiveTypeName(type), ".",
                                                 computation->instructions().size()),
                                    Opcode::kConvert, std::move(shape));
  convert->mutable_operands() = {from};
  Instruction* added = computation->Add(std::move(convert));
  Instruction* const moved[] = {added};
  MoveBehind(behind, moved);
  return added;
}

bool HasFloats(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    found = found || (leaf.IsArray() && WideType(leaf.element_type()) != leaf.element_type());
  });
  return found;
}

// Makes the instruction compute in its own types: narrows its operands and widens its result.
absl::Status PutBetween(Instruction* instruction, const Instruction& original) {
  for (size_t k = 0; k < instruction->operands().size(); ++k) {
    const Shape& wanted = original.operand(static_cast<int64_t>(k)).shape();
    if (!HasFloats(wanted)) continue;
    if (!wanted.IsArray())
      return absl::UnimplementedError(
          absl::StrCat(original.name(), ": not measured, since an operand is a tuple"));
    Instruction* operand = instruction->operands()[k];
    instruction->mutable_operands()[k] = AddConvert(operand, wanted.element_type(), operand);
  }
  if (!HasFloats(original.shape())) return absl::OkStatus();
  if (!original.shape().IsArray())
    return absl::UnimplementedError(
        absl::StrCat(original.name(), ": not measured, since the result is a tuple"));
  Instruction* wide =
      AddConvert(instruction, WideType(original.shape().element_type()), instruction);
  Instruction* const keep[] = {wide};
  ReplaceUses(instruction, wide, keep);
  return absl::OkStatus();
}

double Rounded(PrimitiveType type, double value) {
  if (type == PrimitiveType::kF32) return static_cast<double>(static_cast<float>(value));
  return DecodeFloat(FormatOf(type), EncodeFloat(FormatOf(type), value));
}

// Moves a number by one unit in the last place. Zeros and infinities remain unchanged.
double Moved(double value, double sign) {
  return value == 0 || std::isinf(value) ? value : std::nextafter(value, sign * INFINITY);
}

}  // namespace

double SignAt(size_t place, size_t salt) {
  return generators::SplitMix64(place ^ salt << 40).Next() & 1 ? 1 : -1;
}

Literal Wide(const Literal& literal) {
  if (!literal.shape().IsArray()) {
    if (literal.shape().tuple_shapes().empty()) return literal;
    std::vector<Literal> parts;
    for (const Literal& part : literal.elements()) parts.push_back(Wide(part));
    return Literal::Tuple(std::move(parts));
  }
  const PrimitiveType type = literal.element_type();
  if (WideType(type) == type) return literal;
  Literal wide(WideShape(literal.shape()));
  auto* to = reinterpret_cast<double*>(wide.mutable_raw_data());
  const PrimitiveType component = ComponentType(type);
  for (int64_t i = 0; i < generators::ComponentCount(literal); ++i)
    to[i] = DecodeFloat(FormatOf(component), generators::ElementBits(literal, i));
  for (int64_t d = 0; d < literal.shape().rank(); ++d) {
    if (literal.shape().is_dynamic_dimension(d)) wide.SetRuntimeSize(d, literal.runtime_size(d));
  }
  return wide;
}

void RoundTo(const Shape& like, size_t salt, Literal& wide, bool away) {
  if (!like.IsArray()) {
    for (size_t i = 0; i < like.tuple_shapes().size(); ++i)
      RoundTo(like.tuple_shapes()[i], salt, wide.mutable_elements()[i], away);
    return;
  }
  const PrimitiveType type = ComponentType(like.element_type());
  if (!IsFloat(type)) return;
  if (!IsFloat(ComponentType(wide.element_type()))) return;
  auto* to = reinterpret_cast<double*>(wide.mutable_raw_data());
  for (int64_t i = 0; i < generators::ComponentCount(wide); ++i) {
    const double sign = SignAt(static_cast<size_t>(i), salt);
    to[i] = type == PrimitiveType::kF64 ? Moved(to[i], away ? -sign : sign) : Rounded(type, to[i]);
  }
}

absl::StatusOr<Widened> Widen(const Module& module) {
  Widened widened;
  widened.module = module.Clone();
  Module& wide = *widened.module;
  wide.entry_computation_layout.reset();
  wide.input_output_alias.clear();
  wide.buffer_donor.clear();
  std::vector<std::pair<Instruction*, const Instruction*>> narrow;
  for (size_t c = 0; c < module.computations().size(); ++c) {
    for (size_t i = 0; i < module.computations()[c]->instructions().size(); ++i) {
      const Instruction& original = *module.computations()[c]->instructions()[i];
      Instruction* instruction = wide.computations()[c]->instructions()[i].get();
      widened.original[instruction] = &original;
      // The attribute that selects an algorithm determines how a contraction rounds, so the widened
      // module must not have it.
      instruction->Remove(Attr::kAlgorithm);
      instruction->Remove(Attr::kOperandPrecision);
      if (const auto lapack = LapackCallOf(original)) {
        std::string target = *original.Get<std::string>(Attr::kCustomCallTarget);
        target[std::string_view("lapack_").size()] = lapack->complex ? 'z' : 'd';  // the wide type
        instruction->Set(Attr::kCustomCallTarget, std::move(target));
        instruction->Remove(Attr::kOperandLayoutConstraints);
      } else if (KeepsItsType(original.opcode())) {
        narrow.emplace_back(instruction, &original);
        continue;
      }
      instruction->mutable_shape() = WideShape(original.shape());
      if (original.has_literal()) instruction->set_literal(Wide(original.literal()));
    }
  }
  for (const auto& [instruction, original] : narrow)
    HLOCTS_RETURN_IF_ERROR(PutBetween(instruction, *original));
  return widened;
}

}  // namespace hlocts::tools
