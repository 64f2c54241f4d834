// SPDX-License-Identifier: Apache-2.0
// A client of a PJRT plugin, written in C. Usage: client PLUGIN MODULE THREADS RUNS
//
// MODULE is a serialized HloModuleProto that maps f32[4] to f32[4]. Each thread compiles it and
// runs it RUNS times on {1, 2, 3, 4}. Prints the result; exit status 1 if two results differ.
// The program shows how clients other than JAX run under the checking plugin: PLUGIN is
// libhlocts_check.so, and HLOCTS_CHECK names the real plugin.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spec/pjrt/pjrt_abi.h"

static const PJRT_Api* api;
static PJRT_Client* client;
static PJRT_Device* device;
static char* module;
static size_t module_size;
static int runs;

static void Check(PJRT_Error* error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {PJRT_Error_Message_Args_STRUCT_SIZE};
  message.error = error;
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "client: %.*s\n", (int)message.message_size, message.message);
  exit(2);
}

#define CALL(name, args) Check(api->name(&(args)))

static void Await(PJRT_Event* event) {
  if (event == NULL) return;
  PJRT_Event_Await_Args await = {PJRT_Event_Await_Args_STRUCT_SIZE};
  await.event = event;
  CALL(PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args destroy = {PJRT_Event_Destroy_Args_STRUCT_SIZE};
  destroy.event = event;
  CALL(PJRT_Event_Destroy, destroy);
}

static void Destroy(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args destroy = {PJRT_Buffer_Destroy_Args_STRUCT_SIZE};
  destroy.buffer = buffer;
  CALL(PJRT_Buffer_Destroy, destroy);
}

static PJRT_LoadedExecutable* Compile(void) {
  // CompileOptionsProto: device_ordinal -1, one replica, one partition.
  static const char options[] =
      "\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01";
  PJRT_Program program = {PJRT_Program_STRUCT_SIZE};
  program.code = module;
  program.code_size = module_size;
  program.format = "hlo";
  program.format_size = 3;
  PJRT_Client_Compile_Args compile = {PJRT_Client_Compile_Args_STRUCT_SIZE};
  compile.client = client;
  compile.program = &program;
  compile.compile_options = options;
  compile.compile_options_size = sizeof(options) - 1;
  CALL(PJRT_Client_Compile, compile);
  return compile.executable;
}

static PJRT_Buffer* Argument(void) {
  static const float values[4] = {1, 2, 3, 4};
  static const int64_t dims[1] = {4};
  PJRT_Client_BufferFromHostBuffer_Args from = {PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE};
  from.client = client;
  from.data = values;
  from.type = PJRT_Buffer_Type_F32;
  from.dims = dims;
  from.num_dims = 1;
  from.device = device;
  CALL(PJRT_Client_BufferFromHostBuffer, from);
  Await(from.done_with_host_buffer);
  return from.buffer;
}

static void Run(PJRT_LoadedExecutable* executable, float result[4]) {
  PJRT_Buffer* argument = Argument();
  PJRT_Buffer* const arguments[1] = {argument};
  PJRT_Buffer* const* argument_lists[1] = {arguments};
  PJRT_Buffer* outputs[1] = {NULL};
  PJRT_Buffer** const output_lists[1] = {outputs};
  PJRT_Event* done[1] = {NULL};
  PJRT_ExecuteOptions options = {PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args execute = {PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE};
  execute.executable = executable;
  execute.options = &options;
  execute.argument_lists = argument_lists;
  execute.num_devices = 1;
  execute.num_args = 1;
  execute.output_lists = output_lists;
  execute.device_complete_events = done;
  CALL(PJRT_LoadedExecutable_Execute, execute);
  Await(done[0]);
  PJRT_Buffer_ToHostBuffer_Args copy = {PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE};
  copy.src = outputs[0];
  copy.dst = result;
  copy.dst_size = 4 * sizeof(float);
  CALL(PJRT_Buffer_ToHostBuffer, copy);
  Await(copy.event);
  Destroy(argument);
  Destroy(outputs[0]);
}

static void* Thread(void* first) {
  PJRT_LoadedExecutable* executable = Compile();
  float* const kept = first;
  Run(executable, kept);
  for (int i = 1; i < runs; ++i) {
    float result[4];
    Run(executable, result);
    if (memcmp(result, kept, sizeof(result)) == 0) continue;
    fprintf(stderr, "client: run %d returned another result\n", i);
    exit(1);
  }
  PJRT_LoadedExecutable_Destroy_Args destroy = {PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE};
  destroy.executable = executable;
  CALL(PJRT_LoadedExecutable_Destroy, destroy);
  return NULL;
}

static void ReadModule(const char* path) {
  FILE* file = fopen(path, "rb");
  module = malloc(1 << 20);
  if (file != NULL) module_size = fread(module, 1, 1 << 20, file);
  if (module_size > 0) return;
  fprintf(stderr, "client: %s cannot be read\n", path);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: client PLUGIN MODULE THREADS RUNS\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api* (*get)(void) = NULL;
  if (library != NULL) *(void**)&get = dlsym(library, "GetPjrtApi");
  api = get == NULL ? NULL : get();
  if (api == NULL) {
    fprintf(stderr, "client: %s: no PJRT plugin\n", argv[1]);
    return 2;
  }
  ReadModule(argv[2]);
  const int threads = atoi(argv[3]);
  runs = atoi(argv[4]);
  PJRT_Plugin_Initialize_Args initialize = {PJRT_Plugin_Initialize_Args_STRUCT_SIZE};
  CALL(PJRT_Plugin_Initialize, initialize);
  PJRT_Client_Create_Args create = {PJRT_Client_Create_Args_STRUCT_SIZE};
  CALL(PJRT_Client_Create, create);
  client = create.client;
  PJRT_Client_AddressableDevices_Args devices = {PJRT_Client_AddressableDevices_Args_STRUCT_SIZE};
  devices.client = client;
  CALL(PJRT_Client_AddressableDevices, devices);
  device = devices.addressable_devices[0];

  pthread_t* ids = calloc(threads, sizeof(*ids));
  float(*results)[4] = calloc(threads, sizeof(*results));
  for (int t = 0; t < threads; ++t) pthread_create(&ids[t], NULL, Thread, results[t]);
  for (int t = 0; t < threads; ++t) pthread_join(ids[t], NULL);
  // The exit of a forked child must not affect the client.
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  printf("%g %g %g %g\n", results[0][0], results[0][1], results[0][2], results[0][3]);
  for (int t = 1; t < threads; ++t) {
    if (memcmp(results[t], results[0], sizeof(results[0])) != 0) return 1;
  }
  PJRT_Client_Destroy_Args destroy = {PJRT_Client_Destroy_Args_STRUCT_SIZE};
  destroy.client = client;
  CALL(PJRT_Client_Destroy, destroy);
  free(ids);
  free(results);
  free(module);
  return 0;
}
