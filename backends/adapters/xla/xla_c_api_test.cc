// SPDX-License-Identifier: Apache-2.0
// Tests of the C interface of libhlocts_xla.so: parser, printer, verifier, HloEvaluator.
#include "backends/adapters/xla/xla_c_api.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace hlocts::xla_test {
namespace {

using ::testing::HasSubstr;

void* Symbol(const char* name) {
  static void* library = dlopen(HLOCTS_XLA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, name);
  EXPECT_NE(symbol, nullptr) << dlerror();
  return symbol;
}
#define XLA(name) reinterpret_cast<decltype(&::hlocts_xla_##name)>(Symbol("hlocts_xla_" #name))

// Encoders for the part of protocol buffers' wire format that the tests use.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Field(int number, uint64_t value) { return Varint(number << 3) + Varint(value); }

std::string Field(int number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}

hlocts_xla_view View(const std::string& bytes) { return {bytes.data(), bytes.size()}; }

std::string Take(hlocts_xla_bytes* bytes) {
  std::string taken(bytes->data == nullptr ? "" : bytes->data, bytes->size);
  XLA(free)(bytes);
  return taken;
}

// Returns the serialized HloModuleProto of HLO text; the test fails if the text does not parse.
std::string Proto(const std::string& text) {
  hlocts_xla_bytes module, error;
  const auto status = XLA(parse_text)(View(text), &module, &error);
  EXPECT_EQ(status, HLOCTS_XLA_OK) << Take(&error) << "\n" << text;
  return Take(&module);
}

std::string Print(const std::string& proto, int print) {
  hlocts_xla_bytes text, error;
  EXPECT_EQ(XLA(print_text)(View(proto), print, &text, &error), HLOCTS_XLA_OK);
  EXPECT_EQ(Take(&error), "");
  return Take(&text);
}

hlocts_xla_status Verify(const std::string& module, int format, std::string* error) {
  hlocts_xla_bytes bytes;
  const hlocts_xla_status status = XLA(verify)(View(module), format, &bytes);
  *error = Take(&bytes);
  return status;
}

// LiteralProto and ShapeProto, encoded by hand. Fields of a literal: shape 1, s32s 4, f32s 8,
// tuple_literals 10. Fields of a shape: element_type 2, dimensions 3.
constexpr int kS32 = 4, kF32 = 11, kTuple = 13;

std::string Shape(int type, const std::vector<int64_t>& dims) {
  std::string sizes;
  for (int64_t size : dims) sizes += Varint(size);
  return Field(2, static_cast<uint64_t>(type)) + (sizes.empty() ? "" : Field(3, sizes));
}

std::string F32Literal(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return Field(1, Shape(kF32, dims)) + Field(8, bytes);
}

std::string S32Literal(const std::vector<int64_t>& dims, const std::vector<int32_t>& values) {
  std::string bytes;
  for (int32_t value : values) bytes += Varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
  return Field(1, Shape(kS32, dims)) + Field(4, bytes);
}

std::string TupleLiteral(const std::vector<std::string>& shapes,
                         const std::vector<std::string>& literals) {
  std::string shape = Field(2, static_cast<uint64_t>(kTuple));
  for (const std::string& piece : shapes) shape += Field(4, piece);
  std::string bytes = Field(1, shape);
  for (const std::string& piece : literals) bytes += Field(10, piece);
  return bytes;
}

// Returns the payloads of all fields with number `number` in a message, in order.
std::vector<std::string> FieldsOf(const std::string& message, int number) {
  std::vector<std::string> found;
  size_t at = 0;
  auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = message[at++];
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const uint64_t tag = varint();
    const uint64_t value = varint();
    if ((tag & 7) != 2) continue;
    if (tag >> 3 == static_cast<uint64_t>(number)) found.push_back(message.substr(at, value));
    at += value;
  }
  return found;
}

std::vector<float> FloatsOf(const std::string& literal) {
  std::string bytes;
  for (const std::string& part : FieldsOf(literal, 8)) bytes += part;
  std::vector<float> values(bytes.size() / sizeof(float));
  memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

struct Evaluation {
  hlocts_xla_status status;
  std::string result, error;
};

Evaluation Evaluate(const std::string& text, const std::vector<std::string>& arguments,
                    const hlocts_xla_evaluate_options* options = nullptr) {
  const std::string proto = Proto(text);
  std::vector<hlocts_xla_view> views;
  for (const std::string& argument : arguments) views.push_back(View(argument));
  hlocts_xla_bytes result, error;
  Evaluation evaluation;
  evaluation.status =
      XLA(evaluate)(View(proto), views.data(), views.size(), options, &result, &error);
  evaluation.result = Take(&result);
  evaluation.error = Take(&error);
  return evaluation;
}

constexpr char kNegate[] = R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  ROOT r = f32[3] negate(x)
})";

TEST(Version, NamesTheWheel) {
  EXPECT_EQ(XLA(c_api_version)(), HLOCTS_XLA_C_API_VERSION);
  EXPECT_THAT(XLA(version)(), HasSubstr("tensorflow-cpu"));
}

TEST(Text, GoesToProtoAndBack) {
  const std::string proto = Proto(kNegate);
  EXPECT_THAT(Print(proto, HLOCTS_XLA_PRINT_DEFAULT), HasSubstr("negate"));
  EXPECT_THAT(Print(proto, HLOCTS_XLA_PRINT_SHORT), HasSubstr("negate"));
  EXPECT_THAT(Print(proto, HLOCTS_XLA_PRINT_CANONICAL), HasSubstr("negate"));
  // Parsing and printing the text again yields the same text.
  const std::string text = Print(proto, HLOCTS_XLA_PRINT_DEFAULT);
  EXPECT_EQ(Print(Proto(text), HLOCTS_XLA_PRINT_DEFAULT), text);
}

TEST(Text, LargeConstantsArePrintedOnRequestOnly) {
  std::string values = "0";
  for (int i = 1; i < 20; ++i) values += ", " + std::to_string(i);
  const std::string proto =
      Proto("HloModule m\nENTRY e { ROOT c = s32[20] constant({" + values + "}) }");
  EXPECT_THAT(Print(proto, HLOCTS_XLA_PRINT_DEFAULT), HasSubstr("{...}"));
  EXPECT_THAT(Print(proto, HLOCTS_XLA_PRINT_DEFAULT | HLOCTS_XLA_PRINT_LARGE_CONSTANTS),
              HasSubstr("18, 19"));
}

TEST(Text, ErrorsNameLocation) {
  hlocts_xla_bytes module, error;
  const std::string text = "HloModule m\nENTRY e { ROOT r = f32[2] negate(undefined_name) }";
  EXPECT_EQ(XLA(parse_text)(View(text), &module, &error), HLOCTS_XLA_PARSE_ERROR);
  EXPECT_THAT(Take(&error), HasSubstr("undefined_name"));
  EXPECT_EQ(module.data, nullptr);
  const std::string rubbish = "rubbish";
  EXPECT_EQ(XLA(print_text)(View(rubbish), 0, nullptr, &error), HLOCTS_XLA_PARSE_ERROR);
  EXPECT_THAT(Take(&error), HasSubstr("HloModuleProto"));
  EXPECT_EQ(XLA(print_text)(View(rubbish), 99, nullptr, &error), HLOCTS_XLA_ARGUMENT_ERROR);
  EXPECT_THAT(Take(&error), HasSubstr("99"));
}

TEST(Verifier, TellsParseErrorsFromInvalidModules) {
  std::string error;
  EXPECT_EQ(Verify(kNegate, HLOCTS_XLA_TEXT, &error), HLOCTS_XLA_OK);
  EXPECT_EQ(error, "");
  EXPECT_EQ(Verify(Proto(kNegate), HLOCTS_XLA_PROTO, &error), HLOCTS_XLA_OK);
  EXPECT_EQ(Verify("HloModule m ENTRY", HLOCTS_XLA_TEXT, &error), HLOCTS_XLA_PARSE_ERROR);
  EXPECT_NE(error, "");
  const std::string wrong_shape = R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[3] concatenate(x, y), dimensions={0}
})";
  EXPECT_EQ(Verify(wrong_shape, HLOCTS_XLA_TEXT, &error), HLOCTS_XLA_VERIFY_ERROR);
  EXPECT_THAT(error, HasSubstr("concatenate"));
  EXPECT_EQ(Verify(kNegate, 7, &error), HLOCTS_XLA_ARGUMENT_ERROR);
}

TEST(Evaluator, ComputesAndReturnsALiteral) {
  const Evaluation evaluation = Evaluate(kNegate, {F32Literal({3}, {1, -2, 0})});
  ASSERT_EQ(evaluation.status, HLOCTS_XLA_OK) << evaluation.error;
  EXPECT_EQ(FloatsOf(evaluation.result), (std::vector<float>{-1, 2, -0.0f}));
}

TEST(Evaluator, TuplesComeWholeOrAsLeavesAndGoNested) {
  const std::string text = R"(HloModule m
ENTRY e {
  p = (f32[2], (f32[])) parameter(0)
  q = f32[] parameter(1)
  a = f32[2] get-tuple-element(p), index=0
  inner = (f32[]) get-tuple-element(p), index=1
  b = f32[] get-tuple-element(inner), index=0
  s = f32[] add(b, q)
  t = (f32[], f32[2]) tuple(s, a)
  ROOT r = (f32[], (f32[], f32[2])) tuple(b, t)
})";
  const std::string a = F32Literal({2}, {1, 2}), b = F32Literal({}, {3}), q = F32Literal({}, {4});
  const std::string inner_shape =
      Field(2, static_cast<uint64_t>(kTuple)) + Field(4, Shape(kF32, {}));
  const std::string whole =
      TupleLiteral({Shape(kF32, {2}), inner_shape}, {a, TupleLiteral({Shape(kF32, {})}, {b})});
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{a, b, q}, std::vector<std::string>{whole, q}}) {
    const Evaluation evaluation = Evaluate(text, arguments);
    ASSERT_EQ(evaluation.status, HLOCTS_XLA_OK) << evaluation.error;
    const std::vector<std::string> outer = FieldsOf(evaluation.result, 10);
    ASSERT_EQ(outer.size(), 2u);
    EXPECT_EQ(FloatsOf(outer[0]), (std::vector<float>{3}));
    const std::vector<std::string> inner = FieldsOf(outer[1], 10);
    ASSERT_EQ(inner.size(), 2u);
    EXPECT_EQ(FloatsOf(inner[0]), (std::vector<float>{7}));
    EXPECT_EQ(FloatsOf(inner[1]), (std::vector<float>{1, 2}));
  }
}

TEST(Evaluator, DynamicDimensionsTravelAtTheirSize) {
  const Evaluation cut = Evaluate(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  n = s32[] parameter(1)
  ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}
})",
                                  {F32Literal({4}, {1, 2, 3, 4}), S32Literal({}, {3})});
  ASSERT_EQ(cut.status, HLOCTS_XLA_OK) << cut.error;
  EXPECT_EQ(FloatsOf(cut.result), (std::vector<float>{1, 2, 3}));
  const std::string size_of = R"(HloModule m
ENTRY e {
  x = f32[<=4] parameter(0)
  n = s32[] get-dimension-size(x), dimensions={0}
  ROOT r = f32[] convert(n)
})";
  const Evaluation size = Evaluate(size_of, {F32Literal({2}, {1, 2})});
  ASSERT_EQ(size.status, HLOCTS_XLA_OK) << size.error;
  // The dynamic array is the operand of an operation that ignores sizes and of one that must not
  // read the padding.
  const Evaluation through = Evaluate(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[<=4] parameter(0)
  n = f32[<=4] exponential(x)
  zero = f32[] constant(0)
  total = f32[] reduce(n, zero), dimensions={0}, to_apply=sum
  ROOT r = (f32[<=4], f32[]) tuple(n, total)
})",
                                      {F32Literal({2}, {0, 0})});
  ASSERT_EQ(through.status, HLOCTS_XLA_OK) << through.error;
  const std::vector<std::string> pieces = FieldsOf(through.result, 10);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(FloatsOf(pieces[0]), (std::vector<float>{1, 1}));
  EXPECT_EQ(FloatsOf(pieces[1]), (std::vector<float>{2}));
  EXPECT_EQ(FloatsOf(size.result), (std::vector<float>{2}));
  EXPECT_EQ(Evaluate(size_of, {F32Literal({5}, {1, 2, 3, 4, 5})}).status,
            HLOCTS_XLA_ARGUMENT_ERROR);
}

constexpr char kLoop[] = R"(HloModule m
body {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  twice = f32[] add(x, x)
  ROOT r = (s32[], f32[]) tuple(next, twice)
}
condition {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ten = s32[] constant(10)
  ROOT r = pred[] compare(i, ten), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[]) tuple(zero, x)
  loop = (s32[], f32[]) while(start), condition=condition, body=body
  ROOT r = f32[] get-tuple-element(loop), index=1
})";

TEST(Evaluator, LoopsRunWithinTheirBudget) {
  const Evaluation evaluation = Evaluate(kLoop, {F32Literal({}, {1})});
  ASSERT_EQ(evaluation.status, HLOCTS_XLA_OK) << evaluation.error;
  EXPECT_EQ(FloatsOf(evaluation.result), (std::vector<float>{1024}));
  hlocts_xla_evaluate_options options = {sizeof options, 3, 0, 0};
  const Evaluation over = Evaluate(kLoop, {F32Literal({}, {1})}, &options);
  EXPECT_EQ(over.status, HLOCTS_XLA_EXECUTE_ERROR);
  EXPECT_NE(over.error, "");
  options.struct_size = 3;
  EXPECT_EQ(Evaluate(kLoop, {F32Literal({}, {1})}, &options).status, HLOCTS_XLA_ARGUMENT_ERROR);
}

TEST(Evaluator, ExpandsWhatItLacks) {
  const std::string text = R"(HloModule m
ENTRY e {
  a = f32[2,2] parameter(0)
  ROOT r = f32[2,2] cholesky(a), lower=true
})";
  const std::string a = F32Literal({2, 2}, {4, 2, 2, 10});
  EXPECT_EQ(Evaluate(text, {a}).status, HLOCTS_XLA_UNIMPLEMENTED);
  const hlocts_xla_evaluate_options options = {sizeof options, -1, 0, 1};
  const Evaluation evaluation = Evaluate(text, {a}, &options);
  ASSERT_EQ(evaluation.status, HLOCTS_XLA_OK) << evaluation.error;
  const std::vector<float> lower = FloatsOf(evaluation.result);
  ASSERT_EQ(lower.size(), 4u);
  EXPECT_EQ(lower[0], 2);
  EXPECT_EQ(lower[2], 1);
  EXPECT_EQ(lower[3], 3);
}

TEST(Evaluator, WrongArgumentsAreRefused) {
  EXPECT_EQ(Evaluate(kNegate, {}).status, HLOCTS_XLA_ARGUMENT_ERROR);
  const std::string x = F32Literal({3}, {1, 2, 3});
  EXPECT_THAT(Evaluate(kNegate, {x, x}).error, HasSubstr("expected 1 arguments, found 2"));
  const Evaluation wrong = Evaluate(kNegate, {F32Literal({2}, {1, 2})});
  EXPECT_EQ(wrong.status, HLOCTS_XLA_ARGUMENT_ERROR);
  EXPECT_THAT(wrong.error, HasSubstr("expected f32[3], found f32[2]"));
  EXPECT_EQ(Evaluate(kNegate, {"rubbish"}).status, HLOCTS_XLA_ARGUMENT_ERROR);
  const std::string rubbish = "rubbish";
  EXPECT_EQ(XLA(evaluate)(View(rubbish), nullptr, 0, nullptr, nullptr, nullptr),
            HLOCTS_XLA_PARSE_ERROR);
}

}  // namespace
}  // namespace hlocts::xla_test
