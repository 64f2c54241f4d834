// SPDX-License-Identifier: Apache-2.0
// Enumerates every order and tree of a few terms, for reductions and scatters by any computation.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

// Bounds reductions by log(e^x + e^y), as front ends write it, in any order and tree (lemma 12).

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

// Returns r of select(v != v, ..., r) or select(v == v, r, ...), and other instructions unchanged.
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

// Returns a function's error in half ulps for results of at most 1, including the part that grows
// with |x| (|x| exp(-|x|) <= 1/e). Returns -1 if the rule does not bound the error in ulps.
double UnitsOfFunction(SetInterpreter& interpreter, const Instruction& function) {
  const PrimitiveType type = function.shape().element_type();
  Rule rule = interpreter.ContextOf(function, type, type).rule;
  const double units = 2 * (rule.ulps + 0.37 * rule.ulps_per_argument);
  rule.ulps_per_argument = 0;
  return rule.rule_class == RuleClass::kUlp && rule.HasOnlyUlps() ? units : -1;
}

struct LogTerms {
  std::vector<double> lo, hi;  // the ends of terms other than -infinity
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

// Returns the set for these terms with any insertions of -infinity, or nullopt if nothing is known.
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
  const double path = static_cast<double>(x->lo.size() - 1), margin = 1.1;
  if ((exp + log) * u > 1.0 / 16 || path * u * margin > 0.25) return std::nullopt;
  // `own` is the error of one application, `off` the error along the longest path (lemma 12).
  const double own = margin * u * (0.37 + exp + 0.7 * log + most) + 8 * context.result->min_normal;
  const double off = path * own / (1 - path * u * margin) + 0x1p-40 * (1 + most);
  AcceptanceSet s = SetAround(low / 2 + high / 2, (high - low) / 2 * (1 + 0x1p-40) + off, context);
  s.cause = WideningCause::kSum;
  return s;
}

// Returns the known sets of results `outs` of a reduction by maximum(x, y) + log1p(exp(-|x - y|)),
// perhaps after a select that tests for NaN. The init value must be -infinity.
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

constexpr size_t kEnumeratedTerms = 5;
constexpr size_t kEnumeratedUpdates = 5;  // ruling 0075

bool SameSets(const SetValue& a, const SetValue& b) {
  if (a.tuple) {
    for (size_t i = 0; i < a.elements.size(); ++i) {
      if (!SameSets(a.elements[i], b.elements[i])) return false;
    }
    return true;
  }
  for (int64_t i = 0; i < a.array.element_count(); ++i) {
    for (int c = 0; c < a.array.components(); ++c) {
      if (!IsSubset(b.array.At(i, c), a.array.At(i, c))) return false;
    }
  }
  return true;
}

// The permitted trees over the terms (rulings 0019, 0021, 0075).
struct TreeRule {
  bool in_order = false;    // terms stay in order; only the brackets may change
  bool needs_init = false;  // the init value occurs at least once
  bool folds = false;       // combines the first term with the others in turn
};

// Computes the join of the results of all orders and trees of the terms, for all lanes. terms[t]
// has the values of term t for each operand. `init`, which is always a left argument, may be empty.
class Enumeration {
 public:
  Enumeration(SetInterpreter& interpreter, const Computation& body, Shape lanes,
              std::vector<std::vector<SetValue>> terms, std::vector<SetValue> init,
              TreeRule rule = {})
      : interpreter_(interpreter),
        body_(body),
        lanes_(std::move(lanes)),
        terms_(std::move(terms)),
        init_(std::move(init)),
        rule_(rule) {}

  absl::StatusOr<SetValue> Run() {
    if (terms_.empty()) return Collate(init_);
    size_t full = (size_t{1} << terms_.size()) - 1;
    std::vector<Trees> trees(full + 1);
    for (size_t mask = 1; mask <= full; ++mask) {
      if (rule_.in_order && !IsRun(mask)) continue;
      HLOCTS_RETURN_IF_ERROR(Fill(mask, trees));
    }
    return trees[full].with.has_value() && rule_.needs_init ? *trees[full].with : *trees[full].any;
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
  // The results of all trees over the same terms (`any`), and of those trees that contain an init
  // value (`with`, separate only if needs_init).
  struct Trees {
    std::optional<SetValue> any, with;
  };
  static void Include(const SetValue& more, std::optional<SetValue>& value) {
    value = value ? JoinValues(*value, more) : more;
  }
  // Returns true if the terms are consecutive.
  static bool IsRun(size_t mask) {
    const size_t shifted = mask >> __builtin_ctzll(mask);
    return (shifted & (shifted + 1)) == 0;
  }
  absl::Status Combine(const Trees& left, const Trees& right, Trees& trees) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue both, Apply(*left.any, *right.any));
    Include(both, trees.any);
    if (left.with) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue one, Apply(*left.with, *right.any));
      Include(one, trees.with);
    }
    if (right.with) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue one, Apply(*left.any, *right.with));
      Include(one, trees.with);
    }
    return absl::OkStatus();
  }
  absl::Status Fill(size_t mask, std::vector<Trees>& trees) {
    Trees& here = trees[mask];
    if ((mask & (mask - 1)) == 0) {
      Include(Collate(terms_[static_cast<size_t>(__builtin_ctzll(mask))]), here.any);
    }
    for (size_t left = (mask - 1) & mask; left > 0; left = (left - 1) & mask) {
      const size_t right = mask & ~left;
      if (rule_.in_order && (left > right || !IsRun(left) || !IsRun(right))) continue;
      if (rule_.folds && ((left & 1) == 0 || (right & (right - 1)) != 0)) continue;
      HLOCTS_RETURN_IF_ERROR(Combine(trees[left], trees[right], here));
    }
    if (init_.empty()) return absl::OkStatus();
    const SetValue init = Collate(init_);
    for (size_t k = 0; k <= terms_.size(); ++k) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue inserted, Apply(init, *here.any));
      if (rule_.needs_init) Include(inserted, here.with);
      SetValue wider = JoinValues(*here.any, inserted);
      if (SameSets(*here.any, wider)) break;
      here.any = std::move(wider);
    }
    return absl::OkStatus();
  }

  SetInterpreter& interpreter_;
  const Computation& body_;
  Shape lanes_;
  std::vector<std::vector<SetValue>> terms_;
  std::vector<SetValue> init_;
  TreeRule rule_;
};

// Collects the results of all outputs, group by group.
class Outputs {
 public:
  Outputs(SetInterpreter& interpreter, const Instruction& instruction, const Shape& shape)
      : shape_(shape),
        values_(UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom)) {}
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

// Returns the elements of each output's terms, followed by the init value.
SetArray Joined(const SetArray& operand, const SetArray& init,
                const std::vector<std::vector<int64_t>>& terms, const std::vector<int64_t>& outs) {
  std::vector<AcceptanceSet> sets;
  for (int64_t out : outs) {
    for (int64_t i : terms[out]) {
      for (int c = 0; c < operand.components(); ++c) sets.push_back(operand.At(i, c));
    }
    for (int c = 0; c < init.components(); ++c) sets.push_back(init.At(0, c));
  }
  const int64_t count = static_cast<int64_t>(sets.size()) / operand.components();
  return Compress(SetArray(Shape(operand.element_type(), {count}), std::move(sets)));
}

// Sets the results of a selection among many terms and the init value: any of the greatest terms.
absl::Status PutSelected(SetInterpreter& interpreter, const Computation& body,
                         absl::Span<const SetValue> operands,
                         const std::vector<std::vector<int64_t>>& terms,
                         const std::vector<int64_t>& outs, Outputs& outputs) {
  const size_t count = operands.size() / 2;
  std::vector<SetValue> pools;
  for (size_t k = 0; k < count; ++k) {
    pools.push_back(SetValue(Joined(operands[k].array, operands[count + k].array, terms, outs)));
  }
  const SetValue pool = count == 1 ? pools[0] : SetValue::Tuple(pools);
  const int64_t per = static_cast<int64_t>(terms[outs[0]].size()) + 1;
  HLOCTS_ASSIGN_OR_RETURN(auto greatest, GreatestTerms(interpreter, body, pool, outs.size(), per));
  for (size_t lane = 0; lane < outs.size(); ++lane) {
    SetValue joined;
    for (size_t g = 0; g < greatest[lane].size(); ++g) {
      const SetValue value = LanesOf(pool, {greatest[lane][g]});
      joined = g == 0 ? value : JoinValues(joined, value);
    }
    if (!greatest[lane].empty()) outputs.Put({outs[lane]}, joined);
  }
  return absl::OkStatus();
}

// In the strict profile, a reduce over one dimension keeps its terms in order (ruling 0021).
TreeRule TreeRuleOf(const SetInterpreter& interpreter, const Instruction& instruction) {
  TreeRule rule;
  rule.needs_init = interpreter.profile() == Profile::kStrict;
  rule.in_order = rule.needs_init && instruction.opcode() == Opcode::kReduce &&
                  instruction.IntList(Attr::kDimensions).size() == 1;
  return rule;
}

// Enumerates all outputs that have `size` terms.
absl::StatusOr<SetValue> EnumerateGroup(SetInterpreter& interpreter, const Computation& body,
                                        absl::Span<const SetValue> operands,
                                        const ReductionTerms& lists, size_t size,
                                        const std::vector<int64_t>& outs, const TreeRule& rule) {
  const size_t count = operands.size() / 2;
  std::vector<std::vector<SetValue>> terms(size);
  for (size_t t = 0; t < size; ++t) {
    std::vector<int64_t> at;
    for (int64_t out : outs) at.push_back(lists.terms[out][t]);
    for (size_t k = 0; k < count; ++k) terms[t].push_back(LanesOf(operands[k], at));
  }
  std::vector<SetValue> init;
  std::vector<int64_t> zeros(outs.size(), 0);
  for (size_t k = 0; k < count; ++k) init.push_back(LanesOf(operands[count + k], zeros));
  Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(outs.size())});
  Enumeration enumeration(interpreter, body, lanes, std::move(terms), std::move(init), rule);
  return enumeration.Run();
}

}  // namespace

absl::StatusOr<SetValue> ReduceByEnumeration(SetInterpreter& interpreter,
                                             const Instruction& instruction, const Shape& shape,
                                             absl::Span<const SetValue> operands) {
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  if (!operands[0].array.runtime_sizes.empty()) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kFreedom);
  }
  const std::vector<int64_t>& sizes = operands[0].array.shape().dimensions();
  HLOCTS_ASSIGN_OR_RETURN(
      const ReductionTerms lists,
      TermsOf(instruction, sizes, sizes, interpreter.runner().options().memory_bytes_max));
  std::map<size_t, std::vector<int64_t>> groups;  // outputs by their number of terms
  for (size_t out = 0; out < lists.terms.size(); ++out) {
    groups[lists.terms[out].size()].push_back(static_cast<int64_t>(out));
  }
  Outputs outputs(interpreter, instruction, shape);
  const TreeRule rule = TreeRuleOf(interpreter, instruction);
  for (const auto& [size, outs] : groups) {
    if (size > kEnumeratedTerms) {
      const auto log_sums = LogSumsOf(interpreter, body, operands, lists, outs);
      for (const auto& [out, sum] : log_sums) outputs.Put({out}, sum);
      if (!log_sums.empty()) continue;
      HLOCTS_RETURN_IF_ERROR(PutSelected(interpreter, body, operands, lists.terms, outs, outputs));
      continue;
    }
    HLOCTS_ASSIGN_OR_RETURN(SetValue value,
                            EnumerateGroup(interpreter, body, operands, lists, size, outs, rule));
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
    if (size > kEnumeratedUpdates) continue;
    std::vector<std::vector<SetValue>> terms(size + 1);
    for (size_t k = 0; k < count; ++k) terms[0].push_back(LanesOf(operands[k], outs));
    for (size_t t = 0; t < size; ++t) {
      std::vector<int64_t> at;
      for (int64_t out : outs) at.push_back(updates[out][t]);
      for (size_t k = 0; k < count; ++k) {
        terms[t + 1].push_back(LanesOf(operands[count + 1 + k], at));
      }
    }
    Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(outs.size())});
    // The current value is the first argument and an update the second (scatter.51).
    TreeRule rule;
    rule.folds = true;
    Enumeration enumeration(interpreter, body, lanes, std::move(terms), {}, rule);
    HLOCTS_ASSIGN_OR_RETURN(SetValue value, enumeration.Run());
    outputs.Put(outs, value);
  }
  return outputs.Take();
}

}  // namespace hlocts::reference
