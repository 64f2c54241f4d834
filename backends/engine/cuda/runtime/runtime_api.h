// SPDX-License-Identifier: Apache-2.0
// The border of libhlocts_cuda.so: plain C, so that the library can be left out, and is only opened
// by who asks for `cuda`. Functions that can fail return an hlocts_cuda_status and leave their
// reason in last_error(), per thread.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_API_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HLOCTS_CUDA_API_VERSION 5

typedef enum {
  HLOCTS_CUDA_OK = 0,
  HLOCTS_CUDA_UNAVAILABLE = 1,  // no driver, no device, no NVRTC
  HLOCTS_CUDA_OUT_OF_MEMORY = 2,
  HLOCTS_CUDA_COMPILE_ERROR = 3,  // the reason is NVRTC's log
  HLOCTS_CUDA_LOST = 4,           // sticky: this process can use the device no more
  HLOCTS_CUDA_FAILED = 5,         // this call failed, the next may not
  HLOCTS_CUDA_DECLINED = 6,       // of library(): it is not there, or does not take the plan
} hlocts_cuda_status;

// A launch that is kept.
enum { HLOCTS_CUDA_KEPT_COPY = -1, HLOCTS_CUDA_KEPT_PRODUCT = -2 };
typedef struct {
  int32_t kernel, reserved;  // of device/dispatch.h, or one of the two above
  int64_t code, count;       // count: of a copy, bytes
  const void* arguments;     // of a kernel; of a product, its GemmPlan
  void* to;                  // of copies and products
  const void* from;
  const void* second;  // a product's B
} hlocts_cuda_launch;

typedef struct {
  int32_t version;
  const char* (*last_error)(void);
  // How many devices there are, and which one this thread means from here on; 0 at first.
  int32_t (*device_count)(void);
  void (*use)(int32_t device);
  // That device. After this the functions below may be called for it, from any thread.
  hlocts_cuda_status (*open)(void);
  const char* (*description)(void);  // device, architecture, driver
  // How many processes that device had memory for when it was opened, this one among them; 0: it
  // does not say.
  int32_t (*workers_max)(void);
  hlocts_cuda_status (*allocate)(int64_t bytes, void** data);
  void (*release)(void* data);
  hlocts_cuda_status (*upload)(void* to, const void* from, int64_t bytes);
  hlocts_cuda_status (*download)(void* to, const void* from, int64_t bytes);
  hlocts_cuda_status (*copy)(void* to, const void* from, int64_t bytes);
  // A kernel of device/dispatch.h, precompiled, or what load gave. count: of threads, or of blocks.
  hlocts_cuda_status (*launch)(int32_t kernel, int64_t code, const void* arguments, int64_t count);
  // The source compiled for the device, out of the cache on disk where it is there.
  hlocts_cuda_status (*load)(const char* source, int32_t fast_math, int64_t* code);
  // Needs no device and no open(): the source compiled for an architecture such as "sm_90". `log`
  // is what ptxas says of registers and spills; it lives until the thread's next call.
  hlocts_cuda_status (*compile)(const char* source, const char* architecture, int32_t fast_math,
                                const char** log);
  // A plan of libraries.h, its size in bytes, and its pointers.
  hlocts_cuda_status (*library)(int32_t library, const void* plan, int64_t bytes,
                                const void* const* in, void* const* out);
  // Until all that was launched is done.
  hlocts_cuda_status (*synchronize)(void);
  // Whether a graph can have this call of library(): DECLINED where the library does not take it,
  // FAILED where it is none that graphs have.
  hlocts_cuda_status (*keeps)(int32_t library, const void* plan, int64_t bytes,
                              const void* const* in, void* const* out);
  // Launches as one graph. again: nullptr, or a pred of the device: they are repeated while it is
  // true and the s64 at `left`, which every turn lowers, is above 0.
  hlocts_cuda_status (*keep)(const hlocts_cuda_launch* launches, int64_t count, const void* again,
                             void* left, int64_t* graph);
  hlocts_cuda_status (*replay)(int64_t graph);
  void (*forget)(int64_t graph);
  // Whether devices of their own can meet by a library, and a CollectiveCall of libraries.h: the
  // devices of its members, what each gives and where each gets its part.
  int32_t (*collects)(void);
  hlocts_cuda_status (*collect)(const void* plan, int64_t bytes, const int32_t* devices,
                                const void* const* in, void* const* out);
  // Begins to measure, or (stop) waits and says how many seconds the device took since.
  hlocts_cuda_status (*clock)(int32_t stop, double* seconds);
} hlocts_cuda_api;

const hlocts_cuda_api* hlocts_cuda_get_api(void);

#ifdef __cplusplus
}
#endif

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_RUNTIME_API_H_
