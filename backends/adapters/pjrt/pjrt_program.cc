// SPDX-License-Identifier: Apache-2.0
// Queries a compiled program.
#include <algorithm>

#include "backends/adapters/pjrt/pjrt_client.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {

absl::StatusOr<PjrtUnloadedExecutable> PjrtSession::Unloaded(PJRT_LoadedExecutable* executable) {
  auto get = HLOCTS_PJRT_ARGS(LoadedExecutable_GetExecutable);
  get.loaded_executable = executable;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_LoadedExecutable_GetExecutable, &get));
  return OwnUnloadedExecutable(api_, get.executable);
}

absl::StatusOr<std::string> PjrtSession::OptimizedModule(PJRT_LoadedExecutable* executable) {
  HLOCTS_ASSIGN_OR_RETURN(const PjrtUnloadedExecutable unloaded, Unloaded(executable));
  return OptimizedModuleOf(api_, unloaded.get());
}

absl::StatusOr<std::string> OptimizedModuleOf(const PjrtApi& api, PJRT_Executable* executable) {
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  auto args = HLOCTS_PJRT_ARGS(Executable_OptimizedProgram);
  args.executable = executable;
  args.program = &program;
  // The function is called twice: for the size, then for the bytes.
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api, PJRT_Executable_OptimizedProgram, &args));
  std::string bytes(program.code_size, '\0');
  program.code = bytes.data();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api, PJRT_Executable_OptimizedProgram, &args));
  bytes.resize(std::min(bytes.size(), program.code_size));
  const absl::string_view format(program.format ? program.format : "", program.format_size);
  if (format == "hlo") return bytes;
  if (format == "hlo_with_config") return ModuleWithoutConfig(bytes);
  return absl::UnimplementedError(
      absl::StrCat("expected the optimized program as hlo, found \"", format, "\""));
}

}  // namespace hlocts::backends
