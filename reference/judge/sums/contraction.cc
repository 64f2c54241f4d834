// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/contraction.h"

#include <algorithm>
#include <cmath>

#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

Literal Ones(const Literal& like) {
  Literal ones = like;
  for (double& x : ones.mutable_data<double>()) x = 1;
  return ones;
}

void AddTo(Literal& sum, const Literal& more, double sign = 1) {
  auto to = sum.mutable_data<double>();
  auto from = more.data<double>();
  for (size_t i = 0; i < to.size(); ++i) to[i] += sign * from[i];
}

// Adds sign * `from` to `to`, or sets `to` if `to` is not present yet.
void Accumulate(Literal from, bool& present, Literal& to, double sign = 1) {
  if (!present) {
    to = std::move(from);
    if (sign < 0) {
      for (double& x : to.mutable_data<double>()) x = -x;
    }
  } else {
    AddTo(to, from, sign);
  }
  present = true;
}

// Marks results for which an infinity of one operand multiplies an element of the other operand
// that may be read as zero. The product is then that infinity or a NaN.
absl::Status MarkFlushed(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         SumParts& parts) {
  auto infinite = [](const Literal& values) {
    Literal result = values;
    for (double& x : result.mutable_data<double>()) x = std::isinf(x) ? 1 : 0;
    return result;
  };
  for (bool left_side : {true, false}) {
    const Linear &special = left_side ? lhs : rhs, &other = left_side ? rhs : lhs;
    if (!special.non_finite || !other.has_maybe_zero) continue;
    const Literal marks = infinite(special.middle);
    HLOCTS_ASSIGN_OR_RETURN(Literal touched, left_side ? contraction.Run(marks, other.maybe_zero)
                                                       : contraction.Run(other.maybe_zero, marks));
    Accumulate(std::move(touched), parts.has_flushed, parts.flushed);
  }
  return absl::OkStatus();
}

Literal Absolute(const Literal& values) {
  Literal result = FiniteOnly(values);
  for (double& x : result.mutable_data<double>()) x = std::fabs(x);
  return result;
}

// Returns the radius of the products: |a||b| over the intervals minus |a||b| over the midpoints.
absl::StatusOr<Literal> Spread(const Contraction& contraction, const Literal& lhs_middle,
                               const Literal& rhs_middle, const Literal& magnitude) {
  HLOCTS_ASSIGN_OR_RETURN(Literal inner,
                          contraction.Run(Absolute(lhs_middle), Absolute(rhs_middle)));
  Literal radius = magnitude;
  AddTo(radius, inner, -1);
  return radius;
}

// Adds the same sums as AddProducts, scaled down, for use if f64 overflows.
absl::Status AddScaledProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                               double sign, SumParts& parts) {
  constexpr int kHalf = kProductScale / 2;
  const Literal left = ScaledDown(lhs.middle, kHalf), right = ScaledDown(rhs.middle, kHalf);
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, contraction.Run(left, right));
  HLOCTS_ASSIGN_OR_RETURN(Literal magnitude, contraction.Run(ScaledDown(lhs.magnitude, kHalf),
                                                             ScaledDown(rhs.magnitude, kHalf)));
  bool present = parts.scaled_centre.raw_size() != 0;
  if (lhs.has_radius || rhs.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(Literal radius, Spread(contraction, left, right, magnitude));
    bool some = parts.scaled_radius.raw_size() != 0;
    Accumulate(std::move(radius), some, parts.scaled_radius);
  }
  bool again = present;
  Accumulate(std::move(centre), present, parts.scaled_centre, sign);
  Accumulate(std::move(magnitude), again, parts.scaled_magnitude);
  return absl::OkStatus();
}

// Marks the results to which an uncertain infinity or NaN contributes.
absl::Status MarkUncertain(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                           SumParts& parts) {
  for (bool left_side : {true, false}) {
    const Linear& side = left_side ? lhs : rhs;
    if (!side.has_uncertain) continue;
    HLOCTS_ASSIGN_OR_RETURN(Literal touched,
                            left_side ? contraction.Run(side.uncertain, Ones(rhs.middle))
                                      : contraction.Run(Ones(lhs.middle), side.uncertain));
    Accumulate(std::move(touched), parts.has_uncertain, parts.uncertain);
  }
  return absl::OkStatus();
}

void MarkUncertainElement(int64_t i, Linear& linear) {
  if (!linear.has_uncertain) linear.uncertain = Literal(linear.middle.shape());
  linear.has_uncertain = true;
  linear.uncertain.mutable_data<double>()[i] = 1;
  linear.cause = WideningCause::kOverflow;
}

// Widens an element by `by` in both directions. Sums are then bounded by magnitudes.
void WidenElement(int64_t i, double by, Linear& linear) {
  linear.has_radius = true;
  linear.quantum = Linear::kNoQuantum;
  linear.magnitude.mutable_data<double>()[i] += by;
}

}  // namespace

void RoundFirst(const SumRule& rule, Linear& linear) {
  if (rule.operand_error == 0 || rule.operand_format == nullptr) return;
  const FloatFacts& format = *rule.operand_format;
  const bool split = rule.passes > 1;
  const double overflows = format.max + format.Ulp(format.max) / 2;
  const double least = split ? format.min_normal * 0x1p24 : format.min_normal;
  const double lost = split || format.p == 11 ? format.min_normal : format.tiny / 2;
  for (int64_t i = 0; i < linear.middle.element_count(); ++i) {
    const double magnitude = linear.magnitude.data<double>()[i];
    if (magnitude == 0) continue;
    if (!std::isfinite(magnitude)) {
      if (split) MarkUncertainElement(i, linear);
    } else if (magnitude >= overflows) {
      MarkUncertainElement(i, linear);
    } else if (magnitude < least) {
      WidenElement(i, lost, linear);
    }
  }
}

void ConvertFirst(PrimitiveType from, const FloatFacts& type, Linear& linear) {
  if (!IsInteger(from)) return;
  for (int64_t i = 0; i < linear.middle.element_count(); ++i) {
    const double magnitude = linear.magnitude.data<double>()[i];
    const double x = linear.middle.data<double>()[i], rounded = type.Round(x);
    const bool point = magnitude == std::fabs(x);
    if (point && rounded == x) continue;
    if (std::isfinite(type.Round(magnitude))) {
      WidenElement(i, point ? std::fabs(x - rounded) : type.Ulp(magnitude) / 2, linear);
    } else {
      MarkUncertainElement(i, linear);
    }
  }
}

absl::Status AddProducts(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                         double sign, bool first, SumParts& parts) {
  HLOCTS_ASSIGN_OR_RETURN(Literal centre, contraction.Run(lhs.middle, rhs.middle));
  bool special = lhs.non_finite || rhs.non_finite;
  const Literal left = special ? FiniteOnly(lhs.magnitude) : lhs.magnitude;
  const Literal right = special ? FiniteOnly(rhs.magnitude) : rhs.magnitude;
  HLOCTS_ASSIGN_OR_RETURN(Literal magnitude, contraction.Run(left, right));
  if (lhs.has_radius || rhs.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(Literal radius, Spread(contraction, lhs.middle, rhs.middle, magnitude));
    Accumulate(std::move(radius), parts.has_radius, parts.radius);
  }
  HLOCTS_RETURN_IF_ERROR(MarkUncertain(contraction, lhs, rhs, parts));
  if (special) {
    HLOCTS_ASSIGN_OR_RETURN(Literal classes,
                            contraction.Run(ClassesOf(lhs.middle), ClassesOf(rhs.middle)));
    Accumulate(std::move(classes), parts.has_special, parts.special, sign);
  }
  if (parts.scale != 0) {
    HLOCTS_RETURN_IF_ERROR(AddScaledProducts(contraction, lhs, rhs, sign, parts));
  }
  bool known = lhs.quantum != Linear::kNoQuantum && rhs.quantum != Linear::kNoQuantum &&
               (first || parts.quantum != Linear::kNoQuantum);
  int quantum = lhs.quantum + rhs.quantum;
  parts.quantum = !known ? Linear::kNoQuantum : first ? quantum : std::min(parts.quantum, quantum);
  bool has_centre = !first, has_magnitude = !first;
  Accumulate(std::move(centre), has_centre, parts.centre, sign);
  Accumulate(std::move(magnitude), has_magnitude, parts.magnitude);
  HLOCTS_RETURN_IF_ERROR(MarkFlushed(contraction, lhs, rhs, parts));
  parts.bits = std::max({parts.bits, lhs.bits, rhs.bits});
  const Linear& wider = lhs.cause != WideningCause::kPoint ? lhs : rhs;
  if (wider.cause != WideningCause::kPoint) {
    parts.cause = wider.cause;
    parts.origin = wider.origin;
  }
  return absl::OkStatus();
}

bool MayLeaveRange(const Linear& lhs, const Linear& rhs) {
  double left = LargestFinite(lhs.magnitude), right = LargestFinite(rhs.magnitude);
  return !(left * right < kLargeTerm);
}

absl::Status CountTerms(const Contraction& contraction, const Linear& lhs, const Linear& rhs,
                        SumParts& parts) {
  if (contraction.instruction.opcode() == Opcode::kDot && !lhs.middle.has_runtime_sizes()) {
    parts.count = 1;
    for (int64_t d : contraction.instruction.IntList(Attr::kLhsContractingDims)) {
      parts.count *= static_cast<double>(lhs.middle.shape().dimension(d));
    }
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(parts.counts, contraction.Run(Ones(lhs.middle), Ones(rhs.middle)));
  return absl::OkStatus();
}

}  // namespace hlocts::reference
