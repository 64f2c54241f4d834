// SPDX-License-Identifier: Apache-2.0
// Edits a gather whose operand loses a dimension of size 1.
#pragma once

#include "fuzz/triage/sample.h"

namespace hlocts::fuzz {

// Removes the dimension from slice sizes, result and index vectors. With `square`, keeps the
// indices square: an array of n index vectors with n elements also loses a vector. The caller edits
// the operand and infers the shapes again.
void EraseGathered(Sample& sample, Instruction& gather, int64_t dimension, bool square);

}  // namespace hlocts::fuzz
