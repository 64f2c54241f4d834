// SPDX-License-Identifier: Apache-2.0
// Modules that a compiler has been over already, given back the form that XLA:CPU takes.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FUSIONS_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FUSIONS_H_

#include "xla/service/hlo.pb.h"

namespace hlocts::xla_plugin {

// XLA:CPU's passes leave the insides of a fusion without layouts, and abort over them: a fusion
// becomes a call of its computation. (Schedules and bitcasts: ../pjrt/compiled_form.h.)
void UndoFusions(xla::HloModuleProto* module);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FUSIONS_H_
