// SPDX-License-Identifier: Apache-2.0
// The work that a module asks for, counted from its shapes and not measured: a bound that is the
// same on every machine, for untrusted modules.
#ifndef HLOCTS_FUZZ_TARGETS_MODULE_WORK_H_
#define HLOCTS_FUZZ_TARGETS_MODULE_WORK_H_

#include <cstdint>

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// About as many steps as one device takes at most, a step being one element read, computed or
// written: windows and contractions count each of their terms, an applied computation its own steps
// for each element, a loop `trips_max` times its body. What no memory of `bytes_max` holds counts
// nothing: it is refused before it is made. Infinite where it does not fit a double.
double WorkOf(const Module& module, int64_t trips_max, int64_t bytes_max);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TARGETS_MODULE_WORK_H_
