// SPDX-License-Identifier: Apache-2.0
// Reductions by a recognised computation.
#include "reference/judge/sums/reductions.h"

#include <algorithm>
#include <cmath>

#include "reference/judge/sums/init_values.h"
#include "reference/kernels/reduce.h"
#include "spec/ir/module.h"

namespace hlocts::reference {

bool IsZero(const AcceptanceSet& s) {
  if (s.unspecified()) return false;
  if (s.integer()) return s.ilo == 0 && s.ihi == 0;
  return s.IsPoint() && s.finite() && s.lo == 0 && !s.Has(AcceptanceSet::kHull);
}

namespace {

// Exact operands whose reduction has one value in any order: the plain evaluator's.
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

absl::StatusOr<Literal> RunReducer(const ReductionOperands& r, const Literal& operand,
                                   Opcode opcode, double init) {
  Shape shape = r.shape.WithElementType(PrimitiveType::kF64);
  std::vector<Literal> operands = {operand, Literal::Scalar<double>(PrimitiveType::kF64, init)};
  return r.interpreter.runner().RunWith(r.instruction, shape, operands, Attr::kToApply,
                                        ScalarBinary(opcode, PrimitiveType::kF64));
}

// Sum of a run in eight strands: the bound holds for any order, and this one does not wait for each
// addition.
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

// A sum over the innermost dimensions, or all; else, and for windows, by the evaluator.
absl::StatusOr<Literal> SumByRuns(const ReductionOperands& r, const Literal& operand) {
  bool plain = r.instruction.opcode() == Opcode::kReduce && r.operand.runtime_sizes.empty() &&
               r.shape.ElementCount() > 0;
  if (plain) {
    ReduceGeometry geometry =
        ReduceGeometryOf(operand.shape().dimensions(), r.instruction.IntList(Attr::kDimensions));
    plain = geometry.reduced.size() == 1 && geometry.reduced[0].stride == 1 &&
            geometry.result_count == r.shape.ElementCount();
    if (plain) {
      Literal sums(r.shape.WithElementType(PrimitiveType::kF64));
      const double* data = operand.data<double>().data();
      double* out = sums.mutable_data<double>().data();
      ForEachOffset(geometry.kept, 0, [&](int64_t base) {
        *out++ = SumOfRun(data + base, geometry.reduced[0].size);
      });
      return sums;
    }
  }
  return RunReducer(r, operand, Opcode::kAdd, 0);
}

// The numbers of a run added up, and their magnitudes, as SumOfRun does.
struct RunSums {
  double centre = 0, magnitude = 0;
};
RunSums SumsOfFloats(const float* x, int64_t count) {
  double centre[8] = {}, magnitude[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int k = 0; k < 8; ++k) centre[k] += static_cast<double>(x[i + k]);
    for (int k = 0; k < 8; ++k) magnitude[k] += static_cast<double>(std::fabs(x[i + k]));
  }
  RunSums sums;
  for (; i < count; ++i) {
    sums.centre += static_cast<double>(x[i]);
    sums.magnitude += static_cast<double>(std::fabs(x[i]));
  }
  for (int k = 0; k < 8; ++k) sums.centre += centre[k], sums.magnitude += magnitude[k];
  return sums;
}

// A sum of f32 numbers, zeros or normal, over the innermost dimension: read where they lie, without
// arrays of their middles and magnitudes. False: not of that kind.
bool SumFloats(const ReductionOperands& r, SumParts& parts) {
  if (!r.operand.exact() || r.operand.element_type() != PrimitiveType::kF32) return false;
  if (r.instruction.opcode() != Opcode::kReduce || !r.operand.runtime_sizes.empty()) return false;
  const int64_t results = r.shape.ElementCount(), count = r.operand.element_count();
  ReduceGeometry geometry =
      ReduceGeometryOf(r.operand.shape().dimensions(), r.instruction.IntList(Attr::kDimensions));
  bool runs = results > 0 && geometry.reduced.size() == 1 && geometry.reduced[0].stride == 1 &&
              geometry.result_count == results;
  const float* x = r.operand.literal().data<float>().data();
  Linear noted;
  if (!runs || !NoteFloats(x, count, noted)) return false;
  parts.centre = parts.magnitude = Literal(r.shape.WithElementType(PrimitiveType::kF64));
  double* centre = parts.centre.mutable_data<double>().data();
  double* magnitude = parts.magnitude.mutable_data<double>().data();
  ForEachOffset(geometry.kept, 0, [&](int64_t base) {
    RunSums sums = SumsOfFloats(x + base, geometry.reduced[0].size);
    *centre++ = sums.centre;
    *magnitude++ = sums.magnitude;
  });
  parts.count = static_cast<double>(count / results);
  parts.quantum = noted.quantum;
  parts.bits = noted.bits;
  parts.origin = r.operand.origin;
  return true;
}

// The sums again where f64 may overflow, scaled down, and what the infinities and NaNs among the
// terms make of them.
absl::Status SumSpecials(const ReductionOperands& r, const Linear& linear, SumParts& parts) {
  if (linear.non_finite) {
    HLOCTS_ASSIGN_OR_RETURN(parts.special,
                            RunReducer(r, ClassesOf(linear.middle), Opcode::kAdd, 0));
    parts.has_special = true;
  }
  bool f64 = FactsOf(r.operand.element_type()).is_f64;
  if (!f64 || LargestFinite(linear.magnitude) < kLargeTerm) return absl::OkStatus();
  parts.scale = kSumScale;
  auto scaled = [&](const Literal& values) {
    return RunReducer(r, ScaledDown(values, kSumScale), Opcode::kAdd, 0);
  };
  HLOCTS_ASSIGN_OR_RETURN(parts.scaled_centre, scaled(linear.middle));
  HLOCTS_ASSIGN_OR_RETURN(parts.scaled_magnitude, scaled(linear.magnitude));
  if (linear.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(parts.scaled_radius, scaled(linear.radius));
  }
  return absl::OkStatus();
}

// How many terms each result has.
absl::Status CountReduced(const ReductionOperands& r, const Linear& linear, SumParts& parts) {
  int64_t results = r.shape.ElementCount();
  bool alike = r.instruction.opcode() == Opcode::kReduce && r.operand.runtime_sizes.empty();
  if (alike && results > 0) {
    parts.count = static_cast<double>(r.operand.element_count() / results);
    return absl::OkStatus();
  }
  Literal ones = linear.middle;
  for (double& x : ones.mutable_data<double>()) x = 1;
  HLOCTS_ASSIGN_OR_RETURN(parts.counts, RunReducer(r, ones, Opcode::kAdd, 0));
  return absl::OkStatus();
}

// Reduction by add of one component, by the evaluator in f64.
absl::StatusOr<std::vector<AcceptanceSet>> SumComponent(const ReductionOperands& r, int component,
                                                        const SetContext& context,
                                                        std::vector<int64_t>& runtime_sizes) {
  SumParts parts;
  SumRule rule = ReductionSumRule(r.interpreter, context.rule, r.operand.element_type());
  if (SumFloats(r, parts)) return BoundSums(parts, rule, context, &r.interpreter.sum_errors());
  Linear linear =
      Linearize(r.operand, component, context.rule.permissions, context.rule.Allows(kSkipRounding));
  HLOCTS_ASSIGN_OR_RETURN(parts.centre, SumByRuns(r, linear.middle));
  if (linear.non_finite) linear.magnitude = FiniteOnly(linear.magnitude);
  HLOCTS_ASSIGN_OR_RETURN(parts.magnitude, SumByRuns(r, linear.magnitude));
  HLOCTS_RETURN_IF_ERROR(CountReduced(r, linear, parts));
  if (linear.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(parts.radius, SumByRuns(r, linear.radius));
    parts.has_radius = true;
  }
  if (linear.has_uncertain) {
    HLOCTS_ASSIGN_OR_RETURN(parts.uncertain, RunReducer(r, linear.uncertain, Opcode::kAdd, 0));
    parts.has_uncertain = true;
  }
  HLOCTS_RETURN_IF_ERROR(SumSpecials(r, linear, parts));
  parts.quantum = linear.quantum;
  parts.bits = linear.bits;
  parts.cause = linear.cause;
  parts.origin = linear.origin;
  if (parts.centre.has_runtime_sizes()) runtime_sizes = parts.centre.runtime_sizes();
  return BoundSums(parts, rule, context, &r.interpreter.sum_errors());
}

absl::StatusOr<SetArray> SumByEvaluator(const ReductionOperands& r, const SetContext& context) {
  std::vector<std::vector<AcceptanceSet>> components;
  std::vector<int64_t> runtime_sizes;
  for (int c = 0; c < r.operand.components(); ++c) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<AcceptanceSet> sets,
                            SumComponent(r, c, context, runtime_sizes));
    components.push_back(std::move(sets));
  }
  std::vector<AcceptanceSet> sets;
  if (components.size() == 1) {
    sets = std::move(components[0]);
  } else {
    for (size_t i = 0; i < components[0].size(); ++i) {
      sets.push_back(components[0][i]);
      sets.push_back(components[1][i]);
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.runtime_sizes = runtime_sizes;
  result.origin = context.origin;
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

absl::StatusOr<SetArray> ReduceRecognized(const ReductionOperands& r, RecognizedReducer reducer) {
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
    return SumByEvaluator(r, context);
  }
  if (IsComplex(type) && reducer == RecognizedReducer::kMultiply) {
    return ComplexProducts(r, context);
  }
  if (IsComplex(type) && reducer != RecognizedReducer::kAdd) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, WideningCause::kUnknown).array;
  }
  return ReduceByTerms(r, reducer, context);
}

}  // namespace hlocts::reference
