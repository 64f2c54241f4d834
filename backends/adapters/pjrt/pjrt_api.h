// SPDX-License-Identifier: Apache-2.0
// A C++ interface to a PJRT plugin: errors become statuses, and every object that the plugin
// returns is destroyed.
//
// Version skew: every argument struct is zeroed and has the size that spec/pjrt defines. If the
// table of an older plugin ends before a function, calls of that function return Unimplemented.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "spec/base/status.h"
#include "spec/pjrt/hlocts_extension.h"

namespace hlocts::backends {

class PjrtApi {
 public:
  // Opens the library, calls GetPjrtApi, checks the version and calls Plugin_Initialize. Returns
  // kUnavailable, with the reason, if one of these steps fails.
  static absl::StatusOr<const PjrtApi*> Load(const std::string& path);

  // Takes ownership of the error (may be null) and destroys it.
  absl::Status ToStatus(PJRT_Error* error) const;
  // Waits for the event and destroys it. A null event is ready.
  absl::Status Await(PJRT_Event* event) const;

  const PJRT_Api& table() const { return *api_; }
  // Returns the extension of hlocts' plugins (spec/pjrt/hlocts_extension.h); null for others.
  const Hlocts_Pjrt_Extension* extension() const;
  // Returns the version and attributes of the plugin, e.g. "PJRT 0.90, xla_version=2, ...".
  std::string Description() const;

 private:
  explicit PjrtApi(const PJRT_Api* api) : api_(api) {}
  const PJRT_Api* api_;
};

// Calls api.field(&args) after checking that the plugin has the function.
#define HLOCTS_PJRT_CALL(api, field, args)                                   \
  ((api).table().struct_size >= offsetof(PJRT_Api, field) + sizeof(void*) && \
           (api).table().field != nullptr                                    \
       ? (api).ToStatus((api).table().field(args))                           \
       : absl::UnimplementedError("the plugin has no function " #field))

// Returns a zeroed argument struct with its size filled in.
template <typename Args>
Args MakePjrtArgs(size_t struct_size) {
  Args args{};
  args.struct_size = struct_size;
  return args;
}
#define HLOCTS_PJRT_ARGS(Name) MakePjrtArgs<PJRT_##Name##_Args>(PJRT_##Name##_Args_STRUCT_SIZE)

// Defines `args` with `value` in its field `field`, and calls the function. Returns the error, if
// any. `args` then has the results.
#define HLOCTS_PJRT_ASK(api, Name, args, field, value) \
  auto args = HLOCTS_PJRT_ARGS(Name);                  \
  args.field = value;                                  \
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api, PJRT_##Name, &args))

// Owns a plugin's object; `destroy` is the function of the API that destroys it.
template <typename Object, typename Args>
class PjrtOwned {
 public:
  using Destroy = PJRT_Error* (*)(Args*);
  PjrtOwned() = default;
  PjrtOwned(const PjrtApi* api, Object* object, Destroy destroy, Object* Args::*field, size_t size)
      : api_(api), object_(object), destroy_(destroy), field_(field), size_(size) {}
  PjrtOwned(PjrtOwned&& other) noexcept { *this = std::move(other); }
  PjrtOwned& operator=(PjrtOwned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
    std::swap(field_, other.field_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PjrtOwned() {
    if (!object_) return;
    Args args = MakePjrtArgs<Args>(size_);
    args.*field_ = object_;
    api_->ToStatus(destroy_(&args)).IgnoreError();
  }
  Object* get() const { return object_; }

 private:
  const PjrtApi* api_ = nullptr;
  Object* object_ = nullptr;
  Destroy destroy_ = nullptr;
  Object* Args::*field_ = nullptr;
  size_t size_ = 0;
};

using PjrtBuffer = PjrtOwned<PJRT_Buffer, PJRT_Buffer_Destroy_Args>;
using PjrtClient = PjrtOwned<PJRT_Client, PJRT_Client_Destroy_Args>;
using PjrtLoadedExecutable = PjrtOwned<PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args>;
using PjrtUnloadedExecutable = PjrtOwned<PJRT_Executable, PJRT_Executable_Destroy_Args>;
PjrtBuffer OwnBuffer(const PjrtApi& api, PJRT_Buffer* buffer);
PjrtClient OwnClient(const PjrtApi& api, PJRT_Client* client);
PjrtLoadedExecutable OwnExecutable(const PjrtApi& api, PJRT_LoadedExecutable* executable);
PjrtUnloadedExecutable OwnUnloadedExecutable(const PjrtApi& api, PJRT_Executable* executable);

}  // namespace hlocts::backends
