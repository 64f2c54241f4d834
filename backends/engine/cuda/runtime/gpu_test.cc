// SPDX-License-Identifier: Apache-2.0
// Tests how the runtime reacts to results of the driver, with a stand-in for the driver. Each test
// runs in a separate process, because a process opens the driver once.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/run/cuda_device.h"

namespace hlocts::cuda {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

constexpr int kLost = 70;

struct Setting {
  const char *name, *value;
};

int Calls(const char* function) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<int (*)(const char*)>(dlsym(driver, "hlocts_driver_calls"))(function);
}

// Runs `test` with the device in a child process that has these environment variables. The child
// prints the result of `test` and exits.
[[noreturn]] void RunWith(std::initializer_list<Setting> settings,
                          const std::function<std::string(Device&)>& test) {
  for (const Setting& setting : settings) setenv(setting.name, setting.value, 1);
  if (dlopen(HLOCTS_ENGINES_DIR "/libhlocts_stand_in_driver.so", RTLD_NOW) == nullptr) std::abort();
  const auto device = OpenCudaDevice();
  const std::string text = device.ok() ? test(**device) : device.status().ToString();
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(0);
}
#define EXPECT_DEVICE(code, words, test, ...) \
  EXPECT_EXIT(RunWith({__VA_ARGS__}, test), ExitedWithCode(code), HasSubstr(words))

std::string LaunchOne(Device& device) {
  const char arguments[4096] = {};
  const absl::Status launched = device.Launch(hl::kFillKernel, arguments, 1, -1);
  return launched.ok() ? device.Synchronize().ToString() : launched.ToString();
}
std::string AllocateOne(Device& device) {
  const auto data = device.Allocate(100);
  return absl::StrCat(data.status().ToString(), ", ", Calls("cuMemPoolTrimTo"), " trims, ",
                      Calls("cuMemAllocAsync"), " calls");
}

TEST(GpuTest, WhatIsMissingAtTheStartIsUnavailableInWords) {
  const struct {
    Setting setting;
    const char* words;
  } kCases[] = {
      {{"HLOCTS_DRIVER_FAIL", "cuInit:100"}, "no CUDA device"},
      {{"HLOCTS_DRIVER_DEVICES", "0"}, "no CUDA device"},
      {{"HLOCTS_DRIVER_FAIL", "cuDevicePrimaryCtxRetain:46"}, "--jobs=1"},
      {{"HLOCTS_DRIVER_FAIL", "cuStreamCreate:2"}, "fewer --jobs"},
      {{"HLOCTS_DRIVER_FAIL", "cuModuleLoadDataEx:222"}, "HLOCTS_CUDA_ARCHITECTURES"},
      {{"HLOCTS_DRIVER_POOLS", "0"}, "no memory pools"},
      {{"HLOCTS_DRIVER_VERSION", "12080"}, "580 or newer"},
  };
  for (const auto& one : kCases) EXPECT_DEVICE(0, one.words, LaunchOne, one.setting);
}

// Expects one worker, and one more for each 2 GiB of free memory.
TEST(GpuTest, ThereIsRoomForAsManyWorkersAsMemoryHolds) {
  const auto workers = [](Device&) { return absl::StrCat(WorkersMax(), " workers"); };
  EXPECT_DEVICE(0, "1 workers", workers, {"HLOCTS_DRIVER_FREE_GIB", "1"});
  EXPECT_DEVICE(0, "8 workers", workers, {"HLOCTS_DRIVER_FREE_GIB", "15"});
  EXPECT_DEVICE(0, "40 workers", workers, {"HLOCTS_DRIVER_FREE_GIB", "79"});
}

TEST(GpuTest, ShortOfMemoryThePoolIsTrimmedAndAskedOnceMore) {
  EXPECT_DEVICE(0, "OK, 1 trims, 2 calls", AllocateOne,
                {"HLOCTS_DRIVER_FAIL", "cuMemAllocAsync:2:1"});
  EXPECT_DEVICE(0, "are free", AllocateOne, {"HLOCTS_DRIVER_FAIL", "cuMemAllocAsync:2"});
}

TEST(GpuTest, AFaultThatShowsWhenTheHostWaitsIsALostDevice) {
  EXPECT_DEVICE(kLost, "HLOCTS_CUDA_SYNC=1 makes the message name the kernel", LaunchOne,
                {"HLOCTS_DRIVER_FAIL", "cuStreamSynchronize:999"});
  EXPECT_DEVICE(kLost, "the kernel Fill, interpreted", LaunchOne,
                {"HLOCTS_DRIVER_FAIL", "cuStreamSynchronize:700"}, {"HLOCTS_CUDA_SYNC", "1"});
  for (const char* code : {"4", "201", "220", "226", "721", "802", "805", "810", "911"}) {
    const std::string fail = absl::StrCat("cuLaunchKernel:", code);
    EXPECT_DEVICE(kLost, "the CUDA device is lost", LaunchOne,
                  {"HLOCTS_DRIVER_FAIL", fail.c_str()});
  }
  EXPECT_DEVICE(0, "INTERNAL", LaunchOne, {"HLOCTS_DRIVER_FAIL", "cuLaunchKernel:1"});
}

TEST(GpuTest, KernelsAreLookedUpWhenTheyAreLaunched) {
  const auto test = [](Device& device) {
    const int before = Calls("cuModuleGetFunction");
    LaunchOne(device);
    LaunchOne(device);
    const absl::Status started = device.StartClock();
    return absl::StrCat(Calls("cuModuleGetFunction") - before, " looked up, ",
                        started.ok() ? device.StopClock().value_or(0) : 0, " s");
  };
  EXPECT_DEVICE(0, "1 looked up, 0.002 s", test);
}

TEST(GpuTest, UnwrittenMemoryIsPoison) {
  const auto test = [](Device& device) {
    return absl::StrCat(static_cast<unsigned char*>(device.Allocate(3).value_or(nullptr))[2]);
  };
  EXPECT_DEVICE(0, "165", test, {"HLOCTS_CUDA_POISON", "1"});
}

constexpr char kKernel[] =
    "#include \"backends/engine/cuda/device/kernels.h\"\n"
    "extern \"C\" __global__ void hl_kernel(int* p) { p[0] = 1; }\n";

TEST(GpuTest, ADeviceThatNvrtcDoesNotKnowGetsPtx) {
  const auto log = CompilerLog(kKernel, "sm_990", false);
  EXPECT_TRUE(log.ok() || absl::IsUnavailable(log.status())) << log.status();
}

TEST(GpuTest, TheSameSourceIsCompiledOnce) {
  const auto test = [](Device& device) {
    const auto one = device.Compile(hl::kLoopKernel, kKernel, false);
    if (absl::IsUnavailable(one.status())) return std::string("compiled once");  // NVRTC is missing
    const int before = Calls("cuModuleLoadDataEx");
    const auto other = device.Compile(hl::kLoopKernel, kKernel, false);
    const bool same = one.ok() && other.ok() && *one == *other;
    return std::string(same && Calls("cuModuleLoadDataEx") == before ? "compiled once" : "wrong");
  };
  EXPECT_DEVICE(0, "compiled once", test);
}

}  // namespace
}  // namespace hlocts::cuda
