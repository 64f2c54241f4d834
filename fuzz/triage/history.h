// SPDX-License-Identifier: Apache-2.0
// The history of one failure over releases: which release to query next, and the conclusion.
// Releases are in order of their age, oldest first.
#ifndef HLOCTS_FUZZ_TRIAGE_HISTORY_H_
#define HLOCTS_FUZZ_TRIAGE_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

enum class Cell : uint8_t {
  kNotRun,
  kMissing,   // not installed, or it cannot run here
  kGood,      // passes, and what its compiler got still shows the pattern
  kBad,       // the failure that is followed
  kNotShown,  // passes, but on the way to its compiler the pattern was lost
  kOther,     // unsupported, inconclusive, or another failure
};
// '.', '-', 'o', 'X', '?', '/'.
char CellMark(Cell cell);
// kNotRun where it is no mark.
Cell CellOfMark(const std::string& mark);
// The engine answered; such cells are kept.
inline bool IsAnswer(Cell cell) { return cell != Cell::kNotRun && cell != Cell::kMissing; }

// Indices of releases; only good and bad cells count.
struct Turns {
  std::optional<size_t> first_bad, last_good_before, last_bad, first_good_after;
  bool monotone = true;  // at most one change between good and bad
};
Turns TurnsOf(const std::vector<Cell>& cells);

// The release to query next: the ends, then halves of the range between a good and a bad one; all
// of them if good and bad change more than once. nullopt: none is left.
std::optional<size_t> NextToAsk(const std::vector<Cell>& cells);

// True if each operation of `module` occurs in `reached` at least as often, with its element types
// and dimensions, and with its layout if that is not the default. Operations that only pass data on
// (parameters, tuples, constants, copies, calls) are ignored.
bool StillShows(const Module& module, const Module& reached);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_HISTORY_H_
