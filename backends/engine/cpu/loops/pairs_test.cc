// SPDX-License-Identifier: Apache-2.0
// Tests that two operations that are fused into one kernel give the same bits as two kernels,
// wherever the result is stored.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "backends/engine/cpu/cpu_engine.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kNumbers = 149;  // several vectors of any length, and a remainder
constexpr Opcode kPairedOpcodes[] = {Opcode::kAdd,       Opcode::kSubtract,
                                     Opcode::kMultiply,  Opcode::kMaximum,
                                     Opcode::kMinimum,   Opcode::kAnd,
                                     Opcode::kOr,        Opcode::kXor,
                                     Opcode::kShiftLeft, Opcode::kShiftRightLogical};

template <typename T>
std::vector<T> Numbers(uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> numbers(kNumbers);
  for (T& x : numbers) {
    if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      const T special[] = {0,
                           -T(0),
                           1,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min()};
      const uint64_t draw = random();
      x = draw % 3 == 0 ? special[draw / 3 % 8]
                        : static_cast<T>(static_cast<int64_t>(draw)) * T(0x1p-60);
    } else {
      x = static_cast<T>(random() >> random() % 64);  // some are valid shift amounts
    }
  }
  return numbers;
}

// Returns true if the bits are equal or both values are NaN.
template <typename T>
bool SameNumber(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return y != y;
  }
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

// `single`: the operand that is a single element; -1: none. `in_place`: the operand in whose memory
// the result is stored.
struct Setting {
  int single, in_place;
};

template <typename T>
void CheckPair(const Kernel& first, const Kernel& second, const Kernel& both, bool right,
               Setting setting) {
  std::vector<T> operands[3] = {Numbers<T>(1), Numbers<T>(2), Numbers<T>(3)};
  if (setting.single >= 0) operands[setting.single].assign(kNumbers, operands[setting.single][4]);
  std::vector<T> middle(kNumbers), expected(kNumbers), apart(kNumbers);
  first(operands[0].data(), operands[1].data(), nullptr, middle.data(), kNumbers);
  const T* left = right ? operands[2].data() : middle.data();
  second(left, right ? middle.data() : operands[2].data(), nullptr, expected.data(), kNumbers);
  Kernel kernel = both;
  if (setting.single >= 0) kernel.parameters.single = static_cast<uint8_t>(1 << setting.single);
  std::vector<T>& result = setting.in_place < 0 ? apart : operands[setting.in_place];
  kernel(operands[0].data(), operands[1].data(), operands[2].data(), result.data(), kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) {
    ASSERT_TRUE(SameNumber(result[i], expected[i])) << i << " single " << setting.single;
  }
}

template <typename T>
int CheckPairs(PrimitiveType type, const std::vector<Kernel>& kernels) {
  constexpr Setting kSettings[] = {{-1, -1}, {0, -1}, {1, -1}, {2, -1}, {-1, 0},
                                   {-1, 1},  {-1, 2}, {0, 2},  {1, 0},  {2, 1}};
  int checked = 0;
  for (const Kernel& first : kernels) {
    for (const Kernel& second : kernels) {
      for (bool right : {false, true}) {
        const Kernel both = PairKernel(first, second, right);
        if (both.run == nullptr) continue;
        ++checked;
        for (const Setting& setting : kSettings) CheckPair<T>(first, second, both, right, setting);
      }
    }
  }
  return checked;
}

std::vector<Kernel> KernelsOf(PrimitiveType type) {
  std::vector<Kernel> kernels;
  for (Opcode opcode : kPairedOpcodes) {
    const Kernel kernel = ArithmeticKernel(opcode, type);
    if (kernel.run != nullptr) kernels.push_back(kernel);
  }
  const Kernel rotation = RotationKernel(type);
  if (rotation.run != nullptr) kernels.push_back(rotation);
  return kernels;
}

TEST(PairsTest, ArePairsOfTheSameBits) {
  EXPECT_EQ(CheckPairs<float>(PrimitiveType::kF32, KernelsOf(PrimitiveType::kF32)), 30);
  EXPECT_EQ(CheckPairs<double>(PrimitiveType::kF64, KernelsOf(PrimitiveType::kF64)), 0);
  EXPECT_EQ(CheckPairs<uint32_t>(PrimitiveType::kU32, KernelsOf(PrimitiveType::kU32)), 70);
  EXPECT_EQ(CheckPairs<int32_t>(PrimitiveType::kS32, KernelsOf(PrimitiveType::kS32)), 70);
}

TEST(PairsTest, SquaresHaveNoThirdOperand) {
  const std::vector<float> x = Numbers<float>(1), y = Numbers<float>(2);
  std::vector<float> middle(kNumbers), expected(kNumbers), actual(kNumbers);
  Kernel square = ArithmeticKernel(Opcode::kMultiply, PrimitiveType::kF32);
  const Kernel subtract = ArithmeticKernel(Opcode::kSubtract, PrimitiveType::kF32);
  subtract(x.data(), y.data(), nullptr, middle.data(), kNumbers);
  square(middle.data(), middle.data(), nullptr, expected.data(), kNumbers);
  square.paired = Paired::kSquare;
  PairKernel(subtract, square, false)(x.data(), y.data(), nullptr, actual.data(), kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) ASSERT_TRUE(SameNumber(actual[i], expected[i])) << i;
}

TEST(PairsTest, RotationsAreBothShifts) {
  const std::vector<uint32_t> x = Numbers<uint32_t>(7);
  std::vector<uint32_t> amounts(kNumbers), rests(kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) {
    // Some amounts are negative, some are at least the width.
    amounts[i] = static_cast<uint32_t>(i < 70 ? i : i - 100);
    rests[i] = 32 - amounts[i];
  }
  const auto apply = [&](const Kernel& kernel, const std::vector<uint32_t>& left,
                         const std::vector<uint32_t>& right) {
    std::vector<uint32_t> result(kNumbers);
    kernel(left.data(), right.data(), nullptr, result.data(), kNumbers);
    return result;
  };
  const auto type = PrimitiveType::kU32;
  EXPECT_EQ(apply(RotationKernel(type), x, amounts),
            apply(ArithmeticKernel(Opcode::kOr, type),
                  apply(ArithmeticKernel(Opcode::kShiftLeft, type), x, amounts),
                  apply(ArithmeticKernel(Opcode::kShiftRightLogical, type), x, rests)));
}

// Returns a module with the rounds of a random number generator, whose shift amounts are
// parameters, and a pair of operations that reads short rows several times.
std::string Rounds() {
  return R"(HloModule m
ENTRY e {
  a = u32[5000] parameter(0)
  b = u32[5000] parameter(1)
  r = u32[] parameter(2)
  w = u32[] constant(32)
  l = u32[5000] broadcast(r), dimensions={}
  d = u32[] subtract(w, r)
  k = u32[5000] broadcast(d), dimensions={}
  s = u32[5000] add(a, b)
  sl = u32[5000] shift-left(b, l)
  sr = u32[5000] shift-right-logical(b, k)
  o = u32[5000] or(sl, sr)
  x = u32[5000] xor(s, o)
  y = u32[5000] multiply(x, s)
  z = u32[5000] subtract(a, y)
  h = u32[500] slice(a), slice={[7:507]}
  g = u32[5,100] reshape(h)
  p = u32[5,10,100] broadcast(g), dimensions={0,2}
  q = u32[5,10,100] reshape(b)
  v = u32[5,10,100] subtract(p, q)
  f = u32[5,10,100] xor(v, q)
  ROOT t = (u32[5000], u32[5000], u32[5,10,100]) tuple(x, z, f)
})";
}

std::vector<Literal> RoundOf(pjrt::Options options, uint32_t amount) {
  const auto module = ParseModule(Rounds());
  EXPECT_TRUE(module.ok()) << module.status();
  pjrt::ExecuteRequest request;
  std::vector<Literal>& arguments = request.arguments.emplace_back();
  for (uint32_t k = 0; k < 2; ++k) {
    Literal& array = arguments.emplace_back(Shape(PrimitiveType::kU32, {5000}));
    uint32_t next = 1 + k;
    for (uint32_t& x : array.mutable_data<uint32_t>()) x = next = next * 1664525 + 1013904223;
  }
  arguments.push_back(Literal::Scalar<uint32_t>(PrimitiveType::kU32, amount));
  auto engine = MakeEngine(std::move(options));
  EXPECT_TRUE(engine.ok()) << engine.status();
  auto executable = (*engine)->Load(**module, {});
  EXPECT_TRUE(executable.ok()) << executable.status();
  auto result = (*executable)->Execute(request);
  EXPECT_TRUE(result.ok()) << result.status();
  return result->outputs[0];
}

TEST(PairsTest, ARoundIsTheSameWithoutThem) {
  for (uint32_t amount : {0u, 1u, 13u, 31u, 32u, 33u, 0xffffffffu}) {
    const std::vector<Literal> with = RoundOf({}, amount),
                               without = RoundOf(
                                   pjrt::Options(std::vector<std::pair<std::string, std::string>>{
                                       {"disable", "all"}}),
                                   amount);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(with[i].BitwiseEqual(without[i])) << amount;
  }
}

}  // namespace
}  // namespace hlocts::cpu
