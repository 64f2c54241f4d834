// SPDX-License-Identifier: Apache-2.0
// Unary and binary element-wise operations: their domains as a table, interval rules for the rest.
#include "generators/families/elementwise.h"

#include <cmath>
#include <iterator>

#include "generators/op_generators.h"
#include "spec/ir/float_format.h"

namespace hlocts::generators {
namespace {

constexpr double kBig = 1e6;

// A function of one operand. domain: where checked streams use it; value: a monotone function, so
// that the ends of the operand's interval give those of the result; nullptr: [low, high] holds.
struct FunctionRow {
  Opcode opcode;
  double domain_low, domain_high;
  double (*value)(double);
  double low, high;
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

constexpr FunctionRow kFunctions[] = {
    {Opcode::kAcos, -1, 1, nullptr, 0, 3.15},
    {Opcode::kAcosh, 1, 100, [](double x) { return std::acosh(x); }, 0, 0},
    {Opcode::kAsin, -1, 1, [](double x) { return std::asin(x); }, 0, 0},
    {Opcode::kAsinh, -kBig, kBig, [](double x) { return std::asinh(x); }, 0, 0},
    {Opcode::kAtanh, -0.875, 0.875, [](double x) { return std::atanh(x); }, 0, 0},
    {Opcode::kCosh, -4, 4, nullptr, 1, 28},
    {Opcode::kSinh, -4, 4, [](double x) { return std::sinh(x); }, 0, 0},
    {Opcode::kCbrt, -kBig, kBig, [](double x) { return std::cbrt(x); }, 0, 0},
    {Opcode::kCosine, -100, 100, nullptr, -1, 1},
    {Opcode::kErf, -kBig, kBig, nullptr, -1, 1},
    {Opcode::kExponential, -8, 4, [](double x) { return std::exp(x); }, 0, 0},
    {Opcode::kExponentialMinusOne, -8, 4, [](double x) { return std::expm1(x); }, 0, 0},
    {Opcode::kLog, 0.125, kBig, [](double x) { return std::log(x); }, 0, 0},
    {Opcode::kLogPlusOne, -0.75, kBig, [](double x) { return std::log1p(x); }, 0, 0},
    {Opcode::kLogistic, -100, 100, Logistic, 0, 0},
    {Opcode::kRsqrt, 0.125, kBig, [](double x) { return 1 / std::sqrt(x); }, 0, 0},
    {Opcode::kSine, -100, 100, nullptr, -1, 1},
    {Opcode::kTan, -1.25, 1.25, [](double x) { return std::tan(x); }, 0, 0},
    {Opcode::kTanh, -kBig, kBig, nullptr, -1, 1},
    {Opcode::kSqrt, 0, kBig, [](double x) { return std::sqrt(x); }, 0, 0},
};

const FunctionRow* FunctionOf(Opcode opcode) {
  for (const FunctionRow& row : kFunctions) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

ValueFacts FunctionFacts(const FunctionRow& row, PrimitiveType type, const ValueFacts& x) {
  if (IsComplex(type)) return RangeFacts(-kBig, kBig);
  if (!row.value) return RangeFacts(row.low, row.high);
  double a = row.value(std::max(x.low, row.domain_low));
  double b = row.value(std::min(x.high, row.domain_high));
  const double low = std::min(a, b), high = std::max(a, b);
  // Approximated, and rounded to the type.
  const double margin = 0.02 + 2 / ExactLimit(type);
  return RangeFacts(low - margin * std::fabs(low), high + margin * std::fabs(high));
}

// Unary operations without rounding of their own.
ValueFacts ExactUnaryFacts(Opcode opcode, PrimitiveType type, const ValueFacts& x) {
  bool integral = x.integral || !(IsFloat(type) || IsComplex(type));
  int width = BitWidth(type);
  switch (opcode) {
    case Opcode::kNegate:
      return RangeFacts(-x.high, -x.low, integral);
    case Opcode::kAbs: {
      double low = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
      return RangeFacts(low, IsComplex(type) ? 2 * x.magnitude() : x.magnitude(),
                        integral && !IsComplex(type));
    }
    case Opcode::kSign:
      return RangeFacts(-1, 1, !IsComplex(type));
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return RangeFacts(std::floor(x.low), std::ceil(x.high), true);
    case Opcode::kIsFinite:
      return RangeFacts(0, 1, true);
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      return RangeFacts(0, width, true);
    case Opcode::kReal:
    case Opcode::kImag:
      return RangeFacts(std::min(x.low, 0.0), std::max(x.high, 0.0), x.integral);
    default:
      return WholeRange(type);
  }
}

PrimitiveType UnaryResultType(Opcode opcode, PrimitiveType type) {
  if (opcode == Opcode::kIsFinite) return PrimitiveType::kPred;
  bool component = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  return component ? ComponentType(type) : type;
}

bool GrowsExponentially(Opcode opcode) {
  return opcode == Opcode::kExponential || opcode == Opcode::kExponentialMinusOne ||
         opcode == Opcode::kSinh || opcode == Opcode::kCosh;
}

bool ExactOfComplex(Opcode opcode) {
  return opcode == Opcode::kNegate || opcode == Opcode::kReal || opcode == Opcode::kImag;
}

// Whether the exact stream, if this is it, may have it.
bool ExactEnough(const ModuleWriter& w, Opcode opcode, PrimitiveType type) {
  return !w.plan.exact() || (!FunctionOf(opcode) && (!IsComplex(type) || ExactOfComplex(opcode)));
}

// Products and sums of the ends of two intervals.
ValueFacts BinaryInterval(Opcode opcode, const ValueFacts& a, const ValueFacts& b, bool complex) {
  bool integral = a.integral && b.integral;
  switch (opcode) {
    case Opcode::kAdd:
      return RangeFacts(a.low + b.low, a.high + b.high, integral);
    case Opcode::kSubtract:
      return RangeFacts(a.low - b.high, a.high - b.low, integral);
    case Opcode::kMaximum:
      if (complex) return Join(a, b);  // one of them, by the real part first
      return RangeFacts(std::max(a.low, b.low), std::max(a.high, b.high), integral);
    case Opcode::kMinimum:
      if (complex) return Join(a, b);
      return RangeFacts(std::min(a.low, b.low), std::min(a.high, b.high), integral);
    default:
      break;
  }
  double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  // Nothing is known of zero times what has no bound.
  for (double end : ends) {
    if (std::isnan(end)) return {};
  }
  double low = *std::min_element(std::begin(ends), std::end(ends));
  double high = *std::max_element(std::begin(ends), std::end(ends));
  double most = std::max(-low, high);
  if (complex) return RangeFacts(-2 * most, 2 * most, integral);
  return RangeFacts(low, high, integral);
}

bool IsArithmetic(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kMultiply ||
         opcode == Opcode::kMaximum || opcode == Opcode::kMinimum;
}

// What checked streams ask of the operands of the fragile ones, and what they then give.
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
      // There is no angle where x * x + y * y is 0; of components above 0 it never is.
      {Opcode::kAtan2, Of::kComplex, {0.25, 8, false}, {0.25, 8, false}, RangeFacts(-8, 8)},
  };
  for (const FragileRow& row : *kRows) {
    if (row.opcode == opcode && row.of == of) return &row;
  }
  return of == Of::kComplex ? FragileOf(opcode, Of::kReals) : nullptr;
}

bool IsShift(Opcode opcode) {
  return opcode == Opcode::kShiftLeft || opcode == Opcode::kShiftRightArithmetic ||
         opcode == Opcode::kShiftRightLogical;
}

bool GenerateFragile(ModuleWriter& w, Opcode opcode, PrimitiveType type, const Dims& dims) {
  bool floating = IsFloat(type) || IsComplex(type);
  if (floating && w.plan.exact() && opcode != Opcode::kComplex) return false;
  Requirement first, second;
  ValueFacts facts = WholeRange(type);
  const Of of = IsComplex(type) ? Of::kComplex : IsFloat(type) ? Of::kReals : Of::kIntegers;
  if (const FragileRow* row = FragileOf(opcode, of)) {
    first = row->lhs;
    second = row->rhs;
    if (!std::isinf(row->result.low)) facts = row->result;
  }
  // A float type may be too narrow for the bounds of the row.
  bool fits = facts.magnitude() <= WholeRange(type).high;
  if (floating && opcode != Opcode::kComplex && w.plan.checked() && !fits) return false;
  if (IsShift(opcode)) second = {0, static_cast<double>(BitWidth(type) - 1), false};
  Value* lhs = w.FindOrMake(type, dims, first);
  Value* rhs = w.FindOrMake(type, dims, second);
  PrimitiveType result = opcode == Opcode::kComplex ? ComplexTypeOf(type) : type;
  if (opcode == Opcode::kComplex) facts = Join(lhs->facts, rhs->facts);
  w.Emit(opcode, Shape(result, dims), {lhs, rhs}, w.Satisfy(result, facts));
  return true;
}

}  // namespace

Requirement RequirementOfUnary(const ModuleWriter& w, Opcode opcode, PrimitiveType type) {
  const FunctionRow* function = FunctionOf(opcode);
  Requirement demand;
  if (function) demand = {function->domain_low, function->domain_high, false};
  // Half of what the type holds, so that no error of the function leaves it.
  if (IsFloat(type) && GrowsExponentially(opcode)) {
    const double most = std::log(WholeRange(type).high / 2);
    if (opcode != Opcode::kExponential) demand.low = std::max(demand.low, -most);
    demand.high = std::min(demand.high, most);
  }
  // Squares of components must stay in range.
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

// Of floats the operands are kept so small that the result stays below the limit.
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
  if (IsArithmetic(opcode)) {
    Value* lhs = w.FindOrMake(type, dims);
    Value* rhs = w.FindOrMake(type, dims);
    ApplyArithmetic(w, opcode, lhs, rhs);
    return true;
  }
  return GenerateFragile(w, opcode, type, dims);
}

}  // namespace hlocts::generators
