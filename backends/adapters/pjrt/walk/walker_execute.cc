// SPDX-License-Identifier: Apache-2.0
// Steps on programs: compilation, execution, queries, serialization and reloading.
#include "absl/strings/str_cat.h"
#include "backends/adapters/pjrt/walk/walker.h"
#include "spec/proto/convert.h"
#include "spec/text/parser.h"

namespace hlocts::backends {

absl::Status Walker::Compile() {
  HLOCTS_RETURN_IF_ERROR(EnsureClient());
  const WalkProgram& program = WalkPrograms()[Pick(WalkPrograms().size())];
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseModule(program.module));
  HLOCTS_ASSIGN_OR_RETURN(const std::string proto, SerializeModule(*module));
  auto made = std::make_unique<WalkExecutable>();
  made->client = Pick(sessions_.size());
  made->program = &program;
  HLOCTS_ASSIGN_OR_RETURN(made->handle, session(made->client).Compile(proto, {}));
  executables_.push_back(std::move(made));
  return absl::OkStatus();
}

absl::StatusOr<WalkExecutable*> Walker::PickExecutable() {
  if (WalkExecutable* there = PickUsable(executables_, [](const WalkExecutable&) { return true; }))
    return there;
  HLOCTS_RETURN_IF_ERROR(Compile());
  return executables_.back().get();
}

absl::Status Walker::Execute() {
  HLOCTS_ASSIGN_OR_RETURN(WalkExecutable * executable, PickExecutable());
  HLOCTS_PJRT_ASK(api_, LoadedExecutable_AddressableDevices, devices, executable,
                  executable->handle.get());
  if (devices.num_addressable_devices != 1)
    return Differs(absl::StrCat("expected 1 device for a program of one replica, found ",
                                devices.num_addressable_devices));
  std::vector<WalkBuffer*> arguments;
  for (const WalkShape& shape : executable->program->arguments) {
    HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * argument,
                            BufferFor(shape, executable->client, devices.addressable_devices[0]));
    arguments.push_back(argument);
  }
  // A buffer with other references, or one that a pending copy may read, is not donated.
  const bool donate = executable->program->donates && arguments[0]->references == 0 &&
                      reads_.empty() && RandomBool();
  return Launch(*executable, arguments, donate);
}

absl::Status Walker::Launch(WalkExecutable& executable, const std::vector<WalkBuffer*>& arguments,
                            bool donate) {
  const WalkProgram& program = *executable.program;
  std::vector<PJRT_Buffer*> in, out(program.results.size(), nullptr);
  std::vector<Bytes> values;
  for (const WalkBuffer* argument : arguments) {
    in.push_back(argument->handle.get());
    values.push_back(argument->bytes);
  }
  std::vector<int64_t> kept;
  for (size_t i = donate ? 1 : 0; i < in.size(); ++i) kept.push_back(static_cast<int64_t>(i));
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();
  PJRT_Buffer* const* in_list = in.data();
  PJRT_Buffer** out_list = out.data();
  PJRT_Event* event = nullptr;
  const bool wants_event = RandomBool();
  auto args = HLOCTS_PJRT_ARGS(LoadedExecutable_Execute);
  args.executable = executable.handle.get();
  args.options = &options;
  args.argument_lists = &in_list;
  args.num_devices = 1;
  args.num_args = in.size();
  args.output_lists = &out_list;
  args.device_complete_events = wants_event ? &event : nullptr;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_LoadedExecutable_Execute, &args));
  if (donate) arguments[0]->gone = true;
  PJRT_Device* device =
      arguments.empty() ? session(executable.client).devices()[0] : arguments[0]->device;
  KeepResults(executable, device, out, program.run(values));
  if (!wants_event) return absl::OkStatus();
  // The caller may destroy the event before it is ready.
  return RandomBool() ? DestroyEvent(event) : AwaitAndDestroy(event, "the end of an execution");
}

void Walker::KeepResults(const WalkExecutable& executable, PJRT_Device* device,
                         const std::vector<PJRT_Buffer*>& results,
                         const std::vector<Bytes>& expected) {
  for (size_t i = 0; i < results.size(); ++i) {
    WalkBuffer result{.handle = OwnBuffer(api_, results[i]),
                      .client = executable.client,
                      .device = device,
                      .shape = executable.program->results[i],
                      .bytes = expected[i]};
    Keep(std::move(result));
  }
}

absl::Status Walker::AskExecutable() {
  HLOCTS_ASSIGN_OR_RETURN(WalkExecutable * executable, PickExecutable());
  HLOCTS_ASSIGN_OR_RETURN(const PjrtUnloadedExecutable unloaded,
                          session(executable->client).Unloaded(executable->handle.get()));
  HLOCTS_PJRT_ASK(api_, Executable_NumOutputs, count, executable, unloaded.get());
  const std::vector<WalkShape>& results = executable->program->results;
  if (count.num_outputs != results.size())
    return Differs(absl::StrCat(count.num_outputs, " outputs of ", results.size()));
  HLOCTS_PJRT_ASK(api_, Executable_OutputElementTypes, types, executable, unloaded.get());
  for (size_t i = 0; i < results.size() && i < types.num_output_types; ++i) {
    if (types.output_types[i] != results[i].buffer_type)
      return Differs(absl::StrCat("output ", i, " is reported with a wrong type"));
  }
  HLOCTS_PJRT_ASK(api_, LoadedExecutable_IsDeleted, deleted, executable, executable->handle.get());
  return deleted.is_deleted ? Differs("IsDeleted is true, but the executable exists")
                            : absl::OkStatus();
}

// Loads the serialized program again. The header requires: "Must have been produced by the same
// platform and library version". This library produced it, in this process.
absl::Status Walker::Reload() {
  HLOCTS_ASSIGN_OR_RETURN(WalkExecutable * executable, PickExecutable());
  HLOCTS_ASSIGN_OR_RETURN(const PjrtUnloadedExecutable unloaded,
                          session(executable->client).Unloaded(executable->handle.get()));
  HLOCTS_PJRT_ASK(api_, Executable_Serialize, stored, executable, unloaded.get());
  const std::string bytes(stored.serialized_bytes, stored.serialized_bytes_size);
  stored.serialized_executable_deleter(stored.serialized_executable);
  auto made = std::make_unique<WalkExecutable>();
  made->client = Pick(sessions_.size());
  made->program = executable->program;
  auto loaded = HLOCTS_PJRT_ARGS(Executable_DeserializeAndLoad);
  loaded.client = session(made->client).client();
  loaded.serialized_executable = bytes.data();
  loaded.serialized_executable_size = bytes.size();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Executable_DeserializeAndLoad, &loaded));
  made->handle = OwnExecutable(api_, loaded.loaded_executable);
  executables_.push_back(std::move(made));
  return absl::OkStatus();
}

absl::Status Walker::DeleteExecutable() {
  HLOCTS_ASSIGN_OR_RETURN(WalkExecutable * executable, PickExecutable());
  HLOCTS_PJRT_ASK(api_, LoadedExecutable_Delete, args, executable, executable->handle.get());
  executable->gone = true;
  HLOCTS_PJRT_ASK(api_, LoadedExecutable_IsDeleted, deleted, executable, executable->handle.get());
  return deleted.is_deleted ? absl::OkStatus() : Differs("IsDeleted is false after Delete");
}

}  // namespace hlocts::backends
