// SPDX-License-Identifier: Apache-2.0
// Draws windows for convolution, reduce-window and select-and-scatter.
#pragma once

#include "generators/module_writer.h"
#include "spec/ir/attributes.h"

namespace hlocts::generators {

// Draws one dimension of a window. Its size is at most size_max. Sometimes it has a stride, padding
// (which may be negative) or dilations.
WindowDimension DrawWindowDimension(ModuleWriter& w, int64_t size_max);
// Returns the number of windows that fit. Does not use spec/infer, which checks the result.
int64_t WindowedSize(int64_t base, const WindowDimension& window);

}  // namespace hlocts::generators
