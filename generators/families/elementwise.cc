// SPDX-License-Identifier: Apache-2.0
// Generates unary and binary element-wise operations from tables of domains and interval rules.
#include "generators/families/elementwise.h"

#include <cmath>
#include <iterator>

#include "generators/op_generators.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::generators {
namespace {

constexpr double kBig = 1e6;

enum class Monotone : uint8_t { kIncreasing, kDecreasing, kEven, kSine, kCosine, kTangent };

// A function of one operand. In checked streams, the operand must be in the domain.
struct FunctionRow {
  Opcode opcode;
  double domain_low, domain_high;
  double (*value)(double);
  Monotone monotone;
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Rsqrt(double x) { return 1 / std::sqrt(x); }

constexpr FunctionRow kFunctions[] = {
#define HLOCTS_ENDS(low, high) low, high
#define HLOCTS_ROW(Name, value, mpfr_function, monotone, domain, pole, c_ulps, drawn, ...) \
  {Opcode::k##Name, HLOCTS_ENDS drawn, value, Monotone::k##monotone},
#define HLOCTS_REAL_FUNCTION(Name, c_function, ...) HLOCTS_ROW(Name, std::c_function, __VA_ARGS__)
#define HLOCTS_REAL_FORMULA HLOCTS_ROW
#include "spec/ops/scalar_functions.def"
#undef HLOCTS_ROW
#undef HLOCTS_ENDS
    // scalar_functions.def lacks sqrt, which IEEE 754 defines exactly.
    {Opcode::kSqrt, 0, kBig, std::sqrt, Monotone::kIncreasing},
};

const FunctionRow* FunctionOf(Opcode opcode) {
  for (const FunctionRow& row : kFunctions) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

ValueFacts FunctionFacts(const FunctionRow& row, PrimitiveType type, const ValueFacts& x) {
  if (IsComplex(type)) return RangeFacts(-kBig, kBig);
  if (row.monotone == Monotone::kSine || row.monotone == Monotone::kCosine)
    return RangeFacts(-1, 1);
  const double from = std::max(x.low, row.domain_low), to = std::min(x.high, row.domain_high);
  // The function is monotone or even, so extremes of the operand give extremes of the result.
  const bool even = row.monotone == Monotone::kEven;
  const double a = row.value(even ? 0 : from);
  const double b = row.value(even ? std::max(std::fabs(from), std::fabs(to)) : to);
  const double low = std::min(a, b), high = std::max(a, b);
  // Allows for the error of the function and for rounding to the type.
  const double margin = 0.02 + 2 / ExactLimit(type);
  return RangeFacts(low - margin * std::fabs(low), high + margin * std::fabs(high));
}

// Returns the facts about the result of a unary operation that does not round.
ValueFacts ExactUnaryFacts(Opcode opcode, PrimitiveType type, const ValueFacts& x) {
  const bool integral = x.integral || !(IsFloat(type) || IsComplex(type));
  if (opcode == Opcode::kNegate) return RangeFacts(-x.high, -x.low, integral);
  if (opcode == Opcode::kAbs) {
    const double low = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
    return RangeFacts(low, IsComplex(type) ? 2 * x.magnitude() : x.magnitude(),
                      integral && !IsComplex(type));
  }
  if (opcode == Opcode::kSign) return RangeFacts(-1, 1, !IsComplex(type));
  if (ops::IsRounding(opcode)) return RangeFacts(std::floor(x.low), std::ceil(x.high), true);
  if (opcode == Opcode::kIsFinite) return RangeFacts(0, 1, true);
  if (ops::IsBitCount(opcode)) return RangeFacts(0, BitWidth(type), true);
  if (ops::IsComponent(opcode))
    return RangeFacts(std::min(x.low, 0.0), std::max(x.high, 0.0), x.integral);
  return WholeRange(type);
}

PrimitiveType UnaryResultType(Opcode opcode, PrimitiveType type) {
  if (opcode == Opcode::kIsFinite) return PrimitiveType::kPred;
  return ops::IsProjection(opcode) ? ComponentType(type) : type;
}

bool ExactOfComplex(Opcode opcode) { return opcode == Opcode::kNegate || ops::IsComponent(opcode); }

// Returns false in the exact stream for an operation that may be inexact, else true.
bool ExactEnough(const ModuleWriter& w, Opcode opcode, PrimitiveType type) {
  return !w.plan.exact() || (!FunctionOf(opcode) && (!IsComplex(type) || ExactOfComplex(opcode)));
}

ValueFacts ProductFacts(const ValueFacts& a, const ValueFacts& b, bool complex) {
  double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  // Zero times infinity is NaN: there are no facts about the result.
  for (double end : ends) {
    if (std::isnan(end)) return {};
  }
  double low = *std::min_element(std::begin(ends), std::end(ends));
  double high = *std::max_element(std::begin(ends), std::end(ends));
  double most = std::max(-low, high);
  if (complex) return RangeFacts(-2 * most, 2 * most, a.integral && b.integral);
  return RangeFacts(low, high, a.integral && b.integral);
}

// Returns the interval of a sum, difference, product, maximum or minimum.
ValueFacts BinaryInterval(Opcode opcode, const ValueFacts& a, const ValueFacts& b, bool complex) {
  const bool integral = a.integral && b.integral;
  const std::optional<ops::Ranged> operation = ops::RangedOf(opcode);
  HLOCTS_CHECK(operation.has_value());
  // For complex numbers the result is one of the operands; the real parts are compared first.
  if (complex && ops::IsExtremum(opcode)) return Join(a, b);
  switch (*operation) {
    case ops::Ranged::kAdd:
      return RangeFacts(a.low + b.low, a.high + b.high, integral);
    case ops::Ranged::kSubtract:
      return RangeFacts(a.low - b.high, a.high - b.low, integral);
    case ops::Ranged::kMultiply:
      return ProductFacts(a, b, complex);
    case ops::Ranged::kMaximum:
      return RangeFacts(std::max(a.low, b.low), std::max(a.high, b.high), integral);
    case ops::Ranged::kMinimum:
      return RangeFacts(std::min(a.low, b.low), std::min(a.high, b.high), integral);
  }
  HLOCTS_UNREACHABLE();
}

// Operations with restricted domains: requirements in checked streams, and facts about results.
enum class Of : uint8_t { kIntegers, kReals, kComplex };
struct FragileRow {
  Opcode opcode;
  Of of;
  Requirement lhs, rhs;
  ValueFacts result;
};
constexpr double kAll = std::numeric_limits<double>::infinity();

const FragileRow* FragileOf(Opcode opcode, Of of) {
  static const auto* const kRows = new std::vector<FragileRow>{
      {Opcode::kDivide,
       Of::kReals,
       {-1000, 1000, false},
       {0.25, 8, false},
       RangeFacts(-4000, 4000)},
      {Opcode::kDivide, Of::kIntegers, {-kAll, kAll, false}, {1, 100, false}, {}},
      {Opcode::kRemainder, Of::kReals, {-100, 100, false}, {0.25, 8, false}, RangeFacts(-8, 8)},
      {Opcode::kRemainder,
       Of::kIntegers,
       {-kAll, kAll, false},
       {1, 100, false},
       RangeFacts(-99, 99, true)},
      {Opcode::kPower, Of::kReals, {0.25, 4, false}, {-3, 3, false}, RangeFacts(0, 64)},
      {Opcode::kPower, Of::kComplex, {0.25, 4, false}, {-3, 3, false}, RangeFacts(-1e4, 1e4)},
      {Opcode::kPower, Of::kIntegers, {-kAll, kAll, false}, {0, 5, false}, {}},
      {Opcode::kAtan2,
       Of::kReals,
       {-1000, 1000, false},
       {-1000, 1000, false},
       RangeFacts(-3.15, 3.15)},
      // The angle is undefined if x * x + y * y is 0; positive components exclude this.
      {Opcode::kAtan2, Of::kComplex, {0.25, 8, false}, {0.25, 8, false}, RangeFacts(-8, 8)},
  };
  for (const FragileRow& row : *kRows) {
    if (row.opcode == opcode && row.of == of) return &row;
  }
  return of == Of::kComplex ? FragileOf(opcode, Of::kReals) : nullptr;
}

bool GenerateFragile(ModuleWriter& w, Opcode opcode, PrimitiveType type, const Dims& dims) {
  const bool floating = IsFloat(type) || IsComplex(type), joins = opcode == Opcode::kComplex;
  if (floating && w.plan.exact() && !joins) return false;
  Requirement first, second;
  ValueFacts facts = WholeRange(type);
  const Of of = IsComplex(type) ? Of::kComplex : IsFloat(type) ? Of::kReals : Of::kIntegers;
  if (const FragileRow* row = FragileOf(opcode, of)) {
    first = row->lhs;
    second = row->rhs;
    if (!std::isinf(row->result.low)) facts = row->result;
  }
  // The range of a float type may be smaller than the facts in the table.
  bool fits = facts.magnitude() <= WholeRange(type).high;
  if (floating && !joins && w.plan.checked() && !fits) return false;
  if (ops::IsShift(opcode)) second = {0, static_cast<double>(BitWidth(type) - 1), false};
  Value* lhs = w.FindOrMake(type, dims, first);
  Value* rhs = w.FindOrMake(type, dims, second);
  PrimitiveType result = joins ? ComplexTypeOf(type) : type;
  if (joins) facts = Join(lhs->facts, rhs->facts);
  w.Emit(opcode, Shape(result, dims), {lhs, rhs}, w.Satisfy(result, facts));
  return true;
}

}  // namespace

Requirement RequirementOfUnary(const ModuleWriter& w, Opcode opcode, PrimitiveType type) {
  const FunctionRow* function = FunctionOf(opcode);
  Requirement demand;
  if (function) demand = {function->domain_low, function->domain_high, false};
  // Limits the result to half of the type's range, so that the function's error causes no overflow.
  if (IsFloat(type) && ops::IsGrowth(opcode)) {
    const double most = std::log(WholeRange(type).high / 2);
    if (opcode != Opcode::kExponential) demand.low = std::max(demand.low, -most);
    demand.high = std::min(demand.high, most);
  }
  // The squares of the components must not overflow.
  if (IsComplex(type) && w.plan.checked() && (function || opcode == Opcode::kAbs)) {
    demand.low = std::max(demand.low, -8.0);
    demand.high = std::min(demand.high, 8.0);
  }
  return demand;
}

Value* ApplyUnary(ModuleWriter& w, Opcode opcode, Value* operand) {
  PrimitiveType type = operand->type();
  if (!ExactEnough(w, opcode, type)) return nullptr;
  const FunctionRow* function = FunctionOf(opcode);
  PrimitiveType result = UnaryResultType(opcode, type);
  ValueFacts facts = function ? FunctionFacts(*function, type, operand->facts)
                              : ExactUnaryFacts(opcode, type, operand->facts);
  return w.Emit(opcode, Shape(result, operand->dims()), {operand}, w.Satisfy(result, facts));
}

// In checked streams, clamps float operands if the result could exceed w.Limit(type).
Value* ApplyArithmetic(ModuleWriter& w, Opcode opcode, Value* lhs, Value* rhs) {
  PrimitiveType type = lhs->type();
  Shape shape(type, lhs->dims());
  bool complex = IsComplex(type), floating = IsFloat(type) || complex;
  if (!w.plan.checked()) return w.Emit(opcode, shape, {lhs, rhs});
  ValueFacts facts = BinaryInterval(opcode, lhs->facts, rhs->facts, complex);
  if (floating && facts.magnitude() > w.Limit(type)) {
    double half = w.Limit(type) / 2;
    double bound = opcode == Opcode::kMultiply ? std::floor(std::sqrt(half)) : half;
    bool same = lhs == rhs;
    lhs = w.Checked(lhs, {-bound, bound, false});
    rhs = same ? lhs : w.Checked(rhs, {-bound, bound, false});
    facts = BinaryInterval(opcode, lhs->facts, rhs->facts, complex);
  }
  return w.Emit(opcode, shape, {lhs, rhs}, w.Satisfy(type, facts));
}

bool GenerateUnary(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(RowOf(opcode).types);
  if (type == PrimitiveType::kInvalid || !ExactEnough(w, opcode, type)) return false;
  Dims dims = w.DrawDims();
  ApplyUnary(w, opcode, w.FindOrMake(type, dims, RequirementOfUnary(w, opcode, type)));
  return true;
}

bool GenerateBinary(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(GeneratedTypes(opcode));
  if (type == PrimitiveType::kInvalid) return false;
  Dims dims = w.DrawDims();
  if (ops::IsRanged(opcode)) {
    Value* lhs = w.FindOrMake(type, dims);
    Value* rhs = w.FindOrMake(type, dims);
    ApplyArithmetic(w, opcode, lhs, rhs);
    return true;
  }
  return GenerateFragile(w, opcode, type, dims);
}

}  // namespace hlocts::generators
