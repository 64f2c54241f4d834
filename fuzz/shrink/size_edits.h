// SPDX-License-Identifier: Apache-2.0
// Edits that make arrays smaller. Some modules need two edits together to remain valid.
#pragma once

#include <functional>
#include <vector>

#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

// Arrays of this size are small enough.
constexpr int64_t kElementsEnough = 8;

// Edits a clone of the sample for which it was made. It does not infer shapes again.
using SampleEdit = std::function<void(Sample& clone)>;

// Replaces the sample by the edited one, with new shapes, if it still fails.
bool TryEdit(Sample& sample, const SampleEdit& edit, const StillFails& still_fails);

// Returns edits that reduce one size, in one leaf or wherever it occurs.
std::vector<SampleEdit> SizeEdits(const Sample& sample);
// Returns edits that move a number of an attribute towards its simplest value.
std::vector<SampleEdit> NumberEdits(const Sample& sample);

}  // namespace hlocts::fuzz
