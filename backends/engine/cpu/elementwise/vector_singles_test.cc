// SPDX-License-Identifier: Apache-2.0
// Tests the vector kernels on every instruction set of this machine. Results must not depend on the
// length of the array. An operand that is a single element must give the results of an array of its
// copies.
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "backends/engine/cpu/elementwise/families.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace hlocts::cpu {
namespace {

using P = PrimitiveType;

constexpr int64_t kMost = 200;

// Returns small numbers. As shift amounts, some exceed the width.
template <typename T>
std::vector<T> Numbers(int seed) {
  std::mt19937 random(seed);
  std::vector<T> numbers(kMost);
  for (T& number : numbers) number = static_cast<T>(random() % 71);
  return numbers;
}

// Returns the results of run(a, b, c, out, count). `single` is a bit mask of operands of which only
// the first element is used.
template <typename R, typename A, typename B, typename C>
std::vector<R> Results(KernelFunction run, int single, const std::vector<A>& a,
                       const std::vector<B>& b, const std::vector<C>& c, int64_t count) {
  std::vector<R> results(kMost, R{99});
  KernelParameters parameters;
  parameters.single = static_cast<uint8_t>(single);
  run(parameters, a.data(), b.data(), c.data(), results.data(), count);
  return results;
}

template <typename R, typename A, typename B, typename C>
void Check(KernelFunction run, const std::vector<int>& singles, std::vector<A> a, std::vector<B> b,
           std::vector<C> c) {
  ASSERT_NE(run, nullptr);
  for (int64_t count : {0, 1, 3, 15, 16, 17, 63, 64, 65, 130, 199}) {
    std::vector<R> one_by_one(kMost, R{99});
    for (int64_t i = 0; i < count; ++i) run({}, &a[i], &b[i], &c[i], &one_by_one[i], 1);
    EXPECT_EQ((Results<R>(run, 0, a, b, c, count)), one_by_one) << count;
    for (int single : singles) {
      const auto expected = Results<R>(run, 0, single == 1 ? std::vector<A>(kMost, a[0]) : a,
                                       single == 2 ? std::vector<B>(kMost, b[0]) : b,
                                       single == 4 ? std::vector<C>(kMost, c[0]) : c, count);
      EXPECT_EQ((Results<R>(run, single, a, b, c, count)), expected) << count << " " << single;
    }
  }
}

template <typename T, typename R = T>
void CheckNumbers(KernelFunction run, const std::vector<int>& singles) {
  Check<R>(run, singles, Numbers<T>(1), Numbers<T>(2), Numbers<T>(3));
}

template <typename T>
void CheckType(P type) {
  SCOPED_TRACE(PrimitiveTypeName(type));
  CheckNumbers<T>(VectorArithmetic(Opcode::kSubtract, type), {1, 2});
  CheckNumbers<T>(VectorArithmetic(Opcode::kMaximum, type), {1, 2});
  Check<T>(VectorSelect(sizeof(T)), {2, 4}, std::vector<uint8_t>(kMost, 1), Numbers<T>(2),
           Numbers<T>(3));
}
template <typename T>
void CheckInteger(P type) {
  CheckType<T>(type);
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kXor, Opcode::kShiftLeft,
                        Opcode::kShiftRightLogical}) {
    CheckNumbers<T>(VectorArithmetic(opcode, type), {1, 2});
  }
}

constexpr Direction kDirections[] = {Direction::kEq, Direction::kNe, Direction::kLt,
                                     Direction::kLe, Direction::kGt, Direction::kGe};
template <typename T>
bool Holds(Direction direction, T x, T y) {
  switch (direction) {
    case Direction::kEq:
      return x == y;
    case Direction::kNe:
      return x != y;
    case Direction::kLt:
      return x < y;
    case Direction::kLe:
      return x <= y;
    case Direction::kGt:
      return x > y;
    case Direction::kGe:
      return x >= y;
  }
  return false;
}

// Returns numbers to compare. Some are the same for every seed. Floats contain one NaN, whose
// position depends on the seed.
template <typename T>
std::vector<T> Compared(int seed) {
  std::vector<T> numbers = Numbers<T>(seed);
  for (int64_t i = 20; i < 40; ++i) numbers[i] = T{7};
  if constexpr (std::is_floating_point_v<T>) numbers[40 + seed] = std::nan("");
  return numbers;
}

template <typename T>
void CheckCompare(P type) {
  const std::vector<T> a = Compared<T>(1), b = Compared<T>(2);
  for (Direction direction : kDirections) {
    for (int single : {0, 1, 2}) {
      std::vector<uint8_t> expected(kMost);
      for (int64_t i = 0; i < kMost; ++i) {
        expected[i] = Holds(direction, a[single == 1 ? 0 : i], b[single == 2 ? 0 : i]);
      }
      EXPECT_EQ(Results<uint8_t>(VectorCompare(direction, type), single, a, b, a, kMost), expected)
          << static_cast<int>(direction) << " " << single;
    }
  }
}

void CheckAll() {
  CheckInteger<uint8_t>(P::kU8);
  CheckInteger<uint16_t>(P::kU16);
  CheckInteger<uint32_t>(P::kU32);
  CheckInteger<uint64_t>(P::kU64);
  CheckType<int32_t>(P::kS32);
  CheckType<float>(P::kF32);
  CheckType<double>(P::kF64);
  CheckCompare<float>(P::kF32);
  CheckCompare<double>(P::kF64);
  CheckCompare<int32_t>(P::kS32);
  CheckCompare<uint32_t>(P::kU32);
  CheckCompare<int64_t>(P::kS64);
  CheckCompare<int8_t>(P::kS8);
  CheckCompare<uint16_t>(P::kU16);
}

TEST(VectorSingles, AreTheirCopiesInEveryInstructionSet) {
  const int64_t supported = hwy::SupportedTargets();
  for (int64_t left = supported; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    CheckAll();
  }
  hwy::GetChosenTarget().Update(supported);
}

}  // namespace
}  // namespace hlocts::cpu
