// SPDX-License-Identifier: Apache-2.0
// Tests that modules with seeded faults become small and still show the fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/shrink/shrinker.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

using ::testing::StartsWith;

struct FaultyModule {
  const char* fault;
  const char* text;  // of the entry
  int64_t elements;  // limit for the largest array of the result
  const char* signature;
  std::optional<double> argument = std::nullopt;  // value of all elements; nullopt: random
  const char* devices = "";                       // in the header of the module
};

ShrinkResult ShrunkFault(const FaultyModule& faulty) {
  auto engine = *backends::MakeInProcessBackend(absl::StrCat("canary:", faulty.fault));
  auto reference = *backends::MakeInProcessBackend("reference");
  Sample sample;
  sample.module = *ParseModule(absl::StrCat("HloModule m", faulty.devices, "\n", faulty.text));
  sample.arguments = generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), 1);
  for (Literal& literal : sample.arguments) {
    if (faulty.argument)
      literal = WithElements(literal, 0, literal.element_count(), *faulty.argument);
  }
  return Shrink(sample, *engine, *reference, {});
}

class ShrinkFaultTest : public testing::TestWithParam<FaultyModule> {};

TEST_P(ShrinkFaultTest, IsSmallAndTheSame) {
  const ShrinkResult shrunk = ShrunkFault(GetParam());
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_LE(CountElements(*shrunk.sample.module), GetParam().elements)
      << PrintModule(*shrunk.sample.module);
  EXPECT_THAT(shrunk.signature, StartsWith(GetParam().signature));
}

// In these modules a single edit yields an invalid module or removes the failure.
INSTANTIATE_TEST_SUITE_P(
    Together, ShrinkFaultTest,
    testing::Values(FaultyModule{"text.slice-dimensions-reversed",
                                 "ENTRY e { x = f32[9,9] parameter(0)\n"
                                 " ROOT s = f32[7,7] slice(x), slice={[2:9], [0:7]} }",
                                 8, "fail slice f32 value"},
                    FaultyModule{"text.reshape-layout-misread",
                                 "ENTRY e { x = f32[1,49] parameter(0)\n"
                                 " ROOT r = f32[7,7]{0,1} reshape(x) }",
                                 8, "fail reshape f32 value"},
                    FaultyModule{"fft.f64-in-f32",
                                 "ENTRY e { x = c128[24] parameter(0)\n"
                                 " ROOT f = c128[24] fft(x), fft_type=FFT, fft_length={24} }",
                                 8, "fail fft c128 value"},
                    FaultyModule{
                        "dynamic-slice.last-start-unreachable",
                        "ENTRY e { x = f32[30] parameter(0) i = s32[] constant(6)\n"
                        " ROOT d = f32[24] dynamic-slice(x, i), dynamic_slice_sizes={24} }",
                        8, "fail dynamic-slice"},
                    FaultyModule{"pad.dimensions-reversed",
                                 "ENTRY e { x = f32[9,9] parameter(0) z = f32[] constant(7)\n"
                                 " ROOT p = f32[20,20] pad(x, z), padding=4_7x9_2 }",
                                 8, "fail pad f32 value"},
                    FaultyModule{"pad.dimensions-reversed",
                                 "ENTRY e { x = f32[3,3] parameter(0) z = f32[] constant(7)\n"
                                 " ROOT p = f32[1,1] pad(x, z), padding=-2_0x0_-2 }",
                                 4, "fail pad f32 value"}));

// The smallest failing number of elements is not a multiple of the other dimensions' sizes, so the
// module has it only after its arrays are flattened.
INSTANTIATE_TEST_SUITE_P(
    Rank, ShrinkFaultTest,
    testing::Values(FaultyModule{"select.tail-dropped-from-8",
                                 "ENTRY e { p = pred[2,1,5] parameter(0)\n"
                                 " x = f32[2,1,5] parameter(1) y = f32[2,1,5] parameter(2)\n"
                                 " ROOT s = f32[2,1,5] select(p, x, y) }",
                                 9, "fail select f32 zero"},
                    FaultyModule{"compare.tail-dropped-from-16",
                                 "ENTRY e { x = f32[6,1,3] parameter(0)\n"
                                 " y = f32[6,1,3] parameter(1)\n"
                                 " ROOT c = pred[6,1,3] compare(x, y), direction=NE }",
                                 17, "fail compare f32->pred"}));

TEST(ShrinkRankTest, DimensionsOfOneElementGo) {
  for (const char* root :
       {"n = f32[1,2,1] negate(x)", "n = f32[1,1,1] slice(x), slice={[0:1], [1:2], [0:1]}",
        "n = f32[1,3,1] pad(x, z), padding=0_0x0_1x0_0",
        "n = f32[1,2,1] reverse(x), dimensions={1}",
        "n = f32[1,1,1] dynamic-slice(x, i, j, i), dynamic_slice_sizes={1,1,1}"}) {
    const std::string text = absl::StrCat(
        "ENTRY e { x = f32[1,2,1] parameter(0) z = f32[] constant(3) i = s32[] constant(0)\n"
        " j = s32[] constant(1) ROOT ",
        root, " }");
    Sample sample;
    sample.module = *ParseModule(absl::StrCat("HloModule m\n", text));
    sample.arguments =
        generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), 1);
    RemoveDeadCode(sample);
    const Opcode wanted = sample.module->entry()->root()->opcode();
    const auto still = [&](const Sample& candidate) {
      return VerifyModule(*candidate.module).ok() &&
             candidate.module->entry()->root()->opcode() == wanted &&
             CountElements(*candidate.module) >= 2;
    };
    EXPECT_TRUE(ShrinkRank(sample, still)) << text;
    EXPECT_EQ(sample.module->entry()->parameters()[0]->shape().rank(), 1)
        << PrintModule(*sample.module);
  }
}

// The type must change to f32. In f32, 1e-40 is subnormal: the second fault of the first module
// flushes it. In the second module, f8e8m0fnu has no zero, so the wrong value changes too.
INSTANTIATE_TEST_SUITE_P(
    Data, ShrinkFaultTest,
    testing::Values(FaultyModule{"select.branches-swapped+argument.subnormals-flushed",
                                 "ENTRY e { p = pred[] constant(true) x = f64[] parameter(0)\n"
                                 " y = f64[] constant(2) ROOT s = f64[] select(p, x, y) }",
                                 1, "fail select f32 value", 1e-40},
                    FaultyModule{
                        "dynamic-slice.outside-reads-zero",
                        "ENTRY e { x = f8e8m0fnu[4] parameter(0) i = s8[] constant(120)\n"
                        " ROOT d = f8e8m0fnu[2] dynamic-slice(x, i), dynamic_slice_sizes={2} }",
                        2, "fail dynamic-slice(s32) f32 zero"}));

// A run-time size that is below its bound must stay below it.
INSTANTIATE_TEST_SUITE_P(Bounds, ShrinkFaultTest,
                         testing::Values(FaultyModule{
                             "get-dimension-size.gives-bound",
                             "ENTRY e { x = f32[<=60] parameter(0)\n"
                             " ROOT s = s32[] get-dimension-size(x), dimensions={0} }",
                             1, "fail get-dimension-size"}));

// The smallest failing number of elements, 17, is prime, so only an array of rank 1 can have it.
INSTANTIATE_TEST_SUITE_P(
    Length, ShrinkFaultTest,
    testing::Values(
        FaultyModule{"concatenate.tail-dropped-from-16",
                     "ENTRY e { x = f32[5,3] parameter(0) y = f32[5,1] parameter(1)\n"
                     " ROOT c = f32[5,5] concatenate(x, y, y), dimensions={1} }",
                     17, "fail concatenate f32 zero"},
        FaultyModule{"concatenate.tail-dropped-from-16",
                     "ENTRY e { x = f32[9] parameter(0)\n"
                     " ROOT c = f32[18] concatenate(x, x), dimensions={0} }",
                     17, "fail concatenate f32 zero"},
        FaultyModule{"bitcast-convert.tail-dropped-from-16",
                     "ENTRY e { x = s16[9] parameter(0) ROOT b = u8[9,2] bitcast-convert(x) }", 17,
                     "fail bitcast-convert u8 zero"},
        FaultyModule{
            "reduce.tail-dropped-from-16",
            "first { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)\n"
            " d = f32[] parameter(3) ROOT t = (f32[], f32[]) tuple(a, b) }\n"
            "ENTRY e { x = f32[9,1,2] parameter(0) y = f32[9,1,2] parameter(1)\n"
            " z = f32[] constant(1) ROOT r = (f32[9,2], f32[9,2]) reduce(x, y, z, z),"
            " dimensions={1}, to_apply=first }",
            17, "fail reduce f32 zero"},
        FaultyModule{"pad.tail-dropped-from-16",
                     "ENTRY e { x = f32[2,2] parameter(0) z = f32[] constant(7)\n"
                     " ROOT p = f32[5,5] pad(x, z), padding=1_2x3_0 }",
                     17, "fail pad f32 zero"},
        FaultyModule{"slice.tail-dropped-from-16",
                     "ENTRY e { x = f32[7,7] parameter(0)\n"
                     " ROOT s = f32[5,5] slice(x), slice={[1:6], [2:7]} }",
                     17, "fail slice f32 zero"},
        FaultyModule{"dynamic-slice.tail-dropped-from-16",
                     "ENTRY e { x = f32[7,7] parameter(0) i = s32[] constant(1)\n"
                     " ROOT s = f32[5,5] dynamic-slice(x, i, i), dynamic_slice_sizes={5,5} }",
                     17, "fail dynamic-slice(s32) f32 zero"},
        FaultyModule{"gather.tail-dropped-from-16",
                     "ENTRY e { x = f32[3,5] parameter(0) i = s32[5] parameter(1)\n"
                     " ROOT g = f32[5,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},"
                     " start_index_map={0}, index_vector_dim=1, slice_sizes={1,5} }",
                     17, "fail gather(s32) f32 zero"},
        FaultyModule{"dot.tail-dropped-from-64",
                     "ENTRY e { x = f32[9,2] parameter(0) y = f32[2,9] parameter(1)\n"
                     " ROOT d = f32[9,9] dot(x, y), lhs_contracting_dims={1},"
                     " rhs_contracting_dims={0} }",
                     65, "fail dot f32 zero"},
        FaultyModule{"convolution.tail-dropped-from-64",
                     "ENTRY e { x = f32[3,2,12] parameter(0) k = f32[3,2,3] parameter(1)\n"
                     " ROOT c = f32[3,3,10] convolution(x, k), window={size=3},"
                     " dim_labels=bf0_oi0->bf0 }",
                     65, "fail convolution f32 zero"},
        FaultyModule{"reduce-window.tail-dropped-from-64",
                     "add { a = f32[] parameter(0) b = f32[] parameter(1)"
                     " ROOT c = f32[] add(a, b) }\n"
                     "ENTRY e { x = f32[10,10] parameter(0) z = f32[] constant(0)\n"
                     " ROOT w = f32[9,9] reduce-window(x, z), window={size=2x2}, to_apply=add }",
                     65, "fail reduce-window f32 zero"},
        FaultyModule{"topk.tail-dropped-from-8",
                     "ENTRY e { x = f32[5,7] parameter(0)\n"
                     " ROOT t = (f32[5,3], s32[5,3]) topk(x), k=3 }",
                     9, "fail topk"}));

// The wrong values are computed from constants here; their users are correct.
INSTANTIATE_TEST_SUITE_P(
    Source, ShrinkFaultTest,
    testing::Values(FaultyModule{"broadcast.tail-dropped-from-16",
                                 "ENTRY e { c = f32[] constant(1)\n"
                                 " b = f32[7,2,2] broadcast(c), dimensions={}\n"
                                 " ROOT s = f32[7,1,1] slice(b), slice={[0:7], [0:1], [0:1]} }",
                                 17, "fail broadcast f32 zero"},
                    FaultyModule{"iota.tail-dropped-from-64",
                                 "ENTRY e { i = f32[9,9] iota(), iota_dimension=1\n"
                                 " ROOT r = f32[9,9] reverse(i), dimensions={0} }",
                                 65, "fail iota f32 zero"}));

// If the operand loses a dimension, each index vector loses an element. The wrong index_vector_dim
// is valid only if the number of index vectors equals their size, so that number must decrease too.
INSTANTIATE_TEST_SUITE_P(
    GatherRank, ShrinkFaultTest,
    testing::Values(FaultyModule{
        "text.index-vector-dim-0",
        "ENTRY e { x = f32[2,2,2] parameter(0)\n"
        " i = s32[3,3] constant({ {0, 1, 1}, {0, 1, 0}, {0, 0, 1} })\n"
        " ROOT g = f32[3] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1,2},"
        " start_index_map={0,1,2}, index_vector_dim=1, slice_sizes={1,1,1} }",
        4, "fail gather(s32) f32 value"}));

INSTANTIATE_TEST_SUITE_P(Pieces, ShrinkFaultTest,
                         testing::Values(FaultyModule{"bitcast-convert.byte-order-joined",
                                                      "ENTRY e { x = u1[2,32] parameter(0)\n"
                                                      " ROOT b = f32[2] bitcast-convert(x) }",
                                                      4, "fail bitcast-convert f32"},
                                         FaultyModule{
                                             "text.bitcast-convert-layout-misread",
                                             "ENTRY e { x = f32[2,2] parameter(0)\n"
                                             " ROOT b = u8[2,2,4]{2,0,1} bitcast-convert(x) }",
                                             8, "fail bitcast-convert"}));

// These types lack NaN, a sign or zero, so f32 shows another wrong value of the same failure.
INSTANTIATE_TEST_SUITE_P(
    Coarse, ShrinkFaultTest,
    testing::Values(
        FaultyModule{"rsqrt.of-zero-is-nan",
                     "ENTRY e { x = f4e2m1fn[] parameter(0) ROOT r = f4e2m1fn[] rsqrt(x) }", 1,
                     "fail rsqrt f32 nan", 0},
        FaultyModule{"subtract.operands-swapped",
                     "ENTRY e { x = f8e8m0fnu[] constant(4) y = f8e8m0fnu[] constant(1)\n"
                     " ROOT s = f8e8m0fnu[] subtract(x, y) }",
                     1, "fail subtract f32 value"},
        FaultyModule{"gather.signed-read-unsigned",
                     "ENTRY e { x = pred[2] constant({1, 0}) i = s32[1] constant({-1})\n"
                     " ROOT g = pred[1] gather(x, i), offset_dims={}, collapsed_slice_dims={0},"
                     " start_index_map={0}, index_vector_dim=1, slice_sizes={1} }",
                     2, "fail gather(s32) f32 value"}));

// On the first device replica-id is 0, and swapped operands cause a different failure.
TEST(ShrinkDeviceTest, ANumberOfTheDeviceBecomesAnArgument) {
  const ShrinkResult shrunk = ShrunkFault(
      {"subtract.operands-swapped",
       "ENTRY e { x = u32[] parameter(0) r = u32[] replica-id() ROOT s = u32[] subtract(x, r) }", 1,
       "", 0, ", replica_count=2"});
  EXPECT_EQ(shrunk.signature, "fail subtract s32 value") << PrintModule(*shrunk.sample.module);
  EXPECT_EQ(CountInstructions(*shrunk.sample.module), 1) << PrintModule(*shrunk.sample.module);
}

// An engine that rejects every module that contains set-dimension-size, with the same message as
// for invalid sizes.
class SizeRefuser : public backends::Backend {
 public:
  backends::BackendInfo info() override { return {}; }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module& module, const backends::LoadOptions& options) override {
    for (const auto& instruction : module.entry()->instructions()) {
      if (instruction->opcode() == Opcode::kSetDimensionSize)
        return InvalidInput("sizes that cannot be");
    }
    return reference_->Load(module, options);
  }

 private:
  std::unique_ptr<backends::Backend> reference_ = *backends::MakeInProcessBackend("reference");
};

// In a smaller array the run-time size would exceed the bound: the module would be undefined.
TEST(ShrinkUndefinedTest, WhatIsShrunkCanStillBeEvaluated) {
  SizeRefuser engine;
  auto reference = *backends::MakeInProcessBackend("reference");
  Sample sample;
  sample.module = *ParseModule(
      "HloModule m\nENTRY e { x = f32[5] parameter(0) n = s32[] constant(5)\n"
      " ROOT s = f32[<=5] set-dimension-size(x, n), dimensions={0} }");
  sample.arguments = generators::GenerateArguments(backends::ArgumentLeafShapes(*sample.module), 1);
  const ShrinkResult shrunk = Shrink(sample, engine, *reference, {});
  EXPECT_EQ(shrunk.result.verdict.kind, Outcome::kRejected) << shrunk.signature;
  EXPECT_TRUE(RunSample(shrunk.sample, *reference, {}).has_values())
      << PrintModule(*shrunk.sample.module);
}

}  // namespace
}  // namespace hlocts::fuzz
