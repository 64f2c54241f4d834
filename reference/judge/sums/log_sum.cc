// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/log_sum.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/judge/joint/joint_numbers.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

struct LogSumBody {
  const Instruction *exponential, *log_plus_one, *sum;
};

const Instruction* WithOpcode(const Instruction& instruction, Opcode opcode) {
  return instruction.opcode() == opcode ? &instruction : nullptr;
}

bool IsOfParameters(const Instruction& instruction, Opcode opcode) {
  if (instruction.opcode() != opcode) return false;
  const Instruction &a = instruction.operand(0), &b = instruction.operand(1);
  return (a.IsParameter(0) && b.IsParameter(1)) || (a.IsParameter(1) && b.IsParameter(0));
}

// Returns r of select(v != v, ..., r) or select(v == v, r, ...); other instructions unchanged.
const Instruction& BehindNanTest(const Instruction& root) {
  if (root.opcode() != Opcode::kSelect || root.operand(0).opcode() != Opcode::kCompare) return root;
  const Instruction& test = root.operand(0);
  if (&test.operand(0) != &test.operand(1) || !IsOfParameters(test.operand(0), Opcode::kSubtract))
    return root;
  const absl::string_view direction = test.WordOr(Attr::kDirection, "");
  if (direction == "NE") return root.operand(2);
  return direction == "EQ" ? root.operand(1) : root;
}

// Returns true for -|x - y|.
bool IsMinusDistance(const Instruction& instruction) {
  return WithOpcode(instruction, Opcode::kNegate) &&
         WithOpcode(instruction.operand(0), Opcode::kAbs) &&
         IsOfParameters(instruction.operand(0).operand(0), Opcode::kSubtract);
}

// Returns a function's error in half ulps, for results of at most 1. It includes the part that
// grows with |x|, since |x| e^-|x| <= 1/e. Negative if the rule permits more than ulps.
double UnitsOfFunction(SetInterpreter& interpreter, const Instruction& function) {
  const PrimitiveType type = function.shape().element_type();
  Rule rule = interpreter.ContextOf(function, type, type).rule;
  const double units = 2 * (rule.ulps + 0.37 * rule.ulps_per_argument);
  rule.ulps_per_argument = 0;
  return rule.rule_class == RuleClass::kUlp && rule.HasOnlyUlps() ? units : -1;
}

struct LogTerms {
  std::vector<double> lo, hi;  // for terms other than -infinity
};

std::optional<LogTerms> FiniteTerms(const std::vector<AcceptanceSet>& sets,
                                    const FloatFacts& facts) {
  LogTerms terms;
  for (const AcceptanceSet& s : sets) {
    double middle = 0, radius = 0;
    if (!s.finite() && !s.unspecified() && !s.integer() && s.IsPoint() &&
        s.Has(AcceptanceSet::kNegInf)) {
      continue;
    }
    if (!EnclosePart(s, middle, radius)) return std::nullopt;
    terms.lo.push_back(NextDown(middle - radius));
    terms.hi.push_back(NextUp(middle + radius));
    if (std::max(-terms.lo.back(), terms.hi.back()) > facts.max / 8) return std::nullopt;
  }
  return terms;
}

// Returns log(sum e^x), off by less than 2^-40 times the larger of 1 and the largest term.
double LogOfSum(const std::vector<double>& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double term : x) sum += std::exp(term - most);
  return most + std::log(sum);
}

std::optional<LogSumBody> RecognizeLogSum(const Computation& body) {
  const Instruction& sum = BehindNanTest(*body.root());
  if (!WithOpcode(sum, Opcode::kAdd) || !IsFloat(sum.shape().element_type())) return std::nullopt;
  const bool first = IsOfParameters(sum.operand(0), Opcode::kMaximum);
  if (!first && !IsOfParameters(sum.operand(1), Opcode::kMaximum)) return std::nullopt;
  const Instruction* log = WithOpcode(sum.operand(first ? 1 : 0), Opcode::kLogPlusOne);
  const Instruction* exp =
      log != nullptr ? WithOpcode(log->operand(0), Opcode::kExponential) : nullptr;
  if (exp == nullptr || !IsMinusDistance(exp->operand(0))) return std::nullopt;
  return LogSumBody{exp, log, &sum};
}

// Returns the result of the terms and any insertions of -infinity, or nullopt if nothing is known.
std::optional<AcceptanceSet> LogSumOf(SetInterpreter& interpreter, const LogSumBody& body,
                                      const std::vector<AcceptanceSet>& terms) {
  const PrimitiveType type = body.sum->shape().element_type();
  const SetContext context = interpreter.ContextOf(*body.sum, type, type);
  const std::optional<LogTerms> x = FiniteTerms(terms, *context.result);
  const double exp = UnitsOfFunction(interpreter, *body.exponential);
  const double log = UnitsOfFunction(interpreter, *body.log_plus_one);
  // The relaxed profile permits rewrites of the formula.
  const bool known = x.has_value() && x->lo.size() > 1 && exp >= 0 && log >= 0 &&
                     interpreter.profile() != Profile::kRelaxed;
  if (!known) return std::nullopt;
  const double low = LogOfSum(x->lo), high = LogOfSum(x->hi), u = UnitOf(type);
  const double most = std::max(std::fabs(high), -*std::min_element(x->lo.begin(), x->lo.end()));
  const double path = static_cast<double>(x->lo.size() - 1), room = 1.1;
  if ((exp + log) * u > 1.0 / 16 || path * u * room > 0.25) return std::nullopt;
  // `own` is the error of one application, `off` the error along the longest path (lemma 12).
  const double own = room * u * (0.37 + exp + 0.7 * log + most) + 8 * context.result->min_normal;
  const double off = path * own / (1 - path * u * room) + 0x1p-40 * (1 + most);
  AcceptanceSet s = SetAround(low / 2 + high / 2, (high - low) / 2 * (1 + 0x1p-40) + off, context);
  s.cause = WideningCause::kSum;
  return s;
}

}  // namespace

std::vector<std::pair<int64_t, SetValue>> LogSumsOf(SetInterpreter& interpreter,
                                                    const Computation& body,
                                                    absl::Span<const SetValue> operands,
                                                    const ReductionTerms& lists,
                                                    const std::vector<int64_t>& outs) {
  std::vector<std::pair<int64_t, SetValue>> found;
  if (operands.size() != 2) return found;
  const std::optional<LogSumBody> log_sum = RecognizeLogSum(body);
  const SetArray &operand = operands[0].array, &init = operands[1].array;
  const AcceptanceSet neutral = init.At(0);
  const bool low = neutral.IsPoint() && !neutral.finite() && neutral.Has(AcceptanceSet::kNegInf);
  if (!log_sum.has_value() || !low) return found;
  const Shape shape(operand.element_type(), {1});
  for (int64_t out : outs) {
    std::vector<AcceptanceSet> terms;
    for (int64_t i : lists.terms[out]) terms.push_back(operand.At(i));
    const std::optional<AcceptanceSet> sum = LogSumOf(interpreter, *log_sum, terms);
    if (sum.has_value()) found.emplace_back(out, SetValue(SetArray(shape, {*sum})));
  }
  return found;
}

}  // namespace hlocts::reference
