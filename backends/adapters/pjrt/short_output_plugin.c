// SPDX-License-Identifier: Apache-2.0
// A plugin that violates PJRT, for tests. It is the reference's plugin, but reports outputs that
// are one byte too short, and the code of all its errors is data loss. With HLOCTS_TEST_ABORTS in
// its environment it aborts at its start.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "spec/pjrt/pjrt_abi.h"

static PJRT_Api api;
static PJRT_Error* (*to_host)(PJRT_Buffer_ToHostBuffer_Args*);

// The caller's memory is large enough for the true size.
static PJRT_Error* ShortToHost(PJRT_Buffer_ToHostBuffer_Args* args) {
  if (args->dst) ++args->dst_size;
  PJRT_Error* error = to_host(args);
  --args->dst_size;
  return error;
}

static PJRT_Error* DataLoss(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_DATA_LOSS;
  return 0;
}

const PJRT_Api* GetPjrtApi(void) {
  if (getenv("HLOCTS_TEST_ABORTS")) {
    fputs("starting\nno device found\n", stderr);
    abort();
  }
  void* library = dlopen(HLOCTS_REFERENCE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api* (*real)(void) =
      library ? (const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi") : 0;
  if (!real) return 0;
  api = *real();
  to_host = api.PJRT_Buffer_ToHostBuffer;
  api.PJRT_Buffer_ToHostBuffer = ShortToHost;
  api.PJRT_Error_GetCode = DataLoss;
  return &api;
}
