// SPDX-License-Identifier: Apache-2.0
// Shapes of an edited module.
#ifndef HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_
#define HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_

#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Infers the shapes of all instructions again from those of leaves and of computations' parameters;
// attributes that no longer fit are clipped. An instruction without an inferred shape keeps its
// own: false then.
bool InferAgain(Module& module);
// The same for an edited module of as many instructions. One that broke a rule before need not be
// whole, and an instruction that stated a wrong shape keeps the edited one.
bool InferEdited(Module& edited, const Module& before);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_INFER_AGAIN_H_
