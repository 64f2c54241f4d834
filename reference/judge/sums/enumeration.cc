// SPDX-License-Identifier: Apache-2.0
// Enumerates every order and tree of a few terms, for reductions and scatters by any computation.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/sums/reducers.h"
#include "reference/judge/sums/reductions.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module.h"
#include "spec/judge/choices.h"

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

// For more lanes than this only the join of the alternatives is kept (lemma 31).
constexpr size_t kLanesWithChoices = 4096;

// A result in one lane: the sets of its arrays, component by component.
using Row = std::vector<AcceptanceSet>;

// The results that each lane may have (lemma 31). No row of a lane contains another.
class Alternatives {
 public:
  explicit Alternatives(size_t lanes)
      : most_(lanes <= kLanesWithChoices ? Choices::kMax : 1), rows_(lanes) {}
  // Returns the elements `at` of the arrays as lanes.
  static Alternatives Of(absl::Span<const SetValue> arrays, const std::vector<int64_t>& at) {
    Alternatives result(at.size());
    for (size_t lane = 0; lane < at.size(); ++lane) result.AddElement(arrays, at[lane], lane);
    return result;
  }
  size_t lanes() const { return rows_.size(); }
  const std::vector<Row>& rows(size_t lane) const { return rows_[lane]; }

  void AddElement(absl::Span<const SetValue> arrays, int64_t element, size_t lane) {
    std::vector<Row> all = {{}};
    for (const SetValue& value : arrays) {
      const SetArray& array = value.array;
      for (int c = 0; c < array.components(); ++c) {
        std::vector<AcceptanceSet> sets = ChoicesAt(array, element * array.components() + c);
        if (all.size() * sets.size() > most_) sets = {array.At(element, c)};
        std::vector<Row> longer;
        for (Row& row : all) {
          for (const AcceptanceSet& set : sets) longer.emplace_back(row).push_back(set);
        }
        all = std::move(longer);
      }
    }
    for (Row& row : all) Add(std::move(row), rows_[lane]);
  }
  // Returns true if some row was new.
  bool AddAll(const Alternatives& other) {
    bool any = false;
    for (size_t lane = 0; lane < other.lanes(); ++lane) {
      for (const Row& row : other.rows_[lane]) any |= Add(row, rows_[lane]);
    }
    return any;
  }

 private:
  static bool CoversRow(const Row& outer, const Row& inner) {
    return std::equal(outer.begin(), outer.end(), inner.begin(), Covers);
  }
  // Replaces the rows by their join if there would be more than most_.
  bool Add(Row row, std::vector<Row>& rows) const {
    for (const Row& other : rows) {
      if (CoversRow(other, row)) return false;
    }
    std::erase_if(rows, [&](const Row& other) { return CoversRow(row, other); });
    if (rows.size() >= most_) {
      for (const Row& other : rows) {
        for (size_t k = 0; k < row.size(); ++k) row[k] = Join(other[k], row[k]);
      }
      rows.clear();
    }
    rows.push_back(std::move(row));
    return true;
  }

  size_t most_;
  std::vector<std::vector<Row>> rows_;
};

// The permitted trees over the terms (rulings 0019, 0021, 0075).
struct TreeRule {
  bool in_order = false;    // terms stay in order; only the brackets may change
  bool needs_init = false;  // the init value occurs at least once
  bool folds = false;       // combines the first term with the others in turn
};

// Computes the results of all orders and trees of the terms, for all lanes. terms[t] has the values
// of term t. `init` is always a left argument; it has no lanes if there is none.
class Enumeration {
 public:
  // A term has the types of `arrays`.
  Enumeration(SetInterpreter& interpreter, const Computation& body,
              absl::Span<const SetValue> arrays, std::vector<Alternatives> terms, Alternatives init,
              TreeRule rule)
      : interpreter_(interpreter),
        body_(body),
        arrays_(arrays),
        terms_(std::move(terms)),
        init_(std::move(init)),
        rule_(rule) {}

  absl::StatusOr<Alternatives> Run() {
    if (terms_.empty()) return init_;
    const size_t full = (size_t{1} << terms_.size()) - 1;
    std::vector<Trees> trees(full + 1);
    for (size_t mask = 1; mask <= full; ++mask) {
      if (rule_.in_order && !IsRun(mask)) continue;
      HLOCTS_RETURN_IF_ERROR(Fill(mask, trees));
    }
    return rule_.needs_init ? trees[full].with : trees[full].any;
  }

 private:
  // The results of all trees over the same terms (`any`), and of those trees that contain an init
  // value (`with`, empty unless needs_init).
  struct Trees {
    Alternatives any{0}, with{0};
  };
  absl::StatusOr<Alternatives> Apply(const Alternatives& a, const Alternatives& b) {
    std::vector<std::vector<AcceptanceSet>> sets(2 * arrays_.size());
    std::vector<size_t> owners;  // the lane of each call
    for (size_t lane = 0; lane < std::min(a.lanes(), b.lanes()); ++lane) {
      for (const Row& left : a.rows(lane)) {
        for (const Row& right : b.rows(lane)) {
          owners.push_back(lane);
          for (size_t k = 0, at = 0; k < arrays_.size(); ++k) {
            for (int c = arrays_[k].array.components(); c > 0; --c, ++at) {
              sets[k].push_back(left[at]);
              sets[arrays_.size() + k].push_back(right[at]);
            }
          }
        }
      }
    }
    Alternatives results(owners.empty() ? 0 : a.lanes());
    if (owners.empty()) return results;
    const std::vector<int64_t> sizes = {static_cast<int64_t>(owners.size())};
    std::vector<SetValue> arguments;
    for (size_t k = 0; k < sets.size(); ++k) {
      const Shape shape(arrays_[k % arrays_.size()].array.element_type(), sizes);
      arguments.emplace_back(Compress(SetArray(shape, std::move(sets[k]))));
    }
    HLOCTS_ASSIGN_OR_RETURN(
        const SetValue value,
        interpreter_.CallLanes(body_, arguments, Shape(PrimitiveType::kPred, sizes)));
    const auto arrays =
        value.tuple ? absl::MakeConstSpan(value.elements) : absl::MakeConstSpan(&value, 1);
    for (size_t i = 0; i < owners.size(); ++i) {
      results.AddElement(arrays, static_cast<int64_t>(i), owners[i]);
    }
    return results;
  }
  // Returns true if the terms are consecutive.
  static bool IsRun(size_t mask) {
    const size_t shifted = mask >> __builtin_ctzll(mask);
    return (shifted & (shifted + 1)) == 0;
  }
  absl::Status Fill(size_t mask, std::vector<Trees>& trees) {
    Trees& here = trees[mask];
    here.any = Alternatives(terms_[0].lanes());
    if (rule_.needs_init) here.with = here.any;
    if ((mask & (mask - 1)) == 0) {
      here.any.AddAll(terms_[static_cast<size_t>(__builtin_ctzll(mask))]);
    }
    for (size_t left = (mask - 1) & mask; left > 0; left = (left - 1) & mask) {
      const size_t right = mask & ~left;
      if (rule_.in_order && (left > right || !IsRun(left) || !IsRun(right))) continue;
      if (rule_.folds && ((left & 1) == 0 || (right & (right - 1)) != 0)) continue;
      const Trees &a = trees[left], &b = trees[right];
      HLOCTS_ASSIGN_OR_RETURN(const Alternatives both, Apply(a.any, b.any));
      here.any.AddAll(both);
      for (const auto& [x, y] : {std::tie(a.with, b.any), std::tie(a.any, b.with)}) {
        HLOCTS_ASSIGN_OR_RETURN(const Alternatives one, Apply(x, y));
        here.with.AddAll(one);
      }
    }
    for (size_t k = 0; init_.lanes() != 0 && k <= terms_.size(); ++k) {
      HLOCTS_ASSIGN_OR_RETURN(const Alternatives inserted, Apply(init_, here.any));
      if (rule_.needs_init) here.with.AddAll(inserted);
      if (!here.any.AddAll(inserted)) break;
    }
    return absl::OkStatus();
  }

  SetInterpreter& interpreter_;
  const Computation& body_;
  absl::Span<const SetValue> arrays_;
  std::vector<Alternatives> terms_;
  Alternatives init_;
  TreeRule rule_;
};

// Collects the results of all outputs, group by group. If `open`, some remain unspecified.
class Outputs {
 public:
  Outputs(SetInterpreter& interpreter, const Instruction& instruction, const Shape& shape,
          PrimitiveType type, bool open)
      : origin_(interpreter.OriginOf(
            instruction,
            open ? Rule{RuleClass::kUnknown} : interpreter.RuleOf(instruction.opcode(), type))),
        values_(UnspecifiedValue(shape, WideningCause::kFreedom, origin_)),
        choices_(values_.tuple ? values_.elements.size() : 1) {}
  void Put(const std::vector<int64_t>& at, const Alternatives& results) {
    for (size_t lane = 0; lane < at.size(); ++lane) {
      for (size_t k = 0, n = 0; k < choices_.size(); ++k) {
        const int64_t components = Leaf(k).components();
        for (int64_t c = at[lane] * components; c < (at[lane] + 1) * components; ++c, ++n) {
          std::vector<AcceptanceSet> sets;
          for (const Row& row : results.rows(lane)) sets.push_back(row[n]);
          Leaf(k).mutable_sets()[c] =
              JoinChoices(sets, WideningCause::kFreedom, origin_, c, choices_[k]);
        }
      }
    }
  }
  SetValue Take() {
    for (size_t k = 0; k < choices_.size(); ++k) {
      Leaf(k) = Compress(std::move(Leaf(k)));
      if (!Leaf(k).exact()) SetChoices(std::move(choices_[k]), Leaf(k));
    }
    return std::move(values_);
  }

 private:
  SetArray& Leaf(size_t k) { return values_.tuple ? values_.elements[k].array : values_.array; }

  uint32_t origin_;
  SetValue values_;
  std::vector<ChoiceMap> choices_;
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
    if (greatest[lane].empty()) continue;
    Alternatives any(1);
    for (int64_t term : greatest[lane]) any.AddElement(pools, term, 0);
    outputs.Put({outs[lane]}, any);
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
absl::StatusOr<Alternatives> EnumerateGroup(SetInterpreter& interpreter, const Computation& body,
                                            absl::Span<const SetValue> operands,
                                            const ReductionTerms& lists, size_t size,
                                            const std::vector<int64_t>& outs,
                                            const TreeRule& rule) {
  const auto arrays = operands.first(operands.size() / 2);
  std::vector<Alternatives> terms;
  for (size_t t = 0; t < size; ++t) {
    std::vector<int64_t> at;
    for (int64_t out : outs) at.push_back(lists.terms[out][t]);
    terms.push_back(Alternatives::Of(arrays, at));
  }
  Alternatives init =
      Alternatives::Of(operands.last(operands.size() / 2), std::vector<int64_t>(outs.size(), 0));
  return Enumeration(interpreter, body, arrays, std::move(terms), std::move(init), rule).Run();
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
  Outputs outputs(interpreter, instruction, shape, operands[0].array.element_type(),
                  !groups.empty() && groups.rbegin()->first > kEnumeratedTerms);
  const TreeRule rule = TreeRuleOf(interpreter, instruction);
  for (const auto& [size, outs] : groups) {
    if (size > kEnumeratedTerms) {
      const auto log_sums = LogSumsOf(interpreter, body, operands, lists, outs);
      for (const auto& [out, sum] : log_sums) outputs.Put({out}, Alternatives::Of({sum}, {0}));
      if (!log_sums.empty()) continue;
      HLOCTS_RETURN_IF_ERROR(PutSelected(interpreter, body, operands, lists.terms, outs, outputs));
      continue;
    }
    HLOCTS_ASSIGN_OR_RETURN(const Alternatives results,
                            EnumerateGroup(interpreter, body, operands, lists, size, outs, rule));
    outputs.Put(outs, results);
  }
  return outputs.Take();
}

absl::StatusOr<SetValue> CombineByEnumeration(SetInterpreter& interpreter,
                                              const Instruction& instruction, const Shape& shape,
                                              absl::Span<const SetValue> operands,
                                              const std::vector<std::vector<int64_t>>& updates) {
  const size_t count = operands.size() / 2;
  const Computation& body = *instruction.CalledComputation(Attr::kToApply);
  std::map<size_t, std::vector<int64_t>> groups;
  for (size_t i = 0; i < updates.size(); ++i) {
    groups[updates[i].size()].push_back(static_cast<int64_t>(i));
  }
  const auto arrays = operands.first(count);
  Outputs outputs(interpreter, instruction, shape, arrays[0].array.element_type(),
                  !groups.empty() && groups.rbegin()->first > kEnumeratedUpdates);
  // The current value is the first argument and an update the second (scatter.51).
  TreeRule rule;
  rule.folds = true;
  for (const auto& [size, outs] : groups) {
    if (size > kEnumeratedUpdates) continue;
    std::vector<Alternatives> terms = {Alternatives::Of(arrays, outs)};
    for (size_t t = 0; t < size; ++t) {
      std::vector<int64_t> at;
      for (int64_t out : outs) at.push_back(updates[out][t]);
      terms.push_back(Alternatives::Of(operands.subspan(count + 1), at));
    }
    Enumeration enumeration(interpreter, body, arrays, std::move(terms), Alternatives(0), rule);
    HLOCTS_ASSIGN_OR_RETURN(const Alternatives results, enumeration.Run());
    outputs.Put(outs, results);
  }
  return outputs.Take();
}

}  // namespace hlocts::reference
