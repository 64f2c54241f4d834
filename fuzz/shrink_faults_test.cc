// Planted faults become small, and stay the faults that they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/shrinker.h"
#include "generators/arguments.h"
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
    testing::Values(
        FaultyModule{"text.slice-dimensions-reversed",
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
        FaultyModule{"dynamic-slice.last-start-unreachable",
                     "ENTRY e { x = f32[30] parameter(0) i = s32[] constant(6)\n"
                     " ROOT d = f32[24] dynamic-slice(x, i), dynamic_slice_sizes={24} }",
                     8, "fail dynamic-slice"},
        FaultyModule{"pad.dimensions-reversed",
                     "ENTRY e { x = f32[9,9] parameter(0) z = f32[] constant(7)\n"
                     " ROOT p = f32[20,20] pad(x, z), padding=4_7x9_2 }",
                     8, "fail pad f32 value"}));

// Narrower or in another type the data would be wrong by itself, or nothing would be zero.
INSTANTIATE_TEST_SUITE_P(
    Data, ShrinkFaultTest,
    testing::Values(
        FaultyModule{"select.branches-swapped+argument.subnormals-flushed",
                     "ENTRY e { p = pred[] constant(true) x = f64[] parameter(0)\n"
                     " y = f64[] constant(2) ROOT s = f64[] select(p, x, y) }",
                     1, "fail select f32 value", 1e-40},
        FaultyModule{"dynamic-slice.outside-reads-zero",
                     "ENTRY e { x = f8e8m0fnu[4] parameter(0) i = s8[] constant(120)\n"
                     " ROOT d = f8e8m0fnu[2] dynamic-slice(x, i), dynamic_slice_sizes={2} }",
                     2, "fail dynamic-slice(s32) f32 zero"}));

}  // namespace
}  // namespace hlocts
