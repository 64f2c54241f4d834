// SPDX-License-Identifier: Apache-2.0
// A number of trips of a while as a module of its own, which runs repeatedly on the state that it
// returned. A long loop is judged in blocks, each from the bits of the preceding execution.
#ifndef HLOCTS_SPEC_CUT_LOOP_BLOCK_H_
#define HLOCTS_SPEC_CUT_LOOP_BLOCK_H_

#include <memory>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Parameters: the leaves of the state of `loop`, a while of `module`, and an s32[] with the maximum
// number of trips. Outputs: the leaves of the state after these trips, and a pred[]: whether the
// loop continues. Unimplemented: a state with tokens.
absl::StatusOr<std::unique_ptr<Module>> LoopBlock(const Module& module, const Instruction& loop);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_LOOP_BLOCK_H_
