// SPDX-License-Identifier: Apache-2.0
// Combines the terms of one element in any order, and the elements of an operand with updates.
#include <cmath>

#include "reference/judge/sums/real_sum.h"
#include "reference/judge/sums/reductions.h"
#include "spec/ir/instruction.h"
#include "spec/judge/integer_sets.h"

namespace hlocts::reference {
namespace {

SetContext MinMaxContext(SetInterpreter& interpreter, PrimitiveType type, uint32_t origin) {
  SetContext context;
  context.operand = context.result = &FactsOf(type);
  context.rule = interpreter.RuleOf(Opcode::kMaximum, type);
  context.origin = origin;
  return context;
}

// Returns the result for a single term, which is still combined with the initial value: a subnormal
// may be flushed (by the rules of reductions and orderings), and a NaN has the bits of a result.
AcceptanceSet LoneTerm(AcceptanceSet term, RecognizedReducer reducer, const SetContext& context,
                       const SetContext& order) {
  term.flags &= ~AcceptanceSet::kBitsKnown;
  if (context.result == nullptr || term.unspecified() || !term.finite() ||
      (std::fabs(term.lo) >= context.result->min_normal && term.lo == term.hi) ||
      (term.lo == 0 && term.hi == 0)) {
    return term;
  }
  if (reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum) {
    return BinaryFloat(OpcodeOf(reducer), term, term, order);
  }
  SetContext exact = context;
  exact.rule.rule_class = RuleClass::kCorrectlyRounded;
  return BinaryFloat(Opcode::kMultiply, term, AcceptanceSet::Float(1), exact);
}

}  // namespace

AcceptanceSet CombineTerms(SetInterpreter& interpreter, const SetContext& context,
                           PrimitiveType type, RecognizedReducer reducer,
                           absl::Span<const AcceptanceSet> terms) {
  PrimitiveType component = ComponentType(type);
  if (terms.size() == 1) {
    return IsFloat(component) ? LoneTerm(terms[0], reducer, context,
                                         MinMaxContext(interpreter, component, context.origin))
                              : terms[0];
  }
  if (!IsFloat(component)) {
    IntegerContext integers{.type = component, .origin = context.origin};
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) {
      s = BinaryInteger(OpcodeOf(reducer), s, terms[i], integers);
    }
    return s;
  }
  if (reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum) {
    // A complex number is selected as a whole, by its real part (ruling 0060).
    if (IsComplex(type)) return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
    SetContext order = MinMaxContext(interpreter, component, context.origin);
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) {
      s = BinaryFloat(OpcodeOf(reducer), s, terms[i], order);
    }
    return s;
  }
  if (reducer == RecognizedReducer::kAdd) {
    RealSum sum;
    for (const AcceptanceSet& s : terms) AddTerm(s, context, sum);
    return FinishSum(sum, ReductionSumRule(interpreter, Opcode::kScatter, context.rule, type),
                     context);
  }
  if (reducer == RecognizedReducer::kMultiply && !IsComplex(type)) {
    return FinishProduct(terms, context);
  }
  return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
}

namespace {

SetContext CombineContext(const CombineOperands& combine) {
  PrimitiveType type = combine.operand.element_type();
  if (IsFloat(type) || IsComplex(type)) {
    return combine.interpreter.ContextOf(combine.instruction, type, type);
  }
  SetContext context;
  context.rule = combine.interpreter.RuleOf(combine.instruction.opcode(), type);
  context.origin = combine.interpreter.OriginOf(combine.instruction, context.rule);
  return context;
}

}  // namespace

absl::StatusOr<SetArray> CombineRecognized(const CombineOperands& combine,
                                           RecognizedReducer reducer) {
  PrimitiveType type = combine.operand.element_type();
  SetContext context = CombineContext(combine);
  int components = combine.operand.components();
  std::vector<AcceptanceSet> sets = combine.operand.AsSets();
  std::vector<AcceptanceSet> terms;
  for (size_t i = 0; i < combine.updates.size(); ++i) {
    if (combine.updates[i].empty()) continue;
    for (int c = 0; c < components; ++c) {
      terms = {sets[i * components + c]};
      for (int64_t from : combine.updates[i]) terms.push_back(combine.source.At(from, c));
      sets[i * components + c] = CombineTerms(combine.interpreter, context, type, reducer, terms);
    }
  }
  SetArray result(combine.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

SetArray AddUncertainUpdates(const CombineOperands& combine,
                             const std::vector<std::vector<int64_t>>& maybe) {
  SetContext context = combine.interpreter.ContextOf(
      combine.instruction, combine.operand.element_type(), combine.operand.element_type());
  SumRule rule = ReductionSumRule(combine.interpreter, Opcode::kScatter, context.rule,
                                  combine.operand.element_type());
  std::vector<AcceptanceSet> sets = combine.operand.AsSets();
  for (size_t i = 0; i < combine.updates.size(); ++i) {
    if (combine.updates[i].empty() && maybe[i].empty()) continue;
    RealSum sum;
    AddTerm(sets[i], context, sum);
    for (int64_t from : combine.updates[i]) AddTerm(combine.source.At(from), context, sum);
    for (int64_t from : maybe[i]) {
      // The term may be absent, so the interval from zero to the term is added.
      AcceptanceSet term = Join(combine.source.At(from), AcceptanceSet::Float(0.0));
      if (term.cause == WideningCause::kPoint) {
        term.cause = WideningCause::kJump;
        term.origin = context.origin;
      }
      AddTerm(term, context, sum);
    }
    sets[i] = FinishSum(sum, rule, context);
  }
  SetArray result(combine.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

SetArray JoinUncertainUpdates(const CombineOperands& combine, RecognizedReducer reducer,
                              SetArray certain, const std::vector<std::vector<int64_t>>& maybe) {
  PrimitiveType type = combine.operand.element_type();
  SetContext context = CombineContext(combine);
  // Float products depend on the order; the other computations are exact in any order.
  bool open = IsFloat(type) && reducer == RecognizedReducer::kMultiply;
  for (size_t i = 0; i < maybe.size(); ++i) {
    if (maybe[i].empty()) continue;
    AcceptanceSet& s = certain.mutable_sets()[i];
    for (int64_t from : maybe[i]) {
      AcceptanceSet with =
          CombineTerms(combine.interpreter, context, type, reducer, {s, combine.source.At(from)});
      s = Join(s, with);
      if (s.IsPoint() || s.cause != WideningCause::kPoint) continue;
      s.cause = WideningCause::kJump;
      s.origin = context.origin;
    }
    if (open) s = AcceptanceSet::Unspecified(WideningCause::kJump, context.origin);
  }
  return certain;
}

}  // namespace hlocts::reference
