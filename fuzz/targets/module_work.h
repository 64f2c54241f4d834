// SPDX-License-Identifier: Apache-2.0
// Bounds the work of an untrusted module, computed from its shapes, so that the bound is the same
// on every machine.
#pragma once

#include <cstdint>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Returns an approximate upper bound of the steps of one device: elements that are read, computed
// or written. A window or contraction costs one step per term, a called computation its own steps
// per element; a loop is assumed to run `trips_max` iterations. An instruction on arrays larger
// than `bytes_max` costs nothing: it is rejected before allocation. The result may be infinite.
double WorkOf(const Module& module, int64_t trips_max, int64_t bytes_max);

}  // namespace hlocts::fuzz
