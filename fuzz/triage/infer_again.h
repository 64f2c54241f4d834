// SPDX-License-Identifier: Apache-2.0
// Shapes of an edited module.
#ifndef HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_
#define HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Shapes of all instructions again, leaves and computations' parameters being given; attributes
// that no longer fit are clipped. What no shape can be inferred for keeps the one that it states:
// false then.
bool InferAgain(Module& module);
// The same for an edited module of as many instructions. One that broke a rule before need not be
// whole, and an instruction that stated another shape than its own keeps what the edit left.
bool InferEdited(Module& edited, const Module& before);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_
