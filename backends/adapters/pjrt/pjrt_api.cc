// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/pjrt_api.h"

#include <dlfcn.h>

#include <map>
#include <mutex>

#include "absl/strings/strip.h"

namespace hlocts::backends {
namespace {

std::string NamedValueToString(const PJRT_NamedValue& value) {
  std::string text(value.name, value.name_size);
  switch (value.type) {
    case PJRT_NamedValue_kString:
      return absl::StrCat(text, "=", absl::string_view(value.string_value, value.value_size));
    case PJRT_NamedValue_kInt64:
      return absl::StrCat(text, "=", value.int64_value);
    case PJRT_NamedValue_kInt64List: {
      for (size_t i = 0; i < value.value_size; ++i) {
        absl::StrAppend(&text, i == 0 ? "=" : ".", value.int64_array_value[i]);
      }
      return text;
    }
    default:
      return text;
  }
}

absl::StatusOr<const PJRT_Api*> OpenTable(const std::string& path) {
  // Binds lazily, like other hosts of plugins: a symbol that is never called may be missing.
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    absl::string_view why = dlerror();
    absl::ConsumePrefix(&why, path + ": ");
    return absl::UnavailableError(
        absl::StrCat(path, ": cannot be loaded as the shared library of a plugin: ", why));
  }
  auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (!get_api) return absl::UnavailableError(absl::StrCat(path, ": exports no GetPjrtApi"));
  const PJRT_Api* api = get_api();
  if (!api) return absl::UnavailableError(absl::StrCat(path, ": GetPjrtApi returned null"));
  int major = api->pjrt_api_version.major_version;
  if (major != PJRT_API_MAJOR) {
    return absl::UnavailableError(
        absl::StrCat(path, ": PJRT major version ", major, ", expected ", PJRT_API_MAJOR));
  }
  return api;
}

}  // namespace

absl::StatusOr<const PjrtApi*> PjrtApi::Load(const std::string& path) {
  static std::mutex* mutex = new std::mutex();
  static auto* loaded = new std::map<std::string, const PjrtApi*>();
  std::lock_guard<std::mutex> lock(*mutex);
  const PjrtApi*& entry = (*loaded)[path];
  if (entry) return entry;
  HLOCTS_ASSIGN_OR_RETURN(const PJRT_Api* table, OpenTable(path));
  auto* api = new PjrtApi(table);  // a plugin is never unloaded
  auto args = HLOCTS_PJRT_ARGS(Plugin_Initialize);
  absl::Status status = HLOCTS_PJRT_CALL(*api, PJRT_Plugin_Initialize, &args);
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat(path, ": Plugin_Initialize: ", status.message()));
  }
  entry = api;
  return entry;
}

absl::Status PjrtApi::ToStatus(PJRT_Error* error) const {
  if (!error) return absl::OkStatus();
  auto code_args = HLOCTS_PJRT_ARGS(Error_GetCode);
  code_args.error = error;
  auto code = absl::StatusCode::kUnknown;
  if (PJRT_Error* nested = api_->PJRT_Error_GetCode(&code_args)) {
    auto destroy = HLOCTS_PJRT_ARGS(Error_Destroy);
    destroy.error = nested;
    api_->PJRT_Error_Destroy(&destroy);
  } else {
    code = static_cast<absl::StatusCode>(code_args.code);
    // Replaces codes that only hlocts may report: kAborted for the end of the process, and
    // kDataLoss for an output that does not have the module's shape.
    if (code == absl::StatusCode::kAborted || code == absl::StatusCode::kDataLoss)
      code = absl::StatusCode::kUnknown;
  }
  auto message_args = HLOCTS_PJRT_ARGS(Error_Message);
  message_args.error = error;
  api_->PJRT_Error_Message(&message_args);
  absl::Status status(code, absl::string_view(message_args.message, message_args.message_size));
  auto destroy = HLOCTS_PJRT_ARGS(Error_Destroy);
  destroy.error = error;
  api_->PJRT_Error_Destroy(&destroy);
  return status;
}

absl::Status PjrtApi::Await(PJRT_Event* event) const {
  if (!event) return absl::OkStatus();
  auto args = HLOCTS_PJRT_ARGS(Event_Await);
  args.event = event;
  absl::Status status = ToStatus(api_->PJRT_Event_Await(&args));
  auto destroy = HLOCTS_PJRT_ARGS(Event_Destroy);
  destroy.event = event;
  absl::Status destroyed = ToStatus(api_->PJRT_Event_Destroy(&destroy));
  return status.ok() ? destroyed : status;
}

const Hlocts_Pjrt_Extension* PjrtApi::extension() const {
  for (const PJRT_Extension_Base* one = api_->extension_start; one != nullptr; one = one->next) {
    if (one->type == HLOCTS_PJRT_EXTENSION_TYPE &&
        one->struct_size >= sizeof(Hlocts_Pjrt_Extension)) {
      return reinterpret_cast<const Hlocts_Pjrt_Extension*>(one);
    }
  }
  return nullptr;
}

std::string PjrtApi::Description() const {
  std::string text = absl::StrCat("PJRT ", api_->pjrt_api_version.major_version, ".",
                                  api_->pjrt_api_version.minor_version);
  auto args = HLOCTS_PJRT_ARGS(Plugin_Attributes);
  if (!HLOCTS_PJRT_CALL(*this, PJRT_Plugin_Attributes, &args).ok()) return text;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    absl::StrAppend(&text, ", ", NamedValueToString(args.attributes[i]));
  }
  return text;
}

PjrtBuffer OwnBuffer(const PjrtApi& api, PJRT_Buffer* buffer) {
  return {&api, buffer, api.table().PJRT_Buffer_Destroy, &PJRT_Buffer_Destroy_Args::buffer,
          PJRT_Buffer_Destroy_Args_STRUCT_SIZE};
}

PjrtClient OwnClient(const PjrtApi& api, PJRT_Client* client) {
  return {&api, client, api.table().PJRT_Client_Destroy, &PJRT_Client_Destroy_Args::client,
          PJRT_Client_Destroy_Args_STRUCT_SIZE};
}

PjrtLoadedExecutable OwnExecutable(const PjrtApi& api, PJRT_LoadedExecutable* executable) {
  return {&api, executable, api.table().PJRT_LoadedExecutable_Destroy,
          &PJRT_LoadedExecutable_Destroy_Args::executable,
          PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE};
}

PjrtUnloadedExecutable OwnUnloadedExecutable(const PjrtApi& api, PJRT_Executable* executable) {
  return {&api, executable, api.table().PJRT_Executable_Destroy,
          &PJRT_Executable_Destroy_Args::executable, PJRT_Executable_Destroy_Args_STRUCT_SIZE};
}

}  // namespace hlocts::backends
