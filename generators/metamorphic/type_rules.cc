// SPDX-License-Identifier: Apache-2.0
// Rules that convert without loss, or rewrite comparisons and selections.
#include <optional>

#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

// Returns a wider type that contains every value of this type.
std::optional<PrimitiveType> Wider(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return PrimitiveType::kS32;
  if (type == PrimitiveType::kF32) return PrimitiveType::kF64;
  if (IsFloat(type) && BitWidth(type) < 32) return PrimitiveType::kF32;
  if (IsSigned(type) && BitWidth(type) < 64) return PrimitiveType::kS64;
  if (IsUnsigned(type) && BitWidth(type) < 64) return PrimitiveType::kU64;
  return std::nullopt;
}

std::optional<PrimitiveType> BitsOf(PrimitiveType type) {
  switch (BitWidth(type)) {
    case 8:
      return PrimitiveType::kU8;
    case 16:
      return PrimitiveType::kU16;
    case 32:
      return PrimitiveType::kU32;
    case 64:
      return IsComplex(type) ? std::nullopt : std::optional(PrimitiveType::kU64);
    default:
      return std::nullopt;
  }
}

struct Turned {
  absl::string_view direction, swapped, denied;
};
constexpr Turned kTurned[] = {{"EQ", "EQ", "NE"}, {"NE", "NE", "EQ"}, {"LT", "GT", "GE"},
                              {"GT", "LT", "LE"}, {"LE", "GE", "GT"}, {"GE", "LE", "LT"}};

const Turned& TurnedOf(const Site& s) {
  for (const Turned& row : kTurned) {
    if (row.direction == s.at->WordOr(Attr::kDirection, "EQ")) return row;
  }
  return kTurned[0];
}

Instruction* Compared(Site& s, Operands operands, absl::string_view direction) {
  return s.Again(operands, s.shape(),
                 s.AttributesWith(Attr::kDirection, Word{std::string(direction)}));
}

}  // namespace

bool WidenAndBack(Site& s) {
  if (!s.shape().IsArray()) return false;
  std::optional<PrimitiveType> wider = Wider(s.type());
  return wider && s.Use(s.Convert(s.Convert(s.at, *wider), s.type()));
}

bool BitsAndBack(Site& s) {
  if (!s.shape().IsArray() || s.type() == PrimitiveType::kPred) return false;
  std::optional<PrimitiveType> bits = BitsOf(s.type());
  if (!bits) return false;
  Instruction* raw = s.Make(Opcode::kBitcastConvert, {s.at}, {}, Shape(*bits, s.dims()));
  return s.Use(s.Make(Opcode::kBitcastConvert, {raw}, {}, Shape(s.type(), s.dims())));
}

// Applies reduce-precision with the type's own format, which changes nothing.
bool OwnPrecision(Site& s) {
  static constexpr struct {
    PrimitiveType type;
    int64_t exponent, mantissa;
  } kFormats[] = {{PrimitiveType::kF16, 5, 10},
                  {PrimitiveType::kBF16, 8, 7},
                  {PrimitiveType::kF32, 8, 23},
                  {PrimitiveType::kF64, 11, 52}};
  if (!s.shape().IsArray()) return false;
  for (const auto& format : kFormats) {
    if (format.type != s.type()) continue;
    return s.Use(
        s.Make(Opcode::kReducePrecision, {s.at},
               {{Attr::kExponentBits, format.exponent}, {Attr::kMantissaBits, format.mantissa}}));
  }
  return false;
}

bool RealAndImaginary(Site& s) {
  if (!s.shape().IsArray() || !IsComplex(s.type())) return false;
  return s.Use(
      s.Make(Opcode::kComplex, {s.Make(Opcode::kReal, {s.at}), s.Make(Opcode::kImag, {s.at})}));
}

bool TurnCompare(Site& s) {
  if (s.opcode() != Opcode::kCompare) return false;
  return s.Use(Compared(s, {s.operand(1), s.operand(0)}, TurnedOf(s).swapped));
}

// Negates a comparison twice. Not for floats: if a or b is NaN, a < b and a >= b are both false.
bool DenyCompare(Site& s) {
  if (s.opcode() != Opcode::kCompare) return false;
  PrimitiveType type = s.operand(0)->shape().element_type();
  if (!IsInteger(type) && type != PrimitiveType::kPred) return false;
  return s.Use(s.Make(Opcode::kNot, {Compared(s, s.at->operands(), TurnedOf(s).denied)}));
}

bool ClampAsMinMax(Site& s) {
  if (s.opcode() != Opcode::kClamp || !IsInteger(s.type())) return false;
  Operands bounds;
  for (int64_t i : {0, 2}) {
    Instruction* bound = s.operand(i);
    bounds.push_back(bound->shape().rank() == s.rank() ? bound : s.Broadcast(bound, s.dims(), {}));
  }
  Instruction* above = s.Make(Opcode::kMaximum, {bounds[0], s.operand(1)});
  return s.Use(s.Make(Opcode::kMinimum, {above, bounds[1]}));
}

bool TurnSelect(Site& s) {
  if (s.opcode() != Opcode::kSelect) return false;
  Instruction* opposite = s.Make(Opcode::kNot, {s.operand(0)});
  return s.Use(s.Make(Opcode::kSelect, {opposite, s.operand(2), s.operand(1)}));
}

}  // namespace hlocts::generators
