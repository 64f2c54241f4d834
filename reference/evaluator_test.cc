// SPDX-License-Identifier: Apache-2.0
// Tests the interpreter: control flow, budgets, call depth and lifetimes of values.
#include "reference/evaluator.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "reference/recognized.h"
#include "reference/scalar_function.h"
#include "reference/testing/module_runner.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

// Returns a module whose loop adds 1 to a counter `trips` times and doubles an array of `shape`.
std::string CountingLoop(const std::string& trips, const std::string& shape) {
  return absl::StrCat(
      "HloModule m\n", "c { t = (s32[], ", shape,
      ") parameter(0) i = s32[] get-tuple-element(t), index=0 n = s32[] constant(", trips,
      ") ROOT r = pred[] compare(i, n), direction=LT }\n", "b { t = (s32[], ", shape,
      ") parameter(0) i = s32[] get-tuple-element(t), index=0 x = ", shape,
      " get-tuple-element(t), index=1 one = s32[] constant(1) j = s32[] add(i, one) y = ", shape,
      " add(x, x) ROOT r = (s32[], ", shape, ") tuple(j, y) }\n",
      "ENTRY e { z = s32[] constant(0) x = ", shape, " parameter(0) t = (s32[], ", shape,
      ") tuple(z, x) ROOT w = (s32[], ", shape, ") while(t), condition=c, body=b }");
}

TEST(EvaluatorTest, LoopsWithoutEndRunOutOfSteps) {
  EvalOptions options;
  options.steps_max = 1000;
  for (const char* shape : {"f32[]", "f32[2]"}) {
    Literal x = Literal(MustLiteral(shape == std::string("f32[]") ? "f32[] 1" : "f32[2] {1, 1}"));
    EXPECT_TRUE(RunText(CountingLoop("1000", shape), {x}, options).ok());
    EXPECT_EQ(RunText(CountingLoop("1001", shape), {x}, options).status().code(),
              absl::StatusCode::kDeadlineExceeded);
  }
}

TEST(EvaluatorTest, ArgumentsAreNotChanged) {
  Literal x = MustLiteral("f32[3] {1, 2, 3}");
  ASSERT_TRUE(RunText(CountingLoop("5", "f32[3]"), {x}).ok());
  absl::StatusOr<Literal> result = RunText(
      "HloModule m\nENTRY e { p = f32[3] parameter(0)\n a = f32[3] add(p, p)\n ROOT r = f32[3] "
      "negate(a) }",
      {x});
  EXPECT_EQ(Text(x), Leaves({"f32[3] {1, 2, 3}"}));
}

TEST(EvaluatorTest, UnsupportedMattersOnlyWhereItIsExecuted) {
  const char* text = R"(HloModule m
bad { x = f32[] parameter(0) ROOT r = f32[] custom-call(x), custom_call_target="no_such_target" }
good { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
ENTRY e { p = pred[] parameter(0) x = f32[] constant(1)
  dead = f32[] custom-call(x), custom_call_target="no_such_target"
  ROOT r = f32[] conditional(p, x, x), true_computation=bad, false_computation=good })";
  absl::Status status = RunText(text, {MustLiteral("pred[] true")}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(status.message()).find("no_such_target"), std::string::npos) << status;
}

// Returns a module in which f0 negates and each f_i calls f_{i-1}.
std::string Nested(int64_t depth, const std::string& shape) {
  std::string text = absl::StrCat("HloModule m\nf0 { x = ", shape, " parameter(0) ROOT r = ", shape,
                                  " negate(x) }\n");
  for (int64_t i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "f", i, " { x = ", shape, " parameter(0) ROOT r = ", shape,
                    " call(x), to_apply=f", i - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { x = ", shape, " parameter(0) ROOT r = ", shape,
                      " call(x), to_apply=f", depth - 1, " }");
}

TEST(EvaluatorTest, DeepNestingHasAResultOrAClearError) {
  for (int64_t depth : {1, 40, 1000, 10000}) {
    EXPECT_EQ(Text(RunText(Nested(depth, "f32[2]"), {MustLiteral("f32[2] {1, 2}")})),
              Leaves({"f32[2] {-1, -2}"}))
        << depth;
  }
  EXPECT_EQ(RunText(Nested(17000, "f32[2]"), {MustLiteral("f32[2] {1, 2}")}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(EvaluatorTest, MemoryIsRefusedBeforeItIsTaken) {
  const char* huge =
      "HloModule m\nENTRY e { z = f32[] constant(0)\n b = f32[2147483648,1000] broadcast(z), "
      "dimensions={}\n ROOT s = f32[1,1] slice(b), slice={[0:1], [0:1]} }";
  absl::Status status = RunText(huge).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(std::string(status.message()).find("b: memory budget"), std::string::npos) << status;
  EvalOptions options;
  options.memory_bytes_max = 10 << 20;
  std::string chain =
      "HloModule m\nENTRY e { z = f32[] parameter(0)\n b0 = f32[1048576] broadcast(z), "
      "dimensions={}\n";
  for (int i = 1; i < 50; ++i)
    absl::StrAppend(&chain, " b", i, " = f32[1048576] reverse(b", i - 1, "), dimensions={0}\n");
  // Only two of the 50 arrays of 4 MB are alive at a time: the others are freed.
  EXPECT_TRUE(RunText(chain + " ROOT r = f32[1] slice(b49), slice={[0:1]} }",
                      {MustLiteral("f32[] 1")}, options)
                  .ok());
  // The tuple keeps all arrays alive, which exceeds the budget.
  EXPECT_EQ(
      RunText(chain + " ROOT r = (f32[1048576], f32[1048576], f32[1048576]) tuple(b0, b20, b49) }",
              {MustLiteral("f32[] 1")}, options)
          .status()
          .code(),
      absl::StatusCode::kResourceExhausted);
}

TEST(EvaluatorTest, NothingStaysAlive) {
  int64_t before = Literal::LiveBytes();
  {
    absl::StatusOr<Literal> result =
        RunText(CountingLoop("7", "f32[1000]"), {Literal(Shape(PrimitiveType::kF32, {1000}))});
    ASSERT_TRUE(result.ok());
  }
  EXPECT_EQ(Literal::LiveBytes(), before);
}

TEST(EvaluatorTest, BadArguments) {
  const char* text =
      "HloModule m\nENTRY e { p = (f32[2], s32[]) parameter(0)\n ROOT r = f32[2] "
      "get-tuple-element(p), index=0 }";
  EXPECT_EQ(RunText(text).status().code(), absl::StatusCode::kInvalidArgument);
  Literal wrong = Literal::Tuple({MustLiteral("f32[3] {1, 2, 3}"), MustLiteral("s32[] 1")});
  absl::Status status = RunText(text, {wrong}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("argument 0: expected f32[2], found f32[3]"),
            std::string::npos)
      << status;
}

TEST(EvaluatorTest, TuplesOfTenThousandLeaves) {
  std::string text = "HloModule m\nENTRY e { x = f32[] parameter(0)\n ROOT r = (f32[]",
              operands = "x";
  for (int i = 1; i < 10000; ++i) text += ", f32[]", operands += ", x";
  absl::StatusOr<Literal> result =
      RunText(absl::StrCat(text, ") tuple(", operands, ") }"), {MustLiteral("f32[] 3")});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(FlattenLeaves(*result).size(), 10000u);
}

TEST(ScalarFunctionTest, InlinesCallsAndFlattensTuples) {
  std::unique_ptr<Module> module = MustParse(R"(HloModule m
square { x = f32[] parameter(0) ROOT r = f32[] multiply(x, x) }
ENTRY e {
  t = (f32[], s32[]) parameter(0)
  y = f32[] parameter(1)
  x = f32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  s = f32[] call(x), to_apply=square
  three = f32[] constant(3)
  a = f32[] add(s, three)
  m = f32[] maximum(a, y)
  k = s32[] negate(n)
  inner = (s32[], f32[]) tuple(k, x)
  ROOT r = (f32[], (s32[], f32[])) tuple(m, inner)
})");
  absl::StatusOr<std::unique_ptr<ScalarFunction>> function =
      ScalarFunction::Compile(*module->entry());
  ASSERT_TRUE(function.ok() && *function);
  ASSERT_EQ((*function)->argument_count(), 3);
  ASSERT_EQ((*function)->result_count(), 3);
  Slot slots[3];
  slots[0].Set<float>(2), slots[1].Set<int32_t>(5), slots[2].Set<float>(-1);
  (*function)->Run(slots, slots);
  EXPECT_EQ(slots[0].Get<float>(), 7);
  EXPECT_EQ(slots[1].Get<int32_t>(), -5);
  EXPECT_EQ(slots[2].Get<float>(), 2);
  // RunBatch yields the results of single runs, even if results overwrite arguments.
  std::vector<float> x(700), y(700, 10);
  std::vector<int32_t> n(700);
  for (int i = 0; i < 700; ++i) x[i] = static_cast<float>(i), n[i] = i;
  std::vector<float> first(700), third(700);
  (*function)->RunBatch({x.data(), n.data(), y.data()}, {first.data(), n.data(), third.data()},
                        700);
  for (int i = 0; i < 700; ++i) {
    EXPECT_EQ(first[i], std::max(static_cast<float>(i * i + 3), 10.0f));
    EXPECT_EQ(n[i], -i);
    EXPECT_EQ(third[i], static_cast<float>(i));
  }
}

TEST(ScalarFunctionTest, ReadsTheBitsOfAScalar) {
  std::unique_ptr<Module> module = MustParse(R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  bits = s32[] bitcast(x)
  one = s32[] constant(1)
  next = s32[] add(bits, one)
  above = f32[]{:T(128)} bitcast(next)
  ROOT r = (s32[], f32[]) tuple(bits, above)
})");
  absl::StatusOr<std::unique_ptr<ScalarFunction>> function =
      ScalarFunction::Compile(*module->entry());
  ASSERT_TRUE(function.ok() && *function);
  Slot argument, results[2];
  argument.Set<float>(-2);
  (*function)->Run(&argument, results);
  EXPECT_EQ(results[0].Get<int32_t>(), static_cast<int32_t>(0xc0000000));
  EXPECT_EQ(results[1].Get<uint32_t>(), 0xc0000001u);
  // A bitcast of narrow integers changes the bytes in which they are stored.
  module = MustParse("HloModule m\nENTRY e { x = s4[] parameter(0) ROOT r = u4[] bitcast(x) }");
  function = ScalarFunction::Compile(*module->entry());
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(*function, nullptr);
}

TEST(ScalarFunctionTest, LeavesOtherCodeAlone) {
  std::unique_ptr<Module> module =
      MustParse("HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] negate(x) }");
  absl::StatusOr<std::unique_ptr<ScalarFunction>> function =
      ScalarFunction::Compile(*module->entry());
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(*function, nullptr);
}

TEST(ScalarFunctionTest, DoublingCallsDoNotExplode) {
  std::string text = "HloModule m\nf0 { x = f32[] parameter(0) ROOT r = f32[] negate(x) }\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&text, "f", i, " { x = f32[] parameter(0) a = f32[] call(x), to_apply=f", i - 1,
                    " b = f32[] call(x), to_apply=f", i - 1, " ROOT r = f32[] add(a, b) }\n");
  }
  std::unique_ptr<Module> module =
      MustParse(text + "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=f59 }");
  absl::StatusOr<std::unique_ptr<ScalarFunction>> function =
      ScalarFunction::Compile(*module->entry());
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(*function, nullptr);
}

RecognizedReducer RecognizedOf(const std::string& body) {
  return Recognize(
      *MustParse(
           "HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] " +
           body + " }")
           ->entry());
}

TEST(RecognizeTest, OneOperationOfBothParameters) {
  EXPECT_EQ(RecognizedOf("add(b, a)"), RecognizedReducer::kAdd);
  EXPECT_EQ(RecognizedOf("maximum(a, b)"), RecognizedReducer::kMaximum);
  EXPECT_EQ(RecognizedOf("add(a, a)"), RecognizedReducer::kNone);
  EXPECT_EQ(RecognizedOf("subtract(a, b)"), RecognizedReducer::kNone);
}

// Tests that two adjacent roundings of doubles to f32 are both kept. g++ 12 vectorises them
// (-ftree-slp-vectorize, on from -O2) and then removes V2DF -> V2SF -> V2DF as if it changed
// nothing. All targets, including this one, are compiled without that option (ci/libraries.cmake).

[[gnu::noinline]] void RoundTwoSums(const double* x, const double* y, double* rounded) {
  const double first = static_cast<float>(x[0] + y[0]), second = static_cast<float>(x[1] + y[1]);
  rounded[0] = first;
  rounded[1] = second;
}

TEST(TwoRoundingsTest, NeighboursAreBothRounded) {
  volatile double tenth = 0.1;  // volatile: the compiler must not compute the sums
  const double x[2] = {tenth, 3 * tenth}, y[2] = {2 * tenth, 4 * tenth};
  double rounded[2];
  RoundTwoSums(x, y, rounded);
  EXPECT_EQ(rounded[0], 0x1.333334p-2);
  EXPECT_EQ(rounded[1], 0x1.666666p-1);
}

}  // namespace
}  // namespace hlocts::reference
