// SPDX-License-Identifier: Apache-2.0
// Generates compare, select, clamp, convert, bitcast-convert and reduce-precision.
#include <cmath>

#include "generators/module_writer.h"
#include "generators/op_generators.h"
#include "spec/ir/float_format.h"

namespace hlocts::generators {
namespace {

constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

// Draws the attribute `type`: mostly absent, sometimes that of the element type or TOTALORDER.
absl::string_view ComparisonType(ModuleWriter& w, PrimitiveType type, bool total_order) {
  if (total_order && w.choose.OneIn(3)) return "TOTALORDER";
  if (!w.choose.OneIn(3)) return "";
  return IsFloat(type) || IsComplex(type) ? "FLOAT" : IsSigned(type) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

bool GenerateCompare(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(RowOf(Opcode::kCompare).types);
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Value* lhs = w.FindOrMake(type, dims);
  Value* rhs = w.FindOrMake(type, dims);
  size_t directions = IsComplex(type) ? 2 : std::size(kDirections);
  // A computed zero may have either sign, and only the total order distinguishes the two zeros.
  bool signs_known = lhs->facts.bits_known && rhs->facts.bits_known;
  bool total_order = IsFloat(type) && (signs_known || !w.plan.exact());
  Value* compare = w.Emit(Opcode::kCompare, Shape(PrimitiveType::kPred, dims), {lhs, rhs},
                          RangeFacts(0, 1, true));
  compare->instruction->Set(Attr::kDirection,
                            Word{std::string(kDirections[w.choose.Below(directions)])});
  absl::string_view comparison = ComparisonType(w, type, total_order);
  if (!comparison.empty()) compare->instruction->Set(Attr::kType, Word{std::string(comparison)});
  return true;
}

bool GenerateSelect(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Value* pred = w.FindOrMake(PrimitiveType::kPred, w.choose.OneIn(3) ? Dims() : dims);
  Value* on_true = w.FindOrMake(type, dims);
  Value* on_false = w.FindOrMake(type, dims);
  w.Emit(Opcode::kSelect, Shape(type, dims), {pred, on_true, on_false},
         Join(on_true->facts, on_false->facts));
  return true;
}

bool GenerateClamp(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kClamp));
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  Dims bound_dims = w.choose.OneIn(8) ? Dims() : dims;
  Value* low = w.FindOrMake(type, bound_dims, {-64, 1, false});
  Value* high = w.FindOrMake(type, bound_dims, {1, 64, false});
  Value* operand = w.FindOrMake(type, dims);
  ValueFacts facts = operand->facts;
  // If the upper bound is below the lower one, which happens in s1, the result is the upper bound.
  facts.low = std::min(std::max(facts.low, low->facts.low), high->facts.low);
  facts.high = std::min(std::max(facts.high, low->facts.high), high->facts.high);
  facts.integral = operand->facts.integral && low->facts.integral && high->facts.integral;
  facts.bits_known = facts.unique = false;
  w.Emit(Opcode::kClamp, Shape(type, dims), {low, operand, high},
         w.plan.checked() ? facts : ValueFacts());
  return true;
}

bool GenerateConvert(ModuleWriter& w, Opcode) {
  PrimitiveType to = w.DrawType(RowOf(Opcode::kConvert).types);
  if (to == PrimitiveType::kInvalid) return false;
  TypeSet sources = RowOf(Opcode::kConvert).types;
  if (!IsComplex(to)) sources &= ~(TypeBit(PrimitiveType::kC64) | TypeBit(PrimitiveType::kC128));
  PrimitiveType from = w.DrawType(sources);
  if (from == PrimitiveType::kInvalid) return false;
  w.Convert(w.FindOrMake(from, w.DrawDims()), to);
  return true;
}

bool GenerateBitcastConvert(ModuleWriter& w, Opcode) {
  TypeSet types = GeneratedTypes(Opcode::kBitcastConvert);
  PrimitiveType from = w.DrawType(types), to = w.DrawType(types);
  if (from == PrimitiveType::kInvalid || IsComplex(from) != IsComplex(to)) return false;
  bool from_floating = IsFloat(from) || IsComplex(from), to_floating = IsFloat(to) || IsComplex(to);
  int64_t wide = BitWidth(from), narrow = BitWidth(to);
  if (w.scalars_only() && wide != narrow) return false;
  if (IsComplex(from) && wide != narrow) return false;
  Dims dims = w.DrawDims(), operand_dims = dims, result_dims = dims;
  if (wide > narrow) result_dims.push_back(wide / narrow);
  if (wide < narrow) operand_dims.push_back(narrow / wide);
  if (!w.Fits(operand_dims) || !w.Fits(result_dims)) return false;
  Value* operand = w.FindOrMake(from, operand_dims);
  // Checked streams exclude floats with unknown bits, and bits that become floats of unknown value.
  if (w.plan.checked() && (to_floating || (from_floating && !operand->facts.bits_known)))
    return false;
  ValueFacts facts = WholeRange(to);
  facts.bits_known = true;
  w.Emit(Opcode::kBitcastConvert, Shape(to, result_dims), {operand}, w.Satisfy(to, facts));
  return true;
}

bool GenerateReducePrecision(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(RowOf(Opcode::kReducePrecision).types);
  if (type == PrimitiveType::kInvalid) return false;
  const FloatFormat& format = FormatOf(type);
  Dims dims = w.DrawDims();
  Value* operand = w.FindOrMake(type, dims);
  // Checked streams keep all exponent bits, since fewer could overflow, and at least one mantissa
  // bit, since without one ties are ambiguous.
  int64_t exponent_bits =
      w.plan.checked() ? format.exponent_bits : w.choose.Range(1, format.exponent_bits);
  int64_t mantissa_bits = w.choose.Range(w.plan.checked() ? std::min(1, format.mantissa_bits) : 0,
                                         format.mantissa_bits);
  ValueFacts facts = operand->facts;
  facts.low *= facts.low < 0 ? 2 : 0.5;
  facts.high *= facts.high > 0 ? 2 : 0.5;
  if (w.plan.exact()) facts.low = std::floor(facts.low), facts.high = std::ceil(facts.high);
  facts.bits_known = facts.unique = false;
  if (w.plan.checked() && facts.magnitude() > w.Limit(type)) return false;
  Value* reduced = w.Emit(Opcode::kReducePrecision, Shape(type, dims), {operand}, facts);
  reduced->instruction->Set(Attr::kExponentBits, exponent_bits);
  reduced->instruction->Set(Attr::kMantissaBits, mantissa_bits);
  return true;
}

}  // namespace hlocts::generators
