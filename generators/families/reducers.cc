// SPDX-License-Identifier: Apache-2.0
#include "generators/families/reducers.h"

#include <cmath>

#include "spec/ir/float_format.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::generators {
namespace {

constexpr Opcode kReducers[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply,
                                Opcode::kAnd, Opcode::kOr,      Opcode::kXor};

bool Suits(Opcode opcode, PrimitiveType type) {
  if (!Contains(RowOf(opcode).types, type)) return false;
  // Complex numbers are not ordered, and f8e8m0fnu lacks zero, the identity of a sum.
  if (IsComplex(type)) return ops::IsRingOperation(opcode);
  if (!IsFloat(type)) return true;
  const FloatFormat& format = FormatOf(type);
  return (format.has_zero && format.has_sign) || opcode != Opcode::kAdd;
}

}  // namespace

const ReducerRow* DrawReducer(ModuleWriter& w, PrimitiveType type) {
  static const auto* const kRows = [] {
    auto* rows = new std::vector<ReducerRow>();
    for (Opcode opcode : kReducers) rows->push_back({opcode, RowOf(opcode).types});
    return rows;
  }();
  size_t first = w.choose.Below(kRows->size());
  for (size_t i = 0; i < kRows->size(); ++i) {
    const ReducerRow& row = (*kRows)[(first + i) % kRows->size()];
    if (Suits(row.opcode, type)) return &row;
  }
  return nullptr;
}

double Identity(const ReducerRow& row, PrimitiveType type) {
  const ValueFacts whole = WholeRange(type);
  const bool infinite = IsFloat(type) && FormatOf(type).has_infinity();
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(row.opcode);
  HLOCTS_CHECK(reducer.has_value());
  switch (*reducer) {
    case ops::Reducer::kAdd:
    case ops::Reducer::kOr:
    case ops::Reducer::kXor:
      return 0;
    case ops::Reducer::kMultiply:
      return 1;
    case ops::Reducer::kMaximum:
      return infinite ? -INFINITY : whole.low;
    case ops::Reducer::kMinimum:
      return infinite ? INFINITY : whole.high;
    case ops::Reducer::kAnd:
      return IsSigned(type) ? -1 : whole.high;
  }
  HLOCTS_UNREACHABLE();
}

Start DrawStart(ModuleWriter& w, const ReducerRow& row, int64_t count) {
  const bool idempotent = ops::IsIdempotent(row.opcode);
  if (!w.choose.OneIn(idempotent ? 6 : 24) || (w.plan.exact() && !idempotent)) return {true, count};
  return {false, 2 * count + 1};
}

Value* InitOf(ModuleWriter& w, const ReducerRow& row, PrimitiveType type, const Start& start) {
  if (start.neutral) return w.ScalarConstant(type, Identity(row, type));
  return w.FindOrMake(type, {}, ReducerRequirement(w, row, type, start.count));
}

bool IsOpenSum(ModuleWriter& w, PrimitiveType type, double terms) {
  return IsFloat(type) && !w.plan.exact() && 2 * terms > ExactLimit(type) && !w.choose.OneIn(8);
}

Requirement SumRequirement(const ModuleWriter& w, PrimitiveType type, double bound, double terms) {
  const bool cancels = !w.plan.exact() && IsFloat(type) && 2 * terms * terms > ExactLimit(type);
  return {cancels ? 0 : -bound, bound, false};
}

Requirement ReducerRequirement(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                               int64_t count) {
  bool floating = IsFloat(type) || IsComplex(type);
  if (!w.plan.checked() || !floating) return {};
  double n = static_cast<double>(std::max<int64_t>(count, 1));
  if (row.opcode == Opcode::kAdd) return SumRequirement(w, type, w.Limit(type) / n, n);
  if (row.opcode != Opcode::kMultiply) return {};
  double bound = IsComplex(type) ? 0.5 : w.plan.exact() ? 1 : std::pow(w.Limit(type), 1 / n);
  return {-bound, bound, false};
}

ValueFacts ReducedFacts(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                        const ValueFacts& operand, int64_t count) {
  double n = static_cast<double>(std::max<int64_t>(count, 1));
  bool integral = operand.integral;
  ValueFacts facts = WholeRange(type);
  if (row.opcode == Opcode::kAdd) {
    facts = RangeFacts(n * std::min(operand.low, 0.0), n * std::max(operand.high, 0.0), integral);
    if (type == PrimitiveType::kPred) facts = RangeFacts(0, 1, true);
  } else if (row.opcode == Opcode::kMultiply && (IsFloat(type) || IsComplex(type))) {
    double most = IsComplex(type) ? 1 : std::max(1.0, std::pow(operand.magnitude(), n));
    facts = RangeFacts(-most, most, integral);
  } else if (ops::IsExtremum(row.opcode) && count > 0) {
    facts = RangeFacts(operand.low, operand.high, integral);
  } else if (IsFloat(type)) {
    facts = {};  // the result may be the identity, which may be infinite
  }
  // Each step may round upwards in magnitude.
  if (ops::IsRingOperation(row.opcode) && !integral) {
    const double margin = std::min(1.0, n / ExactLimit(type));
    facts.low -= margin * std::fabs(facts.low);
    facts.high += margin * std::fabs(facts.high);
  }
  return w.Satisfy(type, facts);
}

Computation* PairReducer(ModuleWriter& w, Opcode opcode, PrimitiveType type) {
  Shape scalar = Shape::Scalar(type);
  std::vector<ModuleWriter::Parameter> parameters(4, {scalar, {}});
  return w.Define("pair", parameters, [&](const Terms& p) {
    Value* first = w.Emit(opcode, scalar, {p[0], p[2]});
    Value* second = w.Emit(opcode, scalar, {p[1], p[3]});
    return w.Emit(Opcode::kTuple, Shape::Tuple({scalar, scalar}), {first, second});
  });
}

}  // namespace hlocts::generators
