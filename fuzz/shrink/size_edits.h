// SPDX-License-Identifier: Apache-2.0
// Edits that make arrays smaller. Some modules need two edits together to remain valid.
#pragma once

#include <functional>
#include <vector>

#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

// Arrays with at most this many elements are small enough.
constexpr int64_t kElementsEnough = 8;

// An edit of a clone of the sample for which it was made. It does not infer shapes again.
using SampleEdit = std::function<void(Sample& clone)>;

// Applies the edit and infers shapes. Replaces the sample by the result if it still fails.
bool TryEdit(Sample& sample, const SampleEdit& edit, const StillFails& still_fails);

// Returns edits that reduce one size, either in one leaf or wherever the size occurs.
std::vector<SampleEdit> SizeEdits(const Sample& sample);
// Returns edits that move a number of an attribute towards its simplest value.
std::vector<SampleEdit> NumberEdits(const Sample& sample);

}  // namespace hlocts::fuzz
