// SPDX-License-Identifier: Apache-2.0
// What a caller compiles, read from its bytes.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_PROGRAM_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_PROGRAM_H_

#include <string_view>

#include "backends/adapters/xla/xla_client.h"
#include "xla/pjrt/pjrt_executable.h"
#include "xla/service/hlo.pb.h"

namespace hlocts::xla_plugin {

// The options a program is compiled with: the caller's, and one default of the wheel put right.
Status ParseCompileOptions(std::string_view bytes, xla::CompileOptions* options);

// The module of a program in `format`, "hlo" or "hlo_with_config".
Status ParseModule(std::string_view format, std::string_view program, xla::HloModuleProto* module);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_PROGRAM_H_
