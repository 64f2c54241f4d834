// SPDX-License-Identifier: Apache-2.0
#include "spec/pjrt/table/test_support.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "spec/proto/convert.h"
#include "spec/text/parser.h"

namespace hlocts::pjrt {
namespace {

const PJRT_Api* Load() {
  // HLOCTS_TEST_PLUGIN names another plugin that must pass the same tests, e.g. the checking plugin
  // in front of the reference.
  const char* named = getenv("HLOCTS_TEST_PLUGIN");
  const char* path = named != nullptr ? named : HLOCTS_BINARY_DIR "/engines/libhlocts_reference.so";
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, "GetPjrtApi");
  if (symbol != nullptr) return reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  fprintf(stderr, "%s\n", dlerror());
  abort();
}

PJRT_Buffer_MemoryLayout TiledLayout(const std::vector<int64_t>& minor_to_major) {
  HLOCTS_ARGS(PJRT_Buffer_MemoryLayout, layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = sizeof layout.tiled;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

}  // namespace

const PJRT_Api& Api() {
  static const PJRT_Api& api = *Load();
  return api;
}

std::string Text(PJRT_Error* error) {
  if (error == nullptr) return "";
  HLOCTS_ARGS(PJRT_Error_GetCode_Args, code);
  code.error = error;
  Api().PJRT_Error_GetCode(&code);
  HLOCTS_ARGS(PJRT_Error_Message_Args, message);
  message.error = error;
  Api().PJRT_Error_Message(&message);
  std::string text =
      std::to_string(code.code) + ": " + std::string(message.message, message.message_size);
  HLOCTS_ARGS(PJRT_Error_Destroy_Args, destroy);
  destroy.error = error;
  Api().PJRT_Error_Destroy(&destroy);
  return text;
}

std::string Await(PJRT_Event* event) {
  HLOCTS_ARGS(PJRT_Event_Await_Args, await);
  await.event = event;
  std::string text = Text(Api().PJRT_Event_Await(&await));
  HLOCTS_ASK(PJRT_Event_Destroy, destroy, event, event);
  return text;
}

std::string Proto(const std::string& text) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? SerializeModule(**module).value_or("") : "";
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Field(int number, uint64_t value) { return Varint(number << 3) + Varint(value); }

std::string Field(int number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string CompileOptions(int replicas, int partitions,
                           const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::string build = Field(1, static_cast<uint64_t>(-1));  // device_ordinal
  build += Field(4, static_cast<uint64_t>(replicas)) + Field(5, static_cast<uint64_t>(partitions));
  std::string options = Field(3, build);
  for (const auto& [name, value] : overrides) {
    options += Field(7, Field(1, name) + Field(2, value));  // a map entry
  }
  return options;
}

Client::Client(int64_t device_count) {
  HLOCTS_ARGS(PJRT_NamedValue, option);
  option.name = "cpu_device_count";
  option.name_size = strlen(option.name);
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = device_count;
  option.value_size = 1;
  HLOCTS_ARGS(PJRT_Client_Create_Args, create);
  create.create_options = &option;
  create.num_options = 1;
  EXPECT_EQ(Text(Api().PJRT_Client_Create(&create)), "");
  client_ = create.client;
  HLOCTS_ASK(PJRT_Client_AddressableDevices, devices, client, client_);
  devices_.assign(devices.addressable_devices,
                  devices.addressable_devices + devices.num_addressable_devices);
}

Client::~Client() { HLOCTS_ASK(PJRT_Client_Destroy, destroy, client, client_); }

PJRT_LoadedExecutable* Client::Compile(const std::string& proto, const std::string& options,
                                       std::string* error, const std::string& format) {
  HLOCTS_ARGS(PJRT_Program, program);
  program.code = const_cast<char*>(proto.data());
  program.code_size = proto.size();
  program.format = format.data();
  program.format_size = format.size();
  HLOCTS_ARGS(PJRT_Client_Compile_Args, compile);
  compile.client = client_;
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  *error = Text(Api().PJRT_Client_Compile(&compile));
  return error->empty() ? compile.executable : nullptr;
}

PJRT_Buffer* Client::ToDevice(const HostArray& array, int device) {
  HLOCTS_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = client_;
  args.data = array.bytes.data();
  args.type = array.type;
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = devices_[device];
  EXPECT_EQ(Text(Api().PJRT_Client_BufferFromHostBuffer(&args)), "");
  EXPECT_EQ(Await(args.done_with_host_buffer), "");
  return args.buffer;
}

std::string ToHost(PJRT_Buffer* buffer, const std::vector<int64_t>* minor_to_major) {
  HLOCTS_ASK(PJRT_Buffer_ToHostBuffer, args, src, buffer);
  std::string bytes(args.dst_size, '\xAA');
  PJRT_Buffer_MemoryLayout layout;
  if (minor_to_major != nullptr) {
    layout = TiledLayout(*minor_to_major);
    args.host_layout = &layout;
  }
  char nothing = 0;
  args.dst = bytes.empty() ? &nothing : bytes.data();
  EXPECT_EQ(Text(Api().PJRT_Buffer_ToHostBuffer(&args)), "");
  EXPECT_EQ(Await(args.event), "");
  return bytes;
}

PJRT_Buffer_Type TypeOf(PJRT_Buffer* buffer) {
  HLOCTS_ASK(PJRT_Buffer_ElementType, args, buffer, buffer);
  return args.type;
}

std::vector<int64_t> DimsOf(PJRT_Buffer* buffer) {
  HLOCTS_ASK(PJRT_Buffer_UnpaddedDimensions, args, buffer, buffer);
  return {args.unpadded_dims, args.unpadded_dims + args.num_dims};
}

bool IsDeleted(PJRT_Buffer* buffer) {
  HLOCTS_ASK(PJRT_Buffer_IsDeleted, args, buffer, buffer);
  return args.is_deleted;
}

void Destroy(PJRT_Buffer* buffer) { HLOCTS_ASK(PJRT_Buffer_Destroy, args, buffer, buffer); }

void Destroy(PJRT_LoadedExecutable* executable) {
  HLOCTS_ASK(PJRT_LoadedExecutable_Destroy, args, executable, executable);
}

size_t NumOutputs(PJRT_LoadedExecutable* executable) {
  HLOCTS_ASK(PJRT_LoadedExecutable_GetExecutable, get, loaded_executable, executable);
  HLOCTS_ASK(PJRT_Executable_NumOutputs, count, executable, get.executable);
  HLOCTS_ASK(PJRT_Executable_Destroy, destroy, executable, get.executable);
  return count.num_outputs;
}

std::string Execute(PJRT_LoadedExecutable* executable,
                    const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                    std::vector<std::vector<PJRT_Buffer*>>* outputs,
                    const std::vector<int64_t>& non_donatable) {
  HLOCTS_ARGS(PJRT_ExecuteOptions, options);
  options.non_donatable_input_indices = non_donatable.data();
  options.num_non_donatable_input_indices = non_donatable.size();
  std::vector<PJRT_Buffer* const*> argument_lists;
  for (const auto& list : arguments) argument_lists.push_back(list.data());
  outputs->assign(arguments.size(), std::vector<PJRT_Buffer*>(NumOutputs(executable), nullptr));
  std::vector<PJRT_Buffer**> output_lists;
  for (auto& list : *outputs) output_lists.push_back(list.data());
  std::vector<PJRT_Event*> done(arguments.size(), nullptr);
  HLOCTS_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = arguments.size();
  args.num_args = arguments.front().size();
  args.output_lists = output_lists.data();
  args.device_complete_events = done.data();
  std::string error = Text(Api().PJRT_LoadedExecutable_Execute(&args));
  if (!error.empty()) {
    outputs->clear();
    return error;
  }
  for (PJRT_Event* event : done) error += Await(event);
  return error;
}

RunResult CompileAndRun(Client& client, const std::string& text,
                        const std::vector<HostArray>& arguments, const std::string& options) {
  RunResult result;
  PJRT_LoadedExecutable* executable = client.Compile(Proto(text), options, &result.error);
  if (executable == nullptr) return result;
  std::vector<PJRT_Buffer*> buffers;
  for (const HostArray& array : arguments) buffers.push_back(client.ToDevice(array));
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  result.error = Execute(executable, {buffers}, &outputs);
  if (result.error.empty()) {
    for (PJRT_Buffer* output : outputs.front()) {
      result.outputs.push_back({TypeOf(output), DimsOf(output), ToHost(output)});
    }
  }
  for (auto& list : outputs) {
    for (PJRT_Buffer* output : list) Destroy(output);
  }
  for (PJRT_Buffer* buffer : buffers) Destroy(buffer);
  Destroy(executable);
  return result;
}

}  // namespace hlocts::pjrt
