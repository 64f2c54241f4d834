// SPDX-License-Identifier: Apache-2.0
// Cells: the kinds of instructions in a campaign, by opcode, types, ranks and attribute classes.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Returns the cell of one instruction. The class of an attribute is its presence with its word or
// truth value, its number as 0, 1, 2 or more, or the set of non-default properties of a window or
// padding. For tuples and callers, only the first array and the number of arrays count.
uint64_t CellOf(const Instruction& instruction);

using Cells = absl::flat_hash_set<uint64_t>;
// Adds the cells of all instructions except parameters and constants.
void AddCells(const Module& module, Cells& cells);

}  // namespace hlocts::fuzz
