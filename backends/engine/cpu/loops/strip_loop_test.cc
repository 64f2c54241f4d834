// SPDX-License-Identifier: Apache-2.0
// Programs that go through strips against the same programs block by block.
#include "backends/engine/cpu/loops/strip_loop.h"

#include <gtest/gtest.h>

#include <random>

namespace hlocts::cpu {
namespace {

constexpr int64_t kElements = 3000;

struct Arrays {
  std::vector<uint32_t> x = std::vector<uint32_t>(kElements), y = x;
  uint32_t small = 5, large = 0x80000003;
  std::vector<const uint8_t*> pointers;

  explicit Arrays(std::mt19937& random) {
    for (uint32_t& e : x) e = static_cast<uint32_t>(random());
    for (uint32_t& e : y) e = static_cast<uint32_t>(random()) % 70;  // shifts of all kinds
    for (const void* p : {static_cast<const void*>(x.data()), static_cast<const void*>(y.data()),
                          static_cast<const void*>(&small), static_cast<const void*>(&large)}) {
      pointers.push_back(static_cast<const uint8_t*>(p));
    }
  }
};

Kernel AnyKernel(std::mt19937& random) {
  constexpr Opcode kOpcodes[] = {
      Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply,  Opcode::kAnd,
      Opcode::kOr,      Opcode::kXor,      Opcode::kShiftLeft, Opcode::kShiftRightLogical,
      Opcode::kMaximum, Opcode::kMinimum};
  const PrimitiveType type = random() % 2 == 0 ? PrimitiveType::kS32 : PrimitiveType::kU32;
  return ArithmeticKernel(kOpcodes[random() % std::size(kOpcodes)], type);
}

// Operations on arrays, elements that stand for all, lines and each other; the last is the result.
LoopProgram AnyProgram(std::mt19937& random) {
  LoopProgram program;
  const plan::View whole = plan::View::Dense({kElements});
  std::vector<int> values = {program.AddInput(0, whole, 4), program.AddInput(1, whole, 4),
                             program.AddInput(2, plan::View::Splat(0, kElements), 4),
                             program.AddInput(3, plan::View::Splat(0, kElements), 4)};
  for (size_t lines = random() % 3; lines > 0; --lines) {
    plan::View line = whole;
    line.offset = static_cast<int64_t>(lines) * 1000;
    values.push_back(program.AddLine(LineKernel(PrimitiveType::kS32), line, 4));
  }
  for (size_t left = 1 + random() % 7; left > 0; --left) {
    const auto any = [&] {  // often what was computed last
      return random() % 2 == 0 ? values.back() : values[random() % values.size()];
    };
    const int a = any(), b = any();
    values.push_back(program.AddOperation(AnyKernel(random), a, b, -1, 4));
  }
  program.AddOutput(values.back());
  program.Finish();
  return program;
}

using Elements = std::vector<uint32_t>;
uint8_t* Bytes(Elements& elements) { return reinterpret_cast<uint8_t*>(elements.data()); }

TEST(StripLoopTest, ComputesWhatBlocksCompute) {
  if (Strips().elements == 0) GTEST_SKIP() << "no strips on this processor";
  std::mt19937 random(1);
  const Arrays arrays(random);
  for (int number = 0; number < 2000; ++number) {
    const LoopProgram program = AnyProgram(random);
    const auto strips = StripLoop::Of(program);
    ASSERT_TRUE(strips.has_value()) << number;
    const int64_t begin = static_cast<int64_t>(random() % 1000);
    const int64_t end = begin + Strips().elements + static_cast<int64_t>(random() % 1500);
    Elements expected(kElements, 7), actual = expected;
    uint8_t* to = Bytes(expected);
    program.Run(arrays.pointers.data(), &to, begin, end);
    strips->Make(arrays.pointers.data(), begin, end, Bytes(actual));
    ASSERT_EQ(actual, expected) << number;
  }
}

TEST(StripLoopTest, TakesElementsWithinTheTable) {
  if (Strips().elements == 0) GTEST_SKIP() << "no strips on this processor";
  std::mt19937 random(2);
  const Arrays arrays(random);
  Elements table(100);
  for (uint32_t& element : table) element = static_cast<uint32_t>(random());
  for (int number = 0; number < 400; ++number) {
    const LoopProgram program = AnyProgram(random);
    const auto strips = StripLoop::Of(program);
    ASSERT_TRUE(strips.has_value());
    const bool is_signed = number % 2 == 0;
    const int64_t last = number % 3 == 0 ? 0 : 99;
    Elements indices(kElements), expected(kElements), actual(kElements);
    uint8_t* to = Bytes(indices);
    program.Run(arrays.pointers.data(), &to, 0, kElements);
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t index = is_signed ? static_cast<int32_t>(indices[i]) : int64_t{indices[i]};
      expected[i] = table[static_cast<size_t>(std::clamp<int64_t>(index, 0, last))];
    }
    strips->Take({table.data(), last, is_signed}, arrays.pointers.data(), 0, kElements,
                 Bytes(actual));
    ASSERT_EQ(actual, expected) << number;
  }
}

TEST(StripLoopTest, LeavesOtherProgramsAlone) {
  const plan::View whole = plan::View::Dense({kElements});
  const auto with = [&](const Kernel& kernel, const plan::View& view) {
    LoopProgram program;
    const int x = program.AddInput(0, whole, 4), y = program.AddInput(1, view, 4);
    program.AddOutput(program.AddOperation(kernel, x, y, -1, 4));
    program.Finish();
    return StripLoop::Of(program).has_value();
  };
  const Kernel add = ArithmeticKernel(Opcode::kAdd, PrimitiveType::kS32);
  EXPECT_EQ(with(add, whole), Strips().elements > 0);
  EXPECT_FALSE(with(add, plan::Reversed(whole, {0})));
  EXPECT_FALSE(with(ArithmeticKernel(Opcode::kAdd, PrimitiveType::kF32), whole));
  EXPECT_FALSE(with(ArithmeticKernel(Opcode::kDivide, PrimitiveType::kS32), whole));
}

}  // namespace
}  // namespace hlocts::cpu
