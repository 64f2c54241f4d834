// SPDX-License-Identifier: Apache-2.0
// Tests engines that do not start again after a crash.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/worker/worker_client.h"
#include "generators/arguments.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

// A test engine (misbehaving_engine_main.cc) whose starts number `from` to `to` fail. A file counts
// the starts from 0.
class StartsTest : public ::testing::Test {
 protected:
  void Make(int from, int to) {
    std::remove(count_.c_str());
    backend_ = MakeWorkerBackend(
        {"mirror",
         {"/bin/sh", "-c",
          absl::StrCat("n=$(cat ", count_, " 2>/dev/null || echo 0); echo $((n+1)) >", count_,
                       "; [ $n -ge ", from, " ] && [ $n -le ", to, " ] && exit 1; exec ",
                       HLOCTS_BINARY_DIR "/misbehaving_engine")}});
    EXPECT_EQ(Run("fine"), std::nullopt);
    EXPECT_EQ(Run("abort"), Outcome::kCrash);
  }
  std::optional<Outcome> Run(const std::string& name) {
    auto module = ParseModule(
        absl::StrCat("HloModule ", name, "\nENTRY main { ROOT x = f32[4] parameter(0) }"));
    EXPECT_TRUE(module.ok()) << module.status();
    ExecuteRequest request;
    request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(**module), 1));
    return RunModule(*backend_, **module, {}, request).failure;
  }
  int Starts() const {
    int count = 0;
    std::ifstream(count_) >> count;
    return count;
  }
  const std::string count_ = ::testing::TempDir() + "/worker_starts";
  std::unique_ptr<Backend> backend_;
};

TEST_F(StartsTest, OneInVainDoesNotEndARun) {
  Make(/*from=*/1, /*to=*/1);
  EXPECT_NE(Run("fine"), std::nullopt);
  EXPECT_EQ(Run("fine"), std::nullopt);
}

TEST_F(StartsTest, CrashedEngineIsNotRestartedPerCase) {
  Make(/*from=*/1, /*to=*/1000);
  for (int i = 0; i < 10; ++i) EXPECT_NE(Run("fine"), std::nullopt);
  EXPECT_EQ(Starts(), 4);
}

}  // namespace
}  // namespace hlocts::backends
