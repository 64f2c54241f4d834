// SPDX-License-Identifier: Apache-2.0
// Computes the history of one failure over releases: selects the release to query next, and finds
// the releases at which the result changed. Releases are sorted by age, oldest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

enum class Cell : uint8_t {
  kNotRun,
  kMissing,        // not installed, or cannot run here
  kGood,           // passes, and the compiler's input contains the pattern
  kBad,            // shows the failure in question
  kPatternAbsent,  // passes, but the compiler's input lacks the pattern
  kOther,          // unsupported, inconclusive, or another failure
};
// Returns one of '.', '-', 'o', 'X', '?', '/'.
char CellMark(Cell cell);
// Returns kNotRun for an unknown mark.
Cell CellOfMark(const std::string& mark);
// Returns true if the engine answered. Only answers are stored.
inline bool IsAnswer(Cell cell) { return cell != Cell::kNotRun && cell != Cell::kMissing; }

// The releases at which the result changes between good and bad, as indices. Ignores other cells.
struct RegressionPoints {
  std::optional<size_t> first_bad, last_good_before, last_bad, first_good_after;
  bool monotone = true;  // at most one change between good and bad
};
RegressionPoints RegressionPointsOf(const std::vector<Cell>& cells);

// Returns the release to query next: the one on which the failure was recorded, then the newest and
// the oldest that answer, then midpoints between good and bad ones. If the result changes several
// times on one side of a bad `recorded`, every release on that side. Returns nullopt when done.
std::optional<size_t> NextRelease(const std::vector<Cell>& cells,
                                  std::optional<size_t> recorded = std::nullopt);

// Returns true if each operation of `module` occurs at least as often in `reached`, with the same
// element types, dimensions and layouts of result and operands. Ignores operations that only pass
// data on (parameters, tuples, constants, copies, calls), except tuple parameters of the entry and
// results with a tuple inside.
bool StillShows(const Module& module, const Module& reached);

}  // namespace hlocts::fuzz
