// SPDX-License-Identifier: Apache-2.0
// Narrows comparisons of x with a maximum or minimum of x and other values (lemma 30). The
// gradients of a maximum contain such comparisons.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/judge/centred/tape.h"
#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/sums/reducers.h"
#include "spec/ir/instruction.h"
#include "spec/judge/equal_operands.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// A comparison of x with moved elements of `extremum`, which is a maximum or minimum of x and y, or
// a reduction of x by one with the initial value y.
struct Comparison {
  const Instruction* x;
  const Instruction* extremum;
  bool largest;                           // true for a maximum
  std::vector<const Instruction*> moves;  // from the comparison to the extremum
};

// Returns the operation by which the instruction selects one of several numbers, or nullopt.
std::optional<Opcode> SelectionOf(const Instruction& instruction) {
  Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kReduce && instruction.operand_count() == 2) {
    const RecognizedReducer reducer = Recognize(*instruction.CalledComputation(Attr::kToApply));
    if (reducer != RecognizedReducer::kNone) opcode = OpcodeOf(reducer);
  }
  if (!ops::IsExtremum(opcode)) return std::nullopt;
  return opcode;
}

std::optional<Comparison> ComparisonOf(const Instruction& compare) {
  if (compare.opcode() != Opcode::kCompare || !IsFloat(compare.operand(0).shape().element_type()) ||
      compare.WordOr(Attr::kType, "FLOAT") == "TOTALORDER")
    return std::nullopt;
  for (int k : {0, 1}) {
    Comparison result{.x = &compare.operand(k), .extremum = &compare.operand(1 - k)};
    while (ops::IsOneOf(result.extremum->opcode(), {Opcode::kBroadcast, Opcode::kReshape,
                                                    Opcode::kTranspose, Opcode::kCopy})) {
      result.moves.push_back(result.extremum);
      result.extremum = &result.extremum->operand(0);
    }
    const std::optional<Opcode> selection = SelectionOf(*result.extremum);
    if (!selection.has_value()) continue;
    result.largest = *selection == Opcode::kMaximum;
    const bool reduced = result.extremum->opcode() == Opcode::kReduce;
    if (&result.extremum->operand(0) == result.x ||
        (!reduced && &result.extremum->operand(1) == result.x))
      return result;
  }
  return std::nullopt;
}

// The ends of the values that the selected number has to beat.
struct Others {
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  bool numbers = true;

  void Add(const AcceptanceSet& s) {
    const bool infinite = s.IsPoint() && s.Has(AcceptanceSet::kPosInf | AcceptanceSet::kNegInf);
    numbers = numbers && (infinite || IsNumber(s));
    const double value = s.Has(AcceptanceSet::kPosInf) ? HUGE_VAL : -HUGE_VAL;
    const auto [first, last] = infinite ? std::pair(value, value) : EndsRead(s);
    lo = std::min(lo, first);
    hi = std::max(hi, last);
  }
};

// Returns true if the maximum or minimum of `a` and the others is certainly `a`. A flush of numbers
// below `least` does not change `a`.
bool IsSelected(bool largest, const AcceptanceSet& a, const Others& others, double least) {
  if (!others.numbers || !IsNumber(a) || (a.lo < least && a.hi > -least)) return false;
  return largest ? a.lo >= others.hi : a.hi <= others.lo;
}

// Returns, for each element of the extremum, the element of x that is certainly selected, or -1.
std::vector<int64_t> SelectedElements(const Comparison& comparison, const SetArray& x,
                                      const SetArray& y,
                                      const std::vector<std::vector<int64_t>>& terms,
                                      double least) {
  const auto rank = [&](int64_t i) { return comparison.largest ? x.At(i).lo : -x.At(i).hi; };
  std::vector<int64_t> selected;
  for (size_t r = 0; r < terms.size(); ++r) {
    Others others;
    others.Add(y.At(ElementOf(y, static_cast<int64_t>(r))));
    int64_t best = terms[r].empty() ? -1 : terms[r][0];
    for (int64_t i : terms[r]) best = rank(i) > rank(best) ? i : best;
    for (int64_t i : terms[r]) {
      if (i != best) others.Add(x.At(i));
    }
    const bool certain = best >= 0 && IsSelected(comparison.largest, x.At(best), others, least);
    selected.push_back(certain ? best : -1);
  }
  return selected;
}

// Returns the element of the extremum with which each element is compared.
absl::StatusOr<Literal> ComparedElements(SetInterpreter& interpreter,
                                         const Comparison& comparison) {
  const Shape& shape = comparison.extremum->shape();
  Literal numbers(shape.WithElementType(PrimitiveType::kS64));
  const absl::Span<int64_t> data = numbers.mutable_data<int64_t>();
  std::iota(data.begin(), data.end(), 0);
  for (auto move = comparison.moves.rbegin(); move != comparison.moves.rend(); ++move) {
    const Shape moved = (*move)->shape().WithElementType(PrimitiveType::kS64);
    HLOCTS_ASSIGN_OR_RETURN(numbers, interpreter.runner().Run(**move, moved, {numbers}));
  }
  return numbers;
}

// Returns the elements of x from which each element of the extremum is selected.
absl::StatusOr<std::vector<std::vector<int64_t>>> TermsOfExtremum(SetInterpreter& interpreter,
                                                                  const Comparison& comparison) {
  const absl::Span<const int64_t> sizes = comparison.x->shape().dimensions();
  if (comparison.extremum->opcode() == Opcode::kReduce) {
    HLOCTS_ASSIGN_OR_RETURN(ReductionTerms terms,
                            TermsOf(*comparison.extremum, sizes, sizes,
                                    interpreter.runner().options().memory_bytes_max));
    return std::move(terms.terms);
  }
  std::vector<std::vector<int64_t>> terms;
  for (int64_t i = 0; i < comparison.x->shape().ElementCount(); ++i) terms.push_back({i});
  return terms;
}

}  // namespace

void KeepIfCompared(SetInterpreter& interpreter, const Instruction& extremum,
                    absl::Span<const SetValue> operands) {
  if (extremum.parent() == nullptr || !SelectionOf(extremum).has_value()) return;
  for (const auto& one : extremum.parent()->instructions()) {
    const std::optional<Comparison> comparison = ComparisonOf(*one);
    if (!comparison.has_value() || comparison->extremum != &extremum) continue;
    interpreter.KeptOperands(extremum) = {operands[0].array, operands[1].array};
    return;
  }
}

void CompareWithExtremum(SetInterpreter& interpreter, const ElementOp& op, SetArray& result) {
  const std::optional<Comparison> comparison = ComparisonOf(*op.instruction);
  if (!comparison.has_value() || !IsOneNumber(interpreter, *comparison->x)) return;
  const std::array<SetArray, 2>& operands = interpreter.KeptOperands(*comparison->extremum);
  const int first = &comparison->extremum->operand(0) == comparison->x ? 0 : 1;
  const SetArray &x = operands[first], &y = operands[1 - first];
  // In a computation that runs on many elements at once, the arrays are larger than the shapes.
  if (result.shape().dimensions() != op.instruction->shape().dimensions() ||
      x.shape().dimensions() != result.shape().dimensions() || !x.runtime_sizes.empty() ||
      AnyChoices({&x, &y}))
    return;
  const auto numbers = ComparedElements(interpreter, *comparison);
  const auto terms = TermsOfExtremum(interpreter, *comparison);
  if (!numbers.ok() || !terms.ok()) return;
  const std::vector<int64_t> selected =
      SelectedElements(*comparison, x, y, *terms, op.context.operand->min_normal);
  const absl::Span<const int64_t> compared = numbers->data<int64_t>();
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    if (selected[compared[i]] == i)
      sets[i] = *CompareWithItselfFloat(op.direction, /*total_order=*/false, x.At(i), op.context);
  }
  result = Compress(std::move(result));
}

}  // namespace hlocts::reference
