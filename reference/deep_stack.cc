// SPDX-License-Identifier: Apache-2.0
#include "reference/deep_stack.h"

#include <pthread.h>

#include "absl/strings/str_cat.h"
#include "reference/interpreter.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kDepthOnCallersStack = 50;
constexpr int64_t kStackDepthMax = 16'000;

void* RunWork(void* pointer) {
  (*static_cast<absl::FunctionRef<void()>*>(pointer))();
  return nullptr;
}

}  // namespace

absl::Status RunOnStackFor(const Module& module, int64_t bytes_per_call,
                           absl::FunctionRef<void()> work) {
  int64_t depth = Interpreter::CallDepth(module);
  if (depth > kStackDepthMax) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "calls are nested ", depth, " levels deep, at most ", kStackDepthMax, " are supported"));
  }
  if (depth <= kDepthOnCallersStack) {
    work();
    return absl::OkStatus();
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<size_t>((depth + 64) * bytes_per_call));
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, RunWork, &work);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot allocate a stack for calls nested ", depth, " levels deep"));
  }
  pthread_join(thread, nullptr);
  return absl::OkStatus();
}

}  // namespace hlocts::reference
