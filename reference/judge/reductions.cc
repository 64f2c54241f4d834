#include "reference/judge/reductions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "spec/judge/integer_sets.h"

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;

bool IsZero(const AcceptanceSet& s) {
  if (s.unspecified()) return false;
  if (s.integer()) return s.ilo == 0 && s.ihi == 0;
  return s.IsPoint() && s.finite() && s.lo == 0 && !s.Has(Flag::kHull);
}

// One sum of reals: what enters it, in the terms of SumParts. The middles are added in 64-bit
// significands, so that f64 sums are not judged by their own rounding.
struct RealSum {
  long double centre = 0;
  double magnitude = 0, radius = 0;
  int64_t count = 0;
  int quantum = 100000;
  bool open = false;  // some term may be anything, or an infinity or NaN beside numbers
  bool nan = false, pos_inf = false, neg_inf = false;  // certain
  bool negative_zeros_only = true;
  Term term = Term::kPoint;
  uint32_t origin = 0;
};

int QuantumOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int exponent = ExponentOf(x);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == -1023) {
    exponent = -1022;
  } else {
    mantissa |= uint64_t{1} << 52;
  }
  return exponent - 52 + __builtin_ctzll(mantissa);
}

void AddTerm(const AcceptanceSet& s, const SetContext& context, RealSum& sum) {
  ++sum.count;
  if (s.term != Term::kPoint) {
    sum.term = s.term;
    sum.origin = s.origin;
  }
  if (s.unspecified()) {
    sum.open = true;
    return;
  }
  bool hull = context.rule.Allows(kSkipRounding) ||
              (context.rule.Allows(kContract) && s.Has(Flag::kContractible));
  View v = ReadSet(s, *context.operand, context.rule.permissions, hull);
  int classes = v.nan + v.pos_inf + v.neg_inf;
  if (classes > 1 || (classes == 1 && v.finite) || std::isinf(v.lo) || std::isinf(v.hi)) {
    sum.open = true;
    return;
  }
  sum.nan = sum.nan || v.nan;
  sum.pos_inf = sum.pos_inf || v.pos_inf;
  sum.neg_inf = sum.neg_inf || v.neg_inf;
  if (!v.finite) return;
  double middle = v.lo == v.hi ? v.lo : v.lo / 2 + v.hi / 2;
  double radius = v.lo == v.hi ? 0 : NextUp(std::max(v.hi - middle, middle - v.lo));
  sum.centre += middle;
  sum.magnitude += std::fabs(middle) + radius;
  sum.radius += radius;
  if (!(v.neg_zero && !v.pos_zero && v.lo == 0 && v.hi == 0)) sum.negative_zeros_only = false;
  if (radius > 0) {
    sum.quantum = Linear::kNoQuantum;
  } else if (middle != 0) {
    sum.quantum = std::min(sum.quantum, QuantumOf(middle));
  }
}

AcceptanceSet FinishSum(const RealSum& sum, const SumRule& rule, const SetContext& context) {
  if (sum.open) return AcceptanceSet::Unspecified(sum.term, sum.origin);
  if (sum.nan || (sum.pos_inf && sum.neg_inf)) {
    AcceptanceSet s = AcceptanceSet::Float(std::nan(""));
    return s;
  }
  if (sum.pos_inf || sum.neg_inf) {
    AcceptanceSet s = AcceptanceSet::Float(sum.pos_inf ? HUGE_VAL : -HUGE_VAL);
    // The finite terms may overflow to the other infinity first.
    if (!(sum.magnitude * (1 + 0x1p-10) < rule.accumulator->max)) s.flags |= AcceptanceSet::kNan;
    return s;
  }
  SumParts parts;
  double centre = static_cast<double>(sum.centre);
  parts.centre = Literal::Scalar<double>(PrimitiveType::kF64, centre);
  parts.magnitude = Literal::Scalar<double>(PrimitiveType::kF64, sum.magnitude);
  long double lost = sum.centre - static_cast<long double>(centre);
  double radius = sum.radius + static_cast<double>(std::fabs(lost)) +
                  std::ldexp(sum.magnitude, -62) * static_cast<double>(sum.count);
  bool exact_centre = sum.quantum != Linear::kNoQuantum && lost == 0 &&
                      sum.magnitude <= std::ldexp(1.0, std::min(53 + sum.quantum, 1023));
  if (sum.radius > 0 || (context.result->is_f64 && !exact_centre)) {
    parts.radius = Literal::Scalar<double>(PrimitiveType::kF64, radius);
    parts.has_radius = true;
  }
  parts.count = static_cast<double>(sum.count);
  parts.quantum = sum.quantum;
  parts.term = sum.term;
  parts.origin = sum.origin;
  AcceptanceSet s = BoundSums(parts, rule, context)[0];
  if (sum.count == 1 && s.finite() && s.lo == 0 && s.hi == 0) s.term = Term::kZeroSign;
  return s;
}

// Products in any order (acceptance-rules 15).
AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  SetContext exact = context;
  exact.rule.rule_class = RuleClass::kCorrectlyRounded;
  double lo = 1, hi = 1, largest = 1, least = 1;
  int bits = 0;
  bool points = true;
  bool is_special = false;  // an infinity, NaN or zero decides the class of the product
  for (const AcceptanceSet& s : terms) {
    if (s.unspecified()) return s;
    View v = ReadSet(s, *context.operand, context.rule.permissions, false);
    if (v.nan || v.Infinite() || v.Zero()) {
      is_special = true;
      continue;
    }
    double ends[4] = {lo * v.lo, lo * v.hi, hi * v.lo, hi * v.hi};
    lo = NextDown(*std::min_element(ends, ends + 4));
    hi = NextUp(*std::max_element(ends, ends + 4));
    double most = std::max(std::fabs(v.lo), std::fabs(v.hi));
    double fewest = std::min(std::fabs(v.lo), std::fabs(v.hi));
    largest *= std::max(most, 1.0);
    least *= std::min(fewest, 1.0);
    points = points && v.lo == v.hi;
    if (v.lo != 0) {
      bits += std::ilogb(v.lo) - QuantumOf(v.lo);
    }
  }
  if (is_special) {
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      s = BinaryFloat(Opcode::kMultiply, s, terms[i], exact);
    constexpr uint16_t kOther = Flag::kNan | Flag::kPosInf | Flag::kNegInf;
    bool zero = s.finite() && s.lo == 0 && s.hi == 0 && !(s.flags & kOther);
    bool plain = s.IsPoint() || s.Has(Flag::kNan) || zero;
    // Nothing underflows that is a zero anyway.
    if (!plain || largest >= facts.max || (least < facts.min_normal && !zero)) {
      return AcceptanceSet::Unspecified(Term::kProduct, context.origin);
    }
    return s;
  }
  double n = static_cast<double>(terms.size());
  if (points && bits + 1 <= facts.p && largest < facts.max && least >= facts.min_normal) {
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      s = BinaryFloat(Opcode::kMultiply, s, terms[i], exact);
    s.flags &= ~(Flag::kHull | Flag::kContractible);
    return s;
  }
  double growth = std::expm1(std::max(n - 1, 0.0) * std::log1p(std::ldexp(1.0, -facts.p))) * 1.01;
  Image image;
  image.finite = true;
  double below = lo < 0 ? lo * (1 + growth) : lo * (1 - growth);
  double above = hi < 0 ? hi * (1 - growth) : hi * (1 + growth);
  if (least < facts.min_normal) {
    // A partial product may have been flushed, or have lost all its bits.
    double factor = std::ldexp(1.0, static_cast<int>(std::min(n, 1000.0)));
    below = std::min(0.0, below * factor);
    above = std::max(0.0, above * factor);
    image.pos_zero = image.neg_zero = true;
  }
  if (!std::isfinite(below) || !std::isfinite(above)) {
    return AcceptanceSet::Unspecified(Term::kProduct, context.origin);
  }
  image.lo = {NextDown(below), 0};
  image.hi = {NextUp(above), 0};
  AcceptanceSet s = StoreImage(image, exact);
  if (largest >= facts.max) {
    s.flags |= Flag::kPosInf | Flag::kNegInf;
    if (least < facts.min_normal) s.flags |= Flag::kNan;
  }
  if (!s.IsPoint()) s.term = Term::kProduct;
  return s;
}

Opcode OpcodeOf(RecognizedReducer reducer) {
  switch (reducer) {
    case RecognizedReducer::kAdd:
      return Opcode::kAdd;
    case RecognizedReducer::kMultiply:
      return Opcode::kMultiply;
    case RecognizedReducer::kMinimum:
      return Opcode::kMinimum;
    case RecognizedReducer::kMaximum:
      return Opcode::kMaximum;
    case RecognizedReducer::kAnd:
      return Opcode::kAnd;
    case RecognizedReducer::kOr:
      return Opcode::kOr;
    default:
      return Opcode::kXor;
  }
}

bool Idempotent(RecognizedReducer reducer) {
  return reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum ||
         reducer == RecognizedReducer::kAnd || reducer == RecognizedReducer::kOr;
}

bool IsIdentity(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type) {
  if (init.unspecified()) return false;
  switch (reducer) {
    case RecognizedReducer::kAdd:
    case RecognizedReducer::kXor:
      return IsZero(init);
    case RecognizedReducer::kMultiply:
      return init.integer() ? init.ilo == 1 && init.ihi == 1
                            : init.IsPoint() && init.finite() && init.lo == 1;
    default:
      return true;  // idempotent: any number of insertions is one
  }
}

SetContext MinMaxContext(SetInterpreter& interpreter, PrimitiveType type, uint32_t origin) {
  SetContext context;
  context.operand = context.result = &FactsOf(type);
  context.rule = RuleFor(Opcode::kMaximum, type, interpreter.profile());
  context.origin = origin;
  return context;
}

bool HasSubnormals(const SetArray& array) {
  const FloatFacts& facts = FactsOf(array.element_type());
  const Literal& literal = array.literal();
  if (array.element_type() == PrimitiveType::kF32) {
    for (float x : literal.data<float>()) {
      if (x != 0 && std::fabs(x) < facts.min_normal) return true;
    }
    return false;
  }
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.finite() && s.lo != 0 && std::fabs(s.lo) < facts.min_normal) return true;
  }
  return false;
}

// Every result is of one element: the init value may take part or not (ruling 0019).
bool ReducesNothing(const ReductionOperands& r) {
  return r.instruction.opcode() == Opcode::kReduce && r.operand.runtime_sizes.empty() &&
         r.operand.element_count() == r.shape.ElementCount();
}

// Exact operands whose reduction has one value in any order: the plain evaluator's.
bool PlainHolds(const ReductionOperands& r, RecognizedReducer reducer) {
  PrimitiveType type = r.operand.element_type();
  if (!r.operand.exact() || !r.init.exact()) return false;
  if (IsComplex(type) || (Idempotent(reducer) && ReducesNothing(r))) return false;
  if (!IsFloat(type)) return IsIdentity(reducer, r.init.At(0), type);
  bool order_free =
      reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum;
  if (!order_free || r.interpreter.profile() == Profile::kRelaxed) return false;
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

// Reduction by add of one component, by the evaluator in f64.
absl::StatusOr<std::vector<AcceptanceSet>> SumComponent(const ReductionOperands& r, int component,
                                                        const SetContext& context,
                                                        std::vector<int64_t>& runtime_sizes) {
  Linear linear =
      Linearize(r.operand, component, context.rule.permissions, context.rule.Allows(kSkipRounding));
  SumParts parts;
  HLOCTS_ASSIGN_OR_RETURN(parts.centre, RunReducer(r, linear.middle, Opcode::kAdd, 0));
  const Literal finite = linear.non_finite ? FiniteOnly(linear.magnitude) : linear.magnitude;
  HLOCTS_ASSIGN_OR_RETURN(parts.magnitude, RunReducer(r, finite, Opcode::kAdd, 0));
  Literal ones = linear.middle;
  for (double& x : ones.mutable_data<double>()) x = 1;
  HLOCTS_ASSIGN_OR_RETURN(parts.counts, RunReducer(r, ones, Opcode::kAdd, 0));
  if (linear.has_radius) {
    HLOCTS_ASSIGN_OR_RETURN(parts.radius, RunReducer(r, linear.radius, Opcode::kAdd, 0));
    parts.has_radius = true;
  }
  if (linear.has_uncertain) {
    HLOCTS_ASSIGN_OR_RETURN(parts.uncertain, RunReducer(r, linear.uncertain, Opcode::kAdd, 0));
    parts.has_uncertain = true;
  }
  parts.quantum = linear.quantum;
  parts.bits = linear.bits;
  parts.non_finite = linear.non_finite;
  parts.term = linear.term;
  parts.origin = linear.origin;
  if (parts.centre.has_runtime_sizes()) runtime_sizes = parts.centre.runtime_sizes();
  return BoundSums(parts, ReductionSumRule(r.interpreter, context.rule, r.operand.element_type()),
                   context);
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

// Any number of insertions of an init that is no identity (acceptance-rules 11): joined.
AcceptanceSet WithInsertions(SetInterpreter& interpreter, const SetContext& context,
                             PrimitiveType type, RecognizedReducer reducer,
                             std::vector<AcceptanceSet> terms, const AcceptanceSet& init,
                             int64_t insertions_max) {
  constexpr int64_t kCap = 64;
  const size_t values = terms.size();
  const AcceptanceSet lone = values == 1 ? terms[0] : AcceptanceSet();
  AcceptanceSet joined;
  for (int64_t k = 1; k <= std::min(insertions_max, kCap); ++k) {
    terms.push_back(init);
    AcceptanceSet one = CombineTerms(interpreter, context, type, reducer, terms);
    joined = k == 1 ? one : Join(joined, one);
    // xor has two values only; the others move on in one direction.
    if (reducer == RecognizedReducer::kXor && k == 2) break;
  }
  if (insertions_max > kCap && reducer != RecognizedReducer::kXor) {
    bool linear = reducer == RecognizedReducer::kAdd && !joined.unspecified();
    if (!linear) return AcceptanceSet::Unspecified(Term::kInit, context.origin);
    terms.resize(terms.size() - kCap);
    terms.insert(terms.end(), static_cast<size_t>(insertions_max), init);
    joined = Join(joined, CombineTerms(interpreter, context, type, reducer, terms));
  }
  // A reduction of one element may be dropped (ruling 0019).
  if (values == 1 && insertions_max == 2) joined = Join(joined, lone);
  if (!joined.IsPoint() && insertions_max > 1) {
    joined.term = Term::kInit;
    joined.origin = context.origin;
  }
  return joined;
}

absl::StatusOr<SetArray> ReduceByTerms(const ReductionOperands& r, RecognizedReducer reducer,
                                       const SetContext& context) {
  PrimitiveType type = r.operand.element_type();
  std::vector<int64_t> sizes =
      r.operand.runtime_sizes.empty() ? r.operand.shape().dimensions() : r.operand.runtime_sizes;
  if (!r.operand.runtime_sizes.empty()) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, Term::kUnknown).array;
  }
  ReductionTerms lists = TermsOf(r.instruction, sizes, r.operand.shape().dimensions());
  std::vector<AcceptanceSet> sets;
  std::vector<AcceptanceSet> terms;
  for (size_t out = 0; out < lists.terms.size(); ++out) {
    for (int c = 0; c < r.operand.components(); ++c) {
      terms.clear();
      for (int64_t i : lists.terms[out]) terms.push_back(r.operand.At(i, c));
      AcceptanceSet init = r.init.At(0, c);
      if (Idempotent(reducer)) {
        // A reduction of one element may be dropped (ruling 0019).
        const bool may_drop = terms.size() == 1 && lists.padded[out] == 0;
        const AcceptanceSet lone = may_drop ? terms[0] : AcceptanceSet();
        terms.push_back(init);
        AcceptanceSet set = CombineTerms(r.interpreter, context, type, reducer, terms);
        sets.push_back(may_drop ? Join(set, lone) : set);
      } else if (IsIdentity(reducer, init, type) && !terms.empty()) {
        sets.push_back(CombineTerms(r.interpreter, context, type, reducer, terms));
      } else {
        int64_t most = static_cast<int64_t>(terms.size()) + lists.padded[out] + 1;
        sets.push_back(WithInsertions(r.interpreter, context, type, reducer, terms, init, most));
      }
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

// A lone value still meets the initial value, which is an operation: a subnormal may be flushed on
// the way (acceptance rows of reductions, and of orderings).
AcceptanceSet LoneTerm(const AcceptanceSet& term, RecognizedReducer reducer,
                       const SetContext& context, const SetContext& order) {
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

// Products of complex points in any order: each multiplication is off by less than 4 units of the
// magnitude, and flushed parts lose at most the least normal times what they are multiplied with.
class ComplexProduct {
 public:
  explicit ComplexProduct(const FloatFacts& facts) : facts_(facts) {}

  // False if the factor is no pair of finite values.
  bool Multiply(const AcceptanceSet& re, const AcceptanceSet& im) {
    if (!re.IsPoint() || !im.IsPoint() || !re.finite() || !im.finite()) return false;
    long double a = re_ * re.lo - im_ * im.lo;
    im_ = re_ * im.lo + im_ * re.lo;
    re_ = a;
    double magnitude = std::hypot(re.lo, im.lo);
    magnitude_ *= magnitude;
    largest_ *= std::max(magnitude, 1.0);
    for (double x : {re.lo, im.lo}) {
      normal_ = normal_ && (x == 0 || std::fabs(x) >= facts_.min_normal);
    }
    integral_ = integral_ && re.lo == std::rint(re.lo) && im.lo == std::rint(im.lo);
    ++count_;
    return true;
  }

  // Appends the sets of both parts.
  void Finish(const SetContext& context, std::vector<AcceptanceSet>& sets) const {
    double unit = std::ldexp(1.0, -facts_.p);
    bool exact = (count_ <= 1 && normal_) || (integral_ && largest_ * 2 * unit <= 1);
    double relative = std::expm1(static_cast<double>(count_) * std::log1p(4 * unit));
    double radius = magnitude_ * relative + 4.0 * count_ * facts_.min_normal * largest_;
    if (!(largest_ * 2 * (1 + relative) < facts_.max)) {
      sets.insert(sets.end(), 2, AcceptanceSet::Unspecified(Term::kOverflow, context.origin));
      return;
    }
    for (long double part : {re_, im_}) {
      double middle = static_cast<double>(part), spread = exact ? 0 : NextUp(radius);
      AcceptanceSet s = AcceptanceSet::Interval(facts_.RoundDown(middle - spread),
                                                facts_.RoundUp(middle + spread));
      if (!exact) s.term = Term::kProduct;
      s.origin = context.origin;
      sets.push_back(s);
    }
  }

 private:
  const FloatFacts& facts_;
  long double re_ = 1, im_ = 0;
  double magnitude_ = 1, largest_ = 1;
  bool integral_ = true, normal_ = true;
  int64_t count_ = 0;
};

SetArray ComplexProducts(const ReductionOperands& r, const SetContext& context) {
  const AcceptanceSet re = r.init.At(0, 0), im = r.init.At(0, 1);
  bool identity = re.IsPoint() && im.IsPoint() && re.finite() && re.lo == 1 && IsZero(im);
  if (!identity || !r.operand.runtime_sizes.empty()) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, Term::kUnknown).array;
  }
  const std::vector<int64_t>& sizes = r.operand.shape().dimensions();
  ReductionTerms lists = TermsOf(r.instruction, sizes, sizes);
  std::vector<AcceptanceSet> sets;
  for (const auto& terms : lists.terms) {
    ComplexProduct product(FactsOf(ComponentType(r.operand.element_type())));
    bool finite = true;
    for (int64_t i : terms) {
      finite = finite && product.Multiply(r.operand.At(i, 0), r.operand.At(i, 1));
    }
    if (finite) {
      product.Finish(context, sets);
    } else {
      sets.insert(sets.end(), 2, AcceptanceSet::Unspecified(Term::kFreedom, context.origin));
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.origin = context.origin;
  return result;
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
    IntegerContext integers;
    integers.type = component;
    integers.origin = context.origin;
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) {
      s = BinaryInteger(OpcodeOf(reducer), s, terms[i], integers);
    }
    return s;
  }
  if (reducer == RecognizedReducer::kMinimum || reducer == RecognizedReducer::kMaximum) {
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
    return FinishSum(sum, ReductionSumRule(interpreter, context.rule, type), context);
  }
  if (reducer == RecognizedReducer::kMultiply && !IsComplex(type)) {
    return FinishProduct(terms, context);
  }
  return AcceptanceSet::Unspecified(Term::kUnknown, context.origin);
}

absl::StatusOr<SetArray> ReduceRecognized(const ReductionOperands& r, RecognizedReducer reducer) {
  PrimitiveType type = r.operand.element_type();
  SetContext context;
  if (IsFloat(type) || IsComplex(type)) {
    context = r.interpreter.ContextOf(r.instruction, type, type);
  } else {
    context.rule = RuleFor(r.instruction.opcode(), type, r.interpreter.profile());
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
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, Term::kUnknown).array;
  }
  return ReduceByTerms(r, reducer, context);
}

absl::StatusOr<SetArray> CombineRecognized(const CombineOperands& combine,
                                           RecognizedReducer reducer) {
  PrimitiveType type = combine.operand.element_type();
  SetContext context;
  if (IsFloat(type) || IsComplex(type)) {
    context = combine.interpreter.ContextOf(combine.instruction, type, type);
  } else {
    context.rule = RuleFor(combine.instruction.opcode(), type, combine.interpreter.profile());
    context.origin = combine.interpreter.OriginOf(combine.instruction, context.rule);
  }
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
  SumRule rule =
      ReductionSumRule(combine.interpreter, context.rule, combine.operand.element_type());
  std::vector<AcceptanceSet> sets = combine.operand.AsSets();
  for (size_t i = 0; i < combine.updates.size(); ++i) {
    if (combine.updates[i].empty() && maybe[i].empty()) continue;
    RealSum sum;
    AddTerm(sets[i], context, sum);
    for (int64_t from : combine.updates[i]) AddTerm(combine.source.At(from), context, sum);
    for (int64_t from : maybe[i]) {
      // There or not: the interval from zero to the term.
      AcceptanceSet term = Join(combine.source.At(from), AcceptanceSet::Float(0.0));
      if (term.term == Term::kPoint) {
        term.term = Term::kJump;
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

// ---------------------------------------------------------------- argmin, argmax

namespace {

struct Key {
  double lo = -HUGE_VAL, hi = HUGE_VAL;
  bool may_nan = false, must_nan = false, point = false;
};

Key KeyOf(const AcceptanceSet& s, const SetContext& context, bool largest) {
  Key key;
  if (s.unspecified()) {
    key.may_nan = true;
    return key;
  }
  if (s.integer()) {
    key.lo = static_cast<double>(s.ilo);
    key.hi = static_cast<double>(s.ihi);
    // 64-bit keys that a double cannot tell apart count as possible ties.
    key.point = s.ilo == s.ihi && std::fabs(key.lo) <= 0x1p53;
  } else {
    View v = ReadSet(s, *context.operand, context.rule.permissions, false);
    key.may_nan = v.nan;
    key.must_nan = v.nan && !v.finite && !v.Infinite();
    key.lo = v.neg_inf ? -HUGE_VAL : v.finite ? v.lo : v.pos_inf ? HUGE_VAL : -HUGE_VAL;
    key.hi = v.pos_inf ? HUGE_VAL : v.finite ? v.hi : v.neg_inf ? -HUGE_VAL : HUGE_VAL;
    key.point = !v.nan && key.lo == key.hi;
  }
  if (!largest) {
    std::swap(key.lo, key.hi);
    key.lo = -key.lo;
    key.hi = -key.hi;
  }
  return key;
}

struct ArgCandidate {
  AcceptanceSet key, index;
  Key order;
};

// The pairs that may win; one when ties are decided by the index and all is certain.
std::vector<ArgCandidate> Winners(std::vector<ArgCandidate> all, const ArgReducer& reducer) {
  bool any_nan = false, certain_nan = false;
  double surely = -HUGE_VAL;
  for (const ArgCandidate& c : all) {
    any_nan = any_nan || c.order.may_nan;
    certain_nan = certain_nan || c.order.must_nan;
    if (!c.order.may_nan) surely = std::max(surely, c.order.lo);
  }
  if (any_nan && !reducer.nan_wins) return all;
  std::vector<ArgCandidate> winners;
  for (const ArgCandidate& c : all) {
    if (c.order.may_nan || (!certain_nan && c.order.hi >= surely)) winners.push_back(c);
  }
  bool certain = reducer.ties != 0 && !(any_nan && !certain_nan);
  for (const ArgCandidate& c : winners) {
    bool decided = c.index.integer() && c.index.ilo == c.index.ihi;
    bool tied = certain_nan ? c.order.must_nan : c.order.point && c.order.lo == surely;
    certain = certain && decided && tied;
  }
  if (!certain || winners.empty()) return winners;
  auto better = [&](const ArgCandidate& a, const ArgCandidate& b) {
    return reducer.ties < 0 ? a.index.ilo < b.index.ilo : a.index.ilo > b.index.ilo;
  };
  return {*std::min_element(winners.begin(), winners.end(), better)};
}

}  // namespace

absl::StatusOr<SetValue> ReduceArg(SetInterpreter& interpreter, const Instruction& instruction,
                                   const Shape& shape, absl::Span<const SetValue> operands,
                                   const ArgReducer& reducer) {
  const SetArray &keys = operands[0].array, &indices = operands[1].array;
  const SetArray &key_init = operands[2].array, &index_init = operands[3].array;
  if (!keys.runtime_sizes.empty()) {
    return UnspecifiedResult(interpreter, instruction, shape, Term::kUnknown);
  }
  SetContext context;
  if (IsFloat(keys.element_type())) {
    context = interpreter.ContextOf(instruction, keys.element_type(), keys.element_type());
  } else {
    context.rule = RuleFor(instruction.opcode(), keys.element_type(), interpreter.profile());
    context.origin = interpreter.OriginOf(instruction, context.rule);
  }
  ReductionTerms lists = TermsOf(instruction, keys.shape().dimensions(), keys.shape().dimensions());
  std::vector<AcceptanceSet> key_sets, index_sets;
  for (const std::vector<int64_t>& terms : lists.terms) {
    std::vector<ArgCandidate> all;
    for (int64_t i : terms) all.push_back({keys.At(i), indices.At(i), {}});
    all.push_back({key_init.At(0), index_init.At(0), {}});
    for (ArgCandidate& c : all) c.order = KeyOf(c.key, context, reducer.largest);
    std::vector<ArgCandidate> winners = Winners(std::move(all), reducer);
    ArgCandidate joined = winners[0];
    for (size_t k = 1; k < winners.size(); ++k) {
      joined.key = Join(joined.key, winners[k].key);
      joined.index = Join(joined.index, winners[k].index);
    }
    for (AcceptanceSet* s : {&joined.key, &joined.index}) {
      if (s->IsPoint() || s->term != Term::kPoint) continue;
      s->term = Term::kJump;
      s->origin = context.origin;
    }
    key_sets.push_back(joined.key);
    index_sets.push_back(joined.index);
  }
  SetArray key_array(shape.tuple_shapes()[0], std::move(key_sets));
  SetArray index_array(shape.tuple_shapes()[1], std::move(index_sets));
  key_array.origin = index_array.origin = context.origin;
  return SetValue::Tuple({Compress(std::move(key_array)), Compress(std::move(index_array))});
}

// ---------------------------------------------------------------- enumeration

namespace {

constexpr size_t kEnumeratedTerms = 5;

bool SameSets(const SetValue& a, const SetValue& b) {
  if (a.tuple) {
    for (size_t i = 0; i < a.elements.size(); ++i) {
      if (!SameSets(a.elements[i], b.elements[i])) return false;
    }
    return true;
  }
  for (int64_t i = 0; i < a.array.element_count() * 1; ++i) {
    for (int c = 0; c < a.array.components(); ++c) {
      if (!IsSubset(b.array.At(i, c), a.array.At(i, c))) return false;
    }
  }
  return true;
}

// Everything that some order and tree over the terms can give, lanes at once. terms[t] holds the
// operands' values of term t; init may be empty.
class Enumeration {
 public:
  Enumeration(SetInterpreter& interpreter, const Computation& body, Shape lanes,
              std::vector<std::vector<SetValue>> terms, std::vector<SetValue> init)
      : interpreter_(interpreter),
        body_(body),
        lanes_(std::move(lanes)),
        terms_(std::move(terms)),
        init_(std::move(init)) {}

  absl::StatusOr<SetValue> Run() {
    size_t full = (size_t{1} << terms_.size()) - 1;
    std::vector<SetValue> values(full + 1);
    for (size_t mask = 1; mask <= full; ++mask) {
      HLOCTS_RETURN_IF_ERROR(Fill(mask, values));
    }
    return terms_.empty() ? Collate(init_) : values[full];
  }

 private:
  SetValue Collate(const std::vector<SetValue>& parts) const {
    return parts.size() == 1 ? parts[0] : SetValue::Tuple(parts);
  }
  std::vector<SetValue> Parts(const SetValue& value) const {
    if (value.tuple) return value.elements;
    return {value};
  }
  absl::StatusOr<SetValue> Apply(const SetValue& a, const SetValue& b) {
    std::vector<SetValue> arguments = Parts(a);
    for (const SetValue& part : Parts(b)) arguments.push_back(part);
    return interpreter_.CallLanes(body_, arguments, lanes_);
  }
  absl::Status Include(const SetValue& more, SetValue& value, bool& empty) {
    value = empty ? more : JoinValues(value, more);
    empty = false;
    return absl::OkStatus();
  }
  absl::Status Fill(size_t mask, std::vector<SetValue>& values) {
    bool empty = true;
    SetValue& value = values[mask];
    if ((mask & (mask - 1)) == 0) {
      size_t term = static_cast<size_t>(__builtin_ctzll(mask));
      HLOCTS_RETURN_IF_ERROR(Include(Collate(terms_[term]), value, empty));
    }
    for (size_t left = (mask - 1) & mask; left > 0; left = (left - 1) & mask) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue both, Apply(values[left], values[mask & ~left]));
      HLOCTS_RETURN_IF_ERROR(Include(both, value, empty));
    }
    if (init_.empty()) return absl::OkStatus();
    SetValue init = Collate(init_);
    for (size_t k = 0; k <= terms_.size(); ++k) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue before, Apply(init, value));
      HLOCTS_ASSIGN_OR_RETURN(SetValue after, Apply(value, init));
      SetValue wider = JoinValues(value, JoinValues(before, after));
      if (SameSets(value, wider)) break;
      value = wider;
    }
    return absl::OkStatus();
  }

  SetInterpreter& interpreter_;
  const Computation& body_;
  Shape lanes_;
  std::vector<std::vector<SetValue>> terms_;
  std::vector<SetValue> init_;
};

// The elements `at` of an array as an array of lanes.
SetValue Lanes(const SetArray& array, const std::vector<int64_t>& at) {
  std::vector<AcceptanceSet> sets;
  for (int64_t i : at) {
    for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(i, c));
  }
  Shape shape(array.element_type(), {static_cast<int64_t>(at.size())});
  return Compress(SetArray(shape, std::move(sets)));
}

// Results of all outputs, filled in group by group.
class Outputs {
 public:
  Outputs(SetInterpreter& interpreter, const Instruction& instruction, const Shape& shape)
      : shape_(shape),
        values_(UnspecifiedResult(interpreter, instruction, shape, Term::kFreedom)) {}
  void Put(const std::vector<int64_t>& at, const SetValue& lanes) {
    if (!values_.tuple) return PutLeaf(at, lanes.tuple ? lanes.elements[0] : lanes, values_.array);
    for (size_t k = 0; k < values_.elements.size(); ++k) {
      PutLeaf(at, lanes.elements[k], values_.elements[k].array);
    }
  }
  SetValue Take() {
    if (!values_.tuple) return Compress(std::move(values_.array));
    for (SetValue& element : values_.elements) element.array = Compress(std::move(element.array));
    return std::move(values_);
  }

 private:
  void PutLeaf(const std::vector<int64_t>& at, const SetValue& lanes, SetArray& leaf) {
    std::vector<AcceptanceSet>& sets = leaf.mutable_sets();
    int components = leaf.components();
    for (size_t lane = 0; lane < at.size(); ++lane) {
      for (int c = 0; c < components; ++c) {
        sets[at[lane] * components + c] = lanes.array.At(static_cast<int64_t>(lane), c);
      }
    }
  }
  Shape shape_;
  SetValue values_;
};

}  // namespace

absl::StatusOr<SetValue> ReduceByEnumeration(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands) {
  size_t count = operands.size() / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  if (!operands[0].array.runtime_sizes.empty()) {
    return UnspecifiedResult(interpreter, instruction, shape, Term::kFreedom);
  }
  const std::vector<int64_t>& sizes = operands[0].array.shape().dimensions();
  ReductionTerms lists = TermsOf(instruction, sizes, sizes);
  std::map<size_t, std::vector<int64_t>> groups;  // outputs by their number of terms
  for (size_t out = 0; out < lists.terms.size(); ++out) {
    groups[lists.terms[out].size()].push_back(static_cast<int64_t>(out));
  }
  Outputs outputs(interpreter, instruction, shape);
  for (const auto& [size, outs] : groups) {
    if (size > kEnumeratedTerms) continue;
    std::vector<std::vector<SetValue>> terms(size);
    for (size_t t = 0; t < size; ++t) {
      std::vector<int64_t> at;
      for (int64_t out : outs) at.push_back(lists.terms[out][t]);
      for (size_t k = 0; k < count; ++k) terms[t].push_back(Lanes(operands[k].array, at));
    }
    std::vector<SetValue> init;
    std::vector<int64_t> zeros(outs.size(), 0);
    for (size_t k = 0; k < count; ++k) init.push_back(Lanes(operands[count + k].array, zeros));
    Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(outs.size())});
    Enumeration enumeration(interpreter, body, lanes, std::move(terms), std::move(init));
    HLOCTS_ASSIGN_OR_RETURN(SetValue value, enumeration.Run());
    outputs.Put(outs, value);
  }
  return outputs.Take();
}

absl::StatusOr<SetValue> CombineByEnumeration(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands,
                                              const std::vector<std::vector<int64_t>>& updates) {
  size_t count = operands.size() / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  std::map<size_t, std::vector<int64_t>> groups;
  for (size_t i = 0; i < updates.size(); ++i) {
    groups[updates[i].size()].push_back(static_cast<int64_t>(i));
  }
  Outputs outputs(interpreter, instruction, shape);
  for (const auto& [size, outs] : groups) {
    if (size + 1 > kEnumeratedTerms) continue;
    std::vector<std::vector<SetValue>> terms(size + 1);
    for (size_t k = 0; k < count; ++k) terms[0].push_back(Lanes(operands[k].array, outs));
    for (size_t t = 0; t < size; ++t) {
      std::vector<int64_t> at;
      for (int64_t out : outs) at.push_back(updates[out][t]);
      for (size_t k = 0; k < count; ++k) {
        terms[t + 1].push_back(Lanes(operands[count + 1 + k].array, at));
      }
    }
    Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(outs.size())});
    Enumeration enumeration(interpreter, body, lanes, std::move(terms), {});
    HLOCTS_ASSIGN_OR_RETURN(SetValue value, enumeration.Run());
    outputs.Put(outs, value);
  }
  return outputs.Take();
}

}  // namespace hlocts
