// SPDX-License-Identifier: Apache-2.0
// Defines compilers' custom calls in HLO, by the documentation of the libraries that they call.
#pragma once

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Replaces each known custom call by a call of a computation that defines it. Splits each data
// movement that changes the element type into a movement and a convert. Converts an operand whose
// type differs from that of the other operand, or of the parameter of a reduction's computation.
// Adds the reverses that XLA:TPU has folded into another instruction. If a custom call has no
// definition for its shapes and attributes, returns kUnimplemented with the name of the call.
absl::Status LowerLibraryCalls(Module& module);

}  // namespace hlocts::backends
