// SPDX-License-Identifier: Apache-2.0
// The elements of an operand from which one element of the result is made, where the instruction
// alone determines them: for readers of a failing element.
#ifndef HLOCTS_BACKENDS_DIFFER_ELEMENTS_READ_H_
#define HLOCTS_BACKENDS_DIFFER_ELEMENTS_READ_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Elements of operand `operand` by their row-major number, in the order in which they are read;
// none where the element is made of others (padding, the other parts of a concatenation). nullopt:
// the instruction alone does not determine it (indices that are data, windows), or it is a tuple.
// `index` is the index of an element of the result, an array of the instruction's shape.
std::optional<std::vector<int64_t>> ElementsRead(const Instruction& instruction, size_t operand,
                                                 const std::vector<int64_t>& index);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_ELEMENTS_READ_H_
