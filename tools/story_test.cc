// SPDX-License-Identifier: Apache-2.0
// Tests the texts about failures, and that a run's directory can be replayed from any directory.
#include <fnmatch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "reports/verdict.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StoryTest : public FolderTest {
 protected:
  // Judges outputs. Both arrays are texts.
  std::string Judged(const std::string& module, const std::string& inputs,
                     const std::string& outputs, const std::string& more = "") {
    return RunHlocts("judge " + module + " --inputs=" + Write("judged.in", inputs + "\n") +
                     " --outputs=" + Write("judged.out", outputs + "\n") + more)
        .out;
  }
};

constexpr char kPower[] =
    "HloModule p\nENTRY main {\n  a = f32[3] parameter(0)\n  b = f32[3] parameter(1)\n"
    "  p = f32[3] power(a, b)\n  ROOT n = f32[3] negate(p)\n}\n";

TEST_F(StoryTest, AFailureSaysEverythingAPersonAsksFirst) {
  const std::string module = Write("power.hlo", kPower);
  const std::string in = Write("in.txt", "f32[3] {1, 2, 3}\nf32[3] {1, 3, 2}\n");
  const std::string out = Write("out.txt", "f32[3] {-1, -8.00001, -9}\n");
  Ran ran = RunHlocts("judge " + module + " --inputs=" + in + " --outputs=" + out);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("got:"), HasSubstr("-8.00001"), HasSubstr("[1]")));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("allowed:"), HasSubstr("below the least accepted value")));
  EXPECT_THAT(ran.out, HasSubstr("replay:"));
  // The set is wide because of the power p. The operands of p are therefore printed, although the
  // output is its negation.
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a[1] = 2"), HasSubstr("b[1] = 3"), HasSubstr("p (power)")));
  EXPECT_THAT(ran.out, HasSubstr("elementwise_binary.6: Pow raises lhs to the power rhs"));
  EXPECT_THAT(ran.out, HasSubstr("https://"));
  Ran explained =
      RunHlocts("judge " + module + " --inputs=" + in + " --outputs=" + out + " --explain");
  EXPECT_THAT(explained.out,
              AllOf(HasSubstr("step by step, from the inputs"),
                    HasSubstr("p[1] = power(a[1], b[1]):"), HasSubstr("n[1] = negate(p[1]):")));
}

TEST_F(StoryTest, TheSourceIsThatOfTheInstructionNamed) {
  const auto judged = [&](const std::string& line3, const std::string& line4) {
    const std::string at = ", metadata={source_file=\"u.py\" source_line=";
    const std::string module =
        Write("source.hlo",
              "HloModule s\nENTRY main {\n  a = f32[1] parameter(0)\n  b = f32[1] parameter(1)\n"
              "  p = f32[1] " +
                  line3 + at + "3}\n  ROOT q = f32[1] " + line4 + at + "4}\n}\n");
    return RunHlocts("diff " + module + " --backend=canary:maximum.drops-nan --inputs=" +
                     Write("source.in", "f32[1] {nan}\nf32[1] {2}\n"))
        .out;
  };
  // In the first module the wrong piece is p, although the set of the output is that of q.
  EXPECT_THAT(judged("maximum(a, b)", "add(p, b)"),
              AllOf(HasSubstr("p (maximum)"), HasSubstr("u.py:3"), Not(HasSubstr("u.py:4"))));
  EXPECT_THAT(judged("add(a, b)", "maximum(p, b)"),
              AllOf(HasSubstr("q (maximum)"), HasSubstr("u.py:4"), Not(HasSubstr("u.py:3"))));
}

// The first wrong element of m is m[0], which the outputs do not show.
TEST_F(StoryTest, OperandsAreThoseOfTheElementShown) {
  const std::string inputs = Write("shown.in", "f32[3] {nan, nan, 1}\nf32[3] {5, 6, 7}\n");
  const auto judged = [&](const char* root) {
    const std::string module = Write(
        "shown.hlo",
        absl::StrCat("HloModule s\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
                     "  ROOT s = f32[] add(x, y)\n}\nENTRY main {\n  a = f32[3] parameter(0)\n"
                     "  b = f32[3] parameter(1)\n  z = f32[] constant(0)\n"
                     "  m = f32[3] maximum(a, b)\n  n = f32[2] slice(m), slice={[1:3]}\n  ROOT ",
                     root, "\n}\n"));
    return RunHlocts("diff " + module + " --backend=canary:maximum.drops-nan --inputs=" + inputs)
        .out;
  };
  EXPECT_THAT(judged("t = (f32[2]) tuple(n)"),
              AllOf(HasSubstr("a[1] = nan, b[1] = 6\n"), Not(HasSubstr("those of"))));
  EXPECT_THAT(judged("r = f32[] reduce(n, z), dimensions={0}, to_apply=sum"),
              AllOf(HasSubstr("a[0] = nan, b[0] = 5\n"),
                    HasSubstr("the operands are those of the wrong element m[0]\n")));
}

TEST_F(StoryTest, WrongElementsAreThoseOfAllOutputs) {
  const std::string module =
      Write("two.hlo",
            "HloModule t\nENTRY main {\n  x = f32[3] parameter(0)\n  n = f32[3] negate(x)\n"
            "  i = s32[4] iota(), iota_dimension=0\n  ROOT t = (f32[3], s32[4]) tuple(n, i)\n}\n");
  EXPECT_THAT(Judged(module, "f32[3] {1, 2, 3}", "f32[3] {-1, 7, -3}\ns32[4] {9, 9, 9, 9}"),
              HasSubstr("wrong:    5 elements of all outputs\n"));
}

TEST_F(StoryTest, OnlyTheZeroThatIsAcceptedIsNamed) {
  const std::string module = Write("zero.hlo",
                                   "HloModule z\nENTRY main {\n  a = f32[1] parameter(0)\n"
                                   "  ROOT n = f32[1] negate(a)\n}\n");
  for (const bool negative : {false, true}) {
    const std::string zero = negative ? "-0" : "+0", other = negative ? "0" : "-0";
    EXPECT_THAT(Judged(module, "f32[1] {" + other + "}", "f32[1] {" + other + "}"),
                HasSubstr("; the only accepted value is " + zero));
  }
}

TEST_F(StoryTest, TheStepsFollowCalls) {
  const std::string module =
      Write("call.hlo",
            "HloModule c\nrelu {\n  x = f32[2] parameter(0)\n  z = f32[2] exponential(x)\n"
            "  ROOT broadcast_exponential_transpose_of_a_middle_part_fusion_and_more = f32[2] "
            "negate(z)\n}\nlayer {\n  u = f32[2] parameter(0)\n"
            "  ROOT r = f32[2] call(u), to_apply=relu\n}\nENTRY main {\n"
            "  unused = f32[3] parameter(0)\n  a = f32[2] parameter(1)\n  b = f32[2] add(a, a)\n"
            "  ROOT l = f32[2] call(b), to_apply=layer\n}\n");
  const std::string in = Write("call.in", "f32[3] {1, 2, 3}\nf32[2] {0.5, 0.25}\n");
  const std::string out = Write("call.out", "f32[2] {-2.7182817, -2}\n");
  Ran ran = RunHlocts("judge " + module + " --inputs=" + in + " --outputs=" + out + " --explain");
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("a[1] = 0.25"), HasSubstr("b[1] = add(a[1], a[1]): 0.5"),
                    HasSubstr("= exponential(b[1]): "), Not(HasSubstr("call(b")),
                    HasSubstr("  broadcast_exponential_transp..."), Not(HasSubstr("middle"))));
}

// The clause of Mul cites the ruling on narrow types, which does not apply to f32.
TEST_F(StoryTest, ARulingIsNamedWhereItDecided) {
  const std::string module =
      Write("mul.hlo",
            "HloModule m\nENTRY main {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n"
            "  ROOT m = f32[2] multiply(a, b)\n}\n");
  const auto judged = [&](const std::string& outputs) {
    return Judged(module, "f32[2] {-inf, 2}\nf32[2] {1e-45, 3}", outputs);
  };
  EXPECT_THAT(judged("f32[2] {5, 6}\n"),
              AllOf(HasSubstr("fail"), HasSubstr("subnormals (spec/rulings/0036"),
                    Not(HasSubstr("rulings/0035"))));
  EXPECT_THAT(judged("f32[2] {nan, 5}\n"),
              AllOf(HasSubstr("fail"), HasSubstr("rulings/0072"), Not(HasSubstr("rulings/0035"))));
  EXPECT_THAT(judged("f32[2] {nan, 6}\n"), HasSubstr("pass"));
}

// A conversion of floating-point numbers to integers does not round to nearest.
TEST_F(StoryTest, AConversionToIntegersIsJudgedByItsOwnRuling) {
  const std::string module =
      Write("to_s8.hlo",
            "HloModule c\nENTRY main {\n  a = f32[] parameter(0)\n  ROOT s = s8[] convert(a)\n}\n");
  const Ran ran = RunHlocts("judge " + module + " --inputs=" + Write("to_s8.in", "f32[] 3.5\n") +
                            " --outputs=" + Write("to_s8.out", "s8[] 4\n"));
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("convert_element_type.9"), HasSubstr("0007-"),
                             Not(HasSubstr("0055-"))));
}

// The range of a function excludes values that its ulps permit.
TEST_F(StoryTest, TheRangeOfAFunctionIsNamed) {
  const auto judged = [&](const std::string& function, const std::string& in,
                          const std::string& out) {
    const std::string module =
        Write("range.hlo", absl::StrCat("HloModule r\nENTRY main {\n  a = f32[] parameter(0)\n",
                                        "  ROOT r = f32[] ", function, "(a)\n}\n"));
    return Judged(module, "f32[] " + in, "f32[] " + out);
  };
  for (const auto& [function, in, out, range] :
       std::vector<std::array<const char*, 4>>{{"erf", "-4", "-1.0000001", "[-1, 1]"},
                                               {"tanh", "9.5", "1.0000001", "[-1, 1]"},
                                               {"logistic", "20", "1.0000001", "[0, 1]"},
                                               {"cosh", "0", "0.99999994", "[1, inf]"},
                                               {"sqrt", "0", "-1", "[0, inf]"}})
    EXPECT_THAT(
        judged(function, in, out),
        AllOf(HasSubstr("fail"), HasSubstr("spec/rulings/0083-"),
              HasSubstr(absl::StrCat("; outside of ", range, ", the range of ", function))));
  EXPECT_THAT(judged("erf", "0.5", "0.75"), Not(HasSubstr("rulings/0083")));
}

// The text suggests only options that were not given, and names the facts and sentences of a
// freedom.
TEST_F(StoryTest, AFreedomNamesItsFactsAndSentences) {
  const std::string module =
      Write("div.hlo",
            "HloModule d\nENTRY main {\n  a = s32[2] parameter(0)\n  b = s32[2] parameter(1)\n"
            "  ROOT r = s32[2] divide(a, b)\n}\n");
  const auto judged = [&](const std::string& b, const std::string& more) {
    return Judged(module, "s32[2] {4, 4}\ns32[2] " + b, "s32[2] {4, 9}", more);
  };
  EXPECT_THAT(judged("{0, 0}", ""),
              AllOf(HasSubstr("--explain names "),
                    HasSubstr("set is narrower with a fact that the authors "
                              "of the engine promise: integer.division ("),
                    HasSubstr("Other inputs may"), Not(HasSubstr("--profile"))));
  EXPECT_THAT(judged("{0, 0}", " --profile=strict --explain"),
              AllOf(HasSubstr("inconclusive"), Not(HasSubstr("--explain names ")),
                    Not(HasSubstr("--profile=strict; "))));
  const std::string swapped =
      Write("swapped.hlo",
            "HloModule d\nENTRY main {\n  b = s32[2] parameter(1)\n  a = s32[2] parameter(0)\n"
            "  ROOT r = s32[2] divide(a, b)\n}\n");
  EXPECT_THAT(RunHlocts("compare " + module + " " + swapped + " --inputs=" + Path("judged.in")).out,
              HasSubstr("or other inputs (--seeds=N, --inputs=FILE) may make the sets narrower"));
  EXPECT_THAT(judged("{1, 0}", " --explain"),
              AllOf(HasSubstr("pass"), HasSubstr("freedom integer-division-overflow ("),
                    HasSubstr("0006-integer-division-overflow.md), elementwise_binary.29, "
                              "elementwise_binary.31; narrowed by the fact integer.division\n")));
}

// The indices are choices of one decision, which is wrong as a whole too.
TEST_F(StoryTest, AnElementOfAJointDecisionIsCountedOnce) {
  const std::string module = Write("argmax.hlo", R"(HloModule am
red { a = f32[] parameter(0) ai = s32[] parameter(1) b = f32[] parameter(2)
  bi = s32[] parameter(3) g = pred[] compare(a, b), direction=GE v = f32[] select(g, a, b)
  i = s32[] select(g, ai, bi) ROOT t = (f32[], s32[]) tuple(v, i) }
ENTRY e { x = f32[2,4] parameter(0) y = f32[2,4] tanh(x) io = s32[2,4] iota(), iota_dimension=1
  n = f32[] constant(-inf) z = s32[] constant(0)
  r = (f32[2], s32[2]) reduce(y, io, n, z), dimensions={1}, to_apply=red
  ROOT i = s32[2] get-tuple-element(r), index=1 })");
  const std::string in = "f32[2,4] {{5.0, 5.0000005, 1, 2}, {1, 2, 3, 0}}";
  EXPECT_THAT(Judged(module, in, "s32[2] {3, 2}", " --json"), HasSubstr("\"wrong_elements\":1"));
  EXPECT_THAT(Judged(module, in, "s32[2] {3, 1}", " --json"), HasSubstr("\"wrong_elements\":2"));
}

// A fact or profile is advised only if it makes the widest set narrower.
TEST_F(StoryTest, AdviceIsTried) {
  const std::string add = R"(HloModule s
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[7] parameter(0) z = f32[] constant(0) c = f32[] constant(1)
  b = f32[7] broadcast(c), dimensions={} o = f32[7] add(x, b) l = f32[7] log(o)
  ROOT r = f32[] reduce(l, z), dimensions={0}, to_apply=add })";
  // Flushed subnormals make the set wide, not the order.
  EXPECT_THAT(Judged(Write("log.hlo", add), "f32[7] {0, 0, 0, 0, 0, 0, 0}", "f32[] 0", ""),
              AllOf(HasSubstr("freedom:  subnormals"), Not(HasSubstr("reduce.height")),
                    HasSubstr("is narrower with --profile=strict. Other inputs may")));
  const auto run = [&](const std::string& root) {
    const std::string module = Write("wide.hlo", absl::StrCat(R"(HloModule w
add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT s = bf16[] add(a, b) }
ENTRY e { x = bf16[400] parameter(0) z = bf16[] constant(0) ROOT r = bf16[] )",
                                                              root, " }"));
    return RunHlocts("diff " + module + " --seed=1 --backend=reference").out;
  };
  EXPECT_THAT(run("reduce(x, z), dimensions={0}, to_apply=add"),
              AllOf(HasSubstr("promise: reduce.height=N, reduce.sums=f32 ("),
                    Not(HasSubstr("--profile=strict"))));
  EXPECT_THAT(run("dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
              HasSubstr("narrower with --profile=strict; or a fact that the authors of the engine "
                        "promise: dot.height=N, dot.sums=f32 ("));
}

// The computation of the reduction has an instruction of the same name.
TEST_F(StoryTest, AnInstructionIsFoundByItsOperationToo) {
  const std::string module = Write(
      "names.hlo",
      "HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT d = f32[] add(x, y) "
      "}\nENTRY e { a = f32[2] parameter(0) z = f32[] constant(0) r = f32[] reduce(a, z), "
      "dimensions={0}, to_apply=add d = f32[2] floor(a) ROOT o = (f32[], f32[2]) tuple(r, d) }\n");
  EXPECT_THAT(Judged(module, "f32[2] {3, 1}", "f32[] 4\nf32[2] {3, 2}", ""),
              AllOf(HasSubstr("d (floor)"), HasSubstr("elementwise_unary.11")));
}

TEST_F(StoryTest, OnlyFactsThatNarrowAreNamed) {
  const std::string module = Write("sums.hlo", R"(HloModule s
add { a = f16[] parameter(0) b = f16[] parameter(1) ROOT s = f16[] add(a, b) }
ENTRY e { x = f16[400] parameter(0) z = f16[] constant(0)
  ROOT r = f16[1] reduce-window(x, z), window={size=400}, to_apply=add })");
  const std::string ran = "diff " + module + " --seed=1 --explain --backend='reference?facts=";
  EXPECT_THAT(RunHlocts(ran + "'").out, HasSubstr("by the fact reduce.height=N\n"));
  EXPECT_THAT(RunHlocts(ran + "reduce.height=9'").out, Not(HasSubstr("by the fact")));
}

// Any value is accepted of a reduction whose computation no rule describes: no fact changes this.
TEST_F(StoryTest, NoFactIsAdvisedWhereNoRuleDescribesTheReduction) {
  const auto explained = [&](const std::string& result) {
    const std::string module = Write("narrow.hlo", R"(HloModule n
add { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) n = bf16[] convert(s)
  ROOT w = f32[] convert(n) }
ENTRY main { x = f32[8] parameter(0) z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=add q = f32[1] reshape(r)
  ROOT t = )" + result + "}");
    return RunHlocts("diff " + module + " --seed=1 --backend=reference --explain").out;
  };
  const auto is_said = AllOf(HasSubstr("no fact and no profile narrows the set of r:"),
                             HasSubstr("as_text()"), Not(HasSubstr("reduce.height")));
  EXPECT_THAT(explained("f32[9] concatenate(x, q), dimensions={0}"),
              AllOf(StartsWith("pass"), is_said));
  EXPECT_THAT(explained("f32[] negate(r)"),
              AllOf(HasSubstr("    next:     no fact and no"), is_said));
}

// The clauses of Div, Pow and Log cite rulings on integers and on combinations of operations.
TEST_F(StoryTest, ARulingThatDoesNotApplyIsNotNamed) {
  const auto judged = [&](const std::string& type, const std::string& operation) {
    const std::string module =
        Write("r.hlo", absl::StrReplaceAll("HloModule r\nENTRY main {\n  a = T[1] parameter(0)\n"
                                           "  b = T[1] parameter(1)\n  ROOT r = T[1] OP\n}\n",
                                           {{"T[", type + "["}, {"OP", operation}}));
    return Judged(module, type + "[1] {2}\n" + type + "[1] {2}", type + "[1] {5}");
  };
  EXPECT_THAT(judged("s32", "divide(a, b)"), HasSubstr("spec/rulings/0006"));
  EXPECT_THAT(judged("s32", "power(a, b)"), HasSubstr("spec/rulings/0018"));
  EXPECT_THAT(judged("f32", "maximum(a, b)"),
              AllOf(HasSubstr("fail"), Not(HasSubstr("spec/rulings/"))));
  // The bound of a number comes from the general ruling on accuracy.
  for (const char* operation : {"divide(a, b)", "power(a, b)", "log(a)", "subtract(a, b)"}) {
    EXPECT_THAT(judged("f32", operation),
                AllOf(HasSubstr("fail"), HasSubstr("spec/rulings/0072"), Not(HasSubstr("/0006"))))
        << operation;
  }
}

// The order of the updates of an element is a ruling, which does not apply without an update.
TEST_F(StoryTest, TheOrderOfUpdatesNamesItsRuling) {
  const std::string module = Write(
      "s.hlo",
      "HloModule s\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY main {\n  o = f32[3] parameter(0)\n  i = s32[2,1] parameter(1)\n"
      "  u = f32[2] parameter(2)\n  ROOT s = f32[3] scatter(o, i, u), update_window_dims={},\n"
      "    inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,\n"
      "    to_apply=f\n}\n");
  const auto judged = [&](const std::string& indices) {
    return Judged(module, "f32[3] {1, 2, 3}\ns32[2,1] " + indices + "\nf32[2] {0.1, 0.3}",
                  "f32[3] {9, 2, 3}");
  };
  EXPECT_THAT(judged("{{0}, {0}}"), AllOf(HasSubstr("fail"), HasSubstr("spec/rulings/0075")));
  EXPECT_THAT(judged("{{1}, {2}}"), AllOf(HasSubstr("fail"), Not(HasSubstr("rulings/0075"))));
}

// A stable sort of equal rows cites stability, and a total order its own clause.
TEST_F(StoryTest, TheClauseIsTheOneThatTheOutputViolates) {
  const auto judged = [&](const std::string& type, const std::string& in, const std::string& out) {
    const std::string module = Write(
        "sort.hlo", absl::StrCat("HloModule m\nless {\n  a = f32[] parameter(0)\n"
                                 "  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), "
                                 "direction=LT",
                                 type,
                                 "\n}\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] "
                                 "sort(x), dimensions={0}, is_stable=true, to_apply=less\n}\n"));
    return Judged(module, "f32[2] " + in, "f32[2] " + out);
  };
  EXPECT_THAT(judged("", "{nan, 5}", "{5, nan}"),
              AllOf(HasSubstr("sort.5"), HasSubstr("sort.22"), HasSubstr("rulings/0023"),
                    Not(HasSubstr("sort.8"))));
  EXPECT_THAT(judged("", "{7, 5}", "{7, 5}"),
              AllOf(HasSubstr("sort.8"), Not(HasSubstr("sort.5:"))));
  const std::string module =
      Write("less.hlo",
            "HloModule m\nENTRY main {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
            "  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER\n}\n");
  EXPECT_THAT(Judged(module, "f32[] -0\nf32[] 0", "pred[] false"),
              HasSubstr("elementwise_comparison.15"));
}

// The infinity of a flushed operand is a freedom, and a NaN does not hide the widest set.
TEST_F(StoryTest, APassNamesItsFlushAndItsWidestSet) {
  const auto judged = [&](const std::string& function, const std::string& in,
                          const std::string& out) {
    const std::string module =
        Write("f.hlo", absl::StrCat("HloModule f\nENTRY main {\n  a = f32[2] parameter(0)\n",
                                    "  ROOT r = f32[2] ", function, "(a)\n}\n"));
    return Judged(module, "f32[2] " + in, "f32[2] " + out, " --explain");
  };
  EXPECT_THAT(judged("log", "{1e-40, 1}", "{-inf, 0}"), HasSubstr("freedom subnormals"));
  EXPECT_THAT(judged("rsqrt", "{1e-40, 1}", "{inf, 1}"), HasSubstr("freedom subnormals"));
  EXPECT_THAT(judged("exponential", "{89, nan}", "{3.4028235e+38, nan}"),
              AllOf(HasSubstr("The first NaN that HLO itself gives"), HasSubstr("overflow")));
}

TEST_F(StoryTest, NothingJudgedIsNoSuccess) {
  const std::string module =
      Write("call.hlo",
            "HloModule c\nENTRY main {\n  a = f32[3] parameter(0)\n"
            "  ROOT r = f32[3] custom-call(a), custom_call_target=\"unknown_target\"\n}\n");
  const std::string in = Write("one.txt", "f32[3] {1, 2, 3}\n");
  Ran ran = RunHlocts("judge " + module + " --inputs=" + in + " --outputs=" + in);
  EXPECT_EQ(ran.status, 1) << "nothing was judged";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("unsupported"), HasSubstr("unknown_target")));
}

TEST_F(StoryTest, HelpSaysWhatEachVerdictMeans) {
  const std::string help = RunHlocts("help verdicts").out;
  for (int kind = 0; kind <= static_cast<int>(kLastOutcome); ++kind) {
    const auto name = OutcomeName(static_cast<Outcome>(kind));
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n  ", name, " "))) << help;
  }
  EXPECT_THAT(help, HasSubstr("flake"));
}

TEST_F(StoryTest, AnInvalidModuleIsExplainedToo) {
  const std::string module = Write(
      "invalid.hlo",
      "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[3] negate(x)\n}\n");
  Ran ran = RunHlocts("diff --invalid --explain --backend=reference " + module);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("the module is invalid: "), Not(HasSubstr(" element"))));
}

TEST_F(StoryTest, ARunItsCasesAndAddressesReplayFromAnyFolder) {
  const std::string out = Path("run with space");
  const std::string run =
      "run elementwise/max --backend=bad=canary:maximum.drops-nan --out='" + out + "'";
  Ran ran = RunHlocts(run);
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("not as expected"));
  EXPECT_TRUE(ran.out.rfind("next: " HLOCTS_BINARY_DIR "/hlocts replay ") > ran.out.rfind("pass ("))
      << "what to do next stands last\n"
      << ran.out;
  std::string folder;
  for (const auto& entry : std::filesystem::directory_iterator(out + "/cases")) {
    folder = entry.path().string();
    EXPECT_EQ(entry.path().filename().string().find_first_of(":*?\"<>|/\\"), std::string::npos);
  }
  ASSERT_FALSE(folder.empty());
  // The run's directory has been moved, and the working directory is a different one.
  const std::string moved = Path("moved");
  std::filesystem::rename(out, moved);
  Ran all = RunHlocts("replay " + moved + " elementwise/max", "cd / &&");
  EXPECT_EQ(all.status, 1) << all.out;
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("fail"), HasSubstr("operands:"), HasSubstr("elementwise_binary.8")));
  EXPECT_EQ(RunHlocts("replay " + moved + " elementwise/min", "cd / &&").status, 2);
  for (const auto& line :
       JsonLines(RunHlocts("replay moved elementwise/max --json", "cd " + folder_ + " &&").out)) {
    EXPECT_THAT(std::string(line["case"]), StartsWith("elementwise/max:")) << line;
    EXPECT_THAT(std::string(line["module"]), StartsWith("moved/cases/")) << "the given path";
  }
  Ran none = RunHlocts("replay " + Path("gone") + " elementwise/cos");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, AllOf(HasSubstr("gone: no such directory"), Not(HasSubstr(" cases: "))));
  Ran other = RunHlocts("replay " + moved + " --backend=reference", "cd / &&");
  EXPECT_EQ(other.status, 0) << other.out;
  Ran failed = RunHlocts(
      "run elementwise/max --json --backend=bad=canary:maximum.drops-nan -x --lf=" + moved);
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.out, Not(HasSubstr("\"pass\"")));
  Ran address = RunHlocts("diff elementwise/max:nan:type=f32 --backend=reference", "cd / &&");
  EXPECT_EQ(address.status, 0) << address.out;
  EXPECT_EQ(RunHlocts("verify " HLOCTS_SOURCE_DIR "/tools/bench/cpu.case:sort_1m").status, 0);
  const std::string file = HLOCTS_SOURCE_DIR "/suites/cases/elementwise/extremes.case:";
  EXPECT_THAT(RunHlocts("verify " + file + "nan").out,
              HasSubstr("extremes.case:nan: expected a case of this file, such as nan:type="));
}

TEST_F(StoryTest, WhatIsKnownIsNotCalledAFailure) {
  Ran ran = RunHlocts("run random/rng_uniform:empty_interval --backend=reference --out=" +
                      Path("known_only"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, Not(HasSubstr("next: ")));  // nothing needs another run
  const std::string list = Write("list.textproto",
                                 "expectation { query: \"random/rng_uniform:*\" "
                                 "verdict: \"fail\" kind: BUG clause: \"pad.1\" reason: \"r\" }");
  ran = RunHlocts("run random/rng_uniform --backend=reference --expectations=" + list +
                  " --out=" + Path("listed"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr(" more pass, but are listed as failures; reasons: "),
                             HasSubstr(" --update-expectations   (removes the entries ")));
}

TEST_F(StoryTest, ARunGoesOnWhereItStopped) {
  const std::string out = Path("resumed");
  const std::string run =
      "run movement/rev --backend=legal-noise --jobs=1 --out=" + out + " --resume";
  Ran whole = RunHlocts(run);
  EXPECT_EQ(whole.status, 0) << whole.out;
  std::ifstream in(out + "/verdicts.jsonl");
  std::string first;
  std::getline(in, first);
  in.close();
  std::ofstream(out + "/verdicts.jsonl") << first << "\n";
  Ran again = RunHlocts(run + " --json");
  EXPECT_EQ(again.status, 0) << again.out;
  const std::string address = first.substr(first.find("\"case\":\"") + 8, 20);
  EXPECT_THAT(again.out, Not(HasSubstr(first.substr(first.find("\"case\":"), 60)))) << address;
  Ran report = RunHlocts("report " + out);
  EXPECT_THAT(report.out, HasSubstr("none missing, none duplicated"));
  EXPECT_EQ(RunHlocts("run movement/pad --backend=legal-noise --resume --out=" + out).status, 2)
      << "another run";
}

TEST_F(StoryTest, TheOtherEngineRunsWhereOneDoesNotStart) {
  const std::string junit = Path("junit.xml");
  Ran ran = RunHlocts(
      "run movement/rev --backend=legal-noise --backend=gone=pjrt:/nowhere/x.so --junit=" + junit);
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("legal-noise: "), HasSubstr("could not be started")));
  const std::string xml = TextOf(junit);
  EXPECT_THAT(xml, HasSubstr("errors=\"1\""));
}

TEST_F(StoryTest, JunitMayLieInAFolderThatOutMakes) {
  Ran shown = RunHlocts("run movement/rev --backend=reference --junit=-", "cd " + folder_ + " &&");
  EXPECT_THAT(shown.out, HasSubstr("<testsuites"));
  EXPECT_FALSE(std::filesystem::exists(Path("-")));
  const std::string folder = Path("not-yet");
  Ran ran = RunHlocts("run movement/rev --backend=reference --out=" + folder +
                      "/run --junit=" + folder + "/junit.xml");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_TRUE(std::ifstream(folder + "/junit.xml").good());
}

TEST_F(StoryTest, InterruptedWithinTwoSecondsWhateverItDoes) {
  const std::string hang = "exec:'sleep 1000'";
  Write("bin/python3", "#!/bin/sh\nexec sleep 9\n");  // is asked whether it runs
  std::filesystem::permissions(Path("bin/python3"), std::filesystem::perms::owner_all);
  for (const std::string& command :
       {"run movement/rev --backend=" + hang, "diff movement/rev:types:type=f32 --backend=" + hang,
        "backends --backend=" + hang, "fuzz --backend=" + hang + " --out=" + Path("fz"),
        std::string("backends --backend=jax")}) {
    Ran ran = RunHlocts(
        command, absl::StrCat("PATH=", folder_,
                              "/bin:$PATH timeout -k 3 -s INT --preserve-status --foreground 0.5"));
    EXPECT_EQ(ran.status, 130) << command << "\n" << ran.out;
  }
  // The engine has started, so there is a run, and the message contains the command to continue it.
  const std::string run = "run movement/rev --backend=exec:" HLOCTS_BINARY_DIR
                          "/misbehaving_engine --out=" +
                          Path("cut-short");
  EXPECT_THAT(
      RunHlocts(run, "MISBEHAVE_HANG_FROM=1 timeout -k 3 -s INT --preserve-status --foreground 3")
          .out,
      AllOf(HasSubstr(" run movement/rev"), HasSubstr("cut-short --resume")));
  Ran ran = RunHlocts("backends --backend=" + hang,
                      "timeout -k 3 -s TERM --preserve-status --foreground 0.5");
  EXPECT_EQ(ran.status, 143) << ran.out;
}

TEST_F(StoryTest, AForcedEndLeavesNoOldResultAndSaysHowToContinue) {
  const std::string junit = Write("junit.xml", "old"), out = Path("forced");
  Ran ran = RunHlocts(
      absl::StrCat("run elementwise --backend=reference --jobs=1 --out=", out, " --junit=", junit,
                   " 2>&1 >/dev/null & p=$!; n=0; until [ -s ", out,
                   "/verdicts.jsonl ] || [ $n -ge "
                   "600 ]; do n=$((n+1)); sleep 0.1; done; kill -TERM $p; kill -INT $p; wait $p"));
  EXPECT_THAT(ran.out, HasSubstr(absl::StrCat(" --out=", out, " --junit=", junit, " --resume\n")));
  EXPECT_THAT(TextOf(junit), Not(HasSubstr("old")));
  EXPECT_NE(std::filesystem::exists(junit), TextOf(junit).empty());
}

TEST_F(StoryTest, AStartHasATimeLimitOfItsOwn) {
  const std::string rev = "run movement/rev:dimensions ";
  Ran never = RunHlocts(rev + "--start-timeout=1s --backend=exec:'sleep 1000'", "timeout 30");
  EXPECT_EQ(never.status, 3) << never.out;
  // A short time limit for modules must not limit the start of an engine.
  Ran slow = RunHlocts(rev + "--timeout=500ms --backend=exec:'sleep 1; exec " HLOCTS_BINARY_DIR
                             "/misbehaving_engine'",
                       "timeout 90");
  EXPECT_EQ(slow.status, 1) << slow.out;
}

TEST_F(StoryTest, TheTimeLimitHoldsForTheReference) {
  const std::string loop = Write(
      "loop.hlo",
      "HloModule m\nbody { ROOT x = s32[] parameter(0) }\ncondition {\n  x = s32[] parameter(0)\n"
      "  ROOT t = pred[] constant(true)\n}\nENTRY main {\n  z = s32[] constant(0)\n"
      "  ROOT w = s32[] while(z), condition=condition, body=body\n}\n");
  Ran eval = RunHlocts("eval " + loop + " --steps=99999999999999 --timeout=1s", "timeout 30");
  EXPECT_EQ(eval.status, 1) << eval.out;
  EXPECT_THAT(eval.out, HasSubstr("the reference exceeds its time limit"));
}

// After the first answer the file is replaced by a wrong one, which the second answer must report.
TEST_F(StoryTest, WatchingACommandIsGivenAgainWhenItsFileHasChanged) {
  const std::string module = Write("watched.hlo", kPower), log = Path("watch.log");
  RunAndKill(
      "verify --watch " + module + " 2>" + log,
      "(until grep -qs waiting " + log + "; do sleep 0.05; done; echo no module >" + module + ") &",
      log, "exit status 2; waiting");
  const std::string text = TextOf(log);
  EXPECT_THAT(text, AllOf(HasSubstr("exit status 0; waiting for a change of " + module),
                          HasSubstr("watch: " + module + " changed"), HasSubstr("exit status 2")));
}

TEST_F(StoryTest, LintFindsHiddenMistakes) {
  const std::string path =
      Write("mistakes.case",
            "@operation Pad\n@opcode pad\n@clauses pad.999\n@case one\n@module\n"
            "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n"
            "@inputs\nf32[2] {1, 2}\n");
  Ran ran = RunHlocts("lint " + path);
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("mistakes.case:3: no clause \"pad.999\""), HasSubstr("1 mistake")));
  auto lint = [&](const std::string& text) {
    return RunHlocts("lint " + Write("m.case", text)).out;
  };
  const std::string head = "@operation Pad\n@opcode pad\n@clauses pad.5\n",
                    body =
                        "@module\nHloModule m\nENTRY e {\n  ROOT x = f32[2] "
                        "parameter(0)\n}\n@inputs\nf32[2] {1, 2}\n";
  EXPECT_THAT(lint(head + "@case one row\n" + body), HasSubstr("m.case:4: expected @case NAME"));
  EXPECT_THAT(lint(head + "@case one\n@param type f32 f64\n" + body),
              HasSubstr("no line uses ${type}"));
  EXPECT_THAT(lint("@operation Padding\n@opcode pad\n@clauses pad.5\n@case one\n" + body),
              HasSubstr("no documented operation \"Padding\""));
  EXPECT_THAT(lint("@operation Pad\n@opcode padd\n@clauses pad.5\n@case one\n" + body),
              HasSubstr("no opcode \"padd\"; did you mean pad?"));
  const std::string wrong = "@expect\nf32[2] {1, 3}\n";
  EXPECT_THAT(lint(head + "@case one\n" + body + wrong),
              ContainsRegex("m.case:12: .*contradicts the reference"));
  // Outputs with their verdicts do not hide the printed value.
  const std::string judged = "@output\nf32[2] {7, 7}\n@verdict strict fail, default ";
  EXPECT_THAT(lint(head + "@case one\n" + body + wrong + judged + "fail\n"),
              AllOf(ContainsRegex("m.case:12: .*contradicts the reference"), HasSubstr("1 mist")));
  EXPECT_THAT(lint(head + "@case one\n" + body + judged + "pass\n"),
              ContainsRegex("m.case:14: .*the judge contradicts @verdict"));
  EXPECT_THAT(lint(head + "@case one\n@reject pad.2\n@module\nHloModule m\nENTRY e {\n  p = "
                          "f32[2] parameter(0)\n  ROOT r = f32[3] negate(p)\n}\n"),
              ContainsRegex("m.case:5: .*expected pad.2, found elementwise_unary.42: "));
  EXPECT_THAT(lint(head + "@case one\n" + body), HasSubstr("0 mistakes"));
  EXPECT_THAT(lint(head + "@case a\n@tier often\n" + body + "@case b\n@clauses pad.999\n" + body),
              AllOf(HasSubstr("m.case:5: @case a: @tier: expected a tier"),
                    HasSubstr("m.case:14: no clause \"pad.999\""), HasSubstr("2 mistakes")));
}

TEST_F(StoryTest, AFactWithoutWhichTheValueIsPermittedIsNamed) {
  const std::string judge =
      "judge " +
      Write(
          "over.hlo",
          "HloModule m\nENTRY e {\n  x = s32[2] parameter(0)\n  y = s32[2] parameter(1)\n  ROOT q "
          "= s32[2] divide(x, y)\n}\n") +
      " --inputs=" + Write("over.in", "s32[2] {6, 8}\ns32[2] {0, 2}\n") + " --facts-of=xla_cpu";
  Ran by_fact = RunHlocts(judge + " --outputs=" + Write("fact.txt", "s32[2] {0, 4}\n"));
  EXPECT_THAT(by_fact.out, AllOf(HasSubstr("fact:     integer.division: x/0 = -1"),
                                 HasSubstr("elementwise_binary.29: Integer division by zero"),
                                 HasSubstr("0006-integer-division-overflow.md"),
                                 Not(HasSubstr("elementwise_binary.5:"))));
  EXPECT_THAT(RunHlocts(judge + " --json --outputs=" + Write("fact.txt", "s32[2] {0, 4}\n")).out,
              HasSubstr(R"("facts":["integer.division"])"));
  // By the documents alone, the second element is wrong.
  Ran by_both = RunHlocts(judge + " --outputs=" + Write("both.txt", "s32[2] {0, 3}\n"));
  EXPECT_THAT(by_both.out,
              AllOf(HasSubstr("at output 0 [1]"), HasSubstr("elementwise_binary.5: Div is lhs"),
                    Not(HasSubstr("fact:"))));
}

TEST_F(StoryTest, AnIndexOfAnEqualElementViolatesTheOrderOfTies) {
  const std::string module = Write("top.hlo", R"(HloModule m
ENTRY e { x = f32[4] parameter(0) ROOT t = (f32[2], s32[2]) topk(x), k=2, largest=true })");
  const std::string in = "f32[4] {1, 5, 5, 5}", values = "f32[2] {5, 5}\n";
  EXPECT_THAT(Judged(module, in, values + "s32[2] {1, 3}"),
              AllOf(HasSubstr("top_k.11: Of two equal elements"), Not(HasSubstr("top_k.8:"))));
  EXPECT_THAT(Judged(module, in, values + "s32[2] {1, 0}"),
              AllOf(HasSubstr("top_k.8:"), Not(HasSubstr("top_k.11:"))));
}

TEST_F(StoryTest, TwoModulesAreComparedBothWays) {
  const auto module = [&](const char* name, const char* first, const char* second) {
    return Write(name,
                 absl::StrCat("HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] "
                              "parameter(1)\n  s = f32[4] ",
                              first, "\n  ROOT r = f32[4] ", second, "\n}\n"));
  };
  const std::string sum = module("sum.hlo", "add(x, y)", "add(s, s)");
  const std::string other = module("other.hlo", "add(y, x)", "add(s, s)");
  const std::string wrong = module("wrong.hlo", "subtract(x, y)", "add(s, s)");
  Ran same = RunHlocts("compare " + sum + " " + other + " --seeds=4");
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out,
              AllOf(HasSubstr("4 inputs (random, edge, wide, exact);"), HasSubstr("B: " + other),
                    HasSubstr("outputs of A by the sets of B: 4 pass")));
  Ran differs = RunHlocts("compare " + sum + " " + wrong + " --seed=1 --seeds=4");
  EXPECT_EQ(differs.status, 1);
  EXPECT_THAT(
      differs.out,
      AllOf(StartsWith("A: " + sum + "\nB: " + wrong + "\n"),
            HasSubstr("outputs of B by the sets of A, seed 1"), HasSubstr("\nfail  B\n"),
            HasSubstr("\n    the first instruction that differs is s in both\n"),
            HasSubstr("data wide: fail, the first instruction that differs is s in both\n")));
  const auto constant = [&](const char* name, const char* value) {
    return module(name, absl::StrCat("constant({4, 4, 4, ", value, "})").c_str(), "negate(s)") +
           " ";
  };
  EXPECT_THAT(RunHlocts("compare " + constant("4.hlo", "4") + constant("2.hlo", "2")).out,
              HasSubstr("\n    the first instruction that differs is s in both\n"));
  const std::string call =
      module("call.hlo", "custom-call(x), custom_call_target=\"c\"", "tanh(s)");
  EXPECT_THAT(RunHlocts("compare " + call + " " + sum).out,
              AllOf(HasSubstr("1 input ("), HasSubstr("a handler for c, or modules from before")));
  const auto doubled = [&](const char* name, const char* root) {
    return Write(name,
                 absl::StrCat("ENTRY e { x = bf16[64] parameter(0) z = s32[4] parameter(1) d = "
                              "bf16[] dot(x, x), lhs_contracting_dims={0}, "
                              "rhs_contracting_dims={0} t = s32[4] constant({2, 2, 2, 2}) m = "
                              "s32[4] multiply(z, t) q = s32[4] ",
                              root, " ROOT r = (bf16[], s32[4]) tuple(d, q) }")) +
           " ";
  };
  EXPECT_THAT(
      RunHlocts("compare " + doubled("z.hlo", "copy(z)") + doubled("half.hlo", "divide(m, t)")).out,
      AllOf(HasSubstr(" inconclusive, "), HasSubstr("\nfail  A\n    got:"),
            HasSubstr("\nfail  B\n    got:"), Not(HasSubstr("\ninconclusive"))));
  const std::string narrow =
      Write("narrow.hlo",
            "ENTRY e { x = f32[4] parameter(0) y = f32[4] "
            "parameter(1) c = bf16[4] convert(x) ROOT r = f32[4] convert(c) }");
  EXPECT_THAT(RunHlocts("compare " + narrow + " " + module("copy.hlo", "copy(x)", "copy(s)")).out,
              HasSubstr("\nrewrite of A into B: no counterexample among these inputs; of B into A: "
                        "not allowed\n"));
}

// A conversion to StableHLO and back gives computations other names.
TEST_F(StoryTest, ComparedModulesThatDifferInNamesAreEqual) {
  const auto named = [&](const char* name, const char* f, const char* opcode) {
    return Write(name, absl::StrCat("HloModule ", f, "\n", f, " { a", f, " = f32[] parameter(0) ",
                                    "ROOT r = f32[] ", opcode, "(a", f, ") }\nENTRY e", f,
                                    " { x = f32[] parameter(0) ROOT ", f,
                                    " = f32[] call(x), to_apply=", f, " }\n")) +
           " ";
  };
  const std::string first = named("first.hlo", "f", "negate");
  EXPECT_THAT(RunHlocts("compare " + first + named("second.hlo", "g", "negate")).out,
              HasSubstr("no change, the canonical texts are equal"));
  EXPECT_THAT(RunHlocts("compare " + first + named("third.hlo", "f", "exponential")).out,
              HasSubstr("not allowed"));
}

// A stable sort has one result. Any other may order equal elements otherwise than the reference.
TEST_F(StoryTest, FreedomsThatOnlyTheRewrittenModuleHasAreNamed) {
  const auto sorted = [&](const char* name, const char* more) {
    return Write(name, absl::StrCat("l { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] "
                                    "parameter(2) d = s32[] parameter(3) ROOT t = pred[] "
                                    "compare(a, b), direction=LT }\n"
                                    "ENTRY e { x = s32[3] parameter(0) i = s32[3] iota(), "
                                    "iota_dimension=0 ROOT s = (s32[3], s32[3]) sort(x, i), "
                                    "dimensions={0}, to_apply=l",
                                    more, " }")) +
           " ";
  };
  EXPECT_THAT(
      RunHlocts("compare " + sorted("stable.hlo", ", is_stable=true") + sorted("any.hlo", "") +
                "--inputs=" + Write("ties.txt", "s32[3] {1, 1, 1}\n"))
          .out,
      HasSubstr("\nrewrite of A into B: no counterexample among these inputs (B may return "
                "more: freedoms sort-ties); of B into A: no counterexample among these "
                "inputs\n"));
}

// Twelve inputs have two elements with special values; by default, scalars get all of them.
TEST_F(StoryTest, ModulesThatDifferOnlyForNanDiffer) {
  const auto module = [&](const char* name, const char* root) {
    return Write(name, absl::StrCat("ENTRY e { x = f32[] parameter(0) a = f32[] abs(x) z = f32[] "
                                    "constant(0) ROOT r = pred[] ",
                                    root, " }"));
  };
  const std::string both = module("compared.hlo", "compare(a, z), direction=GE") + " " +
                           module("folded.hlo", "constant(true)");
  for (const char* seed : {"1", "9", "100"}) {
    Ran ran = RunHlocts(absl::StrCat("compare ", both, " --seed=", seed));
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("768 inputs (random, edge, wide, exact, constants, limits); "));
  }
}

TEST_F(StoryTest, CompareUsesTheConstantsOfBothModules) {
  const auto module = [&](const char* name, const char* limit, const char* direction) {
    return Write(name,
                 absl::StrCat("ENTRY e { x = f32[100] parameter(0) c = f32[] constant(", limit,
                              ") l = f32[100] broadcast(c), dimensions={} ROOT r = pred[100] "
                              "compare(x, l), direction=",
                              direction, " }"));
  };
  const std::string below = module("below.hlo", "1234.5", "LT") + " ";
  EXPECT_EQ(RunHlocts("compare " + below + module("upto.hlo", "1234.5", "LE")).status, 1);
  EXPECT_THAT(RunHlocts("compare " + below + below).out, HasSubstr("no change"));
  const Ran ran = RunHlocts("compare " + below + module("far.hlo", "1e30", "LT") + " --seeds=1 " +
                            "--seed=2 --data=constants");
  EXPECT_THAT(ran.out, HasSubstr("outputs of A by the sets of B, seed 2, data constants:"));
}

TEST_F(StoryTest, ANanOfHloItselfIsNamed) {
  const std::string module = Write("nan.hlo",
                                   "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  z = f32[] "
                                   "constant(0)\n  b = f32[2] broadcast(z), dimensions={}\n  q = "
                                   "f32[2] divide(x, b)\n  ROOT r = f32[2] multiply(q, b), "
                                   "metadata={source_file=\"n.py\" source_line=7}\n}\n");
  Ran ran = RunHlocts("diff " + module + " --inputs=" + Write("nan.txt", "f32[2] {1, 2}\n") +
                      " --backend=reference");
  EXPECT_THAT(ran.out, HasSubstr("HLO itself gives NaN at output 0 [0]: r, operands q[0] = inf, "
                                 "b[0] = 0; source n.py:7"));
  EXPECT_THAT(RunHlocts("diff " + module + " --json --seed=1 --data=exact --backend=reference").out,
              HasSubstr("\"source\":\"n.py:7\""));
  EXPECT_THAT(RunHlocts("diff " + module + " --explain --inputs=" +
                        Write("nan.txt", "f32[2] {0.1, 2}\n") + " --backend=reference")
                  .out,
              HasSubstr("The first NaN that HLO itself gives:\noutput 0 f32[2] at [0]"));
  const std::string quotient = Write("quotient.hlo", R"(HloModule m
h { a = f32[2] parameter(0) ROOT s = f32[2] divide(a, a) }
ENTRY e { x = f32[2] parameter(0) q = f32[2] call(x), to_apply=h ROOT r = f32[2] add(q, q) })");
  const auto judged_nan = [&](const std::string& inputs) {
    return RunHlocts("judge " + quotient +
                     " --explain --outputs=" + Write("nans.txt", "f32[2] {nan, nan}") +
                     " --inputs=" + Write("nan.txt", "f32[2] " + inputs + "\n"))
        .out;
  };
  EXPECT_THAT(judged_nan("{1e-39, 0}"),
              AllOf(HasSubstr("HLO itself gives NaN at output 0 [1]: s, operands a[1] = 0"),
                    HasSubstr("The first NaN that HLO itself gives:\noutput 0 f32[2] at [1]")));
  EXPECT_THAT(judged_nan("{1e-39, 2e-39}"),
              AllOf(HasSubstr("HLO permits NaN at output 0 [0]: s, operands a[0] = "),
                    HasSubstr(" (may be flushed to 0)"),
                    HasSubstr("The first NaN that HLO permits:\noutput 0 f32[2] at [0]")));
  Ran given = RunHlocts("diff " + module + " --inputs=" + Write("nan.txt", "f32[2] {nan, 1}\n") +
                        " --backend=reference");
  EXPECT_THAT(given.out, HasSubstr("output 0 [0]: input x[0] is NaN"));
  const std::string tested = Write("tested.hlo", R"(HloModule m
ENTRY e { x = f32[2] parameter(0) n = f32[2] constant({nan, nan}) z = f32[2] constant({0, 0})
  p = pred[2] compare(x, x), direction=NE ROOT s = f32[2] select(p, n, z) })");
  given = RunHlocts("diff " + tested + " --inputs=" + Path("nan.txt") + " --backend=reference");
  EXPECT_THAT(given.out, HasSubstr("output 0 [0]: n; input x[0] is NaN"));
  const std::string calls = Write("calls.hlo", R"(HloModule m
half { a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT h = f32[2] divide(a, b) }
ENTRY e { x = f32[2] parameter(0) z = f32[2] constant({0, 0}) o = f32[2] constant({1, 1})
  c = f32[2] call(x, o), to_apply=half
  d = f32[2] call(c, z), to_apply=half
  ROOT f = f32[2] fusion(d, o), kind=kLoop, calls=half }
)");
  const std::string judged = "diff " + calls + " --backend=reference --inputs=";
  EXPECT_THAT(RunHlocts(judged + Write("nan.txt", "f32[2] {1, 0}\n")).out,
              HasSubstr("output 0 [1]: h, operands a[1] = 0, b[1] = 0"));
  EXPECT_THAT(RunHlocts(judged + Write("nan.txt", "f32[2] {1, nan}\n")).out,
              HasSubstr("output 0 [1]: input x[1] is NaN"));
}

TEST_F(StoryTest, TheDerivationOfANanKeepsItsOriginAndInputs) {
  std::string text =
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  z = f32[2] constant({0, 0})\n"
      "  q = f32[2] divide(x, z)\n  n0 = f32[2] multiply(q, z)\n";
  for (int i = 1; i <= 40; ++i)
    absl::StrAppend(&text, i == 40 ? "  ROOT n" : "  n", i, " = f32[2] negate(n", i - 1, ")\n");
  Ran ran = RunHlocts("diff " + Write("long.hlo", text + "}\n") + " --explain --backend=reference" +
                      " --inputs=" + Write("long.txt", "f32[2] {1, 2}\n"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\n  instruction: n0, operands q[0] = inf, z[0] = 0\n"),
                             HasSubstr("step by step, from the inputs:\n  x[0] = 1\n"),
                             HasSubstr("\n  n0[0] = multiply(q[0], z[0]): nan\n"),
                             HasSubstr(" more values\n"), HasSubstr("\n  n40[0] = negate(")));
}

TEST_F(StoryTest, ANanOfAManualRegionHasItsDevice) {
  const std::string module = Write("region.hlo", R"(HloModule m, num_partitions=2
body { p = f32[1,2] parameter(0) e = f32[1,2] exponential(p)
  ROOT d = (f32[1,2], f32[1,2]) tuple(e, p) }
ENTRY main {
  x = f32[2,2] parameter(0)
  s = f32[2,2] custom-call(x), custom_call_target="Sharding", sharding={devices=[2,1]<=[2]}
  t = f32[1,2] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual}
  c = (f32[1,2], f32[1,2]) call(t), to_apply=body
  g = f32[1,2] get-tuple-element(c), index=0
  r = f32[1,2] divide(g, g)
  u = f32[1,2] custom-call(r), custom_call_target="Sharding", sharding={manual}
  ROOT w = f32[2,2] custom-call(u), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,1]<=[2]}
}
)");
  const auto judged = [&](const std::string& inputs) {
    return RunHlocts("diff " + module + " --explain --backend=reference --inputs=" +
                     Write("region.txt", "f32[2,2] " + inputs + "\n"))
        .out;
  };
  EXPECT_THAT(judged("{{1, 2}, {3, 100}}"),
              AllOf(HasSubstr("output 0 [1,1]: r on device 1, operands g[0,1] = inf"),
                    HasSubstr("\n  x[1,1] on device 1 = 100\n"),
                    HasSubstr("\n  r[0,1] on device 1 = divide(e.c[0,1], e.c[0,1]): nan\n"),
                    HasSubstr("(u[0,1] on device 1): nan\n")));
  EXPECT_THAT(judged("{{nan, 2}, {3, 1}}"), HasSubstr("input x[0,0] on device 0 is NaN"));
}

TEST_F(StoryTest, AnotherNanThanTheAcceptedOneIsNamed) {
  const std::string moved =
      Write("moved.hlo",
            "HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[1,2] reshape(x) }\n");
  const std::string judged = absl::StrCat(
      "judge ", moved, " --inputs=", Write("moved.txt", "f32[2] {nan, 1}\n"), " --outputs=");
  EXPECT_THAT(RunHlocts(judged + Write("moved.out", "f32[1,2] {{-nan, 1}}\n")).out,
              HasSubstr("; a NaN with other bits than the accepted one"));
  EXPECT_THAT(RunHlocts(judged + Write("moved.out", "f32[1,2] {{nan, nan}}\n")).out,
              HasSubstr("; a NaN, where none is accepted"));
  const std::string add = Write(
      "add.hlo", "HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] add(x, x) }\n");
  EXPECT_THAT(RunHlocts(absl::StrCat("judge ", add,
                                     " --explain --inputs=", Write("zero.txt", "f32[2] {1, -0}\n"),
                                     " --outputs=", Write("zero.out", "f32[2] {2, -0}\n")))
                  .out,
              AllOf(HasSubstr("widest set:\noutput 0 f32[2] at [1]"), HasSubstr("zero-signs")));
}

TEST_F(StoryTest, DefaultsComeFromAFile) {
  const std::string config = Write(
      "hlocts.toml", "# of my plugin\nengine = \"legal-noise\"  # short\n[run]\ntier = 'smoke'\n");
  const std::string before = "HLOCTS_CONFIG=" + config, here = absl::StrCat("cd ", folder_, " &&");
  Ran ran = RunHlocts("run movement/rev", before);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("legal-noise: "));
  Ran other = RunHlocts("run movement/rev --backend=reference", before);
  EXPECT_THAT(other.out, HasSubstr("reference: ")) << "the command line wins";
  // A plugin's path is relative to the file, and a refusal has the key as it is written.
  Write("hlocts.toml", "engine = \"mine=pjrt:./none.so?a=b\"\n");
  EXPECT_THAT(RunHlocts("run movement/rev", before).out, HasSubstr(Path("./none.so")));
  EXPECT_THAT(RunHlocts("run movement/rev", here).out, HasSubstr("hlocts.toml: engine = \"mine"));
  Write("hlocts.toml", "enjine = \"reference\"\n");
  Ran wrong = RunHlocts("run movement/rev", before);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out, HasSubstr("enjine: unknown option"));
  Write("m.hlo", "HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n");
  Write("m.txt", "f32[] 1\n");
  Write("hlocts.toml",
        "seed = 7\n[run]\nengine = 'reference'\nk = 'layouts'\nx = true\n[fuzz]\nmodules = 3\n");
  EXPECT_THAT(RunHlocts("eval m.hlo --inputs=m.txt", here).out, "f32[] 1\n");
  const Ran only = RunHlocts("fuzz --only=3 --backend=reference --out=f", here);
  EXPECT_EQ(only.status, 0);
  EXPECT_THAT(only.out, ContainsRegex("module 3, stream [a-z]+ \\(drawn, no --stream\\)\n"));
  EXPECT_THAT(RunHlocts("run movement/rev --json --maxfail=2", here).out,
              AllOf(HasSubstr("rev:layouts"), Not(HasSubstr("rev:dimensions"))));
  Write("hlocts.toml", "engine = \"reference\"\n[run]\ntier = \"smok\"\n");
  wrong = RunHlocts("run movement/rev", before);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out, HasSubstr("hlocts.toml: tier: expected one of smoke"));
}

// Runs the commands in the guides, on the files in their blocks. "..." matches any text.
TEST_F(StoryTest, TheGuidesShowWhatTheProgramPrints) {
  Write("fma.outputs", "f32[2] {5.9604645e-08, 16}\n");
  int samples = 0;
  for (const char* page : {"life-of-a-module", "how-a-set-is-made", "life-of-a-case"}) {
    const std::vector<std::string> parts = absl::StrSplit(
        TextOf(absl::StrCat(HLOCTS_SOURCE_DIR "/docs/pages/", page, ".md")), "```\n");
    for (size_t i = 1; i < parts.size(); i += 2) {
      const std::vector<std::string> runs = absl::StrSplit(parts[i], "$ build/hlocts ");
      if (runs.size() == 1)
        Write(parts[i].starts_with("Hlo") ? "step.hlo" : "step.inputs", parts[i]);
      for (size_t k = 1; k < runs.size(); ++k, ++samples) {
        const size_t end = runs[k].find('\n');
        const Ran ran = RunShell(absl::StrCat("cd ", folder_, " && " HLOCTS_BINARY_DIR "/hlocts ",
                                              runs[k].substr(0, end), " 2>&1"));
        const std::string out = absl::StrReplaceAll(
            ran.out, {{HLOCTS_BINARY_DIR, "build"}, {HLOCTS_SOURCE_DIR "/", ""}});
        const std::string pattern = absl::StrReplaceAll(
            runs[k].substr(end + 1), {{"...", "*"}, {"[", "\\["}, {"*", "\\*"}, {"\\", "\\\\"}});
        EXPECT_EQ(fnmatch(pattern.c_str(), out.c_str(), 0), 0) << page << ": " << runs[k] << out;
      }
    }
  }
  EXPECT_GE(samples, 8);
}

TEST_F(StoryTest, TheShellsAndManKnowEveryOption) {
  Ran bash = RunHlocts("completion bash");
  EXPECT_THAT(bash.out,
              AllOf(HasSubstr("verify-claim"), HasSubstr("--maxfail="), HasSubstr("--tier=smoke"),
                    HasSubstr("--variants="), Not(HasSubstr("--twins="))));
  const std::string script = Write("completion.bash", bash.out);
  EXPECT_EQ(RunShell("bash -c 'source " + script +
                     "; compopt() { :; }; for line in \"help ex\" \"completion b\" \"engines ins\" "
                     "\"shrink -o\" \"engines install x\"; do COMP_WORDS=(hlocts $line); "
                     "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hlocts; "
                     "echo \"${COMPREPLY[@]}\"; done' 2>&1")
                .out,
            "export expectations exit-status\nbash\ninstall\n-o\n\n");
  EXPECT_THAT(RunHlocts("completion zsh").out, HasSubstr("#compdef hlocts"));
  EXPECT_THAT(RunHlocts("man").out, AllOf(HasSubstr(".TH HLOCTS 1"), HasSubstr("\\-\\-maxfail")));
  EXPECT_THAT(RunHlocts("help exit-status").out,
              AllOf(HasSubstr("130"), HasSubstr("nothing was judged")));
}

}  // namespace
}  // namespace hlocts::tools
