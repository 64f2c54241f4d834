// SPDX-License-Identifier: Apache-2.0
// Enumerates every order and tree of a few terms, for reductions and scatters by any computation.
#include <map>
#include <optional>

#include "reference/judge/sums/log_sum.h"
#include "reference/judge/sums/reductions.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

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

// Computes the join over all orders and trees of the terms, in all lanes at once. terms[t] contains
// the values of term t for each operand. `init`, which is always a left argument, may be empty.
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
  // The values of trees over the same terms: `any` of all trees, `with` of those that contain an
  // init value. They are kept apart only if needs_init.
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

// A reduce may change only its brackets; over several dimensions no order is stated (ruling 0021).
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
