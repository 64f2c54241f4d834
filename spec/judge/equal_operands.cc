// SPDX-License-Identifier: Apache-2.0
// Implements lemma 30. Lemma: if both operands of an instruction are results of the same
// instruction, they are the same number. That number was rounded once. A flush of subnormal
// operands is a mode of the machine and affects both operands in the same way. The rule is not
// applied if the rounding before this instruction may be skipped, since it may be skipped for one
// operand only (fma(a, b, -ab) is not 0).
#include "spec/judge/equal_operands.h"

#include <algorithm>
#include <cmath>

#include "spec/judge/float_images.h"
#include "spec/ops/groups.h"

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;

// Returns true if one operand may be read unrounded and the other rounded: for x = a * b, x - x may
// become fma(a, b, -x). A comparison is not fused with the producer of its operand.
bool MayDiffer(Opcode opcode, const AcceptanceSet& a, const SetContext& context) {
  if (opcode == Opcode::kCompare) return false;
  // If arithmetic may skip roundings, a set without a pre-rounding interval may have been rounded.
  if (context.rule.Allows(kSkipRounding)) return true;
  return ops::IsSum(opcode) && context.rule.Allows(kContract) && a.Has(Flag::kContractible);
}

Image Square(const View& v) {
  Image r{.nan = v.nan, .pos_inf = v.Infinite(), .pos_zero = v.Zero()};
  if (!v.finite) return r;
  double most = std::max(std::fabs(v.lo), std::fabs(v.hi));
  double least = v.lo <= 0 && v.hi >= 0 ? 0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
  Include(MultiplyExact(least, least), r);
  Include(MultiplyExact(most, most), r);
  return r;
}

Image Difference(const View& v) {
  Image r;
  r.nan = v.nan || v.Infinite();
  if (!v.finite) return r;
  r.pos_zero = true;
  Include(Point(0), r);
  return r;
}

Image Quotient(const View& v) {
  Image r;
  r.nan = v.nan || v.Infinite() || v.Zero();
  if (v.Positive() || v.Negative()) Include(Point(1), r);
  return r;
}

Image Remainder(const View& v) {
  Image r;
  r.nan = v.nan || v.Infinite() || v.Zero();
  SetZeros(FiniteSigns(v), r);
  if (v.Positive() || v.Negative()) Include(Point(0), r);
  return r;
}

// Returns the image of x op x for floats, or nullopt if it is no narrower than that of x op y.
std::optional<Image> ImageWithItself(ops::FloatBinary operation, const View& v) {
  switch (operation) {
    case ops::FloatBinary::kMultiply:
      return Square(v);
    case ops::FloatBinary::kSubtract:
      return Difference(v);
    case ops::FloatBinary::kDivide:
      return Quotient(v);
    case ops::FloatBinary::kRemainder:
      return Remainder(v);
    case ops::FloatBinary::kAdd:
    case ops::FloatBinary::kMaximum:
    case ops::FloatBinary::kMinimum:
    case ops::FloatBinary::kAtan2:
    case ops::FloatBinary::kPower:
      return std::nullopt;
  }
  HLOCTS_UNREACHABLE();
}

AcceptanceSet EitherOf(bool may_be_true, bool may_be_false, uint32_t origin) {
  AcceptanceSet s = AcceptanceSet::Integers(may_be_false ? 0 : 1, may_be_true ? 1 : 0);
  s.origin = origin;
  if (may_be_true && may_be_false) s.cause = WideningCause::kJump;
  return s;
}

bool HoldsOfEqual(absl::string_view direction) {
  return direction == "EQ" || direction == "GE" || direction == "LE";
}

}  // namespace

std::optional<AcceptanceSet> WithItselfFloat(Opcode opcode, const AcceptanceSet& a,
                                             const SetContext& context) {
  if (a.unspecified() || MayDiffer(opcode, a, context)) return std::nullopt;
  const std::optional<ops::FloatBinary> operation = ops::FloatBinaryOf(opcode);
  if (!operation.has_value()) return std::nullopt;
  const std::optional<Image> image =
      ImageWithItself(*operation, ReadSet(a, *context.operand, context.rule.permissions, false));
  if (!image.has_value()) return std::nullopt;
  AcceptanceSet s = StoreImage(*image, context);
  if (ops::IsScaling(opcode)) MarkContractible(s);
  return WithCause(s, context, {&a});
}

std::optional<AcceptanceSet> CompareWithItselfFloat(absl::string_view direction, bool total_order,
                                                    const AcceptanceSet& a,
                                                    const SetContext& context) {
  if (a.unspecified() || (!total_order && MayDiffer(Opcode::kCompare, a, context))) {
    return std::nullopt;
  }
  bool equal = HoldsOfEqual(direction);
  if (total_order || !a.Has(Flag::kNan)) return EitherOf(equal, !equal, context.origin);
  // Only the direction NE is true for a NaN.
  bool unordered = direction == "NE";
  bool number = a.finite() || a.Has(Flag::kPosInf) || a.Has(Flag::kNegInf);
  return EitherOf(unordered || (number && equal), !unordered || (number && !equal), context.origin);
}

std::optional<AcceptanceSet> WithItselfInteger(Opcode opcode, const AcceptanceSet& a,
                                               const IntegerContext& context) {
  if (a.unspecified() || a.ilo == a.ihi) return std::nullopt;
  bool zero = a.ilo <= 0 && a.ihi >= 0;
  Int128 value = 0;
  if (ops::IsDivision(opcode)) {
    if (zero) return std::nullopt;
    value = opcode == Opcode::kDivide ? 1 : 0;
  } else if (!ops::IsOneOf(opcode, {Opcode::kSubtract, Opcode::kXor})) {
    return std::nullopt;
  }
  AcceptanceSet s = AcceptanceSet::Integers(value, value);
  s.origin = context.origin;
  return s;
}

std::optional<AcceptanceSet> CompareWithItselfInteger(absl::string_view direction,
                                                      const AcceptanceSet& a, uint32_t origin) {
  if (a.unspecified()) return std::nullopt;
  bool equal = HoldsOfEqual(direction);
  return EitherOf(equal, !equal, origin);
}

}  // namespace hlocts
