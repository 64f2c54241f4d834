// SPDX-License-Identifier: Apache-2.0
// Tests whether the engine or the conversion is at fault if the engine fails a converted module.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "spec/files/literals_file.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;

// An engine that is wrong by `steps` representable values and reports that its modules are
// converted before it receives them.
class ConvertedInputBackend : public InjectingBackend {
 public:
  ConvertedInputBackend(std::string road, int steps)
      : InjectingBackend({.instruction = "r", .element = 0, .steps = steps}),
        via_(std::move(road)) {}
  BackendInfo info() override {
    BackendInfo info = InjectingBackend::info();
    info.capabilities.push_back("via:" + via_);
    return info;
  }

 private:
  std::string via_;
};

reports::Verdict Diff(const std::string& road, int steps) {
  auto module = *ParseModule(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] subtract(x, y)
})");
  ExecuteRequest request;
  request.arguments = {{*ParseLeaf("f32[2] {1, 2}"), *ParseLeaf("f32[2] {3, 5}")}};
  ConvertedInputBackend engine(road, steps);
  return Differ(*module, request, DiffOptions()).Diff(engine);
}

TEST(ViaTest, FailAfterCorrectConversionIsTheEngines) {
  EXPECT_EQ(Diff("reference", 2).kind, Outcome::kFail);
}

TEST(ViaTest, FailAfterWrongConversionIsInconclusive) {
  const reports::Verdict verdict = Diff("canary:subtract.operands-swapped?isolation=none", 2);
  EXPECT_EQ(verdict.kind, Outcome::kInconclusive);
  EXPECT_THAT(verdict.reason, HasSubstr("accepted -2, found 2"));
}

TEST(ViaTest, FailWithoutReferenceEngineIsInconclusive) {
  EXPECT_EQ(Diff("no-such-engine", 2).kind, Outcome::kInconclusive);
}

TEST(ViaTest, PassNeedsNoConversionCheck) {
  EXPECT_EQ(Diff("no-such-engine", 0).kind, Outcome::kPass);
}

}  // namespace
}  // namespace hlocts::backends
