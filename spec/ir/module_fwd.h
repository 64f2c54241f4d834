// SPDX-License-Identifier: Apache-2.0
// Forward declarations of the module classes, for headers that only pass pointers and references to
// them or own a Module through std::unique_ptr.
#pragma once

#include <memory>

#include "spec/ir/opcode_fwd.h"

namespace hlocts {

class Computation;
class Instruction;
class Module;

}  // namespace hlocts

// Defined out of line, so that an owner's destructor does not need the complete class.
template <>
struct std::default_delete<hlocts::Module> {
  void operator()(hlocts::Module* module) const;
};
