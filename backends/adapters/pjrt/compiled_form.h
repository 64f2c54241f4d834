// SPDX-License-Identifier: Apache-2.0
// Modules that a compiler has been over already, in the form that plugins take.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_

#include <memory>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// A compiler's passes expect a module before any of them ran. XLA:CPU aborts over instructions that
// a schedule lacks, and gives a bitcast the layout of its operand whatever its rank and type.
// Neither has a part in the values:
//   a schedule goes;
//   a bitcast, which reads the bytes as they lie in memory, becomes the transposes, reshape and
//   bitcast-convert that say the same without layouts.
// nullptr where the module has neither. A bitcast to another number of bytes stays as it is.
std::unique_ptr<Module> WithoutCompiledForm(const Module& module);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILED_FORM_H_
