// SPDX-License-Identifier: Apache-2.0
// Makes the PJRT table and wraps every entry.
#include <cstring>
#include <type_traits>

#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

// Entries for the functions of hlocts_extension.h.

absl::Status CheckFeed(const Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.executable, "executable"));
  if (args.device < args.executable->devices.size()) return absl::OkStatus();
  return InvalidInput("device: expected one of ", args.executable->devices.size(), ", found ",
                      args.device);
}

// Checks struct_size, since older callers pass smaller structs and entries would read past them.
absl::Status CheckSize(const char* name, const void* args, size_t expected) {
  if (args == nullptr) return InvalidInput(name, ": expected args, found null");
  size_t found = 0;
  std::memcpy(&found, args, sizeof(found));  // struct_size is the first field of every struct
  if (found >= expected) return absl::OkStatus();
  return InvalidInput(name, "_Args: expected struct_size >= ", expected, ", found ", found);
}

// ErrorDestroy, ErrorMessage and ErrorGetCode cannot fail or cannot report an error.
void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr) delete args->error;
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = args->error->message.c_str();
  args->message_size = args->error->message.size();
}

PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = static_cast<PJRT_Error_Code>(args->error->status.code());
  return nullptr;
}

// True for functions of the table that have no entry.
template <class Args>
constexpr bool IsMissing = !requires(Args & args) {
  Entry(args);
};

template <class Args>
PJRT_Error* Answer(const char* name, Args* args, size_t size) {
  if constexpr (IsMissing<Args>) {
    return MakeError(Unsupported(name, ": this plugin does not implement the function"));
  } else {
    const absl::Status checked = CheckSize(name, args, size);
    if (!checked.ok()) return MakeError(checked);
    if constexpr (std::is_void_v<decltype(Entry(*args))>) {
      Entry(*args);
      return nullptr;
    } else {
      return MakeError(Entry(*args));
    }
  }
}

template <class Args, absl::Status (*Function)(Args&)>
PJRT_Error* AnswerExtension(Args* args) {
  const absl::Status checked = CheckSize("Hlocts_Pjrt", args, sizeof(Args));
  return MakeError(checked.ok() ? Function(*args) : checked);
}

PJRT_Api MakeTable() {
  static const auto* const opcodes = new std::string(CurrentPlugin().opcodes());
  static Hlocts_Pjrt_Extension extension = {};
  extension.base = {sizeof(extension), HLOCTS_PJRT_EXTENSION_TYPE, nullptr};
  extension.opcodes = opcodes->c_str();
  extension.words = AnswerExtension<Hlocts_Pjrt_Words_Args, Words>;
  extension.infeed = AnswerExtension<Hlocts_Pjrt_Feed_Args, Infeed>;
  extension.outfeed = AnswerExtension<Hlocts_Pjrt_Feed_Args, Outfeed>;
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = &extension.base;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
#define HLOCTS_PJRT_FUNCTION(name, ...)                  \
  api.name = [](name##_Args* args) -> PJRT_Error* {      \
    return Answer(#name, args, name##_Args_STRUCT_SIZE); \
  };
#include "spec/pjrt/pjrt_functions.def"
#undef HLOCTS_PJRT_FUNCTION
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = ErrorGetCode;
  return api;
}

const Plugin* this_plugin = nullptr;

}  // namespace

absl::Status Words(Hlocts_Pjrt_Words_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.client, "client"));
  args.words = args.client->words.c_str();
  return absl::OkStatus();
}

absl::Status Infeed(Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckFeed(args));
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.buffer, "buffer"));
  std::scoped_lock lock(args.executable->mutex, args.buffer->mutex);
  HLOCTS_RETURN_IF_ERROR(CheckAlive(*args.buffer));
  args.executable->infeed[args.device].push_back(args.buffer->literal);
  return absl::OkStatus();
}

absl::Status Outfeed(Hlocts_Pjrt_Feed_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckFeed(args));
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  std::deque<Literal>& sent = args.executable->outfeed[args.device];
  args.buffer = nullptr;
  if (sent.empty()) return absl::OkStatus();
  args.buffer = MakeBuffer(args.executable->devices[args.device], std::move(sent.front()));
  sent.pop_front();
  return absl::OkStatus();
}

const Plugin& CurrentPlugin() { return *this_plugin; }

const PJRT_Api* Table(const Plugin& plugin) {
  static const PJRT_Api api = [&plugin] {
    this_plugin = &plugin;
    return MakeTable();
  }();
  return &api;
}

}  // namespace hlocts::pjrt
