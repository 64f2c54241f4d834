// SPDX-License-Identifier: Apache-2.0
// The PJRT extension of our plugins. The extension is in the chain that begins at
// PJRT_Api.extension_start, with type HLOCTS_PJRT_EXTENSION_TYPE. It adds to the C API:
//
//   - infeed (buffers that are queued before a run) and outfeed (buffers that are read after it);
//   - element types s1 and u1, for which PJRT has no number (HLOCTS_PJRT_BUFFER_TYPE_S1, _U1);
//   - facts and capabilities of a client, as words, and the opcodes of the plugin.
//
// A host that finds the extension may also rely on these properties:
//   - a bounded dynamic argument accepts an array of any size within its bounds;
//   - tuple parameters and nested results are passed as leaves, tokens as buffers of type TOKEN;
//   - env_option_overrides may contain the compile options below.
#pragma once

#include "spec/pjrt/pjrt_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names of compile options. The values are integers, except that the value of the last option is
// the path of a library of custom-call handlers.
#define HLOCTS_PJRT_RNG_SEED "hlocts.rng_seed"
#define HLOCTS_PJRT_STEPS_MAX "hlocts.steps_max"
#define HLOCTS_PJRT_MEMORY_BYTES_MAX "hlocts.memory_bytes_max"
#define HLOCTS_PJRT_CUSTOM_CALLS "hlocts.custom_calls"

typedef struct Hlocts_Pjrt_Words_Args {
  size_t struct_size;
  PJRT_Client* client;
  // Output, valid as long as the client. "fact:NAME" declares a fact; other words are capabilities.
  const char* words;
} Hlocts_Pjrt_Words_Args;

typedef struct Hlocts_Pjrt_Feed_Args {
  size_t struct_size;
  PJRT_LoadedExecutable* executable;
  size_t device;  // index in the executable's addressable devices
  // For infeed, an input: the next leaf of the next run, which the caller continues to own. For
  // outfeed, an output: the next leaf that the last run sent, which the caller then owns; null
  // after the last.
  PJRT_Buffer* buffer;
} Hlocts_Pjrt_Feed_Args;

typedef struct Hlocts_Pjrt_Extension {
  PJRT_Extension_Base base;
  const char* opcodes;  // separated by spaces
  PJRT_Error* (*words)(Hlocts_Pjrt_Words_Args* args);
  PJRT_Error* (*infeed)(Hlocts_Pjrt_Feed_Args* args);
  PJRT_Error* (*outfeed)(Hlocts_Pjrt_Feed_Args* args);
} Hlocts_Pjrt_Extension;

#ifdef __cplusplus
}
#endif
