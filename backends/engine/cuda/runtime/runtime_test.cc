// SPDX-License-Identifier: Apache-2.0
// What the library makes of a driver's answers, with a stand-in for the driver: each test in a
// process of its own, since a process opens a driver once.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "backends/engine/cuda/device/dispatch_names.h"
#include "backends/engine/cuda/runtime/runtime_api.h"

namespace hlocts::cuda {
namespace {

using ::testing::HasSubstr;
using Settings = std::map<std::string, std::string>;

constexpr char kKernel[] =
    "#include \"backends/engine/cuda/device/kernels.h\"\n"
    "extern \"C\" __global__ void hl_kernel(int* p) { p[0] = 1; }\n";

// The functions of the library, after the stand-in has taken the driver's place.
const hlocts_cuda_api& Api() {
  static const hlocts_cuda_api* api = [] {
    EXPECT_NE(dlopen(HLOCTS_BINARY_DIR "/libhlocts_stand_in_driver.so", RTLD_NOW), nullptr)
        << dlerror();
    void* library = dlopen(HLOCTS_BINARY_DIR "/libhlocts_cuda.so", RTLD_NOW);
    EXPECT_NE(library, nullptr) << dlerror();
    return reinterpret_cast<decltype(&hlocts_cuda_get_api)>(
        dlsym(library, "hlocts_cuda_get_api"))();
  }();
  return *api;
}

int Calls(const char* function) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<int (*)(const char*)>(dlsym(driver, "hlocts_driver_calls"))(function);
}

// Runs the test in a child with these environment variables.
void With(const Settings& settings, const std::function<void()>& test) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
    test();
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

hlocts_cuda_status LaunchOne() {
  const char arguments[4096] = {};
  return Api().launch(hl::kFillKernel, -1, arguments, 1);
}

TEST(RuntimeTest, WhatIsMissingAtTheStartIsUnavailableInWords) {
  const struct {
    Settings settings;
    const char* words;
  } kCases[] = {
      {{{"HLOCTS_DRIVER_FAIL", "cuInit:100"}}, "no CUDA device"},
      {{{"HLOCTS_DRIVER_DEVICES", "0"}}, "no CUDA device"},
      {{{"HLOCTS_DRIVER_FAIL", "cuDevicePrimaryCtxRetain:46"}}, "--jobs=1"},
      {{{"HLOCTS_DRIVER_FAIL", "cuStreamCreate:2"}}, "fewer --jobs"},
      {{{"HLOCTS_DRIVER_FAIL", "cuModuleLoadDataEx:222"}}, "HLOCTS_CUDA_ARCHITECTURES"},
      {{{"HLOCTS_DRIVER_POOLS", "0"}}, "no memory pools"},
      {{{"HLOCTS_DRIVER_VERSION", "12080"}}, "580 or newer"},
  };
  for (const auto& one : kCases) {
    With(one.settings, [&] {
      EXPECT_EQ(Api().open(), HLOCTS_CUDA_UNAVAILABLE);
      EXPECT_THAT(Api().last_error(), HasSubstr(one.words));
    });
  }
}

// The stand-in's 16 GiB, of which one is free, and more.
TEST(RuntimeTest, ThereIsRoomForAsManyWorkersAsMemoryHolds) {
  for (const auto& [free, workers] : std::map<std::string, int>{{"1", 1}, {"15", 8}, {"79", 40}}) {
    With({{"HLOCTS_DRIVER_FREE_GIB", free}}, [&, workers = workers] {
      ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
      EXPECT_EQ(Api().workers_max(), workers);
    });
  }
}

TEST(RuntimeTest, ShortOfMemoryThePoolIsTrimmedAndAskedOnceMore) {
  With({{"HLOCTS_DRIVER_FAIL", "cuMemAllocAsync:2:1"}}, [] {
    void* data = nullptr;
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    EXPECT_EQ(Api().allocate(100, &data), HLOCTS_CUDA_OK);
    EXPECT_EQ(Calls("cuMemPoolTrimTo"), 1);
    Api().release(data);
  });
  With({{"HLOCTS_DRIVER_FAIL", "cuMemAllocAsync:2"}}, [] {
    void* data = nullptr;
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    EXPECT_EQ(Api().allocate(100, &data), HLOCTS_CUDA_OUT_OF_MEMORY);
    EXPECT_THAT(Api().last_error(), HasSubstr("are free"));
    EXPECT_EQ(Calls("cuMemAllocAsync"), 2);
  });
}

TEST(RuntimeTest, AFaultThatShowsWhenTheHostWaitsIsALostDevice) {
  With({{"HLOCTS_DRIVER_FAIL", "cuStreamSynchronize:999"}}, [] {
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_OK);
    EXPECT_EQ(Api().synchronize(), HLOCTS_CUDA_LOST);
    EXPECT_THAT(Api().last_error(), HasSubstr("HLOCTS_CUDA_SYNC=1"));
  });
  With({{"HLOCTS_DRIVER_FAIL", "cuStreamSynchronize:700"}, {"HLOCTS_CUDA_SYNC", "1"}}, [] {
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_LOST);
    EXPECT_THAT(Api().last_error(), HasSubstr("the kernel Fill, interpreted"));
  });
  for (const char* code : {"4", "201", "220", "226", "721", "802", "805", "810", "911"}) {
    With({{"HLOCTS_DRIVER_FAIL", std::string("cuLaunchKernel:") + code}}, [] {
      ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
      EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_LOST);
    });
  }
  With({{"HLOCTS_DRIVER_FAIL", "cuLaunchKernel:1"}}, [] {
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_FAILED);
  });
}

TEST(RuntimeTest, KernelsAreLookedUpWhenTheyAreLaunched) {
  With({}, [] {
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    const int before = Calls("cuModuleGetFunction");
    EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_OK);
    EXPECT_EQ(LaunchOne(), HLOCTS_CUDA_OK);
    EXPECT_EQ(Calls("cuModuleGetFunction"), before + 1);
    double seconds = 0;
    EXPECT_EQ(Api().clock(0, &seconds), HLOCTS_CUDA_OK);
    EXPECT_EQ(Api().clock(1, &seconds), HLOCTS_CUDA_OK);
    EXPECT_NEAR(seconds, 0.002, 1e-9);
  });
}

TEST(RuntimeTest, PoisonIsWhatNobodyWrote) {
  With({{"HLOCTS_CUDA_POISON", "1"}}, [] {
    void* data = nullptr;
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    ASSERT_EQ(Api().allocate(3, &data), HLOCTS_CUDA_OK);
    EXPECT_EQ(static_cast<unsigned char*>(data)[2], 0xa5);
  });
}

TEST(RuntimeTest, OfADeviceThatNvrtcDoesNotKnowThereIsPtx) {
  With({}, [] {
    const char* log = "";
    const hlocts_cuda_status status = Api().compile(kKernel, "sm_990", 0, &log);
    if (status == HLOCTS_CUDA_UNAVAILABLE) return;  // there is no NVRTC
    EXPECT_EQ(status, HLOCTS_CUDA_OK) << log;
  });
}

// The first process compiles and keeps; the second finds what it cannot load, and writes it anew.
TEST(RuntimeTest, ADamagedFileOfTheCacheIsWrittenAnew) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("hlocts_cuda_cache_" + std::to_string(getpid()));
  const auto load = [] {
    int64_t code = -1;
    ASSERT_EQ(Api().open(), HLOCTS_CUDA_OK) << Api().last_error();
    const hlocts_cuda_status status = Api().load(kKernel, 0, &code);
    EXPECT_TRUE(status == HLOCTS_CUDA_OK || status == HLOCTS_CUDA_UNAVAILABLE)
        << Api().last_error();
  };
  With({{"HLOCTS_CUDA_CACHE", folder}}, load);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto bytes = file.file_size();
    std::filesystem::resize_file(file.path(), 10);
    With({{"HLOCTS_CUDA_CACHE", folder}, {"HLOCTS_DRIVER_FAIL", "cuModuleLoadData:200:1"}}, load);
    EXPECT_EQ(std::filesystem::file_size(file.path()), bytes);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hlocts::cuda
