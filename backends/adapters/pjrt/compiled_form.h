// SPDX-License-Identifier: Apache-2.0
// Converts modules that a compiler has already processed to the form that plugins accept.
#pragma once

#include <memory>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// Returns the module without constructs that only a compiler's passes produce, or nullptr if there
// are no such constructs. A compiler expects a module on which no pass has run: XLA:CPU aborts on
// instructions that are not in the schedule, and assigns a bitcast the layout of its operand even
// if their ranks and types differ. Two conversions are made, which do not change values. A schedule
// is removed. A bitcast, which reads bytes in memory order, is replaced by transposes, a reshape
// and a bitcast-convert, which have the same result in any layout. A bitcast that changes the
// number of bytes is kept.
std::unique_ptr<Module> WithoutCompiledForm(const Module& module);

// Returns the module without its instructions' backend_config, or nullptr if no instruction has
// one. The config controls a compiler and does not affect values. Custom calls keep their config,
// which does affect values. Fusions with a config become calls, because each compiler requires its
// own config on fusions of its own kinds.
std::unique_ptr<Module> WithoutBackendConfigs(const Module& module);

}  // namespace hlocts::backends
