// SPDX-License-Identifier: Apache-2.0
// For a failing element, finds the operand elements that it is computed from, if the instruction
// alone determines them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/ops/collective.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Returns the elements of operand number `operand` that determine the result's element at `index`,
// as row-major numbers in the order in which they are read. Returns an empty list if the element
// does not depend on this operand (padding, other operands of a concatenation). Returns nullopt if
// the elements depend on more than the instruction (on indices that are data) or are those of a
// window, or if a shape is a tuple.
std::optional<std::vector<int64_t>> ElementsRead(const Instruction& instruction, size_t operand,
                                                 const std::vector<int64_t>& index);

// Returns the devices whose operands determine the instruction's result on `device`: the others too
// for a collective and for the end of a manual region.
std::vector<int64_t> DevicesRead(const Instruction& instruction,
                                 const reference::DeviceGrid& devices, int64_t device);

// Like ElementsRead, for an element of the result on device `to` and the operand on device `from`.
struct Transfer {
  reference::DeviceGrid devices;
  int64_t from = 0, to = 0;
};
std::optional<std::vector<int64_t>> ElementsRead(const Instruction& instruction, size_t operand,
                                                 const std::vector<int64_t>& index,
                                                 const Transfer& between);

}  // namespace hlocts::backends
