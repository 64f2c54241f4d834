// SPDX-License-Identifier: Apache-2.0
// End-to-end tests of cutting and blame on engines with a single fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "generators/arguments.h"
#include "spec/accuracy/rules.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Subject {
  std::unique_ptr<Module> module;
  ExecuteRequest request;
  DiffOptions options;

  explicit Subject(const std::string& text, uint64_t seed = 1) {
    auto parsed = ParseModule("HloModule m\n" + text);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    module = *std::move(parsed);
    absl::Status valid = VerifyModule(*module);
    EXPECT_TRUE(valid.ok()) << valid;
    request.arguments.push_back(generators::GenerateArguments(ArgumentLeafShapes(*module), seed));
    options.blame = true;
  }
  reports::Verdict Diff(Backend& backend, int64_t cut) {
    options.cut = cut;
    Differ differ(*module, request, options);
    return differ.Diff(backend);
  }
};

// x * x - x is wrong by much less than the error of exp, so the outputs hide the fault.
constexpr char kHidden[] = R"(ENTRY e {
  p = f32[8] parameter(0)
  a = f32[8] add(p, p)
  m = f32[8] multiply(a, p)
  t = f32[8] tanh(m)
  n = f32[8] subtract(t, p)
  ROOT z = f32[8] exponential(n)
})";

TEST(PiecesTest, OutputsHideWhatAPieceShows) {
  Subject subject(kHidden);
  InjectingBackend wrong({"a", 3, 4});
  EXPECT_EQ(subject.Diff(wrong, 0).kind, Outcome::kPass);
  for (int64_t cut : {1, 2}) {
    reports::Verdict verdict = subject.Diff(wrong, cut);
    EXPECT_EQ(verdict.kind, Outcome::kFail) << cut;
    ASSERT_TRUE(verdict.first_failure.has_value());
    EXPECT_EQ(verdict.first_failure->instruction, "a");
    EXPECT_EQ(verdict.first_failure->index, std::vector<int64_t>{3});
    EXPECT_EQ(verdict.first_failure->rule, "correctly-rounded");
    EXPECT_TRUE(verdict.localisation.in_piece);
    EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("wrong in isolation, on the inputs: a"));
    EXPECT_THAT(verdict.localisation.piece,
                AllOf(HasSubstr("HloModule m_piece"), HasSubstr("run on these operands")));
  }
}

TEST(PiecesTest, ARightEngineStaysRight) {
  Subject subject(kHidden);
  InjectingBackend right({"none", 0, 0});
  for (int64_t cut : {0, 1, 2, 100}) {
    reports::Verdict verdict = subject.Diff(right, cut);
    EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
    EXPECT_FALSE(verdict.first_failure.has_value());
  }
  EXPECT_THAT(reports::ReasonText(subject.Diff(right, 1)), HasSubstr("5 pieces judged"));
}

// The outputs judge `a` and `d`, which read arguments, and `n`, whose set has one value; these are
// not run again. The other pieces are run: `s` reads the bits of `a`, tanh hides `h`, and `m` is
// not an output.
TEST(PiecesTest, AcceptedOutputsAreNotRunAgain) {
  Subject subject(R"(ENTRY e {
    p = f32[8] parameter(0)
    q = f32[8] parameter(1)
    r = s32[8] parameter(2)
    a = f32[8] add(p, q)
    d = f32[8] divide(p, q)
    s = f32[8] subtract(a, p)
    h = f32[8] multiply(q, q)
    k = f32[8] tanh(h)
    m = s32[8] multiply(r, r)
    n = s32[8] negate(m)
    ROOT t = (f32[8], f32[8], f32[8], f32[8], s32[8]) tuple(a, d, s, k, n)
  })");
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = subject.Diff(right, 1);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << reports::ReasonText(verdict);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("7 pieces judged"));
  EXPECT_EQ(right.loads, 1 + 4);  // s, h, k, m
  for (const char* wrong_one : {"a", "d", "s", "h", "k", "m", "n"}) {
    InjectingBackend wrong({wrong_one, 3, 64});
    verdict = subject.Diff(wrong, 1);
    EXPECT_EQ(verdict.kind, Outcome::kFail) << wrong_one;
    ASSERT_TRUE(verdict.first_failure.has_value()) << wrong_one;
    EXPECT_EQ(verdict.first_failure->instruction, wrong_one);
  }
}

// Except for roundings, `d` is zero, so only the quotient is inconclusive. Only its piece is cut
// into smaller pieces.
TEST(PiecesTest, OnlyAnInconclusivePieceIsCutSmaller) {
  Subject subject(R"(ENTRY e {
    p = f32[8] parameter(0)
    w = f32[8,8] parameter(1)
    v = f32[8] dot(p, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    c = f32[8] cosine(v)
    a = f32[8] add(c, p)
    b = f32[8] subtract(a, c)
    d = f32[8] subtract(b, p)
    q = f32[8] divide(p, d)
    ROOT t = f32[8] tanh(q)
  })");
  subject.options.checkpoints = true;
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = subject.Diff(right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << reports::ReasonText(verdict);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("pieces judged"));
  EXPECT_GT(verdict.bits_checked_mean, 20);
  EXPECT_THAT(reports::CheckedText(verdict), HasSubstr("24 of 24")) << "bits of the pieces";
  for (const char* wrong_one : {"v", "b", "d", "q"}) {
    InjectingBackend wrong({wrong_one, 3, 1 << 16});
    verdict = subject.Diff(wrong, 0);
    EXPECT_EQ(verdict.kind, Outcome::kFail) << wrong_one;
    ASSERT_TRUE(verdict.first_failure.has_value()) << wrong_one;
    EXPECT_EQ(verdict.first_failure->instruction, wrong_one);
  }
}

// The carry starts as a broadcast constant, which the piece of the loop copies.
TEST(PiecesTest, ALoopWithCopiedOperandsIsCutInBlocks) {
  Subject subject(R"(c { t = (s32[], f32[4], f32[4,4]) parameter(0)
    i = s32[] get-tuple-element(t), index=0 n = s32[] constant(120)
    ROOT r = pred[] compare(i, n), direction=LT }
  b { t = (s32[], f32[4], f32[4,4]) parameter(0) i = s32[] get-tuple-element(t), index=0
    x = f32[4] get-tuple-element(t), index=1 m = f32[4,4] get-tuple-element(t), index=2
    o = s32[] constant(1) j = s32[] add(i, o)
    d = f32[4] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    y = f32[4] sine(d) ROOT s = (s32[], f32[4], f32[4,4]) tuple(j, y, m) }
  ENTRY e { m = f32[4,4] parameter(0) h = f32[] constant(0.3) x = f32[4] broadcast(h)
    z = s32[] constant(0) t = (s32[], f32[4], f32[4,4]) tuple(z, x, m)
    w = (s32[], f32[4], f32[4,4]) while(t), condition=c, body=b
    ROOT r = f32[4] get-tuple-element(w), index=1 })");
  subject.options.checkpoints = true;
  Literal& data = subject.request.arguments[0][0];
  for (int64_t i = 0; i < 16; ++i) data.mutable_data<float>()[i] = i % 5 == 0 ? 2.5F : -1.5F;
  InjectingBackend right({"none", 0, 0});
  const reports::Verdict verdict = subject.Diff(right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << reports::ReasonText(verdict);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("decided by judging pieces"));
}

// Eight sums of 4,096 terms of about 1.5 that cancel except for 64 times `rest`. The error bound,
// which holds for any order of additions, exceeds the sums, so every cut leaves them inconclusive.
Subject CancellingSums(float rest) {
  Subject subject(R"(add { x = f32[] parameter(0) y = f32[] parameter(1)
    ROOT sum = f32[] add(x, y) }
  f {
    p = f32[8,4096] parameter(0)
    z = f32[] constant(0)
    ROOT s = f32[8] reduce(p, z), dimensions={1}, to_apply=add
  }
  ENTRY e {
    q = f32[8,4096] parameter(0)
    w = f32[8] call(q), to_apply=f
    c = f32[8] cosine(w)
    ROOT r = f32[8] power(w, c)
  })");
  subject.options.checkpoints = true;
  subject.options.suspect = DiffOptions::Suspect::kWhereInconclusive;
  Literal& data = subject.request.arguments[0][0];
  for (int64_t i = 0; i < data.element_count(); ++i) {
    const float half = 1 + static_cast<float>(i / 2 % 997) / 997;
    data.mutable_data<float>()[i] = i % 2 == 0 ? half : i % 64 == 1 ? rest - half : -half;
  }
  return subject;
}

// The wrong value is far inside the error bound, but many standard deviations from the exact value,
// so it fails the statistical tests. The correct sums pass because they agree to a quarter of a
// term. The call that contains the sum does not count as another inconclusive piece.
TEST(PiecesTest, AnInconclusivePieceIsTested) {
  Subject subject = CancellingSums(0.001F);
  InjectingBackend right({"none", 0, 0});
  EXPECT_EQ(subject.Diff(right, 1).kind, Outcome::kProbable) << "--cut omits no test";
  reports::Verdict verdict = subject.Diff(right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kProbable) << reports::ReasonText(verdict);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr(", 1 inconclusive (w: s) (probable by"));
  ASSERT_TRUE(verdict.statistical.has_value());
  EXPECT_EQ(verdict.statistical->test, "terms");
  EXPECT_EQ(verdict.statistical->by_terms, 1);
  InjectingBackend wrong({"s", 3, 3 << 23});  // makes s 8 times as large
  verdict = subject.Diff(wrong, 0);
  EXPECT_EQ(verdict.kind, Outcome::kSuspect) << reports::ReasonText(verdict);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("engine computed: w: s"));
  subject.options.suspect = DiffOptions::Suspect::kNot;
  EXPECT_EQ(subject.Diff(wrong, 0).kind, Outcome::kInconclusive);
}

// Both wrong sums are inside the bound: one lacks a term, one has partial sums in TF32.
TEST(PiecesTest, APieceWhoseSumsAgreeByTermsIsProbable) {
  Subject subject = CancellingSums(0.05F);
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = subject.Diff(right, 0);
  EXPECT_EQ(verdict.kind, Outcome::kProbable) << reports::ReasonText(verdict);
  EXPECT_EQ(reports::ExitStatusOf(verdict), 1);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("(w: s) (probable by statistical tests: 1)"));
  ASSERT_TRUE(verdict.statistical.has_value());
  EXPECT_EQ(verdict.statistical->proven, verdict.statistical->pieces - 1);
  EXPECT_EQ(verdict.statistical->by_terms, 1);
  float sum = 0, dropped = 0, coarse = 0;
  for (const float term : subject.request.arguments[0][0].data<float>().subspan(3 * 4096, 4096)) {
    dropped = sum == 0 ? 0 : dropped + term;
    sum += term;
    coarse = absl::bit_cast<float>((absl::bit_cast<uint32_t>(coarse + term) + 0x1000) & 0xffffe000);
  }
  for (const float value : {dropped, coarse}) {
    InjectingBackend wrong({"s", 3, absl::bit_cast<int32_t>(value) - absl::bit_cast<int32_t>(sum)});
    verdict = subject.Diff(wrong, 0);
    EXPECT_EQ(verdict.kind, Outcome::kSuspect) << value << ": " << reports::ReasonText(verdict);
  }
  subject.options.suspect = DiffOptions::Suspect::kNot;
  EXPECT_EQ(subject.Diff(right, 0).kind, Outcome::kInconclusive);
}

TEST(PiecesTest, AFailureOfTheOutputsNamesTheInstruction) {
  Subject subject(kHidden);
  InjectingBackend wrong({"m", 5, 1 << 20});
  reports::Verdict verdict = subject.Diff(wrong, 0);
  EXPECT_EQ(verdict.kind, Outcome::kFail);
  ASSERT_TRUE(verdict.first_failure.has_value());
  EXPECT_EQ(verdict.first_failure->instruction, "m");
  EXPECT_EQ(verdict.first_failure->output, 0);
  EXPECT_FALSE(verdict.localisation.in_piece);
  EXPECT_THAT(reports::ReasonText(verdict),
              HasSubstr("wrong in isolation, on operands that the engine computed: m"));
}

TEST(PiecesTest, WithoutBlameNothingIsRunAgain) {
  Subject subject(kHidden);
  subject.options.blame = false;
  InjectingBackend wrong({"m", 5, 1 << 20});
  EXPECT_EQ(subject.Diff(wrong, 0).kind, Outcome::kFail);
  EXPECT_EQ(wrong.loads, 1);
}

TEST(PiecesTest, WrongOnlyTogether) {
  Subject subject(kHidden);
  InjectingBackend wrong({"m", 5, 1 << 20, {"a", "m"}});
  for (int64_t cut : {0, 1, 4}) {
    reports::Verdict verdict = subject.Diff(wrong, cut);
    EXPECT_EQ(verdict.kind, Outcome::kFail);
    ASSERT_TRUE(verdict.first_failure.has_value());
    EXPECT_EQ(verdict.first_failure->instruction, "{a, m}") << cut;
    EXPECT_THAT(reports::ReasonText(verdict),
                HasSubstr("wrong only when compiled together: {a, m}"));
  }
}

TEST(PiecesTest, TheFewestThatAreWrongTogether) {
  Subject all(kHidden);
  InjectingBackend whole({"m", 5, 1 << 20, {"a", "m", "t", "n", "z"}});
  EXPECT_THAT(reports::ReasonText(all.Diff(whole, 0)),
              HasSubstr("compiled together: {a, m, t, n, z}"));
  // Two independent chains, of which one is wrong.
  Subject two(R"(ENTRY e {
    p = f32[8] parameter(0)
    q = f32[8] parameter(1)
    a = f32[8] add(p, p)
    b = f32[8] add(q, q)
    c = f32[8] multiply(a, p)
    d = f32[8] multiply(b, q)
    g = f32[8] subtract(c, p)
    ROOT t = (f32[8], f32[8]) tuple(g, d)
  })");
  InjectingBackend chain({"c", 5, 1 << 20, {"a", "c"}});
  EXPECT_THAT(reports::ReasonText(two.Diff(chain, 0)), HasSubstr("compiled together: {a, c}"));
}

TEST(PiecesTest, FailureThatDisappearsWhenCutIsNotLocalised) {
  Subject subject(kHidden);
  InjectingBackend wrong({"m", 5, 1 << 20});
  wrong.only_in = "m";  // a piece has another name
  reports::Verdict verdict = subject.Diff(wrong, 0);
  EXPECT_EQ(verdict.kind, Outcome::kFail);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("not localised"));
}

TEST(PiecesTest, AWrongConstantIsNamed) {
  Subject subject("ENTRY e { ROOT c = f32[2] constant({1, 2}) }");
  InjectingBackend wrong({"c", 0, 1 << 20});
  EXPECT_THAT(reports::ReasonText(subject.Diff(wrong, 0)),
              HasSubstr("wrong in isolation, on constants: c"));
}

TEST(PiecesTest, PiecesThatTheEngineCannotDoAreCounted) {
  Subject subject(kHidden);
  InjectingBackend partial({"none", 0, 0});
  DiffOptions options = subject.options;
  options.cut = 1;
  partial.refuse = "t";
  // The engine rejects the module itself, so there is nothing to cut.
  EXPECT_EQ(subject.Diff(partial, 1).kind, Outcome::kUnsupported);
  // The engine rejects only the piece; the piece that uses its value cannot run either.
  RunOutcome outcome = RunModule(*MakeInProcessBackend("reference").value(), *subject.module,
                                 options.load, subject.request);
  Differ differ(*subject.module, subject.request, options);
  reports::Verdict verdict = differ.DiffOutcome(outcome, partial);
  EXPECT_EQ(verdict.kind, Outcome::kPass);
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("2 pieces judged, 3 not run (no t)"));
}

constexpr char kLoop[] = R"(
  body { s = (f32[8], s32[]) parameter(0)
         x = f32[8] get-tuple-element(s), index=0
         i = s32[] get-tuple-element(s), index=1
         q = f32[8] multiply(x, x)
         y = f32[8] tanh(q)
         one = s32[] constant(1)
         j = s32[] add(i, one)
         ROOT r = (f32[8], s32[]) tuple(y, j) }
  condition { s = (f32[8], s32[]) parameter(0)
              i = s32[] get-tuple-element(s), index=1
              three = s32[] constant(3)
              ROOT l = pred[] compare(i, three), direction=LT }
  yes { p = f32[8] parameter(0)
        ROOT n = f32[8] negate(p) }
  no { p = f32[8] parameter(0)
       k = f32[8] multiply(p, p)
       ROOT o = f32[8] add(k, p) }
  called { p = f32[8] parameter(0)
           h = f32[8] sine(p)
           ROOT v = f32[8] multiply(h, p) }
  ENTRY e {
    p = f32[8] parameter(0)
    zero = s32[] constant(0)
    init = (f32[8], s32[]) tuple(p, zero)
    w = (f32[8], s32[]) while(init), condition=condition, body=body
    g = f32[8] get-tuple-element(w), index=0
    f = pred[] constant(false)
    c = f32[8] conditional(f, g, g), true_computation=yes, false_computation=no
    ROOT z = f32[8] call(c), to_apply=called
  })";

TEST(PiecesTest, LoopsBranchesAndCallsAreLookedInto) {
  struct Row {
    const char* instruction;
    const char* where;
  };
  for (const Row& row : {Row{"q", "w, trip 0: q"}, Row{"k", "c, branch 1: k"}, Row{"h", "z: h"}}) {
    Subject subject(kLoop);
    InjectingBackend wrong({row.instruction, 2, 64});
    reports::Verdict verdict = subject.Diff(wrong, 1);
    EXPECT_EQ(verdict.kind, Outcome::kFail) << row.instruction;
    ASSERT_TRUE(verdict.first_failure.has_value()) << row.instruction;
    EXPECT_EQ(verdict.first_failure->instruction, row.instruction);
    EXPECT_THAT(reports::ReasonText(verdict), HasSubstr(row.where));
  }
  Subject subject(kLoop);
  InjectingBackend right({"none", 0, 0});
  // The pieces are w, c, z in the entry; 4 conditions and 3 trips of q, y, j in the loop; k, o in
  // the branch; and h, v in the call.
  EXPECT_THAT(reports::ReasonText(subject.Diff(right, 1)), HasSubstr("20 pieces judged"));
}

TEST(PiecesTest, DevicesRunThePiecesTogether) {
  Subject subject(R"(
  add { x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT a = f32[] add(x, y) }
  ENTRY e {
    p = f32[4] parameter(0)
    t = f32[4] tanh(p)
    s = f32[4] all-reduce(t), replica_groups={}, to_apply=add
    n = f32[4] multiply(s, t)
    ROOT z = f32[4] exponential(n)
  })");
  subject.options.load.replicas = 2;
  subject.request.arguments.push_back(
      generators::GenerateArguments(ArgumentLeafShapes(*subject.module), 2));
  InjectingBackend right({"none", 0, 0});
  EXPECT_THAT(reports::ReasonText(subject.Diff(right, 1)), HasSubstr("4 pieces judged"));
  InjectingBackend wrong({"s", 1, 64});
  reports::Verdict verdict = subject.Diff(wrong, 1);
  ASSERT_TRUE(verdict.first_failure.has_value()) << verdict.reason;
  EXPECT_EQ(verdict.first_failure->instruction, "s");
}

TEST(PiecesTest, WhatIsNotCutKeepsItsVerdict) {
  Subject subject(R"(
  body { s = (f32[2], token[]) parameter(0)
         k = token[] get-tuple-element(s), index=1
         i = (f32[2], token[]) infeed(k)
         x = f32[2] get-tuple-element(i), index=0
         k2 = token[] get-tuple-element(i), index=1
         ROOT r = (f32[2], token[]) tuple(x, k2) }
  condition { s = (f32[2], token[]) parameter(0)
              x = f32[2] get-tuple-element(s), index=0
              f = f32[1] slice(x), slice={[0:1]}
              g = f32[] reshape(f)
              zero = f32[] constant(0)
              ROOT l = pred[] compare(g, zero), direction=LT }
  ENTRY e {
    k = token[] after-all()
    c = f32[2] constant({-1, -1})
    init = (f32[2], token[]) tuple(c, k)
    w = (f32[2], token[]) while(init), condition=condition, body=body
    x = f32[2] get-tuple-element(w), index=0
    ROOT z = f32[2] add(x, x)
  })");
  Literal fed(Shape(PrimitiveType::kF32, {2}));
  fed.mutable_data<float>()[0] = 3;
  subject.request.infeed = {{fed}};
  InjectingBackend right({"none", 0, 0});
  reports::Verdict verdict = subject.Diff(right, 1);
  EXPECT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
  EXPECT_THAT(reports::ReasonText(verdict), HasSubstr("not cut: w: infeed"));
}

// A module of 8 elementwise f32 instructions. A fault adds max(4 x bound, 1 ulp) to one element of
// one instruction. Of the faults that change an output bit, at least 25 % must be detected by
// outputs alone, 80 % with cuts every 2 operations, and 99 % with cuts at each instruction.
class Chain {
 public:
  explicit Chain(uint64_t seed) : random_(seed) {
    text_ = "ENTRY e {\n  p = f32[64] parameter(0)\n  q = f32[64] parameter(1)\n";
    std::string last = "p";
    for (int i = 0; i < 8; ++i) last = Step(i, last);
    text_ += "}\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string Step(int i, const std::string& last) {
    constexpr const char* kOps[] = {"add",  "subtract", "multiply",    "add",  "multiply", "divide",
                                    "tanh", "logistic", "exponential", "sine", "maximum",  "sqrt"};
    std::string name = absl::StrCat("i", i), op = kOps[random_.Below(12)];
    std::string other = random_.Below(2) ? "p" : "q";
    bool binary =
        op == "add" || op == "subtract" || op == "multiply" || op == "divide" || op == "maximum";
    text_ += absl::StrFormat("  %s%s = f32[64] %s(%s%s)\n", i == 7 ? "ROOT " : "", name, op, last,
                             binary ? ", " + other : "");
    return name;
  }
  generators::SplitMix64 random_;
  std::string text_;
};

struct Score {
  int changed = 0, outputs = 0, twos = 0, each = 0, named = 0;
  std::string missed;  // not found by cuts at each instruction
};

// Returns true if a value changed. NaN for NaN is no change, since its bits are free.
bool Changed(const Literal& clean, const Literal& dirty) {
  for (int64_t i = 0; i < clean.element_count(); ++i) {
    float a = clean.data<float>()[i], b = dirty.data<float>()[i];
    if (a != b && !(std::isnan(a) && std::isnan(b))) return true;
  }
  return false;
}

void Inject(uint64_t seed, const Instruction& at, Subject& subject, Score& score) {
  Rule rule = RuleFor(at.opcode(), PrimitiveType::kF32, Profile::kDefault);
  double bound = std::max<double>(rule.ulps, rule.big_ulps);
  Injection injection{at.name(), static_cast<int64_t>(seed % 64),
                      static_cast<int32_t>(std::max(4 * bound, 1.0))};
  InjectingBackend wrong(injection);
  auto reference = MakeInProcessBackend("reference").value();
  RunOutcome clean = RunModule(*reference, *subject.module, {}, subject.request);
  RunOutcome dirty = RunModule(wrong, *subject.module, {}, subject.request);
  ASSERT_TRUE(dirty.has_values()) << dirty.error.Text();
  if (!Changed(clean.result.outputs[0][0], dirty.result.outputs[0][0])) return;
  ++score.changed;
  subject.options.blame = false;
  score.outputs += subject.Diff(wrong, DiffOptions::kNoCut).kind == Outcome::kFail;
  score.twos += subject.Diff(wrong, 2).kind == Outcome::kFail;
  reports::Verdict each = subject.Diff(wrong, 1);
  score.each += each.kind == Outcome::kFail;
  if (each.kind != Outcome::kFail) {
    absl::StrAppend(&score.missed, OpcodeName(at.opcode()), " + ", injection.steps, " steps, ");
  }
  score.named += each.first_failure && each.first_failure->instruction == at.name();
}

TEST(PiecesTest, DepthEightInjections) {
  Score score;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Chain chain(seed);
    Subject subject(chain.text(), seed);
    for (const auto& instruction : subject.module->entry()->instructions()) {
      if (instruction->opcode() == Opcode::kParameter) continue;
      Inject(seed * 31 + instruction->index() * 7, *instruction, subject, score);
    }
  }
  std::printf("changed %d: found by outputs %d, cuts every 2 %d, each instruction %d (named %d)\n",
              score.changed, score.outputs, score.twos, score.each, score.named);
  EXPECT_GE(score.changed, 40);
  EXPECT_GE(score.outputs, 0.25 * score.changed);
  EXPECT_GE(score.twos, 0.80 * score.changed);
  EXPECT_GE(score.each, 0.99 * score.changed) << "missed " << score.missed;
  EXPECT_EQ(score.named, score.each);
}

}  // namespace
}  // namespace hlocts::backends
