// SPDX-License-Identifier: Apache-2.0
// Finds the operand elements from which an element is computed, if the instruction alone determines
// them.
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

// An element of an instruction's value on a device.
struct DeviceElement {
  const Instruction* instruction = nullptr;
  int64_t element = 0;
  int64_t device = 0;
  bool operator==(const DeviceElement& other) const = default;
};

// The elements of an operand on one device, like those of ElementsRead.
struct OperandRead {
  int64_t device = 0;
  std::optional<std::vector<int64_t>> elements;
};

// Returns the elements of operand number `operand` that determine `at`, for each device that has
// any: several devices in a collective and at the end of a manual region.
std::vector<OperandRead> ReadsOf(const DeviceElement& at, size_t operand,
                                 const reference::DeviceGrid& devices);

}  // namespace hlocts::backends
