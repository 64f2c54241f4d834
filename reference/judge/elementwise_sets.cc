// Sets of element-wise operations. Exact operands go through the plain evaluator first; only the
// elements where a rule leaves more than one value (subnormals, functions, unrounded products that
// a consumer may read) are done in set arithmetic.
#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/judge/handlers.h"
#include "spec/judge/complex_sets.h"
#include "spec/judge/integer_sets.h"

namespace hlocts {
namespace {

bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// The elements of a float literal as doubles.
std::vector<double> Reals(const Literal& literal) {
  std::vector<double> values(literal.element_count());
  switch (literal.element_type()) {
    case PrimitiveType::kF32: {
      auto data = literal.data<float>();
      for (size_t i = 0; i < values.size(); ++i) values[i] = data[i];
      break;
    }
    case PrimitiveType::kF64: {
      auto data = literal.data<double>();
      values.assign(data.begin(), data.end());
      break;
    }
    default: {
      int bytes = StorageBytes(literal.element_type());
      for (size_t i = 0; i < values.size(); ++i) {
        uint16_t bits = literal.raw_data()[i * bytes];
        if (bytes == 2) bits |= static_cast<uint16_t>(literal.raw_data()[i * 2 + 1] << 8);
        values[i] = DecodeNarrow(literal.element_type(), bits);
      }
    }
  }
  return values;
}

// One element by set arithmetic; `c` is the component of complex results.
struct ElementOp {
  const Instruction* instruction;
  Opcode opcode;
  PrimitiveType operand_type, result_type;
  SetContext context;
  IntegerContext integers;
  bool total_order = false;
  absl::string_view direction;
  int exponent_bits = 0, mantissa_bits = 0;
  bool saturate = false;
  HullUse hull = kHullAny;
};

AcceptanceSet ConvertElement(const ElementOp& op, const AcceptanceSet& a) {
  if (IsFloat(op.operand_type) && IsFloat(op.result_type))
    return ConvertFloatToFloat(a, op.context);
  if (IsFloat(op.operand_type)) {
    return ConvertFloatToInteger(a, op.result_type, op.saturate, op.context);
  }
  if (IsFloat(op.result_type)) return ConvertIntegerToFloat(a, op.operand_type, op.context);
  return ConvertInteger(a, op.operand_type, op.result_type, op.context.origin);
}

AcceptanceSet RealElement(const ElementOp& op, absl::Span<const SetArray* const> operands,
                          int64_t i) {
  // A scalar bound of clamp has one element, whatever i.
  AcceptanceSet a = operands[0]->At(operands[0]->shape().rank() == 0 ? 0 : i);
  bool integer = !IsFloat(op.operand_type);
  switch (op.opcode) {
    case Opcode::kConvert:
      return ConvertElement(op, a);
    case Opcode::kReducePrecision:
      return ReducePrecisionFloat(a, op.exponent_bits, op.mantissa_bits, op.context);
    case Opcode::kIsFinite:
      return IsFiniteFloat(a, op.context);
    case Opcode::kReal:
      return a;
    case Opcode::kImag:
      return AcceptanceSet::Float(0.0);
    case Opcode::kClamp: {
      // A scalar bound serves every element.
      AcceptanceSet lo = operands[0]->At(operands[0]->shape().rank() == 0 ? 0 : i);
      AcceptanceSet hi = operands[2]->At(operands[2]->shape().rank() == 0 ? 0 : i);
      if (!integer) return ClampFloat(lo, operands[1]->At(i), hi, op.context);
      AcceptanceSet low = BinaryInteger(Opcode::kMaximum, lo, operands[1]->At(i), op.integers);
      return BinaryInteger(Opcode::kMinimum, low, hi, op.integers);
    }
    case Opcode::kCompare:
      if (integer) return CompareInteger(op.direction, a, operands[1]->At(i), op.context.origin);
      return CompareFloat(op.direction, op.total_order, a, operands[1]->At(i), op.context);
    default:
      break;
  }
  if (operands.size() == 1) {
    return integer ? UnaryInteger(op.opcode, a, op.integers) : UnaryFloat(op.opcode, a, op.context);
  }
  AcceptanceSet b = operands[1]->At(i);
  return integer ? BinaryInteger(op.opcode, a, b, op.integers)
                 : BinaryFloat(op.opcode, a, b, op.context);
}

ComplexSet ComplexAt(const SetArray& array, int64_t i) { return {array.At(i, 0), array.At(i, 1)}; }

// Results of operations with a complex operand or result, appended component by component.
void ComplexElement(const ElementOp& op, absl::Span<const SetArray* const> operands, int64_t i,
                    std::vector<AcceptanceSet>& out) {
  auto both = [&](const ComplexSet& z) {
    out.push_back(z.re);
    out.push_back(z.im);
  };
  if (op.opcode == Opcode::kComplex) {
    both({operands[0]->At(i), operands[1]->At(i)});
    return;
  }
  if (!IsComplex(op.operand_type)) {  // convert to complex
    ElementOp real = op;
    real.result_type = ComponentType(op.result_type);
    both({RealElement(real, operands, i), AcceptanceSet::Float(0.0)});
    return;
  }
  ComplexSet a = ComplexAt(*operands[0], i);
  switch (op.opcode) {
    case Opcode::kReal:
      out.push_back(a.re);
      return;
    case Opcode::kImag:
      out.push_back(a.im);
      return;
    case Opcode::kAbs:
      out.push_back(ComplexAbs(a, op.context));
      return;
    case Opcode::kCompare:
      out.push_back(ComplexCompare(op.direction, a, ComplexAt(*operands[1], i), op.context));
      return;
    case Opcode::kConvert:
      if (IsComplex(op.result_type)) {
        both({ConvertFloatToFloat(a.re, op.context), ConvertFloatToFloat(a.im, op.context)});
      } else {
        ElementOp real = op;
        real.operand_type = ComponentType(op.operand_type);
        out.push_back(ConvertElement(real, a.re));
      }
      return;
    default:
      break;
  }
  if (operands.size() == 1) {
    both(ComplexUnary(op.opcode, a, op.context));
  } else {
    both(ComplexBinary(op.opcode, a, ComplexAt(*operands[1], i), op.context));
  }
}

ElementOp MakeElementOp(SetInterpreter& interpreter, const Instruction& instruction,
                        PrimitiveType operand, PrimitiveType result) {
  ElementOp op;
  op.instruction = &instruction;
  op.opcode = instruction.opcode();
  op.operand_type = operand;
  op.result_type = result;
  op.context = interpreter.ContextOf(instruction, operand, result);
  op.integers.type = operand;
  op.integers.facts = interpreter.options().facts;
  op.integers.origin = op.context.origin;
  op.direction = instruction.WordOr(Attr::kDirection, "EQ");
  op.total_order = instruction.WordOr(Attr::kType, "FLOAT") == "TOTALORDER";
  op.exponent_bits = static_cast<int>(instruction.IntOr(Attr::kExponentBits, 8));
  op.mantissa_bits = static_cast<int>(instruction.IntOr(Attr::kMantissaBits, 23));
  op.saturate = interpreter.options().facts.convert_saturate;
  return op;
}

// Select: an element of one arm, or both joined where the predicate may go either way.
SetArray SelectArrays(const SetArray& pred, const SetArray& on_true, const SetArray& on_false,
                      const Shape& shape, uint32_t origin) {
  std::vector<AcceptanceSet> sets;
  int components = on_true.components();
  sets.reserve(shape.ElementCount() * components);
  bool scalar = pred.shape().rank() == 0;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    AcceptanceSet p = pred.At(scalar ? 0 : i);
    bool may_true = p.unspecified() || p.ihi == 1, may_false = p.unspecified() || p.ilo == 0;
    for (int c = 0; c < components; ++c) {
      if (may_true && may_false) {
        AcceptanceSet joined = Join(on_true.At(i, c), on_false.At(i, c));
        if (joined.term == Term::kPoint && !joined.IsPoint()) {
          joined.term = Term::kJump;
          joined.origin = p.origin != 0 ? p.origin : origin;
        }
        sets.push_back(joined);
      } else {
        sets.push_back(may_true ? on_true.At(i, c) : on_false.At(i, c));
      }
    }
  }
  SetArray result(shape, std::move(sets));
  result.origin = origin;
  return Compress(std::move(result));
}

// Whether the plain result of a float operation can stand for the set at all (but for single
// elements that NeedsSet names).
bool PlainIsBase(const ElementOp& op, HullUse hull) {
  const Rule& rule = op.context.rule;
  bool cr = rule.rule_class == RuleClass::kCorrectlyRounded || rule.rule_class == RuleClass::kExact;
  if (!cr || IsComplex(op.operand_type) || IsComplex(op.result_type)) return false;
  if (rule.Allows(kDropNan)) return false;
  if (Inexact(op.operand_type) && BitWidth(op.operand_type) <= 8) return false;
  if (Inexact(op.result_type) && BitWidth(op.result_type) <= 8) return false;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return (hull & kHullWiden) == 0;
    case Opcode::kMultiply:
    case Opcode::kDivide:
      return hull == kHullUnused;
    case Opcode::kSqrt:
      return (hull & kHullWiden) == 0;
    case Opcode::kConvert:
      if (IsFloat(op.operand_type) && !IsFloat(op.result_type)) return false;
      if (IsFloat(op.result_type) && hull != kHullUnused) return false;
      return !(rule.Allows(kDoubleRounding) && IsFloat(op.result_type) &&
               BitWidth(op.result_type) <= 16 && BitWidth(op.operand_type) >= 32 &&
               op.operand_type != PrimitiveType::kF32);
    case Opcode::kReducePrecision:
      return false;
    case Opcode::kRemainder:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAbs:
    case Opcode::kNegate:
    case Opcode::kSign:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
    case Opcode::kCompare:
      return true;
    default:
      return false;
  }
}

bool Subnormal(double x, const FloatFacts& facts) {
  return x != 0 && std::fabs(x) < facts.min_normal;
}

// Elements whose plain result is not the whole set: subnormal operands and results, zeros of free
// sign where the sign matters.
std::vector<int64_t> NeedsSet(const ElementOp& op, absl::Span<const SetArray* const> operands,
                              const Literal& result, bool& has_nan) {
  std::vector<bool> flagged(result.element_count(), false);
  bool daz = op.context.rule.Allows(kFlushOperand), ftz = op.context.rule.Allows(kFlushResult);
  bool selects = op.opcode == Opcode::kMaximum || op.opcode == Opcode::kMinimum;
  for (const SetArray* operand : operands) {
    if (!IsFloat(operand->element_type())) continue;
    const FloatFacts& facts = FactsOf(operand->element_type());
    bool free_zero = operand->zero_sign_free && (op.opcode == Opcode::kDivide || op.total_order);
    std::vector<double> values = Reals(operand->literal());
    bool scalar = values.size() != flagged.size();
    for (size_t i = 0; i < flagged.size(); ++i) {
      double x = values[scalar ? 0 : i];
      if ((daz && Subnormal(x, facts)) || (free_zero && x == 0) ||
          (op.total_order && operand->nan_bits_free && std::isnan(x))) {
        flagged[i] = true;
      }
    }
  }
  if (IsFloat(op.result_type)) {
    const FloatFacts& facts = FactsOf(op.result_type);
    std::vector<double> values = Reals(result);
    for (size_t i = 0; i < flagged.size(); ++i) {
      double r = values[i];
      if (std::isnan(r)) has_nan = true;
      if (ftz && r != 0 && std::fabs(r) <= facts.min_normal) flagged[i] = true;
      if (selects && r == 0) flagged[i] = true;  // of two zeros either one (ruling 0003)
    }
  }
  std::vector<int64_t> indices;
  for (size_t i = 0; i < flagged.size(); ++i) {
    if (flagged[i]) indices.push_back(static_cast<int64_t>(i));
  }
  return indices;
}

absl::StatusOr<SetValue> PlainThenPatch(SetInterpreter& interpreter, const ElementOp& op,
                                        const Shape& shape, absl::Span<const SetValue> operands,
                                        absl::Span<const SetArray* const> arrays) {
  HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                          interpreter.RunElementwise(*op.instruction, shape, operands));
  bool has_nan = false;
  std::vector<int64_t> open = NeedsSet(op, arrays, plain, has_nan);
  SetArray result(plain);
  if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
  result.origin = op.context.origin;
  result.nan_bits_free = has_nan;
  bool sum = op.opcode == Opcode::kAdd || op.opcode == Opcode::kSubtract;
  result.zero_sign_free = IsFloat(op.result_type) && sum && op.context.rule.Allows(kZeroSignFree);
  for (const SetArray* array : arrays) {
    if (IsFloat(op.result_type) && array->zero_sign_free) result.zero_sign_free = true;
  }
  if (open.empty()) return SetValue(std::move(result));
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (int64_t i : open) sets[i] = RealElement(op, arrays, i);
  return SetValue(std::move(result));
}

// Integer operations on points: the plain result but where the documents leave it open.
absl::StatusOr<SetValue> IntegersThenPatch(SetInterpreter& interpreter, const ElementOp& op,
                                           const Shape& shape, absl::Span<const SetValue> operands,
                                           absl::Span<const SetArray* const> arrays) {
  HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                          interpreter.RunElementwise(*op.instruction, shape, operands));
  SetArray result(plain);
  if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
  result.origin = op.context.origin;
  bool may_be_open = RowOf(op.opcode).freedom != Freedom::kNone && arrays.size() == 2;
  if (!may_be_open) return SetValue(std::move(result));
  for (int64_t i = 0; i < plain.element_count(); ++i) {
    Int128 a = arrays[0]->At(i).ilo, b = arrays[1]->At(i).ilo;
    if (!IntegerResultIsOpen(op.opcode, a, b, op.integers)) continue;
    result.mutable_sets()[i] = AcceptanceSet::Unspecified(Term::kFreedom, op.context.origin);
  }
  return SetValue(std::move(result));
}

std::vector<int64_t> RuntimeSizesOf(absl::Span<const SetArray* const> arrays, const Shape& shape) {
  for (const SetArray* array : arrays) {
    if (!array->runtime_sizes.empty() && array->shape().rank() == shape.rank()) {
      return array->runtime_sizes;
    }
  }
  return {};
}

// A product or quotient whose hull nobody reads need not keep it: then points stay points.
void DropUnusedHull(AcceptanceSet& s, HullUse hull) {
  if (hull == kHullAny) return;
  if (hull == kHullUnused || (!(hull & kHullWiden) && !s.Has(AcceptanceSet::kContractible))) {
    s.flags &= ~(AcceptanceSet::kHull | AcceptanceSet::kContractible);
    s.rlo = s.lo;
    s.rhi = s.hi;
  }
}

// [tlo, thi] within one binade and far from the ends of the range, widened by the rule's ulps;
// false where more has to be looked at.
bool StoreOrdinaryUlps(double tlo, double thi, const SetContext& context, AcceptanceSet& s) {
  const FloatFacts& facts = *context.result;
  double least = std::min(std::fabs(tlo), std::fabs(thi));
  double most = std::max(std::fabs(tlo), std::fabs(thi));
  if (!(least > 4 * facts.min_normal) || !(most < facts.max / 4)) return false;
  int exponent = ExponentOf(tlo);
  if (exponent != ExponentOf(thi) || (tlo > 0) != (thi > 0)) return false;
  if (exponent >= context.rule.big_exponent) return false;
  double margin = context.rule.ulps * PowerOfTwo(exponent - facts.p + 1);
  if (facts.is_f64) margin *= 1 + 0x1p-40;
  double lower = tlo - margin, upper = thi + margin;
  if (facts.is_f64) lower = NextDown(lower), upper = NextUp(upper);
  if (!context.rule.Allows(kNoRangeGuard)) {
    lower = std::max(lower, context.guard.lo);
    upper = std::min(upper, context.guard.hi);
  }
  s.lo = s.rlo = facts.RoundUp(lower);
  s.hi = s.rhi = facts.RoundDown(upper);
  if (!(s.lo <= s.hi)) return false;
  s.flags = AcceptanceSet::kFinite;
  s.origin = context.origin;
  s.term = s.lo == s.hi ? Term::kPoint : Term::kUlps;
  return true;
}

// add, subtract, multiply, divide, maximum and minimum on ordinary numbers (normal operands and
// result, a single value or an interval away from zero): what BinaryFloat would say, without asking
// it. Others: false.
class FastArithmetic {
 public:
  FastArithmetic(const ElementOp& op, absl::Span<const SetArray* const> arrays)
      : op_(op), facts_(*op.context.result) {
    const Rule& rule = op.context.rule;
    bool rounded = op.opcode == Opcode::kAdd || op.opcode == Opcode::kSubtract ||
                   op.opcode == Opcode::kMultiply;
    select_ = op.opcode == Opcode::kMaximum || op.opcode == Opcode::kMinimum;
    divide_ = op.opcode == Opcode::kDivide && rule.rule_class == RuleClass::kUlp;
    usable_ =
        ((rounded && rule.rule_class == RuleClass::kCorrectlyRounded) || select_ || divide_) &&
        !rule.Allows(kSkipRounding) && BitWidth(facts_.type) >= 16;
    for (size_t k = 0; k < 2 && usable_; ++k) {
      arrays_[k] = arrays[k];
      if (arrays[k]->exact()) values_[k] = Reals(arrays[k]->literal());
    }
  }

  bool Compute(int64_t i, AcceptanceSet& s) const {
    End a, b;
    if (!usable_ || !Read(0, i, a) || !Read(1, i, b)) return false;
    if (select_) return Select(a, b, s);
    if (divide_) return Divide(a, b, s);
    if (op_.opcode == Opcode::kSubtract) b = {-b.hi, -b.lo, b.term, b.origin};
    Bound lo, hi;
    if (op_.opcode == Opcode::kMultiply) {
      if (a.lo != a.hi || b.lo != b.hi) return false;
      lo = hi = MultiplyExact(a.lo, b.lo);
    } else {
      lo = AddExact(a.lo, b.lo);
      hi = a.lo == a.hi && b.lo == b.hi ? lo : AddExact(a.hi, b.hi);
    }
    return Store(lo, hi, a, b, s);
  }

 private:
  struct End {
    double lo, hi;
    Term term = Term::kPoint;
    uint32_t origin = 0;
  };
  bool Ordinary(double lo, double hi) const {
    return (lo >= facts_.min_normal && hi <= facts_.max) ||
           (hi <= -facts_.min_normal && lo >= -facts_.max);
  }
  bool Read(int k, int64_t i, End& end) const {
    if (arrays_[k]->exact()) {
      end.lo = end.hi = values_[k][i];
      return Ordinary(end.lo, end.hi);
    }
    const AcceptanceSet& s = arrays_[k]->sets()[i];
    constexpr uint16_t kSimple =
        AcceptanceSet::kFinite | AcceptanceSet::kHull | AcceptanceSet::kContractible;
    if ((s.flags & ~kSimple) != 0 || !s.finite()) return false;
    bool sum = op_.opcode == Opcode::kAdd || op_.opcode == Opcode::kSubtract;
    bool contract = sum && s.Has(AcceptanceSet::kContractible) && s.Has(AcceptanceSet::kHull) &&
                    op_.context.rule.Allows(kContract);
    end = {contract ? std::min(s.lo, s.rlo) : s.lo, contract ? std::max(s.hi, s.rhi) : s.hi, s.term,
           s.origin};
    return Ordinary(end.lo, end.hi);
  }
  void Blame(const End& a, const End& b, Term own, AcceptanceSet& s) const {
    s.origin = op_.context.origin;
    s.term = Term::kPoint;
    if (s.lo == s.hi) return;
    bool first = a.term != Term::kPoint && (b.term == Term::kPoint || a.hi - a.lo >= b.hi - b.lo);
    const End& wider = first ? a : b;
    s.term = wider.term == Term::kPoint ? own : wider.term;
    if (wider.term != Term::kPoint) s.origin = wider.origin;
  }
  bool Select(const End& a, const End& b, AcceptanceSet& s) const {
    bool largest = op_.opcode == Opcode::kMaximum;
    s.lo = s.rlo = largest ? std::max(a.lo, b.lo) : std::min(a.lo, b.lo);
    s.hi = s.rhi = largest ? std::max(a.hi, b.hi) : std::min(a.hi, b.hi);
    if (!Ordinary(s.lo, s.hi)) return false;
    s.flags = AcceptanceSet::kFinite;
    Blame(a, b, Term::kJump, s);
    return true;
  }
  bool Divide(const End& a, const End& b, AcceptanceSet& s) const {
    if (a.lo < 0 || b.lo < 0 || op_.hull != kHullUnused) return false;
    if (!StoreOrdinaryUlps(DivideExact(a.lo, b.hi).Down(), DivideExact(a.hi, b.lo).Up(),
                           op_.context, s)) {
      return false;
    }
    if (a.lo != a.hi || b.lo != b.hi) Blame(a, b, Term::kUlps, s);
    return true;
  }
  bool Store(const Bound& lo, const Bound& hi, const End& a, const End& b, AcceptanceSet& s) const {
    double slo = facts_.Round(lo), shi = facts_.Round(hi);
    double rlo = lo.Down(), rhi = hi.Up();
    bool normal = (rlo > facts_.min_normal && shi < facts_.max && slo > facts_.min_normal) ||
                  (rhi < -facts_.min_normal && slo > -facts_.max && shi < -facts_.min_normal);
    if (!normal) return false;
    if (BitWidth(facts_.type) == 16) {
      rlo = std::min(rlo, static_cast<double>(static_cast<float>(rlo)));
      rhi = std::max(rhi, static_cast<double>(static_cast<float>(rhi)));
    }
    s.lo = slo;
    s.hi = shi;
    s.rlo = std::min(rlo, slo);
    s.rhi = std::max(rhi, shi);
    bool hull = s.rlo != slo || s.rhi != shi;
    s.flags = AcceptanceSet::kFinite | (hull ? AcceptanceSet::kHull : 0);
    if (hull && op_.opcode == Opcode::kMultiply) s.flags |= AcceptanceSet::kContractible;
    Blame(a, b, Term::kContract, s);
    return true;
  }

  const ElementOp& op_;
  const FloatFacts& facts_;
  bool usable_ = false, select_ = false, divide_ = false;
  const SetArray* arrays_[2] = {};
  std::vector<double> values_[2];
};

// Real functions of ordinary points, likewise: value, enclosure and ulps within one binade.
class FastFunction {
 public:
  FastFunction(const ElementOp& op, const SetArray& array)
      : context_(op.context), facts_(*op.context.result), function_(RealFunctionOf(op.opcode)) {
    const Rule& rule = op.context.rule;
    usable_ = function_ != nullptr && array.exact() && !op.context.rigorous &&
              rule.rule_class == RuleClass::kUlp && rule.ulps_per_argument == 0 &&
              rule.absolute == 0 && rule.backward == 0 && op.opcode != Opcode::kSqrt;
    if (usable_) values_ = Reals(array.literal());
  }

  bool Compute(int64_t i, AcceptanceSet& s) const {
    if (!usable_) return false;
    double x = values_[i];
    bool inside = x > function_->domain_lo && x < function_->domain_hi &&
                  std::fabs(x) >= facts_.min_normal && std::fabs(x) <= facts_.max;
    if (!inside) return false;
    Enclosure e = EncloseFunction(*function_, x, false);
    return StoreOrdinaryUlps(e.lo, e.hi, context_, s);
  }

 private:
  const SetContext& context_;
  const FloatFacts& facts_;
  const RealFunction* function_;
  bool usable_ = false;
  std::vector<double> values_;
};

}  // namespace

bool IsElementwiseSetOpcode(Opcode opcode) {
  Family family = RowOf(opcode).family;
  if (opcode == Opcode::kBitcastConvert || opcode == Opcode::kStochasticConvert) return false;
  return family == Family::kElementwiseUnary || family == Family::kElementwiseBinary ||
         family == Family::kElementwiseOther;
}

absl::StatusOr<SetValue> ElementwiseSets(SetInterpreter& interpreter,
                                         const Instruction& instruction, const Shape& shape,
                                         absl::Span<const SetValue> operands) {
  std::vector<const SetArray*> arrays;
  bool exact = true;
  for (const SetValue& operand : operands) {
    arrays.push_back(&operand.array);
    exact = exact && operand.array.exact();
  }
  PrimitiveType operand_type = arrays[0]->element_type();
  if (instruction.opcode() == Opcode::kSelect) {
    uint32_t origin = interpreter.OriginOf(
        instruction, RuleFor(Opcode::kSelect, operand_type, interpreter.profile()));
    if (exact) return PlainResult(interpreter, instruction, shape, operands);
    SetArray result = SelectArrays(*arrays[0], *arrays[1], *arrays[2], shape, origin);
    result.runtime_sizes = RuntimeSizesOf(arrays, shape);
    return SetValue(std::move(result));
  }
  PrimitiveType result_type = shape.element_type();
  ElementOp op = MakeElementOp(interpreter, instruction, operand_type, result_type);
  HullUse hull = interpreter.HullUseOf(instruction);
  op.hull = hull;
  bool inexact = Inexact(operand_type) || Inexact(result_type);
  if (exact && !inexact) return IntegersThenPatch(interpreter, op, shape, operands, arrays);
  if (exact && PlainIsBase(op, hull)) {
    return PlainThenPatch(interpreter, op, shape, operands, arrays);
  }
  bool selects = instruction.opcode() == Opcode::kMaximum ||
                 instruction.opcode() == Opcode::kMinimum || instruction.opcode() == Opcode::kClamp;
  if (exact && (instruction.opcode() == Opcode::kComplex || (selects && IsComplex(operand_type)))) {
    return PlainResult(interpreter, instruction, shape, operands);
  }
  bool complex = IsComplex(operand_type) || IsComplex(result_type);
  std::vector<AcceptanceSet> sets;
  int64_t count = shape.ElementCount();
  sets.reserve(count * (IsComplex(result_type) ? 2 : 1));
  std::optional<FastArithmetic> fast;
  if (!complex && IsFloat(operand_type) && arrays.size() == 2 && op.context.result != nullptr) {
    fast.emplace(op, arrays);
  }
  std::optional<FastFunction> function;
  if (!complex && IsFloat(operand_type) && arrays.size() == 1 && op.context.result != nullptr) {
    function.emplace(op, *arrays[0]);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (complex) {
      ComplexElement(op, arrays, i, sets);
      continue;
    }
    AcceptanceSet& s = sets.emplace_back();
    bool done = (fast.has_value() && fast->Compute(i, s)) ||
                (function.has_value() && function->Compute(i, s));
    if (!done) s = RealElement(op, arrays, i);
  }
  for (AcceptanceSet& s : sets) {
    if (!s.integer()) DropUnusedHull(s, hull);
  }
  SetArray result(shape, std::move(sets));
  result.origin = op.context.origin;
  result.runtime_sizes = RuntimeSizesOf(arrays, shape);
  return SetValue(Compress(std::move(result)));
}

}  // namespace hlocts
