// SPDX-License-Identifier: Apache-2.0
// GetPjrtApi: the table itself, and the wrapper around every entry.
#include <cstring>
#include <string>
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"
#include "backends/adapters/xla/xla_c_api.h"

namespace hlocts::xla_plugin {
namespace {

// Older callers pass smaller structs; what they lack we would read past, so they are told.
Status CheckSize(const char* name, const void* args, size_t expected) {
  if (args == nullptr) return {kInvalidArgument, std::string(name) + ": expected args, found null"};
  size_t found = 0;
  std::memcpy(&found, args, sizeof(found));  // struct_size is the first field of all of them.
  if (found >= expected) return {};
  return {kInvalidArgument, std::string(name) + "_Args: expected struct_size >= " +
                                std::to_string(expected) + ", found " + std::to_string(found)};
}

// These three cannot fail, or could not say so.
void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr) delete args->error;
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = args->error->status.message.c_str();
  args->message_size = args->error->status.message.size();
}

PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = static_cast<PJRT_Error_Code>(args->error->status.code);
  return nullptr;
}

PJRT_Api MakeTable() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = ErrorGetCode;
#define HLOCTS_XLA_ENTRY(name, entry)                                \
  api.entry = [](entry##_Args* args) -> PJRT_Error* {                \
    Status size = CheckSize(#entry, args, entry##_Args_STRUCT_SIZE); \
    return MakeError(size.ok() ? name(*args) : std::move(size));     \
  };
  HLOCTS_XLA_ENTRIES(HLOCTS_XLA_ENTRY)
#undef HLOCTS_XLA_ENTRY
#define HLOCTS_XLA_NOT_HERE(entry, why)                                     \
  api.entry = [](entry##_Args* args) -> PJRT_Error* {                       \
    return MakeError({kUnimplemented, #entry " is not implemented: " why}); \
  };
  HLOCTS_XLA_MISSING(HLOCTS_XLA_NOT_HERE)
#undef HLOCTS_XLA_NOT_HERE
  return api;
}

}  // namespace
}  // namespace hlocts::xla_plugin

extern "C" HLOCTS_XLA_EXPORT const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = hlocts::xla_plugin::MakeTable();
  return &api;
}
