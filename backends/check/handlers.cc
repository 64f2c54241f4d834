// SPDX-License-Identifier: Apache-2.0
#include "backends/check/handlers.h"

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace hlocts::check {
namespace {

// The parts of XLA_FFI's C ABI that this file reads. Names and offsets are defined by the ABI.
struct Extension {
  size_t struct_size;
  int type;  // 1: the call is a query of the handler's metadata
  Extension* next;
};
struct Version {
  size_t struct_size;
  Extension* extension_start;
  int major_version, minor_version;
};
struct Metadata {
  size_t struct_size;
  Version version;
  uint32_t traits;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};
struct Error;
struct ErrorCreateArgs {
  size_t struct_size;
  Extension* extension_start;
  const char* message;
  int code;
};
constexpr int kUnimplemented = 12;
struct Functions {
  size_t struct_size;
  Extension* extension_start;
  Version version;
  const void* internal;
  Error* (*error_create)(ErrorCreateArgs*);
  void* unread[7];
  Error* (*state_get)(void*);  // state from the handler's instantiation
};
struct Frame {
  size_t struct_size;
  Extension* extension_start;
  const Functions* functions;
};
using Handler = Error* (*)(Frame*);

// PJRT's FFI extension.
struct RegisterArgs {
  size_t struct_size;
  const char* name;
  size_t name_size;
  Handler handler;
  const char* platform;
  size_t platform_size;
  uint32_t traits;
};
struct FfiExtension {
  PJRT_Extension_Base base;
  void* register_type;
  void* add_user_data;
  PJRT_Error* (*register_handler)(RegisterArgs*);
};

// The plugin's functions, followed by entries that return an error.
constexpr size_t kFunctionsMax = 128;
union Extended {
  Functions functions;
  void* entries[kFunctionsMax];
};

Extended* TheFunctions() {
  static Extended extended;
  return &extended;
}

Error* Fail(const char* message) {
  ErrorCreateArgs args = {PJRT_STRUCT_SIZE(ErrorCreateArgs, code), nullptr, message,
                          kUnimplemented};
  return TheFunctions()->functions.error_create(&args);
}

Error* NotInPlugin(void*) {
  return Fail("hlocts check: the handler of this custom call is newer than the plugin");
}

Error* StateGet(void*) {
  return Fail(
      "hlocts check: the handler of this custom call has a stage before execution, which cannot be "
      "passed to a plugin");
}

// Returns a copy of the plugin's only function table, in which missing entries return an error.
const Functions* ExtendedFunctions(const Functions* given) {
  static const Functions* const functions = [given] {
    Extended* const extended = TheFunctions();
    for (void*& entry : extended->entries) entry = reinterpret_cast<void*>(NotInPlugin);
    std::memcpy(extended, given, std::min(given->struct_size, sizeof(*extended)));
    extended->functions.state_get = StateGet;
    return &extended->functions;
  }();
  return functions;
}

constexpr size_t kHandlersMax = 1024;
std::array<Handler, kHandlersMax> handlers;  // written before the plugin gets the slot
std::atomic<size_t> handler_count{0};

Error* Call(Frame* frame, Handler handler) {
  const Functions* const given = frame->functions;
  const bool is_metadata = frame->extension_start != nullptr && frame->extension_start->type == 1;
  frame->functions = ExtendedFunctions(given);
  Error* error = nullptr;
  if (handler != nullptr) {
    error = handler(frame);
  } else if (!is_metadata) {
    error = StateGet(nullptr);
  }
  frame->functions = given;
  if (error != nullptr || !is_metadata) return error;
  Metadata& metadata = *reinterpret_cast<MetadataExtension*>(frame->extension_start)->metadata;
  Version& version = metadata.version;
  const Version& own = given->version;
  if (handler == nullptr) {
    version = own;
    metadata.traits = 0;
  } else if (version.major_version == own.major_version) {
    version.minor_version = std::min(version.minor_version, own.minor_version);
  }
  return nullptr;
}

// Calls the handler of a slot. A handler gets no user data, so each slot needs its own function.
template <size_t slot>
Error* CallSlot(Frame* frame) {
  return Call(frame, handlers[slot]);
}

template <size_t... slots>
constexpr std::array<Handler, sizeof...(slots)> Callers(std::index_sequence<slots...>) {
  return {CallSlot<slots>...};
}

const FfiExtension* FindExtension(const PJRT_Api& real) {
  for (const PJRT_Extension_Base* one = real.extension_start; one != nullptr; one = one->next) {
    if (one->type == PJRT_Extension_Type_FFI && one->struct_size >= sizeof(FfiExtension))
      return reinterpret_cast<const FfiExtension*>(one);
  }
  return nullptr;
}

}  // namespace

const char* RegisterHandler(const PJRT_Api& real, const char* name, const char* platform,
                            void* handler, uint32_t traits) {
  static constexpr auto callers = Callers(std::make_index_sequence<kHandlersMax>());
  const FfiExtension* const ffi = FindExtension(real);
  if (ffi == nullptr || ffi->register_handler == nullptr) return nullptr;
  const size_t slot = handler_count++;
  if (slot >= kHandlersMax) return "expected at most 1024 handlers of custom calls, found more";
  handlers[slot] = reinterpret_cast<Handler>(handler);
  RegisterArgs args = {PJRT_STRUCT_SIZE(RegisterArgs, traits),
                       name,
                       std::strlen(name),
                       callers[slot],
                       platform,
                       std::strlen(platform),
                       traits};
  PJRT_Error* const error = ffi->register_handler(&args);
  if (error == nullptr) return nullptr;
  PJRT_Error_Destroy_Args destroy = {};
  destroy.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  destroy.error = error;
  real.PJRT_Error_Destroy(&destroy);
  return "the plugin rejected the handler of a custom call";
}

}  // namespace hlocts::check
