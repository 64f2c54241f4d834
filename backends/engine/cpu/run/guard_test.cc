// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backends/engine/cpu/base/program.h"

namespace hlocts::cpu {
namespace {

TEST(GuardTest, GuardsSeeWhatIsWrittenBesideAResult) {
  for (const int64_t place : {-1, 0, 15, 16}) {
    Program program;
    program.guarded = true;
    program.arena_bytes = 16 + 2 * kGuardBytes;
    auto function = std::make_unique<Function>();
    Slot slot;
    slot.bytes = 16;
    slot.offset = kGuardBytes;
    function->slots = {slot};
    Step step;
    step.out = {0};
    step.run = [place](cpu::Run&, plan::In, Out out) {
      out[0][place] = 1;
      return absl::OkStatus();
    };
    function->steps = {step};
    program.functions.push_back(std::move(function));
    cpu::Run run(program);
    ASSERT_TRUE(run.Prepare().ok());
    EXPECT_EQ(run.Execute(*program.functions[0]).ok(), place >= 0 && place < 16) << place;
  }
}

}  // namespace
}  // namespace hlocts::cpu
