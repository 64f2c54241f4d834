// SPDX-License-Identifier: Apache-2.0
// Computes the acceptance sets of reductions whose computation is recognised (add, maximum, ...).
#include "reference/judge/sums/reductions.h"

#include "reference/judge/sums/init_values.h"
#include "reference/kernels/reduce.h"
#include "spec/ir/module.h"

namespace hlocts::reference {

bool IsZero(const AcceptanceSet& s) {
  if (s.unspecified()) return false;
  if (s.integer()) return s.ilo == 0 && s.ihi == 0;
  return s.IsPoint() && s.finite() && s.lo == 0 && !s.Has(AcceptanceSet::kPreRounding);
}

namespace {

// Returns true if operands are exact and every order of the reduction yields the evaluator's
// result.
bool PlainHolds(const ReductionOperands& r, RecognizedReducer reducer) {
  PrimitiveType type = r.operand.element_type();
  if (!r.operand.exact() || !r.init.exact()) return false;
  if (IsComplex(type)) return false;
  if (Idempotent(reducer) && MayDropInit(r) && !IsNeutral(reducer, r.init.At(0), type))
    return false;
  if (!IsFloat(type)) return IsIdentity(reducer, r.init.At(0), type);
  bool order_free =
      reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum;
  if (!order_free || r.interpreter.RuleOf(Opcode::kMaximum, type).Allows(kDropNan)) return false;
  return r.interpreter.profile() == Profile::kStrict ||
         (!HasSubnormals(r.operand) && !HasSubnormals(r.init));
}

// Sums a run in eight accumulators, whose additions overlap; the bounds cover any order.
double SumOfRun(const double* data, int64_t count) {
  double strands[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int k = 0; k < 8; ++k) strands[k] += data[i + k];
  }
  double sum = 0;
  for (; i < count; ++i) sum += data[i];
  for (double strand : strands) sum += strand;
  return sum;
}

// Sums the f64 operand as the instruction does. This function sums over the innermost dimension
// itself; the evaluator sums over other dimensions and windows.
absl::StatusOr<Literal> Sum(const ReductionOperands& r, const Literal& operand) {
  const Shape shape = r.shape.WithElementType(PrimitiveType::kF64);
  if (r.instruction.opcode() == Opcode::kReduce && r.operand.runtime_sizes.empty()) {
    const ReduceGeometry geometry =
        ReduceGeometryOf(operand.shape().dimensions(), r.instruction.IntList(Attr::kDimensions));
    if (geometry.reduced.size() == 1 && geometry.reduced[0].stride == 1 &&
        geometry.result_count == shape.ElementCount() && geometry.result_count > 0) {
      Literal sums(shape);
      const double* data = operand.data<double>().data();
      double* out = sums.mutable_data<double>().data();
      ForEachOffset(geometry.kept, 0, [&](int64_t base) {
        *out++ = SumOfRun(data + base, geometry.reduced[0].size);
      });
      return sums;
    }
  }
  std::vector<Literal> operands = {operand, Literal::Scalar<double>(PrimitiveType::kF64, 0)};
  return r.interpreter.runner().RunWith(r.instruction, shape, operands, Attr::kToApply,
                                        ScalarBinary(Opcode::kAdd, PrimitiveType::kF64));
}

// Adds the effects of infinities and NaNs and, if f64 may overflow, the same sums scaled down.
absl::Status SumSpecials(const ReductionOperands& r, const Linear& linear, SumParts& parts) {
  if (linear.non_finite) {
    HLOCTS_ASSIGN_OR_RETURN(parts.special, Sum(r, ClassesOf(linear.middle)));
    parts.has_special = true;
  }
  bool f64 = FactsOf(r.operand.element_type()).is_f64;
  if (!f64 || LargestFinite(linear.magnitude) < kLargeTerm) return absl::OkStatus();
  parts.scale = kSumScale;
  auto scaled = [&](const Literal& values) { return Sum(r, ScaledDown(values, kSumScale)); };
  HLOCTS_ASSIGN_OR_RETURN(parts.scaled_centre, scaled(linear.middle));
  HLOCTS_ASSIGN_OR_RETURN(parts.scaled_magnitude, scaled(linear.magnitude));
  if (linear.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(parts.scaled_radius, scaled(linear.radius));
  }
  return absl::OkStatus();
}

absl::Status CountReduced(const ReductionOperands& r, const Linear& linear, SumParts& parts) {
  int64_t results = r.shape.ElementCount();
  bool alike = r.instruction.opcode() == Opcode::kReduce && r.operand.runtime_sizes.empty();
  if (alike && results > 0) {
    parts.count = static_cast<double>(r.operand.element_count() / results);
    return absl::OkStatus();
  }
  Literal ones = linear.middle;
  for (double& x : ones.mutable_data<double>()) x = 1;
  HLOCTS_ASSIGN_OR_RETURN(parts.counts, Sum(r, ones));
  return absl::OkStatus();
}

// Computes one component of a reduction by add, with the evaluator in f64.
absl::StatusOr<std::vector<AcceptanceSet>> SumComponent(const ReductionOperands& r, int component,
                                                        const SetContext& context,
                                                        std::vector<int64_t>& runtime_sizes,
                                                        AccumulatedSums& sums) {
  SumParts parts;
  SumRule rule = ReductionSumRule(r.interpreter, r.instruction.opcode(), context.rule,
                                  r.operand.element_type());
  Linear linear =
      Linearize(r.operand, component, context.rule.permissions, context.rule.Allows(kSkipRounding));
  HLOCTS_ASSIGN_OR_RETURN(parts.centre, Sum(r, linear.middle));
  if (linear.non_finite) linear.magnitude = FiniteOnly(linear.magnitude);
  HLOCTS_ASSIGN_OR_RETURN(parts.magnitude, Sum(r, linear.magnitude));
  HLOCTS_RETURN_IF_ERROR(CountReduced(r, linear, parts));
  if (linear.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(parts.radius, Sum(r, linear.radius));
    parts.has_radius = true;
  }
  if (linear.has_uncertain && r.operand.components() == 1) {
    const UncertainElements found = UncertainElementsOf(
        r.operand, context.rule.permissions, context.rule.Allows(kSkipRounding), linear.uncertain);
    for (int k = 0; k < 3; ++k) {
      HLOCTS_ASSIGN_OR_RETURN(parts.possible[k], Sum(r, found.possible[k]));
    }
    parts.has_possible = true;
    linear.uncertain = found.open;
  }
  if (linear.has_uncertain) {
    HLOCTS_ASSIGN_OR_RETURN(parts.uncertain, Sum(r, linear.uncertain));
    parts.has_uncertain = true;
  }
  HLOCTS_RETURN_IF_ERROR(SumSpecials(r, linear, parts));
  parts.quantum = linear.quantum;
  parts.bits = linear.bits;
  parts.cause = linear.cause;
  parts.origin = linear.origin;
  if (parts.centre.has_runtime_sizes()) runtime_sizes = parts.centre.runtime_sizes();
  const auto values = parts.centre.data<double>();
  sums.values.assign(values.begin(), values.end());
  return BoundSums(parts, rule, context, &sums.errors);
}

absl::StatusOr<SetValue> SumTerms(const ReductionOperands& r, const SetContext& context) {
  std::vector<std::vector<AcceptanceSet>> components;
  std::vector<int64_t> runtime_sizes;
  AccumulatedSums sums;
  for (int c = 0; c < r.operand.components(); ++c) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<AcceptanceSet> sets,
                            SumComponent(r, c, context, runtime_sizes, sums));
    components.push_back(std::move(sets));
  }
  std::vector<AcceptanceSet> sets = std::move(components[0]);
  if (components.size() == 2) sets = Interleaved(sets, components[1]);
  SetValue result(SetArray(r.shape, std::move(sets)));
  result.array.runtime_sizes = runtime_sizes;
  result.array.origin = context.origin;
  result.sums = std::move(sums);
  return result;
}

absl::StatusOr<SetArray> ReduceByTerms(const ReductionOperands& r, RecognizedReducer reducer,
                                       const SetContext& context) {
  const std::vector<int64_t>& sizes = r.operand.shape().dimensions();
  if (!r.operand.runtime_sizes.empty()) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, WideningCause::kUnknown).array;
  }
  HLOCTS_ASSIGN_OR_RETURN(
      const ReductionTerms lists,
      TermsOf(r.instruction, sizes, sizes, r.interpreter.runner().options().memory_bytes_max));
  std::vector<AcceptanceSet> sets;
  std::vector<AcceptanceSet> terms;
  for (size_t out = 0; out < lists.terms.size(); ++out) {
    for (int c = 0; c < r.operand.components(); ++c) {
      terms.clear();
      for (int64_t i : lists.terms[out]) terms.push_back(r.operand.At(i, c));
      sets.push_back(
          ReducedElement(r, reducer, context, terms, r.init.At(0, c), lists.padded[out]));
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

}  // namespace

absl::StatusOr<SetValue> ReduceRecognized(const ReductionOperands& r, RecognizedReducer reducer) {
  PrimitiveType type = r.operand.element_type();
  SetContext context;
  if (IsFloat(type) || IsComplex(type)) {
    context = r.interpreter.ContextOf(r.instruction, type, type);
  } else {
    context.rule = r.interpreter.RuleOf(r.instruction.opcode(), type);
    context.origin = r.interpreter.OriginOf(r.instruction, context.rule);
  }
  if (PlainHolds(r, reducer)) {
    std::vector<Literal> operands = {r.operand.literal(), r.init.literal()};
    HLOCTS_ASSIGN_OR_RETURN(Literal plain, r.interpreter.runner().RunWith(
                                               r.instruction, r.shape, operands, Attr::kToApply,
                                               ScalarBinary(OpcodeOf(reducer), type)));
    SetArray result(plain);
    if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
    result.origin = context.origin;
    result.nan_bits_free = result.zero_sign_free = IsFloat(type);
    return result;
  }
  bool zero_init = true;
  for (int c = 0; c < r.init.components(); ++c) zero_init = zero_init && IsZero(r.init.At(0, c));
  bool floats = IsFloat(type) || IsComplex(type);
  if (reducer == RecognizedReducer::kAdd && floats && zero_init) {
    return SumTerms(r, context);
  }
  if (IsComplex(type) && reducer == RecognizedReducer::kMultiply) {
    return ComplexProducts(r, context);
  }
  if (IsComplex(type) && reducer != RecognizedReducer::kAdd) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, WideningCause::kUnknown);
  }
  return ReduceByTerms(r, reducer, context);
}

}  // namespace hlocts::reference
