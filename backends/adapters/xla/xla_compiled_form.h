// SPDX-License-Identifier: Apache-2.0
// Modules that a compiler has been over already, given back the form that XLA:CPU takes.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_COMPILED_FORM_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_COMPILED_FORM_H_

#include "xla/service/hlo.pb.h"

namespace hlocts::xla_plugin {

// XLA:CPU's passes expect a module before any of them ran. They abort over instructions that a
// schedule lacks and over fusions, whose insides they leave without layouts, and they give a
// bitcast the layout of its operand whatever its rank. None of the three has a part in the values:
//   a schedule goes;
//   a fusion becomes a call of its computation;
//   a bitcast, which reads the bytes as they lie in memory, becomes the transposes, reshape and
//   bitcast-convert that say the same without layouts.
void UndoCompiledForm(xla::HloModuleProto* module);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_COMPILED_FORM_H_
