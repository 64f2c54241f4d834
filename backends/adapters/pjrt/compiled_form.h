// SPDX-License-Identifier: Apache-2.0
// Modules that a compiler has already processed, in the form that plugins accept.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_

#include <memory>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Returns the module without constructs that only a compiler's passes produce. A compiler expects a
// module before any of its passes ran: XLA:CPU aborts on instructions that a schedule lacks, and
// gives a bitcast the layout of its operand even if its rank and type differ. Neither affects
// values:
//   a schedule is removed;
//   a bitcast, which reads bytes in memory order, becomes the transposes, reshape and
//   bitcast-convert that mean the same without layouts.
// Returns nullptr if the module has neither. A bitcast to another number of bytes is kept.
std::unique_ptr<Module> WithoutCompiledForm(const Module& module);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_
