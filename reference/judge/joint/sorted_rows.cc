// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/sorted_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/module.h"
#include "spec/judge/choices.h"
#include "spec/judge/real.h"

namespace hlocts::reference {
namespace {

// Longer lines are not judged, since all pairs of rows in a line are compared.
constexpr int64_t kRowsMax = 512;

// Returns false if there are NaNs, subnormals or both zeros, which engines compare differently.
bool ComparesAlike(const Literal& literal, int64_t start, const Lines& lines) {
  if (!IsFloat(literal.element_type())) return !IsComplex(literal.element_type());
  const double least = FactsOf(literal.element_type()).min_normal;
  bool zeros[2] = {false, false};
  for (int64_t i = 0; i < lines.length; ++i) {
    const double x = RealAt(literal, start + i * lines.stride);
    if (x == 0) zeros[std::signbit(x)] = true;
    if (x != 0 && !(std::fabs(x) >= least)) return false;
  }
  return !(zeros[0] && zeros[1]);
}

// Element i * n + j of the result is the comparator's result for rows i and j.
std::vector<bool> AllPairs(const ScalarFunction& comparator, absl::Span<const Literal* const> slots,
                           int64_t start, Lines lines) {
  const int64_t n = lines.length;
  std::vector<Slot> arguments(2 * slots.size());
  std::vector<bool> before(n * n);
  auto load = [&](size_t first, int64_t row) {
    for (size_t k = 0; k < slots.size(); ++k) {
      if (slots[k] == nullptr) continue;
      const int width = StorageBytes(slots[k]->element_type());
      arguments[2 * k + first].Load(slots[k]->raw_data() + (start + row * lines.stride) * width,
                                    width);
    }
  };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      load(0, i);
      load(1, j);
      Slot result;
      comparator.Run(arguments.data(), &result);
      before[i * n + j] = result.Get<bool>();
    }
  }
  return before;
}

// Returns true if the comparator only compares and selects, so all engines compute the same result.
bool ComparesExactly(const Computation& comparator) {
  constexpr Opcode kExact[] = {Opcode::kParameter, Opcode::kConstant,
                               Opcode::kCompare,   Opcode::kSelect,
                               Opcode::kAnd,       Opcode::kOr,
                               Opcode::kXor,       Opcode::kNot,
                               Opcode::kNegate,    Opcode::kAbs,
                               Opcode::kIsFinite,  Opcode::kCopy,
                               Opcode::kTuple,     Opcode::kGetTupleElement};
  for (const auto& instruction : comparator.instructions()) {
    if (std::find(std::begin(kExact), std::end(kExact), instruction->opcode()) ==
        std::end(kExact)) {
      return false;
    }
  }
  return true;
}

std::vector<bool> ComparedOperands(const Computation& comparator, size_t operands) {
  std::vector<bool> compared(operands, false);
  for (const auto& instruction : comparator.instructions()) {
    for (const Instruction* operand : instruction->operands()) {
      if (operand->IsParameter()) {
        compared[operand->parameter_number() / 2] = true;
      }
    }
  }
  return compared;
}

// Returns the number of rows before each row; empty if the comparator is not a strict weak order.
std::vector<int64_t> RanksOf(const std::vector<bool>& before, int64_t n) {
  std::vector<int64_t> rank(n, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) rank[i] += before[j * n + i];
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (before[i * n + j] != (rank[i] < rank[j])) return {};
    }
  }
  return rank;
}

// Finds a row for output `o` by Kuhn's algorithm, which may move other outputs to other rows.
bool Augment(const std::vector<std::vector<int64_t>>& rows, int64_t o, std::vector<bool>& visited,
             std::vector<int64_t>& taken_by) {
  for (int64_t row : rows[o]) {
    if (visited[row]) continue;
    visited[row] = true;
    if (taken_by[row] < 0 || Augment(rows, taken_by[row], visited, taken_by)) {
      taken_by[row] = o;
      return true;
    }
  }
  return false;
}

}  // namespace

void AddFlushes(SetArray& array, uint32_t origin) {
  if (array.exact() && array.components() == 1 && !HasSubnormals(array)) return;
  const FloatFacts& facts = FactsOf(array.element_type());
  for (int64_t i = 0; i < array.element_count(); ++i) {
    for (int c = 0; c < array.components(); ++c) {
      AcceptanceSet s = array.At(i, c), flushed = WithFlushes(s, facts);
      if (flushed.flags == s.flags && flushed.lo == s.lo && flushed.hi == s.hi) continue;
      if (s.cause == WideningCause::kPoint) flushed.origin = origin;
      array.mutable_sets()[i * array.components() + c] = flushed;
    }
  }
}

absl::StatusOr<std::shared_ptr<const JointPredicate>> SortedRows::Of(std::vector<SetArray> operands,
                                                                     Lines lines,
                                                                     const Computation& comparator,
                                                                     bool skips_rounding) {
  std::vector<bool> compared = ComparedOperands(comparator, operands.size());
  const bool one_key = std::count(compared.begin(), compared.end(), true) == 1;
  std::unique_ptr<ScalarFunction> function;
  if (ComparesExactly(comparator) && (one_key || !skips_rounding)) {
    HLOCTS_ASSIGN_OR_RETURN(function, ScalarFunction::Compile(comparator));
  }
  return std::shared_ptr<const JointPredicate>(new SortedRows(
      std::move(operands), std::move(lines), std::move(function), std::move(compared)));
}

bool SortedRows::InOrder(int64_t start, absl::Span<const Literal* const> slots,
                         Verdict& verdict) const {
  const int64_t n = lines_.length;
  if (comparator_ == nullptr || n > kRowsMax) return true;
  for (size_t k = 0; k < slots.size(); ++k) {
    if (!compared_[k]) continue;
    if (slots[k] == nullptr || !ComparesAlike(*slots[k], start, lines_)) return true;
  }
  const std::vector<int64_t> rank = RanksOf(AllPairs(*comparator_, slots, start, lines_), n);
  for (size_t i = 1; i < rank.size(); ++i) {
    if (rank[i - 1] <= rank[i]) continue;
    verdict.index = start + static_cast<int64_t>(i) * lines_.stride;
    verdict.expected = absl::StrCat("row ", i, " of the line follows row ", i - 1,
                                    " in the order of the comparator");
    return false;
  }
  return true;
}

bool SortedRows::IsRow(int64_t operand_row, int64_t output_row,
                       absl::Span<const Literal* const> slots, bool any_nan) const {
  for (size_t k = 0; k < slots.size(); ++k) {
    for (int c = 0; slots[k] != nullptr && c < operands_[k].components(); ++c) {
      const AcceptanceSet s = operands_[k].At(operand_row, c);
      if (Accepts(s, *slots[k], output_row, c)) continue;
      if (!any_nan || !IsNanOfOtherBits(s, *slots[k], output_row, c)) return false;
    }
  }
  return true;
}

bool SortedRows::Matches(int64_t start, absl::Span<const Literal* const> slots, bool any_nan,
                         Verdict& verdict) const {
  const int64_t n = lines_.length;
  if (n > kRowsMax) return true;
  std::vector<std::vector<int64_t>> rows(n);
  for (int64_t o = 0; o < n; ++o) {
    for (int64_t i = 0; i < n; ++i) {
      if (IsRow(start + i * lines_.stride, start + o * lines_.stride, slots, any_nan)) {
        rows[o].push_back(i);
      }
    }
  }
  std::vector<int64_t> taken_by(n, -1);
  for (int64_t o = 0; o < n; ++o) {
    std::vector<bool> visited(n, false);
    if (Augment(rows, o, visited, taken_by)) continue;
    verdict.index = start + o * lines_.stride;
    verdict.expected = absl::StrCat(
        "row ", o, " of the line is one of the operands' rows, each of which occurs once");
    return false;
  }
  return true;
}

SortedRows::Verdict SortedRows::Check(absl::Span<const Literal* const> slots) const {
  Verdict verdict;
  verdict.checked = true;
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] != nullptr) verdict.slot = static_cast<int>(k);
  }
  verdict.ok = Holds(slots, false, verdict);
  Verdict any_nan;
  verdict.nan_bits = !verdict.ok && Holds(slots, true, any_nan);
  return verdict;
}

bool SortedRows::Holds(absl::Span<const Literal* const> slots, bool any_nan,
                       Verdict& verdict) const {
  for (int64_t start : lines_.starts) {
    if (!InOrder(start, slots, verdict) || !Matches(start, slots, any_nan, verdict)) return false;
  }
  return true;
}

}  // namespace hlocts::reference
