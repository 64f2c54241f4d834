// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the CUDA engine, as far as they need no device.
#include "tools/bench/cuda_bench.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"
#include "spec/text/printer.h"

namespace hlocts::tools {
namespace {

TEST(CudaBenchTest, RelaxedModulesAskForNoPrecision) {
  const auto loaded = LoadModule(HLOCTS_SOURCE_DIR "/tools/bench/cuda/dot_f32_4096.hlo");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto asks = [&] {
    return absl::StrContains(PrintModule(*loaded->module, PrintOptions::Default()), "highest");
  };
  EXPECT_TRUE(asks());
  DropOperandPrecision(*loaded->module);
  EXPECT_FALSE(asks());
  EXPECT_TRUE(VerifyModule(*loaded->module).ok());
}

// A goal of a module that is not there is never missed.
TEST(CudaBenchTest, EveryGoalIsOfAModuleThatIsTimed) {
  for (const CudaGoal& goal : CudaGoals()) {
    const std::string file = absl::StrCat("/", goal.module, ".hlo");
    EXPECT_TRUE(std::filesystem::exists(HLOCTS_SOURCE_DIR "/tools/bench/cuda" + file) ||
                std::filesystem::exists(HLOCTS_SOURCE_DIR "/tools/bench/cpu" + file))
        << goal.module;
  }
}

}  // namespace
}  // namespace hlocts::tools
