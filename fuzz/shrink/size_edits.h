// SPDX-License-Identifier: Apache-2.0
// Edits that make arrays smaller, of which several together leave a module valid.
#ifndef HLOCTS_FUZZ_SHRINK_SIZE_EDITS_H_
#define HLOCTS_FUZZ_SHRINK_SIZE_EDITS_H_

#include <functional>
#include <vector>

#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

// Arrays of this size are small enough.
constexpr int64_t kElementsEnough = 8;

// Edits a clone of the sample that it was made for. Shapes are not inferred again.
using SampleEdit = std::function<void(Sample& clone)>;

// The sample after the edit, with shapes inferred again, if it still fails.
bool TryEdit(Sample& sample, const SampleEdit& edit, const StillFails& still_fails);

// Makes one size smaller, of one leaf or wherever it occurs.
std::vector<SampleEdit> SizeEdits(const Sample& sample);
// One number of an attribute comes nearer to the plainest.
std::vector<SampleEdit> NumberEdits(const Sample& sample);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_SHRINK_SIZE_EDITS_H_
