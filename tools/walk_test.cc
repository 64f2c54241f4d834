// SPDX-License-Identifier: Apache-2.0
// Tests `hlocts walk` on real XLA: XLA keeps the promises of the API, and a known defect is found
// and minimised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backends/engine_list.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class WalkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto plugin = backends::PluginOf("xla");
    if (!plugin.ok()) GTEST_SKIP() << plugin.status().message();
  }
};

TEST_F(WalkTest, WhatTheHeaderPromisesHolds) {
  const Ran ran = RunHlocts(
      "walk xla --walks=4 --steps=80 --without='serialize and load' "
      "--without='copy to its own device'");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("4 walks of 80 steps, 313 steps made"));
  EXPECT_THAT(ran.out, HasSubstr("0 walks failed"));
}

// XLA:CPU cannot execute an executable that was stored and loaded twice (results/walks/walks.txt).
TEST_F(WalkTest, ADifferenceIsFoundAndMadeSmall) {
  const Ran ran = RunHlocts("walk xla --walks=1 --steps=16 --seed=77");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("not found (type id: 1)"),
                             HasSubstr("serialize and load; serialize and load"),
                             HasSubstr("1 walk failed, in 1 way")));
}

TEST_F(WalkTest, AWrongNameIsToldWithThoseThatThereAre) {
  const Ran ran = RunHlocts("walk xla --without=nothing");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("unknown step \"nothing\""), HasSubstr("delete a buffer")));
}

TEST(WalkUsageTest, APluginIsAskedFor) {
  EXPECT_EQ(RunHlocts("walk").status, 2);
  const Ran ran = RunHlocts("walk stablehlo");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("not an engine with a PJRT plugin"));
}

TEST(WalkUsageTest, APluginThatDoesNotLoadIsAnError) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/not_a_plugin.so") << "text";
  const Ran ran = RunHlocts("walk not_a_plugin.so", "cd " + folder + " &&");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("cannot be loaded"), HasSubstr("./not_a_plugin.so"),
                             ::testing::Not(HasSubstr("end in a difference"))));
}

}  // namespace
}  // namespace hlocts::tools
