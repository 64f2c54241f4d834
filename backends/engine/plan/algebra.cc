// SPDX-License-Identifier: Apache-2.0
// Simplifications that preserve every value. For floats, they also preserve both zeros, infinities
// and NaN.
#include <cstring>
#include <optional>

#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/replacement_map.h"
#include "backends/engine/plan/special_elements.h"
#include "spec/ir/float_format.h"
#include "spec/ops/kinds.h"

namespace hlocts::plan {
namespace {

enum Classes : uint8_t { kInts = 1, kFloats = 2, kPreds = 4 };
enum Sides : uint8_t { kLeft = 1, kRight = 2, kEither = 3 };

uint8_t ClassOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return kPreds;
  return IsInteger(type) ? kInts : IsFloat(type) ? kFloats : 0;
}

// A rule: if an operand on one of `sides` is `element`, the result is the other operand.
struct NeutralRow {
  Opcode opcode;
  SpecialElement element;
  uint8_t sides, classes;
};
constexpr NeutralRow kNeutral[] = {
    {Opcode::kMultiply, SpecialElement::kOne, kEither, kInts | kFloats},
    {Opcode::kDivide, SpecialElement::kOne, kRight, kInts | kFloats},
    {Opcode::kPower, SpecialElement::kOne, kRight, kInts | kFloats},
    {Opcode::kAdd, SpecialElement::kZero, kEither, kInts},
    {Opcode::kAdd, SpecialElement::kMinusZero, kEither, kFloats},
    {Opcode::kSubtract, SpecialElement::kZero, kRight, kInts | kFloats},
    {Opcode::kAnd, SpecialElement::kOnes, kEither, kInts | kPreds},
    {Opcode::kOr, SpecialElement::kZero, kEither, kInts | kPreds},
    {Opcode::kXor, SpecialElement::kZero, kEither, kInts | kPreds},
    {Opcode::kShiftLeft, SpecialElement::kZero, kRight, kInts},
    {Opcode::kShiftRightArithmetic, SpecialElement::kZero, kRight, kInts},
    {Opcode::kShiftRightLogical, SpecialElement::kZero, kRight, kInts},
    {Opcode::kMaximum, SpecialElement::kLowest, kEither, kInts},
    {Opcode::kMaximum, SpecialElement::kMinusInfinite, kEither, kFloats},
    {Opcode::kMinimum, SpecialElement::kLargest, kEither, kInts},
    {Opcode::kMinimum, SpecialElement::kInfinite, kEither, kFloats},
};
// Rules: if an operand is `element`, the result is `element`.
constexpr NeutralRow kAbsorbing[] = {
    {Opcode::kMultiply, SpecialElement::kZero, kEither, kInts},
    {Opcode::kAnd, SpecialElement::kZero, kEither, kInts | kPreds},
    {Opcode::kOr, SpecialElement::kOnes, kEither, kInts | kPreds},
    {Opcode::kMaximum, SpecialElement::kLargest, kEither, kInts},
    {Opcode::kMinimum, SpecialElement::kLowest, kEither, kInts},
};

class Algebra {
 public:
  explicit Algebra(Graph& graph) : graph_(graph) {}

  // Returns the value that replaces the node's only output, or -1 if the node is kept.
  ValueId Simplified(const Node& node) {
    if (node.operands.size() == 1) return OfOne(node);
    if (node.operands.size() == 2) return OfTwo(node);
    if (node.opcode == Opcode::kSelect) return OfSelect(node);
    return -1;
  }

 private:
  // Returns the first operand of `value`'s producer if that has this opcode; else -1.
  ValueId Under(Opcode opcode, ValueId value) const {
    const Node& node = graph_.producer(value);
    return node.opcode == opcode && !node.operands.empty() ? node.operands[0] : -1;
  }
  // Returns the bits of the value's elements if all of them are equal, else nullopt.
  std::optional<uint64_t> ElementOf(ValueId value) const;
  bool Is(SpecialElement special, ValueId value) const {
    const auto bits = ElementOf(value);
    return bits.has_value() && bits == BitsOf(special, graph_.type(value).type);
  }
  // Returns a value whose elements all have these bits.
  ValueId Splat(uint64_t bits, ArrayType type);

  ValueId OfOne(const Node& node);
  ValueId OfConversion(const Node& node);
  ValueId OfTwo(const Node& node);
  ValueId OfEqual(const Node& node);
  ValueId OfPower(const Node& node);
  ValueId OfQuotient(const Node& node);
  ValueId OfSelect(const Node& node);

  Graph& graph_;
};

std::optional<uint64_t> Algebra::ElementOf(ValueId value) const {
  const PrimitiveType type = graph_.type(value).type;
  if (BitWidth(type) > 64 || IsComplex(type)) return std::nullopt;
  const Node* node = &graph_.producer(value);
  while (node->opcode == Opcode::kBroadcast || node->opcode == Opcode::kReshape) {
    node = &graph_.producer(node->operands[0]);
  }
  if (!node->IsConstant() || graph_.type(node->outputs[0]).elements != 1) {
    return std::nullopt;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, graph_.constants[node->constant].raw_data(),
              static_cast<size_t>(StorageBytes(type)));
  return bits & MaskOf(type);
}

ValueId Algebra::Splat(uint64_t bits, ArrayType type) {
  Literal literal(Shape::Scalar(type.type));
  std::memcpy(literal.mutable_raw_data(), &bits, static_cast<size_t>(type.width()));
  const ValueId scalar = graph_.AddConstant(std::move(literal));
  if (type.IsScalar()) return scalar;
  Instruction broadcast("splat", Opcode::kBroadcast, ShapeOf(type));
  broadcast.Set(Attr::kDimensions, std::vector<int64_t>());
  return graph_.AddMade(std::move(broadcast), {scalar});
}

ValueId Algebra::OfOne(const Node& node) {
  const ValueId operand = node.operands[0], under = Under(node.opcode, operand);
  if (ops::IsOneOf(node.opcode, {Opcode::kNot, Opcode::kNegate})) return under;
  if (node.opcode == Opcode::kReverse) {
    const bool same = under >= 0 && node.source->IntList(Attr::kDimensions) ==
                                        graph_.producer(operand).source->IntList(Attr::kDimensions);
    return same ? under : -1;
  }
  // These operations are idempotent.
  if (node.opcode == Opcode::kAbs || ops::IsRounding(node.opcode))
    return under >= 0 && !IsComplex(graph_.type(operand).type) ? operand : -1;
  const ValueId pair = Under(Opcode::kComplex, operand);
  if (node.opcode == Opcode::kReal) return pair;
  if (node.opcode == Opcode::kImag) return pair >= 0 ? graph_.producer(operand).operands[1] : -1;
  return node.opcode == Opcode::kConvert ? OfConversion(node) : -1;
}

// Returns true if type `wide` represents every element of type `narrow`.
bool Represents(PrimitiveType wide, PrimitiveType narrow) {
  const auto digits = [](PrimitiveType type) {
    if (IsFloat(type)) return FormatOf(type).precision();
    return type == PrimitiveType::kPred ? 1 : BitWidth(type) - (IsSigned(type) ? 1 : 0);
  };
  if (IsComplex(wide) || IsComplex(narrow) || wide == PrimitiveType::kPred) return false;
  if (IsFloat(narrow)) {
    if (!IsFloat(wide)) return false;
    const FloatFormat &w = FormatOf(wide), &n = FormatOf(narrow);
    return w.has_infinity() && w.has_negative_zero() && w.mantissa_bits >= n.mantissa_bits &&
           w.exponent_min() <= n.exponent_min() && w.max_finite() >= n.max_finite();
  }
  if (IsFloat(wide)) {
    return digits(wide) >= digits(narrow) && FormatOf(wide).exponent_bits >= 8;
  }
  return digits(wide) >= digits(narrow) && (IsSigned(wide) || !IsSigned(narrow));
}

// Removes a conversion to a type that represents every element, and the conversion back.
ValueId Algebra::OfConversion(const Node& node) {
  const ValueId wide = node.operands[0], narrow = Under(Opcode::kConvert, wide);
  if (narrow < 0 || graph_.type(narrow).type != graph_.type(node.outputs[0]).type) return -1;
  return Represents(graph_.type(wide).type, graph_.type(narrow).type) ? narrow : -1;
}

ValueId Algebra::OfTwo(const Node& node) {
  const ValueId a = node.operands[0], b = node.operands[1];
  const uint8_t type_class = ClassOf(graph_.type(a).type);
  const auto matches = [&](const NeutralRow& row, uint8_t side, ValueId operand) {
    return row.opcode == node.opcode && (row.classes & type_class) != 0 &&
           (row.sides & side) != 0 && Is(row.element, operand);
  };
  for (const NeutralRow& row : kNeutral) {
    if (matches(row, kRight, b)) return a;
    if (matches(row, kLeft, a)) return b;
  }
  for (const NeutralRow& row : kAbsorbing) {
    if (matches(row, kRight, b)) return b;
    if (matches(row, kLeft, a)) return a;
  }
  if (a == b) return OfEqual(node);
  if (node.opcode == Opcode::kComplex) {
    const ValueId whole = Under(Opcode::kReal, a);
    return whole >= 0 && IsComplex(graph_.type(whole).type) && Under(Opcode::kImag, b) == whole
               ? whole
               : -1;
  }
  if (node.opcode == Opcode::kPower) return OfPower(node);
  return node.opcode == Opcode::kDivide ? OfQuotient(node) : -1;
}

ValueId Algebra::OfEqual(const Node& node) {
  const ValueId x = node.operands[0];
  if (ops::IsOneOf(node.opcode, {Opcode::kAnd, Opcode::kOr, Opcode::kMaximum, Opcode::kMinimum})) {
    return x;
  }
  const bool exact = (ClassOf(graph_.type(x).type) & (kInts | kPreds)) != 0;
  if (!exact) return -1;
  if (ops::IsOneOf(node.opcode, {Opcode::kSubtract, Opcode::kXor})) return Splat(0, graph_.type(x));
  if (node.opcode != Opcode::kCompare) return -1;
  const absl::string_view direction = node.source->WordOr(Attr::kDirection, "");
  const bool equal = direction == "EQ" || direction == "LE" || direction == "GE";
  return Splat(equal ? 1 : 0, graph_.type(node.outputs[0]));
}

// Replaces a power with exponent 2 by a product.
ValueId Algebra::OfPower(const Node& node) {
  const ArrayType& type = graph_.type(node.operands[0]);
  const auto exponent = ElementOf(node.operands[1]);
  if (!exponent.has_value()) return -1;
  const bool is_float = IsFloat(type.type) && BitWidth(type.type) >= 16;
  const uint64_t two = is_float ? static_cast<uint64_t>(FormatOf(type.type).bias + 1)
                                      << FormatOf(type.type).mantissa_bits
                                : 2;
  const bool is_integer = IsInteger(type.type) && BitWidth(type.type) >= 4;
  if ((!is_float && !is_integer) || exponent != two) return -1;
  return graph_.AddMade(Instruction("square", Opcode::kMultiply, ShapeOf(type)),
                        {node.operands[0], node.operands[0]});
}

// Replaces division by a power of two by a product with its reciprocal, which rounds in the same
// way. The reciprocal must be a normal number.
ValueId Algebra::OfQuotient(const Node& node) {
  const ArrayType type = graph_.type(node.operands[1]);
  const auto divisor = ElementOf(node.operands[1]);
  if (!divisor.has_value() || !IsFloat(type.type) || BitWidth(type.type) < 16) return -1;
  const FloatFormat& format = FormatOf(type.type);
  const uint64_t magnitude = *divisor & ~format.sign_mask();
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int reciprocal = 2 * format.bias - exponent, top = (1 << format.exponent_bits) - 1;
  const bool is_power = magnitude << (64 - format.mantissa_bits) == 0;
  if (!is_power || exponent == 0 || exponent == top || reciprocal <= 0) return -1;
  const ValueId factor = Splat((*divisor & format.sign_mask()) | static_cast<uint64_t>(reciprocal)
                                                                     << format.mantissa_bits,
                               type);
  return graph_.AddMade(Instruction("by_reciprocal", Opcode::kMultiply, ShapeOf(type)),
                        {node.operands[0], factor});
}

ValueId Algebra::OfSelect(const Node& node) {
  if (node.operands[1] == node.operands[2]) return node.operands[1];
  const auto chosen = ElementOf(node.operands[0]);
  if (!chosen.has_value()) return -1;
  return node.operands[*chosen != 0 ? 1 : 2];
}

}  // namespace

void SimplifyAlgebra(Graph& graph, const PassContext&) {
  ReplacementMap replacements(graph);
  Algebra algebra(graph);
  for (Node& node : graph.ReleaseNodes()) {
    replacements.ApplyTo(node);
    if (!node.removed && node.outputs.size() == 1) {
      const ValueId same = algebra.Simplified(node);
      node.removed = same >= 0 && graph.type(same) == graph.type(node.outputs[0]);
      if (node.removed) replacements.Set(node.outputs[0], same);
    }
    graph.AppendNode(std::move(node));
  }
  replacements.ApplyToResults(graph);
}

}  // namespace hlocts::plan
