// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of an edited module.
#pragma once

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Infers all shapes from those of leaves and parameters, and clips attributes that no longer fit.
// If a shape cannot be inferred, keeps the shape of that instruction and returns false.
bool InferAgain(Module& module);
// Like InferAgain for `edited`, an edit of `before` with the same number of instructions. If
// `before` is invalid, returns true even if inference fails. An instruction whose shape was wrong
// in `before` keeps its edited shape.
bool InferEdited(Module& edited, const Module& before);

}  // namespace hlocts::fuzz
