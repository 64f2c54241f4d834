// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/history.h"

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {
namespace {

bool IsDecided(Cell cell) { return cell == Cell::kGood || cell == Cell::kBad; }

std::vector<size_t> Decided(const std::vector<Cell>& cells) {
  std::vector<size_t> decided;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (IsDecided(cells[i])) decided.push_back(i);
  }
  return decided;
}

// Returns the middle one of the cells in [begin, end) that have not been queried.
std::optional<size_t> Middle(const std::vector<Cell>& cells, size_t begin, size_t end) {
  std::vector<size_t> open;
  for (size_t i = begin; i < end; ++i) {
    if (cells[i] == Cell::kNotRun) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  return open[open.size() / 2];
}

// Returns true if the result changes at most once, or once on each side of a bad recorded release.
bool IsToBisect(const std::vector<Cell>& cells, std::optional<size_t> recorded) {
  if (!recorded || cells[*recorded] != Cell::kBad) return RegressionPointsOf(cells).monotone;
  const auto middle = cells.begin() + static_cast<std::ptrdiff_t>(*recorded);
  return RegressionPointsOf({cells.begin(), middle + 1}).monotone &&
         RegressionPointsOf({middle, cells.end()}).monotone;
}

// Operations that only pass data on.
constexpr Opcode kPassThrough[] = {Opcode::kParameter,       Opcode::kConstant, Opcode::kTuple,
                                   Opcode::kGetTupleElement, Opcode::kCopy,     Opcode::kCall};

// Returns true for a tuple of the entry that StableHLO has not: a parameter, or inside the results.
bool IsFlattened(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  const Computation& parent = *instruction.parent();
  if (!shape.IsTuple() || &parent != parent.parent()->entry()) return false;
  if (instruction.opcode() == Opcode::kParameter) return true;
  return &instruction == parent.root() &&
         absl::c_any_of(shape.tuple_shapes(), [](const Shape& one) { return one.IsTuple(); });
}

std::map<std::string, int64_t> OperationsOf(const Module& module) {
  std::map<std::string, int64_t> counts;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (absl::c_linear_search(kPassThrough, instruction->opcode()) && !IsFlattened(*instruction))
        continue;
      std::string text(OpcodeName(instruction->opcode()));
      absl::StrAppend(&text, " ", instruction->shape().WithDefaultLayout().ToString());
      for (const Instruction* operand : instruction->operands())
        absl::StrAppend(&text, " ", operand->shape().WithDefaultLayout().ToString());
      ++counts[text];
    }
  }
  return counts;
}

}  // namespace

char CellMark(Cell cell) {
  switch (cell) {
    case Cell::kNotRun:
      return '.';
    case Cell::kMissing:
      return '-';
    case Cell::kGood:
      return 'o';
    case Cell::kBad:
      return 'X';
    case Cell::kPatternAbsent:
      return '?';
    case Cell::kOther:
      return '/';
  }
  return '.';
}

Cell CellOfMark(const std::string& mark) {
  for (Cell cell : {Cell::kMissing, Cell::kGood, Cell::kBad, Cell::kPatternAbsent, Cell::kOther}) {
    if (mark == std::string(1, CellMark(cell))) return cell;
  }
  return Cell::kNotRun;
}

RegressionPoints RegressionPointsOf(const std::vector<Cell>& cells) {
  RegressionPoints turns;
  int64_t changes = 0;
  std::optional<size_t> before;
  for (size_t i : Decided(cells)) {
    if (before && cells[*before] != cells[i]) ++changes;
    if (cells[i] == Cell::kBad) {
      if (!turns.first_bad) {
        turns.first_bad = i;
        turns.last_good_before = before;
      }
      turns.last_bad = i;
      turns.first_good_after.reset();
    } else if (turns.last_bad && !turns.first_good_after) {
      turns.first_good_after = i;
    }
    before = i;
  }
  turns.monotone = changes <= 1;
  return turns;
}

std::optional<size_t> NextRelease(const std::vector<Cell>& cells, std::optional<size_t> recorded) {
  const std::vector<size_t> decided = Decided(cells);
  const auto is_open = [](Cell cell) { return cell == Cell::kNotRun; };
  if (recorded && is_open(cells[*recorded])) return recorded;
  if (!IsToBisect(cells, recorded)) {
    auto open = std::find_if(cells.begin(), cells.end(), is_open);
    if (open == cells.end()) return std::nullopt;
    return static_cast<size_t>(open - cells.begin());
  }
  // Queries the newest release first, because it is used most. A release without an answer tells
  // nothing about its neighbours, so the search for answers proceeds from both ends.
  for (size_t i = cells.size(); i-- > 0 && !IsDecided(cells[i]);) {
    if (is_open(cells[i])) return i;
  }
  for (size_t i = 0; i < cells.size() && !IsDecided(cells[i]); ++i) {
    if (is_open(cells[i])) return i;
  }
  for (size_t d = 0; d + 1 < decided.size(); ++d) {
    if (cells[decided[d]] == cells[decided[d + 1]]) continue;
    if (auto middle = Middle(cells, decided[d], decided[d + 1])) return middle;
  }
  // If the results at both ends are equal, one query between them may find another result.
  if (decided.size() == 2 && cells[decided[0]] == cells[decided[1]])
    return Middle(cells, decided[0], decided[1]);
  return std::nullopt;
}

bool StillShows(const Module& module, const Module& reached) {
  const std::map<std::string, int64_t> found = OperationsOf(reached);
  for (const auto& [operation, count] : OperationsOf(module)) {
    auto same = found.find(operation);
    if (same == found.end() || same->second < count) return false;
  }
  return true;
}

}  // namespace hlocts::fuzz
