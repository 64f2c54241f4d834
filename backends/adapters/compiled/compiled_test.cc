// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/compiled/compiled_backend.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/text/parser.h"
#include "suites/case.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TextExecutable : public Executable {
 public:
  explicit TextExecutable(std::string module) : module_(std::move(module)) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest&) override {
    return absl::UnimplementedError("executes nothing");
  }
  absl::StatusOr<std::string> OptimizedModule() override { return module_; }

 private:
  std::string module_;
};

// A fake compiler that turns every module into `text`. If `placed` is not empty, the compiled
// module's shardings place the tiles of its argument on the devices placed[0] and those of its
// result on the devices placed[1].
class FakeCompiler : public Backend {
 public:
  FakeCompiler(std::string text, std::vector<std::vector<int64_t>> placed)
      : text_(std::move(text)), placed_(std::move(placed)) {}
  BackendInfo info() override {
    return {.name = "fake",
            .capabilities = {"compile-only", "proto", "optimized-module", "partitions"}};
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module&, const LoadOptions&) override {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> made, ParseModule(text_));
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(*made));
    return std::make_unique<TextExecutable>(placed_.empty() ? proto : Placed(proto));
  }

 private:
  std::string Placed(const std::string& made) const {
    proto::HloModuleProto module;
    HLOCTS_CHECK(module.ParseFromString(made));
    const auto place = [](const std::vector<int64_t>& devices, proto::OpSharding& sharding) {
      sharding.set_type(proto::OpSharding::OTHER);
      sharding.add_tile_assignment_dimensions(static_cast<int64_t>(devices.size()));
      for (const int64_t device : devices) sharding.add_tile_assignment_devices(device);
    };
    place(placed_[0], *module.add_spmd_parameters_shardings());
    place(placed_[1], *module.mutable_spmd_output_sharding());
    return module.SerializeAsString();
  }

  std::string text_;
  std::vector<std::vector<int64_t>> placed_;
};

// Returns the verdict on a compiler that turns `given` into `made`. `arguments` are the arguments
// of a run on `partitions` devices.
reports::Verdict Judge(const std::string& given, const std::string& made,
                       const std::vector<std::string>& arguments, int64_t partitions = 1,
                       const std::vector<std::vector<int64_t>>& placed = {}) {
  auto module = ParseModule(given);
  HLOCTS_CHECK(module.ok());
  ExecuteRequest request;
  request.arguments.emplace_back();
  for (const std::string& text : arguments) {
    auto literal = ParseLiteralWithShape(text);
    HLOCTS_CHECK(literal.ok());
    request.arguments[0].push_back(*literal);
  }
  request.arguments.resize(static_cast<size_t>(partitions), request.arguments[0]);
  DiffOptions options;
  options.load.partitions = partitions;
  auto reference = MakeBackend("reference");
  HLOCTS_CHECK(reference.ok());
  auto backend =
      MakeCompiledBackend(std::make_unique<FakeCompiler>(made, placed), *std::move(reference));
  return Differ(**module, request, options).Diff(*backend);
}

// In cases/, an @output is a module that a compiler makes of @module. @replicas is the number of
// devices that get the arguments.
TEST(CompiledTest, TheCasesHaveTheirVerdicts) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      const std::vector<suites::Case> cases,
      suites::LoadCases(HLOCTS_SOURCE_DIR "/backends/adapters/compiled/cases"));
  EXPECT_GT(cases.size(), 30u);
  for (const suites::Case& one : cases) {
    const std::vector<std::string> arguments =
        absl::StrSplit(one.inputs_text, '\n', absl::SkipEmpty());
    for (const suites::CaseOutput& made : one.outputs) {
      const reports::Verdict verdict =
          Judge(one.module_text, made.text, arguments, std::max<int64_t>(one.replicas, 1));
      EXPECT_EQ(verdict.kind, made.verdicts[0].second)
          << one.address << " " << made.name << ": " << verdict.reason;
    }
  }
}

TEST(CompiledTest, WhatIsWrongIsTheOptimizedModule) {
  const reports::Verdict verdict =
      Judge("ENTRY e { x = f32[] parameter(0) ROOT r = f32[] negate(x) }",
            "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] copy(x) }", {"f32[] 5"});
  EXPECT_EQ(verdict.kind, Outcome::kFail);
  EXPECT_THAT(reports::VerdictToText(verdict), HasSubstr("the optimized module is wrong"));
}

TEST(CompiledTest, WhatHasNoMeaningIsNotEvaluated) {
  constexpr const char* kRows[][3] = {
      {"ROOT r = f32[2,2] copy(x)",
       "ROOT r = f32[2,2] custom-call(x), custom_call_target=\"Mystery\"",
       "custom-call Mystery: the target is not known"},
      {"ROOT r = f32[2,2] reverse(x), dimensions={0}",
       "ROOT r = f32[2,2] copy(x), "
       "backend_config={\"window_config\":{\"output_reverse_dimensions\":[\"2\"]}}",
       "r: output_reverse_dimensions"},
      {"ROOT r = (f32[2,1], s32[2,1]) topk(x), k=1, largest=true",
       "t = (f32[2,1], s32[2,1], u8[64]) custom-call(x), custom_call_target=\"__gpu$TopK\", "
       "backend_config={is_stable = true, order = \"PARTIAL\"} v = f32[2,1] get-tuple-element(t), "
       "index=0 w = s32[2,1] get-tuple-element(t), index=1 "
       "ROOT r = (f32[2,1], s32[2,1]) tuple(v, w)",
       "custom-call __gpu$TopK: expected a comparator"},
      {"ROOT r = f32[4,2] concatenate(x, x), dimensions={0}",
       "ROOT r = f32[4,2] custom-call(x, x), custom_call_target=\"ConcatBitcast\"",
       "custom-call ConcatBitcast: expected slices"},
      {"ROOT r = f64[2,2] convert(x)",
       "c = f64[2,2] convert(x) l = f32[2,2] custom-call(c), "
       "custom_call_target=\"X64SplitHigh\" ROOT r = f64[2,2] convert(l)",
       "custom-call X64SplitHigh: f64 as a pair"},
  };
  const std::string head = "HloModule m\nENTRY e { x = f32[2,2] parameter(0)\n ";
  for (const auto& [given, made, reason] : kRows) {
    const reports::Verdict verdict =
        Judge(head + given + " }", head + made + " }", {"f32[2,2] {{4, 2}, {2, 5}}"});
    EXPECT_EQ(verdict.kind, Outcome::kUnsupported) << made;
    EXPECT_THAT(verdict.reason, StartsWith(absl::StrCat("not evaluated: ", reason)));
  }
}

// XLA:TPU drops a final copy between devices and records which device then has which tile.
TEST(CompiledTest, TilesAreWhereTheCompilerRecordsThem) {
  const auto verdict = [](const std::vector<int64_t>& results) {
    return Judge(
        "HloModule m, num_partitions=2\nENTRY e { x = f32[2] parameter(0), "
        "sharding={devices=[2]<=[2]} ROOT r = f32[2] copy(x), sharding={devices=[2]1,0} }",
        "HloModule m, num_partitions=2\nENTRY e { x = f32[1] parameter(0) ROOT r = f32[1] copy(x) "
        "}",
        {"f32[2] {1, 2}"}, /*partitions=*/1, {{0, 1}, results});
  };
  EXPECT_EQ(verdict({0, 1}).kind, Outcome::kPass) << verdict({0, 1}).reason;
  EXPECT_EQ(verdict({1, 0}).kind, Outcome::kFail);
}

}  // namespace
}  // namespace hlocts::backends
