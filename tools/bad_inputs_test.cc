// SPDX-License-Identifier: Apache-2.0
// Tests that each frequent mistake on the command line (bad_inputs.def) causes a message of one
// sentence and the right exit status without delay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::HasSubstr;

struct BadInput {
  int status;
  const char *words, *arguments;
};
constexpr BadInput kBadInputs[] = {
#define HLOCTS_BAD_INPUT(status, words, arguments) {status, words, arguments},
#include "tools/bad_inputs.def"
#undef HLOCTS_BAD_INPUT
};

struct File {
  const char *name, *text;
};
constexpr File kFiles[] = {
    {"add.hlo",
     "HloModule add\nENTRY main {\n  x = f32[3] parameter(0)\n  y = f32[3] parameter(1)\n"
     "  ROOT r = f32[3] add(x, y)\n}\n"},
    {"add.txt", "f32[3] {1, 2, 3}\nf32[3] {0.5, 0.25, 4}\n"},
    {"mismatch.hlo",
     "HloModule m\nENTRY main {\n  x = f32[3] parameter(0)\n  y = f32[2] parameter(1)\n"
     "  ROOT r = f32[3] add(x, y)\n}\n"},
    {"empty.hlo", ""},
    {"no_entry.hlo", "HloModule m\n"},
    {"bad.pb", "\x0a\xff\xff\xff\xff\xff"},
    {"syntax.hlo",
     "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x)\n}\n"},
    {"binary.hlo", "\x01\x02\x7f garbage"},
    {"unknown.hlo",
     "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, y)\n}\n"},
    {"huge_number.hlo", "HloModule m\nENTRY main {\n  ROOT c = f32[] constant(1e99999\n}\n"},
    {"huge.hlo",
     "HloModule m\nENTRY main {\n  z = f32[] constant(0)\n"
     "  ROOT r = f32[2147483648] broadcast(z), dimensions={}\n}\n"},
    {"unbounded.hlo", "HloModule m\nENTRY main {\n  ROOT x = f32[?] parameter(0)\n}\n"},
    {"unbounded_result.hlo",
     "HloModule m\nENTRY main {\n  c = f32[] constant(1)\n"
     "  ROOT r = f32[?] broadcast(c), dimensions={}\n}\n"},
    {"placement.hlo",
     "HloModule m\nENTRY main {\n  x = f32[8] parameter(0)\n"
     "  ROOT r = f32[64] custom-call(x), custom_call_target=\"MoveToHost\"\n}\n"},
    {"region.hlo",
     "HloModule m\nENTRY main {\n  x = f32[<=8] parameter(0)\n  ROOT r = f32[<=8] custom-call(x), "
     "custom_call_target=\"SPMDFullToShardShape\", sharding={replicated}\n}\n"},
    {"group.hlo",
     "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n"
     "  ROOT r = f32[8] all-gather(x), dimensions={0}\n}\n"},
    {"unequal.hlo",
     "HloModule m\nf {\n  a = f32[] parameter(0)\n  b = s32[] parameter(1)\n"
     "  c = f32[] parameter(2)\n  d = s32[] parameter(3)\n"
     "  ROOT t = (f32[], s32[]) tuple(a, d)\n}\nENTRY main {\n  x = f32[<=4] parameter(0)\n"
     "  y = s32[<=4] parameter(1)\n  p = f32[] constant(0)\n  q = s32[] constant(0)\n"
     "  ROOT r = (f32[], s32[]) reduce(x, y, p, q), dimensions={0}, to_apply=f\n}\n"},
    {"unequal.txt", "f32[<=4](2) {1, 2}\ns32[<=4](3) {1, 2, 3}\n"},
    {"short.txt", "f32[3] {1, 2, 3}\n"},
    {"blocks.txt",
     "replica 0\nf32[3] {1, 2, 3}\nf32[3] {1, 2, 3}\nreplica 1\nf32[3] {1, 2, 3}\nf32[3] {1, 2, "
     "3}\n"},
    {"ragged.txt", "f32[3] {1, 2, 3}\nf32[3] {1, 2}\n"},
    {"type.txt", "f32[3] {1, 2, 3}\ns32[3] {1, 2, 3}\n"},
    {"s8.hlo", "HloModule m\nENTRY main {\n  ROOT x = s8[2] parameter(0)\n}\n"},
    {"s8.txt", "s8[2] {1, 300}\n"},
    {"text.npz", "no archive"},
    {"libcpu.so", "no library"},
    {"garbage.jsonl", "no json\n"},
    {"module_0001.m.before_optimizations.txt",
     "HloModule m\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n"},
};

class BadInputs : public FolderTest {};

// Returns the number of messages that the program prints, without lines about cases of a run.
int Sentences(const std::string& out) {
  int count = 0;
  for (absl::string_view line : absl::StrSplit(out, '\n', absl::SkipEmpty()))
    count += absl::StartsWith(line, "hlocts");
  return count;
}

// Returns true if the arguments name this project's CPU engine. A build may omit that engine; these
// inputs are then skipped.
bool NeedsOurEngine(absl::string_view arguments) {
  return absl::StrContains(arguments, "--backend=cpu") ||
         absl::StrContains(arguments, "--backend='cpu");
}

TEST_F(BadInputs, EachIsAnsweredByOneSentenceAndItsStatus) {
  for (const File& file : kFiles) Write(file.name, file.text);
  ASSERT_GE(std::size(kBadInputs), 140u);
  const bool is_built = OurEngineIsBuilt();
  int skipped = 0;
  for (const BadInput& bad : kBadInputs) {
    if (!is_built && NeedsOurEngine(bad.arguments)) {
      ++skipped;
      continue;
    }
    const std::string arguments =
        absl::StrReplaceAll(bad.arguments, {{"$T", folder_}, {"$H", HLOCTS_SOURCE_DIR}});
    Ran ran = RunHlocts(arguments, "timeout 20");
    EXPECT_EQ(ran.status, bad.status) << arguments << "\n" << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(absl::StrReplaceAll(bad.words, {{"$T", folder_}}))) << arguments;
    const bool answers_json = absl::StrContains(arguments, "--batch=") && ran.out[0] == '{';
    EXPECT_EQ(Sentences(ran.out), answers_json ? 0 : 1) << arguments << "\n" << ran.out;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("f"))) << "nothing is written";
  EXPECT_FALSE(std::filesystem::exists(Path("c")));
  if (skipped > 0)
    GTEST_SKIP() << skipped << " of " << std::size(kBadInputs) << " name cpu, which is not built";
}

}  // namespace
}  // namespace hlocts::tools
