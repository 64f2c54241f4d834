// SPDX-License-Identifier: Apache-2.0
// Removes the environment variables by which ctest shards this program (CMakeLists.txt). `hlocts
// run` reads the same variables, so the programs that a test starts must not inherit them.
#include <gtest/gtest.h>

#include <cstdlib>

namespace hlocts::tools {
namespace {

class StartedProgramsAreWhole : public ::testing::Environment {
 public:
  void SetUp() override {
    for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
      unsetenv(name);
  }
};

[[maybe_unused]] ::testing::Environment* const kWhole =
    ::testing::AddGlobalTestEnvironment(new StartedProgramsAreWhole);

}  // namespace
}  // namespace hlocts::tools
