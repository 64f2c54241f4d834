// SPDX-License-Identifier: Apache-2.0
// Computes the sets of sort (lemmas 14, 25). If the comparator's results are certain, the sets are
// exact except for ties; else an element is in the set of every position that it may take. A joint
// predicate requires that rows stay together.
#include <optional>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/within_sizes.h"
#include "reference/judge/joint/row_permutation.h"
#include "reference/judge/joint/sorted_rows.h"
#include "reference/judge/structured/sort_lines.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kPairsMax = int64_t{1} << 20;

SetValue CollateSort(const Shape& shape, std::vector<SetArray> arrays) {
  if (!shape.IsTuple()) return arrays[0];
  std::vector<SetValue> elements;
  for (SetArray& array : arrays) elements.emplace_back(std::move(array));
  return SetValue::Tuple(std::move(elements));
}

// Returns the plain evaluator's results, by operand. Unknown NaN bits and zero signs stay unknown.
absl::StatusOr<std::vector<SetArray>> PlainlySorted(const SortJob& job, const Shape& shape) {
  HLOCTS_ASSIGN_OR_RETURN(SetValue plain,
                          PlainResult(job.interpreter, job.instruction, shape, job.operands));
  std::vector<SetArray> sorted;
  if (plain.tuple) {
    for (SetValue& element : plain.elements) sorted.push_back(std::move(element.array));
  } else {
    sorted.push_back(std::move(plain.array));
  }
  for (size_t k = 0; k < sorted.size(); ++k) {
    sorted[k].nan_bits_free = job.operands[k].array.nan_bits_free;
    sorted[k].zero_sign_free = job.operands[k].array.zero_sign_free;
    sorted[k].origin = job.origin;
  }
  return sorted;
}

// The comparator's results for neighbours a and b in the sorted line: less(a, b) and less(b, a).
struct Neighbours {
  std::vector<Truth> less, more;
  bool SurelyDiffer(size_t pair) const { return !MayBeFalse(less[pair]) && !MayBeTrue(more[pair]); }
  bool MayDiffer(size_t pair) const { return MayBeTrue(less[pair]) || MayBeTrue(more[pair]); }
};

absl::StatusOr<Neighbours> CompareNeighbours(const SortJob& job,
                                             const std::vector<SetArray>& sorted) {
  std::vector<const SetArray*> rows;
  for (const SetArray& array : sorted) rows.push_back(&array);
  std::vector<std::pair<int64_t, int64_t>> pairs, swapped;
  for (int64_t start : job.lines.starts) {
    for (int64_t k = 0; k + 1 < job.lines.length; ++k) {
      int64_t a = start + k * job.lines.stride, b = a + job.lines.stride;
      pairs.emplace_back(a, b);
      swapped.emplace_back(b, a);
    }
  }
  Neighbours found;
  HLOCTS_ASSIGN_OR_RETURN(found.less, ComparePairs(job, rows, pairs));
  HLOCTS_ASSIGN_OR_RETURN(found.more, ComparePairs(job, rows, swapped));
  return found;
}

// Finds runs of rows that may tie. `pair` is the index of the line's first pair of neighbours; it
// is advanced to the next line's first pair. Returns true if a run's order is not determined.
bool RunsOfLine(const SortJob& job, const Neighbours& neighbours, size_t& pair, LineOrder& order) {
  const int64_t length = job.lines.length;
  order.first.resize(length);
  order.last.resize(length);
  bool any_tie = false;
  for (int64_t begin = 0; begin < length;) {
    int64_t end = begin + 1;
    // A stable sort keeps the order of rows that certainly tie, if every tie in the run is certain.
    bool open = !job.stable;
    for (; end < length; ++end, ++pair) {
      if (neighbours.SurelyDiffer(pair)) break;
      open = open || neighbours.MayDiffer(pair);
    }
    if (end < length) ++pair;
    open = open && end - begin > 1;
    any_tie = any_tie || open;
    for (int64_t k = begin; k < end; ++k) {
      order.first[k] = open ? begin : k;
      order.last[k] = open ? end - 1 : k;
    }
    begin = end;
  }
  return any_tie;
}

// Returns the sorted rows if the order of some lines is not determined. orders[line] has the
// positions that the line's rows may take; in a determined line, each row has one position.
SetValue WithUndeterminedLines(const SortJob& job, const Shape& shape,
                               const std::vector<SetArray>& sorted,
                               const std::vector<LineOrder>& orders) {
  std::vector<const SetArray*> rows;
  std::vector<std::vector<AcceptanceSet>> out;
  std::vector<Literal> literals;
  bool known = true;
  for (const SetArray& array : sorted) {
    rows.push_back(&array);
    out.push_back(array.AsSets());
    literals.push_back(array.literal());
    known = known && !array.nan_bits_free && !array.zero_sign_free;
  }
  std::vector<std::vector<int>> clusters;
  for (size_t line = 0; line < orders.size(); ++line) {
    PlaceRows(job, rows, job.lines.starts[line], orders[line], out);
    clusters.push_back(ClustersOf(orders[line]));
  }
  std::shared_ptr<const JointPredicate> joint;
  if (known) joint = std::make_shared<RowPermutation>(literals, job.lines, clusters, job.may_flush);
  std::vector<SetArray> results;
  for (size_t k = 0; k < sorted.size(); ++k) {
    SetArray array = Compress(SetArray(sorted[k].shape(), std::move(out[k])));
    array.joint = joint;
    array.joint_slot = static_cast<int>(k);
    array.origin = job.origin;
    results.push_back(std::move(array));
  }
  return CollateSort(shape, std::move(results));
}

// Sorts long lines of exact rows with the plain evaluator, and compares neighbours to find ties.
absl::StatusOr<SetValue> SortByNeighbours(const SortJob& job, const Shape& shape) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<SetArray> sorted, PlainlySorted(job, shape));
  HLOCTS_ASSIGN_OR_RETURN(const Neighbours neighbours, CompareNeighbours(job, sorted));
  std::vector<LineOrder> orders(job.lines.starts.size());
  bool open = false;
  size_t pair = 0;
  for (LineOrder& order : orders) open = RunsOfLine(job, neighbours, pair, order) || open;
  if (!open) return CollateSort(shape, std::move(sorted));
  return WithUndeterminedLines(job, shape, sorted, orders);
}

std::vector<Literal> PlainLeaves(absl::Span<const SetValue> operands) {
  std::vector<Literal> leaves;
  for (const SetValue& operand : operands) leaves.push_back(ToLiteral(operand));
  return leaves;
}

using Predicate = std::shared_ptr<const JointPredicate>;

// Makes the predicate for known rows in these clusters. `precedes` is given for a partial order.
absl::StatusOr<Predicate> KnownRows(const SortJob& job, const Shape& shape,
                                    const std::vector<std::vector<int>>& clusters,
                                    std::optional<std::vector<RowRelation>> precedes) {
  HLOCTS_ASSIGN_OR_RETURN(SetValue plain,
                          PlainResult(job.interpreter, job.instruction, shape, job.operands));
  std::vector<Literal> sorted = FlattenLeaves(ToLiteral(plain));
  auto permutation = std::make_shared<RowPermutation>(sorted, job.lines, clusters, job.may_flush);
  if (precedes.has_value()) permutation->SetOrder(PlainLeaves(job.operands), *std::move(precedes));
  return Predicate(std::move(permutation));
}

absl::StatusOr<Predicate> RowsOfSets(const SortJob& job) {
  std::vector<SetArray> operands;
  for (size_t k = 0; k < job.operands.size(); ++k) {
    operands.push_back(job.operands[k].array);
    if (job.may_flush[k]) AddFlushes(operands.back(), job.origin);
  }
  return SortedRows::Of(std::move(operands), job.lines, job.comparator, job.skips_rounding);
}

absl::StatusOr<SetValue> SortByPairs(const SortJob& job, const Shape& shape) {
  std::vector<const SetArray*> rows;
  std::vector<std::vector<AcceptanceSet>> out;
  bool known = true;
  for (const SetValue& operand : job.operands) {
    rows.push_back(&operand.array);
    out.emplace_back(operand.array.element_count() * operand.array.components());
    known = known && IsFullyKnown(operand);
  }
  std::vector<std::vector<int>> clusters;
  std::vector<RowRelation> precedes(job.lines.starts.size());
  bool partial = false;
  for (size_t line = 0; line < precedes.size(); ++line) {
    const int64_t start = job.lines.starts[line];
    HLOCTS_ASSIGN_OR_RETURN(LineOrder order, OrderOfLine(job, rows, start, precedes[line]));
    PlaceRows(job, rows, start, order, out);
    clusters.push_back(ClustersOf(order));
    partial = partial || order.partial;
  }
  std::optional<std::vector<RowRelation>> relations;
  if (partial) relations = std::move(precedes);
  HLOCTS_ASSIGN_OR_RETURN(
      std::shared_ptr<const JointPredicate> joint,
      known ? KnownRows(job, shape, clusters, std::move(relations)) : RowsOfSets(job));
  std::vector<SetArray> results;
  for (size_t k = 0; k < rows.size(); ++k) {
    SetArray array = Compress(SetArray(rows[k]->shape(), std::move(out[k])));
    if (!array.exact()) {
      array.joint = joint;
      array.joint_slot = static_cast<int>(k);
    }
    array.origin = job.origin;
    results.push_back(std::move(array));
  }
  return CollateSort(shape, std::move(results));
}

// Returns true if all float comparisons are in total order, which distinguishes subnormals from
// zeros. Other comparisons may read them as zeros, and the sort then returns either (lemma 14).
bool ComparesInTotalOrder(const Computation& comparator) {
  bool total = false;
  for (const auto& instruction : comparator.instructions()) {
    if (instruction->opcode() != Opcode::kCompare) continue;
    if (!IsFloat(instruction->operand(0).shape().element_type())) continue;
    if (instruction->WordOr(Attr::kType, "FLOAT") != "TOTALORDER") return false;
    total = true;
  }
  return total;
}

std::vector<bool> MayFlush(SetInterpreter& interpreter, const Computation& comparator,
                           absl::Span<const SetValue> operands) {
  std::vector<bool> may_flush;
  bool total = ComparesInTotalOrder(comparator);
  for (const SetValue& operand : operands) {
    PrimitiveType type = operand.array.element_type();
    bool floats = IsFloat(type) || IsComplex(type);
    may_flush.push_back(floats && !total &&
                        interpreter.RuleOf(Opcode::kSort, type).Allows(kFlushOperand));
  }
  return may_flush;
}

absl::StatusOr<SetValue> SortRows(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands,
                                  std::vector<bool> may_flush) {
  const SetArray& first = operands[0].array;
  Rule rule = interpreter.RuleOf(Opcode::kSort, first.element_type());
  uint32_t origin = interpreter.OriginOf(instruction, rule);
  const std::vector<int64_t>& dimensions = instruction.IntList(Attr::kDimensions);
  int64_t dimension = dimensions.empty() ? first.shape().rank() - 1 : dimensions[0];
  bool dynamic = false, exact = true, nan = false;
  for (const SetValue& operand : operands) {
    dynamic = dynamic || !operand.array.runtime_sizes.empty();
    exact = exact && operand.array.exact();
    nan = nan || HasNan(operand.array);
  }
  if (dynamic) {
    return OnDenseArrays(instruction, shape, operands,
                         [&](const Shape& sizes, absl::Span<const SetValue> dense) {
                           return SortRows(interpreter, instruction, sizes, dense, may_flush);
                         });
  }
  // There are no elements to sort, so unknown operands do not matter.
  if (first.element_count() == 0) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  if (dimension < 0) return PlainResult(interpreter, instruction, shape, operands);
  SortJob job = {interpreter,
                 instruction,
                 operands,
                 *instruction.CalledComputation(Attr::kToApply),
                 LinesOf(first.shape(), dimension),
                 instruction.BoolOr(Attr::kIsStable, false),
                 origin,
                 nan,
                 interpreter.profile() == Profile::kRelaxed || rule.Allows(kSkipRounding),
                 std::move(may_flush)};
  int64_t pairs = job.lines.count * job.lines.length * job.lines.length;
  // Compares all pairs if the order is uncertain or if that is cheap, else only neighbours.
  if (pairs <= 1024 || ((!exact || nan) && pairs <= kPairsMax)) return SortByPairs(job, shape);
  if (exact && !nan) return SortByNeighbours(job, shape);
  return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
}

}  // namespace

absl::StatusOr<SetValue> SortSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands) {
  std::vector<bool> may_flush =
      MayFlush(interpreter, *instruction.CalledComputation(Attr::kToApply), operands);
  HLOCTS_ASSIGN_OR_RETURN(SetValue sorted,
                          SortRows(interpreter, instruction, shape, operands, may_flush));
  uint32_t origin = interpreter.OriginOf(
      instruction, interpreter.RuleOf(Opcode::kSort, operands[0].array.element_type()));
  for (size_t k = 0; k < operands.size(); ++k) {
    SetArray& array = sorted.tuple ? sorted.elements[k].array : sorted.array;
    if (may_flush[k]) AddFlushes(array, origin);
  }
  return sorted;
}

}  // namespace hlocts::reference
