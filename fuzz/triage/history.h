// SPDX-License-Identifier: Apache-2.0
// What became of one failure from release to release: which release to ask next, and what the
// answers say. Releases are in order of their age, oldest first.
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
// An engine answered; what an answer is kept for.
inline bool IsAnswer(Cell cell) { return cell != Cell::kNotRun && cell != Cell::kMissing; }

// Indices of releases; only good and bad cells count.
struct Turns {
  std::optional<size_t> first_bad, last_good_before, last_bad, first_good_after;
  bool monotone = true;  // at most one change between good and bad
};
Turns TurnsOf(const std::vector<Cell>& cells);

// The release to ask next: the ends, then halves of what lies between a good and a bad one; all of
// them where good and bad change more than once. nullopt: nothing is left to ask.
std::optional<size_t> NextToAsk(const std::vector<Cell>& cells);

// Does each operation of `module` stand in `reached` at least as often, with its element types and
// dimensions, and with its layout where that is not the default? What only passes data on
// (parameters, tuples, constants, copies, calls) is left out.
bool StillShows(const Module& module, const Module& reached);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_HISTORY_H_
