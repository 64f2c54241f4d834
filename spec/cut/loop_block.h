// SPDX-License-Identifier: Apache-2.0
// Makes a module that runs some trips of a while loop. The module runs repeatedly, each time on the
// state that the preceding run returned. A long loop is thus judged in blocks, each from the bits
// of the preceding run.
#pragma once

#include <memory>

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Returns the module. Its parameters are the leaves of the state of `loop`, a while of `module`,
// and an s32[] with the maximum number of trips. Its outputs are the leaves of the state after
// these trips, and a pred[] that is true if the loop continues. Unimplemented: a state with tokens.
absl::StatusOr<std::unique_ptr<Module>> LoopBlock(const Module& module, const Instruction& loop);

}  // namespace hlocts
