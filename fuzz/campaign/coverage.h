// SPDX-License-Identifier: Apache-2.0
// The kinds of instructions a campaign has seen: operation x types x ranks x class of attributes.
#ifndef HLOCTS_FUZZ_CAMPAIGN_COVERAGE_H_
#define HLOCTS_FUZZ_CAMPAIGN_COVERAGE_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// The cell of one instruction. Attributes count by class: which are there, words and truth values,
// numbers as 0, 1, 2 or more, windows and paddings by what is not plain about them. Of tuples and
// of what computations take and return the first array counts, and whether there are more.
uint64_t CellOf(const Instruction& instruction);

using Cells = absl::flat_hash_set<uint64_t>;
// Parameters and constants have no cell.
void AddCells(const Module& module, Cells& cells);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_COVERAGE_H_
