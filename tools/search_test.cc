// SPDX-License-Identifier: Apache-2.0
// Tests that `diff` without inputs finds inputs on which an engine is wrong, and that `digits`
// names the instruction that loses digits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class SearchTest : public FolderTest {
 protected:
  const std::string maximum_ =
      Write("maximum.hlo",
            "HloModule m\nENTRY main {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
            "  s = f32[] add(a, b)\n  ROOT r = f32[] maximum(s, b)\n}\n");
};

class DigitsTest : public FolderTest {
 protected:
  // `module` is the text after the first line of the entry.
  std::string Command(const std::string& module, const std::string& inputs) const {
    return "digits " + Write("m.hlo", "HloModule m\nENTRY main {\n" + module + "}\n") +
           " --inputs=" + Write("in.txt", inputs + "\n") + " ";
  }
  Json Digits(const std::string& module, const std::string& inputs,
              const std::string& flags = "") const {
    return ParseJson<Json>(RunHlocts(Command(module, inputs) + "--json " + flags).out);
  }
};

TEST_F(SearchTest, AFaultIsFoundAndItsInputsFailAgain) {
  const std::string found = Path("found.txt");
  const std::string fault = " --backend=bad=canary:maximum.drops-nan";
  const Ran first = RunHlocts("diff " + maximum_ + fault + " --json -o " + found);
  EXPECT_EQ(first.status, 1) << first.out;
  const Json verdict = ParseJson<Json>(first.out);
  EXPECT_EQ(verdict["verdict"], "fail");
  EXPECT_EQ(verdict["search"]["file"], found);
  EXPECT_EQ(RunHlocts("diff " + maximum_ + fault + " --inputs=" + found).status, 1);
  EXPECT_EQ(RunHlocts("diff " + maximum_ + " --backend=reference --inputs=" + found).status, 0);
  const Json again = ParseJson<Json>(RunHlocts("diff " + maximum_ + fault + " --json").out);
  EXPECT_EQ(again["search"]["inputs"], verdict["search"]["inputs"]) << "a function of the seed";
}

TEST_F(SearchTest, InputsOfASeedAndItsDataAreKeptAndShrunk) {
  const std::string module = Write("max.hlo",
                                   "ENTRY e { a = f32[64] parameter(0) b = f32[64] parameter(1) "
                                   "ROOT r = f32[64] maximum(a, b) }");
  const std::string fault = module + " --backend=canary:maximum.drops-nan";
  EXPECT_EQ(RunHlocts("diff " + fault + " --seed=1 --data=special -o " + Path("in")).status, 1);
  EXPECT_EQ(RunHlocts("diff " + fault + " --inputs=" + Path("in")).status, 1);
  EXPECT_EQ(RunHlocts("shrink " + fault + " --seed=1 --data=special").status, 0);
  EXPECT_THAT(RunHlocts("shrink " + fault + " --seed=1").out, HasSubstr("; --data=NAME selects"));
  EXPECT_EQ(RunHlocts("history --engine=iree@3.1.0 --seed=1 --data=edge " + module).status, 0);
}

TEST_F(SearchTest, EachEngineAndModuleHasItsOwnInputs) {
  const std::string module =
      Write("sub/mx.hlo",
            "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) s = s32[] parameter(2) "
            "m = f32[4] maximum(x, y) w = s32[7] iota(), iota_dimension=0 "
            "d = s32[2] dynamic-slice(w, s), dynamic_slice_sizes={2} "
            "ROOT z = (f32[4], s32[2]) tuple(m, d) }");
  std::filesystem::copy(module, Path("mx.hlo"));
  std::filesystem::copy(module, Path("mx.txt"));
  std::set<std::string> files;
  const std::string in_sub = "cd " + Path("sub") + " && ";
  const std::string faults[] = {"A=canary:maximum.drops-nan",
                                "B=canary:dynamic-slice.negative-start-wraps"};
  for (const std::string of : {"mx.hlo", "../mx.hlo", "../mx.txt", "mx.hlo -o f.txt"}) {
    const auto both = JsonLines(RunHlocts(absl::StrCat("diff ", of, " --backend=", faults[0],
                                                       " --backend=", faults[1], " --json"),
                                          in_sub)
                                    .out);
    ASSERT_EQ(both.size(), 2) << of;
    for (const int i : {0, 1}) {
      const std::string file = both[i]["search"]["file"];
      EXPECT_TRUE(files.insert(file).second) << file;
      EXPECT_EQ(
          RunHlocts("diff mx.hlo --inputs=" + file + " --backend=" + faults[i], in_sub).status, 1)
          << file;
    }
  }
  EXPECT_TRUE(files.count("f.A_canary_maximum.drops-nan.txt"));
  EXPECT_TRUE(files.count("out/diff/mx.A_canary_maximum.drops-nan.inputs.txt"));
  Write("sub/in.txt", "f32[4] {nan, 1, 2, 3}\nf32[4] {1, 1, 1, 1}\ns32[] -3\n");
  RunHlocts(
      absl::StrCat("diff mx.hlo --inputs=in.txt -o s.npz --backend=", faults[0], ",", faults[1]),
      in_sub);
  for (const char* name :
       {"A_canary_maximum.drops-nan", "B_canary_dynamic-slice.negative-start-wraps"})
    EXPECT_TRUE(std::filesystem::exists(Path(absl::StrCat("sub/s.", name, ".npz"))));
}

TEST_F(SearchTest, AFailureIsPrintedIfItsInputsCannotBeKept) {
  const Ran ran = RunHlocts("diff " + maximum_ + " --backend=bad=canary:maximum.drops-nan -o " +
                            maximum_ + "/found.txt");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Not a directory"), HasSubstr("-o FILE names another file"),
                             HasSubstr(" close to the reference's values and not judged), seed 1"),
                             HasSubstr("fail  bad  ")));
}

TEST_F(SearchTest, ARightEnginePassesAndTheTimeIsKept) {
  const Ran ran = RunHlocts("diff " + maximum_ + " --backend=reference --search-time=500ms --json");
  EXPECT_EQ(ran.status, 0) << ran.out;
  const Json verdict = ParseJson<Json>(ran.out);
  EXPECT_EQ(verdict["search"]["name"], "");
  EXPECT_GT(verdict["search"]["inputs"], 12);
  EXPECT_GT(verdict["search"]["passed"], 0);
  EXPECT_LT(verdict["search"]["seconds"], 10);
  EXPECT_THAT(RunHlocts("diff " + maximum_ + " --backend=reference --search-time=500ms").out,
              HasSubstr("seed 1; --search-time=5m searches longer\n"));
}

// The sets of the outputs are so wide that the wrong value log1p(1e-10) = 0 is visible only in p.
constexpr char kHiddenFault[] = R"(HloModule hidden
ENTRY main { x = f32[2] parameter(0) y = f32[2] parameter(1)
  p = f32[2] log-plus-one(y) e = f32[2] exponential(x) s = f32[2] add(e, p)
  f = f32[2] exponential(s) l = f32[2] log(f) n = f32[2] negate(s)
  z = f32[2] add(l, n) m = f32[2] multiply(z, f) ROOT r = f32[2] sine(m) }
)";

TEST_F(SearchTest, APieceThatAloneFailsIsKeptAndFollowed) {
  const std::string engine = " --backend=canary:log-plus-one.by-log";
  const std::string of_whole = Write("hidden.hlo", kHiddenFault) + " --inputs=" +
                               Write("in.txt", "f32[2] {3, 2}\nf32[2] {1e-10, 1e-9}\n") + engine;
  const std::string piece = Path("kept.piece.hlo") + " --inputs=" + Path("kept.piece.inputs.txt");
  const Ran found = RunHlocts("diff " + of_whole + " -o " + Path("kept.txt"));
  EXPECT_EQ(found.status, 1) << found.out;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("replay:   " HLOCTS_BINARY_DIR "/hlocts diff " + piece),
                    HasSubstr("next:     " HLOCTS_BINARY_DIR "/hlocts shrink " + piece)));
  EXPECT_EQ(RunHlocts("diff " + piece + engine).status, 1);
  const std::string said = "the outputs show no failure, but the piece p fails alone: ";
  const Ran small = RunHlocts("shrink " + of_whole + " --time=20s -o " + Path("bundle"));
  EXPECT_EQ(small.status, 0) << small.out;
  EXPECT_THAT(small.out, HasSubstr(said + "shrinking this piece"));
  EXPECT_THAT(RunHlocts("report-bug " + Path("bundle")).out, HasSubstr("# log-plus-one("));
  EXPECT_EQ(RunHlocts("replay " + Path("bundle")).status, 1);
  EXPECT_THAT(RunHlocts("blame " + of_whole).out, HasSubstr(said + "blaming this piece"));
}

TEST_F(DigitsTest, TheSubtractionThatCancelsIsFirst) {
  const std::string module =
      "  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  s = f32[] multiply(a, a)\n  t = f32[] multiply(b, b)\n"
      "  d = f32[] subtract(s, t), metadata={op_name=\"x\" source_file=\"v.py\" source_line=7}\n"
      "  ROOT r = f32[] sqrt(d)\n";
  const std::string inputs = "f32[] 1000.0001\nf32[] 1000";
  const Ran ran = RunHlocts(Command(module, inputs) + "--picture=" + Path("digits.svg"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("bits are correct"), HasSubstr("v.py:7")));
  EXPECT_TRUE(std::filesystem::exists(Path("digits.svg")));
  const Json digits = Digits(module, inputs);
  EXPECT_EQ(digits["instructions"][0]["instruction"], "d");
  EXPECT_GT(digits["instructions"][0]["cancelled_bits"], 15);
}

TEST_F(DigitsTest, WhatIsNotPrintedOrMeasuredIsCounted) {
  const std::string module =
      "  a = f32[2] parameter(0)\n  s = f32[2] sqrt(a)\n"
      "  ROOT t = f32[2] add(s, s)\n";
  EXPECT_THAT(RunHlocts(Command(module, "f32[2] {-1, -2}") + "--rows=1").out,
              AllOf(HasSubstr("all of its 2 numbers are infinite or NaN; there is no finite"),
                    HasSubstr("\n1 more instructions (--rows=0 prints all)\n")));
}

TEST_F(DigitsTest, TermsOfOneSignDoNotCancel) {
  const Json digits = Digits(
      "  a = f32[2,3] parameter(0)\n  b = f32[3,2] parameter(1)\n  ROOT d = f32[2,2] "
      "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
      "f32[2,3] {{1, 2, 3.5}, {4, 5, 6}}\nf32[3,2] {{1, 1}, {1, 1}, {1, 1}}");
  EXPECT_EQ(digits["instructions"][0]["cancelled_bits"], 0) << digits;
}

TEST_F(DigitsTest, TheFirstInfinityAndOtherWidthsAreNamed) {
  const std::string compiled =
      Write("compiled.hlo",
            "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  c = bf16[2] convert(x)\n"
            "  e = bf16[2] exponential(c)\n  w = f32[2] convert(e)\n"
            "  ROOT l = f32[2] log-plus-one(w)\n}\n");
  const Json digits = Digits(
      "  x = f32[2] parameter(0)\n  e = f32[2] exponential(x)\n  ROOT l = f32[2] log-plus-one(e)\n",
      "f32[2] {1, 100}", "--compiled=" + compiled);
  EXPECT_EQ(digits["first_not_finite"]["instruction"], "e");
  EXPECT_EQ(digits["first_not_finite"]["value"], "inf");
  EXPECT_EQ(digits["first_not_finite"]["engines"], "must");
  EXPECT_EQ(digits["other_widths"][0]["instruction"], "e");
  EXPECT_EQ(digits["other_widths"][0]["wider"], false);
}

struct LossRow {
  const char *body, *input, *first;
};

constexpr LossRow kRows[] = {
    {"  e = f64[] exponential-minus-one(x)\n  o = f64[] constant(1)\n"
     "  ROOT a = f64[] add(e, o)\n",
     "f64[] -40", "a"},
    {"  z = f64[] constant(0)\n  d = f64[] subtract(z, x)\n  e = f64[] exponential(d)\n"
     "  o = f64[] constant(1)\n  s = f64[] add(e, o)\n  q = f64[] divide(o, s)\n"
     "  ROOT g = f64[] subtract(o, q)\n",
     "f64[] 37.42994775023705", "g"},
    {"  o = f64[] constant(1)\n  y = f64[] add(x, o)\n  a = f64[] multiply(x, x)\n"
     "  b = f64[] multiply(y, y)\n  ROOT d = f64[] subtract(b, a)\n",
     "f64[] 1234567890.123", "d"},
    {"  o = f64[] constant(1)\n  a = f64[] sqrt(x)\n  y = f64[] add(x, o)\n"
     "  b = f64[] sqrt(y)\n  ROOT d = f64[] subtract(b, a)\n",
     "f64[] 1234567890123", "d"},
    {"  e = f32[] exponential(x)\n  o = f32[] constant(1)\n  s = f32[] add(o, e)\n"
     "  ROOT l = f32[] log(s)\n",
     "f32[] -13.5", "s"},
    {"  h = f32[] constant(1.57079637)\n  d = f32[] subtract(h, x)\n  m = f32[] negate(d)\n"
     "  ROOT s = f32[] sine(m)\n",
     "f32[] 1000003", "d"},
    {"  c = f16[] convert(x)\n  w = f16[] constant(0.1)\n  p = f16[] multiply(c, w)\n"
     "  ROOT s = f16[] cosine(p)\n",
     "f32[] 30001", "c"},
    {"  c = f32[] cosine(x)\n  t = f32[] constant(1.5)\n  m = f32[] multiply(c, t)\n"
     "  d = f32[] divide(m, t)\n  ROOT a = f32[] acos(d)\n",
     "f32[] 0.002", "a"},
    {"  o = f32[2,2] constant({{1, 1}, {1, 0}})\n  k = f32[2,2] constant({{0, 0}, {0, 1}})\n"
     "  b = f32[2,2] broadcast(x), dimensions={}\n  p = f32[2,2] multiply(b, k)\n"
     "  a = f32[2,2] add(o, p)\n"
     "  c = (f32[2,2], f32[2], s32[]) custom-call(a), custom_call_target=\"lapack_ssyevd_ffi\", "
     "backend_config={mode = 78 : ui8, uplo = 85 : ui8}\n"
     "  ROOT w = f32[2] get-tuple-element(c), index=1\n",
     "f32[] 1.00001", "c"},
    {"  i = f32[100] iota(), iota_dimension=0\n  b = f32[100] broadcast(x), dimensions={}\n"
     "  v = f32[100] add(i, b)\n  n = f32[] constant(100)\n  o = f32[100] broadcast(n)\n"
     "  s = f32[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
     "  t = f32[] dot(v, o), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
     "  p = f32[] divide(s, n)\n  k = f32[] constant(10000)\n  m = f32[] divide(t, k)\n"
     "  q = f32[] multiply(m, m)\n  ROOT d = f32[] subtract(p, q)\n",
     "f32[] 1000", "d"},
};

// An exact f64 result loses nothing; every other one is modelled as one ulp off. Bits that a sum or
// conversion rounds away are attributed to it, not to the function that follows.
TEST_F(DigitsTest, TheInstructionThatLosesIsFirst) {
  for (const LossRow& row : kRows) {
    const Json digits =
        Digits(absl::StrCat("  x = ", absl::string_view(row.input, 5), " parameter(0)\n", row.body),
               row.input);
    EXPECT_EQ(digits["instructions"][0]["instruction"], row.first) << digits.dump(1);
    EXPECT_GT(digits["instructions"][0]["lost_bits"], 8) << digits.dump(1);
  }
}

// A NaN computed from infinities is reported, but not an infinity computed from infinities.
TEST_F(DigitsTest, TheFirstNanOfInfinitiesIsNamed) {
  const Json digits = Digits(
      "  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n"
      "  a = f32[2] add(x, x)\n  ROOT d = f32[2] subtract(a, y)\n",
      "f32[2] {-inf, -inf}\nf32[2] {3, -inf}");
  EXPECT_EQ(digits["first_not_finite"]["instruction"], "d");
  EXPECT_EQ(digits["first_not_finite"]["element"], 1);
  EXPECT_EQ(digits["first_not_finite"]["rounding"], false);
}

// e is rounded to zero in f16, so the quotient is 0 / 0.
TEST_F(DigitsTest, ANanThatRoundingCausesIsMarked) {
  const std::string out =
      RunHlocts(
          Command("  x = f16[] parameter(0)\n  c = f32[] constant(1e-8)\n"
                  "  e = f16[] convert(c)\n  s = f16[] add(x, e)\n  ROOT q = f16[] divide(x, s)\n",
                  "f16[] 0"))
          .out;
  EXPECT_THAT(out, HasSubstr("q = divide(0, 0); without rounding the value is finite"));
}

}  // namespace
}  // namespace hlocts::tools
