// SPDX-License-Identifier: Apache-2.0
// libhlocts_check.so, a PJRT plugin that forwards to another plugin. Its function table is that of
// the real plugin except for the functions that compile, execute and destroy executables. These
// forward the call and keep copies of programs, arguments and results (recorder.h). This process
// judges nothing and changes no result.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <shared_mutex>
#include <sstream>
#include <unordered_map>

#include "backends/check/handlers.h"
#include "backends/check/recorder.h"
#include "spec/base/python_module.h"
#include "spec/pjrt/pjrt_abi.h"

// A value on the host: PJRT_Buffer_Type, sizes, and bytes that are dense and row-major.
struct HloctsCheckLeaf {
  int32_t type, rank;
  const int64_t* dims;
  const char* bytes;
  size_t size;
};

namespace hlocts::check {
namespace {

// The state of this process. It is never destroyed, since a client's threads may run until the
// process ends.
struct State {
  const PJRT_Api* real = nullptr;
  std::unique_ptr<Recorder> recorder;
  std::shared_mutex mutex;  // guards programs
  std::unordered_map<PJRT_LoadedExecutable*, std::shared_ptr<Program>> programs;
};
State& TheState() {
  static auto* state = new State;
  return *state;
}

// Returns true if the call succeeded; otherwise destroys its error.
bool Succeeded(PJRT_Error* error) {
  if (error == nullptr) return true;
  PJRT_Error_Destroy_Args args = {};
  args.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  TheState().real->PJRT_Error_Destroy(&args);
  return false;
}

template <typename Args>
Args ArgsOf(size_t struct_size) {
  Args args = {};
  args.struct_size = struct_size;
  return args;
}

bool Await(PJRT_Event* event) {
  const PJRT_Api& api = *TheState().real;
  auto await = ArgsOf<PJRT_Event_Await_Args>(PJRT_Event_Await_Args_STRUCT_SIZE);
  await.event = event;
  const bool ok = Succeeded(api.PJRT_Event_Await(&await));
  auto destroy = ArgsOf<PJRT_Event_Destroy_Args>(PJRT_Event_Destroy_Args_STRUCT_SIZE);
  destroy.event = event;
  Succeeded(api.PJRT_Event_Destroy(&destroy));
  return ok;
}

// Copies the value of a buffer, dense and row-major, after waiting until the buffer is ready.
bool CopyToHost(PJRT_Buffer* buffer, Leaf& leaf) {
  const PJRT_Api& api = *TheState().real;
  auto type = ArgsOf<PJRT_Buffer_ElementType_Args>(PJRT_Buffer_ElementType_Args_STRUCT_SIZE);
  type.buffer = buffer;
  auto dims = ArgsOf<PJRT_Buffer_Dimensions_Args>(PJRT_Buffer_Dimensions_Args_STRUCT_SIZE);
  dims.buffer = buffer;
  if (!Succeeded(api.PJRT_Buffer_ElementType(&type)) ||
      !Succeeded(api.PJRT_Buffer_Dimensions(&dims)))
    return false;
  leaf.type = type.type;
  leaf.dims.assign(dims.dims, dims.dims + dims.num_dims);
  if (type.type == PJRT_Buffer_Type_TOKEN) return true;
  std::vector<int64_t> minor_to_major(leaf.dims.size());
  for (size_t d = 0; d < minor_to_major.size(); ++d)
    minor_to_major[d] = static_cast<int64_t>(minor_to_major.size() - 1 - d);
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  auto copy = ArgsOf<PJRT_Buffer_ToHostBuffer_Args>(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  copy.src = buffer;
  copy.host_layout = &layout;
  if (!Succeeded(api.PJRT_Buffer_ToHostBuffer(&copy))) return false;  // returns the size only
  leaf.bytes.resize(copy.dst_size);
  copy.dst = leaf.bytes.data();
  copy.event = nullptr;
  return Succeeded(api.PJRT_Buffer_ToHostBuffer(&copy)) &&
         (copy.event == nullptr || Await(copy.event));
}

bool CopyAll(PJRT_Buffer* const* buffers, size_t count, std::vector<Leaf>& leaves) {
  leaves.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!CopyToHost(buffers[i], leaves[i])) return false;
  }
  return true;
}

// Returns the number of outputs of an executable, or 0 if the plugin does not report it. The plugin
// makes an object for each query, so each program is queried only once.
size_t OutputCount(PJRT_LoadedExecutable* loaded, Program& program) {
  if (program.outputs >= 0) return static_cast<size_t>(program.outputs);
  const PJRT_Api& api = *TheState().real;
  auto get = ArgsOf<PJRT_LoadedExecutable_GetExecutable_Args>(
      PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE);
  get.loaded_executable = loaded;
  if (!Succeeded(api.PJRT_LoadedExecutable_GetExecutable(&get))) return 0;
  auto count = ArgsOf<PJRT_Executable_NumOutputs_Args>(PJRT_Executable_NumOutputs_Args_STRUCT_SIZE);
  count.executable = get.executable;
  const bool ok = Succeeded(api.PJRT_Executable_NumOutputs(&count));
  auto destroy = ArgsOf<PJRT_Executable_Destroy_Args>(PJRT_Executable_Destroy_Args_STRUCT_SIZE);
  destroy.executable = get.executable;
  Succeeded(api.PJRT_Executable_Destroy(&destroy));
  program.outputs = ok ? static_cast<int64_t>(count.num_outputs) : 0;
  return static_cast<size_t>(program.outputs);
}

void Keep(PJRT_LoadedExecutable* executable, std::shared_ptr<Program> program) {
  State& state = TheState();
  std::unique_lock<std::shared_mutex> lock(state.mutex);
  state.programs[executable] = std::move(program);
}

PJRT_Error* Compile(PJRT_Client_Compile_Args* args) {
  State& state = TheState();
  PJRT_Error* const error = state.real->PJRT_Client_Compile(args);
  if (error != nullptr) return error;
  auto program = std::make_shared<Program>();
  program->id = state.recorder->AddProgram({args->program->format, args->program->format_size},
                                           {args->program->code, args->program->code_size});
  Keep(args->executable, std::move(program));
  return nullptr;
}

PJRT_Error* Deserialize(PJRT_Executable_DeserializeAndLoad_Args* args) {
  PJRT_Error* const error = TheState().real->PJRT_Executable_DeserializeAndLoad(args);
  if (error != nullptr) return error;
  auto program = std::make_shared<Program>();
  program->unsupported = "the program was loaded from a cache without its module";
  Keep(args->loaded_executable, std::move(program));
  return nullptr;
}

PJRT_Error* Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  State& state = TheState();
  {
    std::unique_lock<std::shared_mutex> lock(state.mutex);
    state.programs.erase(args->executable);
  }
  return state.real->PJRT_LoadedExecutable_Destroy(args);
}

// Counts an execution. Returns its number if it must be recorded, else -1.
int64_t Begin(Recorder& recorder, Program& program, int64_t devices) {
  recorder.CountExecution();
  const uint64_t number = program.executions++;
  const bool on_one = devices == 1 || !program.unsupported.empty();
  if (on_one && recorder.Wanted(program, number)) return static_cast<int64_t>(number);
  if (!on_one) recorder.Skip("the program runs on more than one device");
  if (!program.unsupported.empty()) recorder.Skip(program.unsupported);
  return -1;
}

PJRT_Error* Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  State& state = TheState();
  Recorder& recorder = *state.recorder;
  std::shared_ptr<Program> program;
  {
    std::shared_lock<std::shared_mutex> lock(state.mutex);
    const auto found = state.programs.find(args->executable);
    if (found != state.programs.end()) program = found->second;
  }
  if (program == nullptr) {
    recorder.CountExecution();
    return state.real->PJRT_LoadedExecutable_Execute(args);
  }
  const int64_t number = Begin(recorder, *program, static_cast<int64_t>(args->num_devices));
  if (number < 0) return state.real->PJRT_LoadedExecutable_Execute(args);
  // Arguments are copied before the call, which may reuse the memory of donated arguments.
  auto start = std::chrono::steady_clock::now();
  std::vector<Leaf> inputs, outputs;
  const bool copied = CopyAll(args->argument_lists[0], args->num_args, inputs);
  recorder.AddTime(std::chrono::steady_clock::now() - start);
  PJRT_Error* const error = state.real->PJRT_LoadedExecutable_Execute(args);
  start = std::chrono::steady_clock::now();
  if (error != nullptr) {
    recorder.Skip("the execution failed");
  } else if (!copied ||
             !CopyAll(args->output_lists[0], OutputCount(args->executable, *program), outputs)) {
    recorder.Skip("a value cannot be copied to the host");
  } else {
    recorder.AddExecution(*program, static_cast<uint64_t>(number), inputs, outputs);
  }
  recorder.AddTime(std::chrono::steady_clock::now() - start);
  return error;
}

void AtExit() {
  if (TheState().recorder->Finish() != 0) {
    fflush(nullptr);
    _exit(1);
  }
}

std::vector<std::string> JudgeCommand() {
  const char* named = getenv("HLOCTS_CHECK_JUDGE");  // one argument per line
  std::stringstream lines(named != nullptr ? named : PythonModuleCommand("check") + "\n--judge");
  std::vector<std::string> command;
  for (std::string line; std::getline(lines, line);) command.push_back(line);
  return command;
}

const PJRT_Api* RealTable(const std::string& path, std::string& problem) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) problem = path + ": expected a PJRT plugin, found no GetPjrtApi";
  return get == nullptr ? nullptr : get();
}

// Makes the recorder and finds the function table of the real plugin, unless the client's engine is
// not a plugin. If the settings or the plugin are wrong, prints a sentence on standard error and
// returns false.
bool Start() {
  const char* words = getenv("HLOCTS_CHECK");
  Settings settings;
  std::string problem = settings.Read(words == nullptr ? "" : words);
  State& state = TheState();
  if (problem.empty() && settings.plugin != kOwnClient)
    state.real = RealTable(settings.plugin, problem);
  if (!problem.empty()) {
    fprintf(stderr, "hlocts check: %s\n", problem.c_str());
    return false;
  }
  settings.judge = JudgeCommand();
  state.recorder = std::make_unique<Recorder>(std::move(settings));
  atexit(AtExit);
  return true;
}

bool Started() {
  static const bool started = Start();
  return started;
}

const PJRT_Api* MakeTable() {
  State& state = TheState();
  if (!Started() || state.real == nullptr) return nullptr;
  // The real table may be longer than that of this header; later functions are forwarded unchanged.
  const size_t size = std::max(state.real->struct_size, sizeof(PJRT_Api));
  void* memory = calloc(1, size);
  memcpy(memory, state.real, state.real->struct_size);
  auto* api = static_cast<PJRT_Api*>(memory);
  api->PJRT_Client_Compile = Compile;
  api->PJRT_Executable_DeserializeAndLoad = Deserialize;
  api->PJRT_LoadedExecutable_Destroy = Destroy;
  api->PJRT_LoadedExecutable_Execute = Execute;
  return api;
}

}  // namespace
}  // namespace hlocts::check

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api* api = hlocts::check::MakeTable();
  return api;
}

// Frameworks call this function to register handlers of custom calls; see handlers.h.
extern "C" const char* HloctsCheckRegisterHandler(const char* name, const char* platform,
                                                  void* handler, uint32_t traits) {
  if (GetPjrtApi() == nullptr) return "no plugin";
  return hlocts::check::RegisterHandler(*hlocts::check::TheState().real, name, platform, handler,
                                        traits);
}

// A client whose engine is not a plugin (plugin=jax) calls this function and those below to record
// executions. This function returns a program for MLIR text or bytecode, or null if the settings
// are wrong. The program is never destroyed.
extern "C" void* HloctsCheckProgram(const char* code, size_t size) {
  if (!hlocts::check::Started()) return nullptr;
  auto* program = new hlocts::check::Program;
  program->id = hlocts::check::TheState().recorder->AddProgram("mlir", {code, size});
  return program;
}

// Counts an execution on `devices` devices. Returns its number if it must be recorded, else -1.
extern "C" int64_t HloctsCheckBegin(void* program, int64_t devices) {
  return hlocts::check::Begin(*hlocts::check::TheState().recorder,
                              *static_cast<hlocts::check::Program*>(program), devices);
}

// Records an execution: its inputs, then its outputs. If `reason` is not null, records nothing and
// counts the reason.
extern "C" void HloctsCheckEnd(void* program, int64_t number, const HloctsCheckLeaf* leaves,
                               size_t inputs, size_t outputs, double seconds, const char* reason) {
  hlocts::check::Recorder& recorder = *hlocts::check::TheState().recorder;
  const auto copies = [](const HloctsCheckLeaf* from, size_t count) {
    std::vector<hlocts::check::Leaf> made;
    for (const HloctsCheckLeaf* leaf = from; leaf != from + count; ++leaf)
      made.push_back(
          {leaf->type, {leaf->dims, leaf->dims + leaf->rank}, {leaf->bytes, leaf->size}});
    return made;
  };
  if (reason != nullptr) {
    recorder.Skip(reason);
  } else {
    recorder.AddExecution(*static_cast<hlocts::check::Program*>(program),
                          static_cast<uint64_t>(number), copies(leaves, inputs),
                          copies(leaves + inputs, outputs));
  }
  recorder.AddTime(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds)));
}
