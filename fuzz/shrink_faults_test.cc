// Planted faults become small, and stay the faults that they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/shrinker.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::StartsWith;

struct FaultyModule {
  const char* fault;
  const char* text;  // of the entry
  int64_t elements;  // of the largest array that may be left
  const char* signature;
  std::optional<double> argument = std::nullopt;  // all elements of all; otherwise random ones
};

ShrinkResult ShrunkFault(const FaultyModule& faulty) {
  auto engine = *MakeInProcessBackend(absl::StrCat("canary:", faulty.fault));
  auto reference = *MakeInProcessBackend("reference");
  Sample sample;
  sample.module = *ParseModule(absl::StrCat("HloModule m\n", faulty.text));
  sample.arguments = GenerateArguments(ArgumentLeafShapes(*sample.module), 1);
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

// One edit alone leaves none of these valid, or none of them wrong.
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
                                 8, "fail pad f32 value"}));

// The least number of elements is none of the leaves' sizes times another.
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
    sample.arguments = GenerateArguments(ArgumentLeafShapes(*sample.module), 1);
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

// Narrower or in another type the data would be wrong by itself, or nothing would be zero.
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

}  // namespace
}  // namespace hlocts
