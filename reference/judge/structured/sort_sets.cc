// SPDX-License-Identifier: Apache-2.0
// Sets of sort (RULES 14, 25): exact up to ties where the comparator is certain, else
// every place that an element may take; rows stay together (a joint predicate).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/row_permutation.h"
#include "reference/judge/joint/sorted_rows.h"
#include "reference/judge/structured/sort_order.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kPairsMax = int64_t{1} << 20;

struct SortJob {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  absl::Span<const SetValue> operands;
  const Computation& comparator;
  Lines lines;
  bool stable;
  uint32_t origin;
  bool nan;                     // some element may be one
  bool skips_rounding;          // keys may be compared before they are rounded
  std::vector<bool> may_flush;  // per operand: its subnormals may come out as zeros
};

// The first or second elements of the pairs, of a row of points.
SetArray ExactLanes(const SetArray& row, const std::vector<std::pair<int64_t, int64_t>>& pairs,
                    bool first, const Shape& lanes) {
  Literal literal = Literal::Uninitialized(Shape(row.element_type(), lanes.dimensions()));
  int64_t bytes = StorageBytes(row.element_type());
  const uint8_t* from = row.literal().raw_data();
  uint8_t* to = literal.mutable_raw_data();
  for (const auto& [a, b] : pairs) {
    std::memcpy(to, from + (first ? a : b) * bytes, static_cast<size_t>(bytes));
    to += bytes;
  }
  SetArray array(std::move(literal));
  array.nan_bits_free = row.nan_bits_free;
  array.zero_sign_free = row.zero_sign_free;
  return array;
}

// comparator(rows a, rows b) in sets; lanes are pairs of linear element indices.
absl::StatusOr<std::vector<AcceptanceSet>> ComparePairs(
    const SortJob& job, absl::Span<const SetArray* const> rows,
    const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<SetValue> arguments;
  Shape lanes(PrimitiveType::kPred, {static_cast<int64_t>(pairs.size())});
  for (const SetArray* row : rows) {
    for (bool first : {true, false}) {
      if (row->exact()) {
        arguments.emplace_back(ExactLanes(*row, pairs, first, lanes));
        continue;
      }
      std::vector<AcceptanceSet> sets;
      for (const auto& [a, b] : pairs) {
        for (int c = 0; c < row->components(); ++c) sets.push_back(row->At(first ? a : b, c));
      }
      arguments.emplace_back(
          Compress(SetArray(Shape(row->element_type(), lanes.dimensions()), std::move(sets))));
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(SetValue value,
                          job.interpreter.CallLanes(job.comparator, arguments, lanes));
  return value.array.AsSets();
}

bool HasNanInLine(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start) {
  for (const SetArray* row : rows) {
    if (!job.nan || !IsFloat(row->element_type())) continue;
    for (int64_t i = 0; i < job.lines.length; ++i) {
      const AcceptanceSet s = row->At(start + i * job.lines.stride);
      if (s.unspecified() || s.Has(AcceptanceSet::kNan)) return true;
    }
  }
  return false;
}

// From the comparator on all pairs of the line. precedes: which rows it puts before which.
absl::StatusOr<LineOrder> OrderOfLine(const SortJob& job, absl::Span<const SetArray* const> rows,
                                      int64_t start, RowRelation& precedes) {
  int64_t n = job.lines.length;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      pairs.emplace_back(start + i * job.lines.stride, start + j * job.lines.stride);
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<AcceptanceSet> less, ComparePairs(job, rows, pairs));
  const Demands demands = DemandsOf(n, less);
  precedes = demands.precedes;
  // Outside strict the order beside a NaN is the engine's (sort.28), unless the comparator ranks
  // it.
  const bool ranked = demands.certain && IsWeakOrder(n, precedes);
  if (!ranked && job.interpreter.profile() != Profile::kStrict && HasNanInLine(job, rows, start)) {
    precedes.assign(n * n, 0);
    return OrderOfRows(n, precedes);
  }
  if (job.stable && demands.certain) {
    RowRelation both = precedes;
    for (size_t k = 0; k < both.size(); ++k) both[k] |= demands.kept[k];
    LineOrder order = OrderOfRows(n, both);
    if (order.satisfiable) return order;
  }
  // A stable order that the comparator contradicts is not kept; nor one that contradicts itself.
  LineOrder order = OrderOfRows(n, precedes);
  if (!order.satisfiable) precedes.assign(n * n, 0);
  return order;
}

// `from` may stand where `to` says what else may.
void MayStand(const SortJob& job, const AcceptanceSet& from, bool filled, AcceptanceSet& to) {
  to = filled ? Join(to, from) : from;
  if (!to.IsPoint() && to.cause == WideningCause::kPoint) {
    to.cause = WideningCause::kJump;
    to.origin = job.origin;
  }
}

// The outputs' sets when row i may stand in places first[i] to last[i]. Rows with the same places
// are joined before they are placed: a long line may be one tie.
void PlaceRows(const SortJob& job, absl::Span<const SetArray* const> rows, int64_t start,
               const LineOrder& order, std::vector<std::vector<AcceptanceSet>>& out) {
  int64_t n = job.lines.length, stride = job.lines.stride;
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> ties;
  for (int64_t i = 0; i < n; ++i) ties[{order.first[i], order.last[i]}].push_back(i);
  for (size_t k = 0; k < rows.size(); ++k) {
    int components = rows[k]->components();
    std::vector<bool> filled(n, false);
    for (const auto& [places, tied] : ties) {
      for (int c = 0; c < components; ++c) {
        AcceptanceSet any;
        for (int64_t i : tied) MayStand(job, rows[k]->At(start + i * stride, c), i != tied[0], any);
        for (int64_t place = places.first; place <= places.second; ++place) {
          MayStand(job, any, filled[place], out[k][(start + place * stride) * components + c]);
        }
      }
      std::fill(filled.begin() + places.first, filled.begin() + places.second + 1, true);
    }
  }
}

// Blocks of places that exchange rows only among themselves.
std::vector<int> ClustersOf(const LineOrder& order) {
  size_t n = order.first.size();
  std::vector<int64_t> reach(n, 0);
  for (size_t i = 0; i < n; ++i) {
    reach[order.first[i]] = std::max(reach[order.first[i]], order.last[i]);
  }
  std::vector<int> clusters(n, 0);
  int64_t end = -1;
  int cluster = -1;
  for (size_t k = 0; k < n; ++k) {
    if (static_cast<int64_t>(k) > end) ++cluster;
    end = std::max(end, reach[k]);
    clusters[k] = cluster;
  }
  return clusters;
}

SetValue CollateSort(const Shape& shape, std::vector<SetArray> arrays) {
  if (!shape.IsTuple()) return arrays[0];
  std::vector<SetValue> elements;
  for (SetArray& array : arrays) elements.emplace_back(std::move(array));
  return SetValue::Tuple(std::move(elements));
}

// The plain result, an array an operand, with what is free of the operands' bits.
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

// What the comparator says of neighbours in the result: of (a, b) and of (b, a).
struct Neighbours {
  std::vector<AcceptanceSet> less, more;
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

// Runs of rows that may tie; `pair` is the line's first, and then that of the next line. Whether a
// run has an order that is open.
bool RunsOfLine(const SortJob& job, const Neighbours& neighbours, size_t& pair, LineOrder& order) {
  const int64_t length = job.lines.length;
  order.first.resize(length);
  order.last.resize(length);
  bool any_tie = false;
  for (int64_t begin = 0; begin < length;) {
    int64_t end = begin + 1;
    // A stable sort keeps the order of rows that surely tie, but not beside one that only may.
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

// Long lines of exact rows: the plain result, with neighbours compared to find ties.
absl::StatusOr<SetValue> SortByNeighbours(const SortJob& job, const Shape& shape) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<SetArray> sorted, PlainlySorted(job, shape));
  HLOCTS_ASSIGN_OR_RETURN(const Neighbours neighbours, CompareNeighbours(job, sorted));
  std::vector<const SetArray*> rows;
  std::vector<std::vector<AcceptanceSet>> out;
  std::vector<Literal> literals;
  bool any_tie = false, known = true;
  for (const SetArray& array : sorted) {
    rows.push_back(&array);
    out.push_back(array.AsSets());
    literals.push_back(array.literal());
    known = known && !array.nan_bits_free && !array.zero_sign_free;
  }
  std::vector<std::vector<int>> clusters;
  size_t pair = 0;
  for (int64_t start : job.lines.starts) {
    LineOrder order;
    any_tie = RunsOfLine(job, neighbours, pair, order) || any_tie;
    if (job.lines.length == 0) continue;
    if (any_tie) PlaceRows(job, rows, start, order, out);
    clusters.push_back(ClustersOf(order));
  }
  if (!any_tie) return CollateSort(shape, std::move(sorted));
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

std::vector<Literal> PlainLeaves(absl::Span<const SetValue> operands) {
  std::vector<Literal> leaves;
  for (const SetValue& operand : operands) leaves.push_back(ToLiteral(operand));
  return leaves;
}

using Predicate = std::shared_ptr<const JointPredicate>;

// The plain result names which rows belong to which cluster. `precedes`: of a partial order.
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

// A comparison in total order tells subnormals from zeros; any other may read them as zeros, and
// then gives the value or its flush (RULES 14).
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
    if (exact) return PlainResult(interpreter, instruction, shape, operands);
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  // Nothing to sort, and operands that need not be known: a set of no elements says all.
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
  // All pairs where the order itself is in doubt, or where that is cheap; else neighbours.
  if (pairs <= 1024 || ((!exact || nan) && pairs <= kPairsMax)) return SortByPairs(job, shape);
  if (exact && !nan) return SortByNeighbours(job, shape);
  return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
}

}  // namespace

bool HasNan(const SetArray& array) {
  if (!IsFloat(array.element_type())) return false;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.unspecified() || s.Has(AcceptanceSet::kNan)) return true;
  }
  return false;
}

bool HasSubnormals(const SetArray& array) {
  const FloatFacts& facts = FactsOf(array.element_type());
  const Literal& literal = array.literal();
  if (array.element_type() == PrimitiveType::kF32) {
    // Without a branch: nearly always every element is looked at.
    const uint32_t* bits = reinterpret_cast<const uint32_t*>(literal.raw_data());
    uint32_t some = 0;
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      some |= (bits[i] & 0x7fffffffu) - 1 < 0x7fffffu;
    }
    return some != 0;
  }
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    AcceptanceSet s = array.At(i);
    if (s.finite() && s.lo != 0 && std::fabs(s.lo) < facts.min_normal) return true;
  }
  return false;
}

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
