// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/reduce/reduce.h"

#include <algorithm>
#include <limits>

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

TEST(RowReduceTest, IsReduceRowByRow) {
  const auto check = [](auto zero, PrimitiveType type, ReduceKind kind, int64_t size) {
    using T = decltype(zero);
    const int64_t rows = 70, dimensions[] = {rows, size}, strides[] = {size, 1}, reduced[] = {1};
    const std::vector<T> data = RandomElements<T>(rows * size, 5, 1, 9);
    const T init = 3;
    std::vector<T> expected(rows), actual(rows);
    ASSERT_TRUE(Reduce(Parallel(), {kind, type, dimensions, strides, reduced, data.data(), &init,
                                    expected.data()})
                    .ok());
    ASSERT_TRUE(RowReduce({kind, type, rows, size, data.data(), &init, actual.data()}).ok());
    EXPECT_EQ(actual, expected);
  };
  for (int64_t size : {20, 1000, 70000}) {
    check(float{}, PrimitiveType::kF32, ReduceKind::kAdd, size);
    check(double{}, PrimitiveType::kF64, ReduceKind::kMaximum, size);
    check(int8_t{}, PrimitiveType::kS8, ReduceKind::kMultiply, size);
    check(uint16_t{}, PrimitiveType::kBF16, ReduceKind::kAdd, size);
    check(uint32_t{}, PrimitiveType::kU32, ReduceKind::kXor, size);
  }
}

struct View {
  std::vector<int64_t> dimensions, strides, reduced;
};

const std::vector<View>& Views() {
  static const auto* views = new std::vector<View>{
      {{}, {}, {}},
      {{7}, {1}, {0}},
      {{100003}, {1}, {0}},
      {{5, 4097}, {4097, 1}, {1}},
      {{5, 4097}, {4097, 1}, {0}},
      {{300, 300}, {1, 300}, {0}},  // a transposed view
      {{300, 300}, {1, 300}, {1}},
      {{9000, 3}, {3, 1}, {0}},  // narrow columns
      {{4000, 3}, {3, 1}, {1}},  // short rows
      {{6, 5, 4, 3}, {60, 12, 3, 1}, {0, 2}},
      {{6, 5, 4, 3}, {60, 12, 3, 1}, {1, 3}},
      {{3, 50, 6}, {300, 6, 1}, {1}},
      {{4, 6}, {0, 1}, {0}},  // a broadcast view
      {{4, 6}, {1, 0}, {1}},
      {{3, 7}, {7, 1}, {}},
      {{40, 3, 2500}, {2500, 100000, 1}, {0}},
  };
  return *views;
}

int64_t Reach(const View& view) {
  int64_t last = 0;
  for (size_t d = 0; d < view.dimensions.size(); ++d) {
    last += (view.dimensions[d] - 1) * view.strides[d];
  }
  return last + 1;
}

// Reduces element by element in row-major order, by `combine` on values of type T.
template <typename T, typename Combine>
std::vector<T> Expected(const View& view, const std::vector<T>& data, T init, Combine combine) {
  std::vector<int64_t> kept;
  for (size_t d = 0; d < view.dimensions.size(); ++d) {
    if (std::count(view.reduced.begin(), view.reduced.end(), d) == 0) kept.push_back(d);
  }
  int64_t outputs = 1;
  for (int64_t d : kept) outputs *= view.dimensions[d];
  std::vector<T> result(outputs, init);
  ForEachIndexOf(view.dimensions, [&](const std::vector<int64_t>& index) {
    int64_t offset = 0, output = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * view.strides[d];
    for (int64_t d : kept) output = output * view.dimensions[d] + index[d];
    result[output] = combine(result[output], data[offset]);
  });
  return result;
}

template <typename T>
std::vector<T> Reduced(const View& view, ReduceKind kind, PrimitiveType type,
                       const std::vector<T>& data, T init, size_t outputs, int threads = 0) {
  std::vector<T> output(outputs);
  const ReduceRequest request = {kind,         type,        view.dimensions, view.strides,
                                 view.reduced, data.data(), &init,           output.data()};
  EXPECT_TRUE(Reduce(Parallel(threads), request).ok());
  return output;
}

template <typename T, typename Combine>
void Check(ReduceKind kind, PrimitiveType type, T init, Combine combine) {
  for (size_t v = 0; v < Views().size(); ++v) {
    SCOPED_TRACE(testing::Message() << "view " << v << " of " << PrimitiveTypeName(type));
    const View& view = Views()[v];
    std::vector<T> data = RandomElements<T>(Reach(view), 1, -1, 1);
    const std::vector<T> expected = Expected(view, data, init, combine);
    ForEachIsa(
        [&] { EXPECT_TRUE(Reduced(view, kind, type, data, init, expected.size()) == expected); });
  }
}

TEST(ReduceTest, SumsOfEveryKindOfType) {
  const auto add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  Check<float>(ReduceKind::kAdd, PrimitiveType::kF32, 5, add);
  Check<double>(ReduceKind::kAdd, PrimitiveType::kF64, 5, add);
  Check<int8_t>(ReduceKind::kAdd, PrimitiveType::kS8, 5, add);
  Check<uint16_t>(ReduceKind::kAdd, PrimitiveType::kU16, 5, add);
  Check<int32_t>(ReduceKind::kAdd, PrimitiveType::kS32, 5, add);
  Check<int64_t>(ReduceKind::kAdd, PrimitiveType::kS64, 5, add);
  Check<Complex64>(ReduceKind::kAdd, PrimitiveType::kC64, {2, 3}, add);
  Check<Complex128>(ReduceKind::kAdd, PrimitiveType::kC128, {2, 3}, add);
}

TEST(ReduceTest, OtherKinds) {
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  const auto multiply = [](auto a, auto b) { return static_cast<decltype(a)>(a * b); };
  Check<float>(ReduceKind::kMinimum, PrimitiveType::kF32, 0, least);
  Check<int16_t>(ReduceKind::kMinimum, PrimitiveType::kS16, 5, least);
  Check<uint64_t>(ReduceKind::kMaximum, PrimitiveType::kU64, 0, most);
  Check<int8_t>(ReduceKind::kMaximum, PrimitiveType::kS8, -9, most);
  Check<double>(ReduceKind::kMaximum, PrimitiveType::kF64, -9, most);
  Check<int32_t>(ReduceKind::kMultiply, PrimitiveType::kS32, 3, multiply);
  Check<uint32_t>(ReduceKind::kXor, PrimitiveType::kU32, 6, [](auto a, auto b) { return a ^ b; });
  Check<uint8_t>(ReduceKind::kOr, PrimitiveType::kU8, 4,
                 [](auto a, auto b) { return static_cast<uint8_t>(a | b); });
  Check<int64_t>(ReduceKind::kAnd, PrimitiveType::kS64, -1, [](auto a, auto b) { return a & b; });
}

// These sums of integers are exact in f32 (or s32), so the results are the sums, rounded once.
TEST(ReduceTest, NarrowTypes) {
  using Bf16 = NativeOf<PrimitiveType::kBF16>;
  using F16 = NativeOf<PrimitiveType::kF16>;
  const View view = {{1024}, {1}, {0}};
  ForEachIsa([&] {
    const auto bf16 = Reduced<Bf16>(view, ReduceKind::kAdd, PrimitiveType::kBF16,
                                    std::vector<Bf16>(1024, Bf16(1.0)), Bf16(0.0), 1);
    EXPECT_EQ(float{bf16[0]}, 1024);
    const auto f16 = Reduced<F16>(view, ReduceKind::kAdd, PrimitiveType::kF16,
                                  std::vector<F16>(1024, F16(3.0)), F16(1.0), 1);
    EXPECT_EQ(float{f16[0]}, 3072);  // 3073, rounded to nearest even
    const auto s4 = Reduced<NativeS4>(view, ReduceKind::kAdd, PrimitiveType::kS4,
                                      std::vector<NativeS4>(1024, NativeS4(3)), NativeS4(7), 1);
    EXPECT_EQ(int{s4[0]}, 7);  // 3079 modulo 16
  });
}

TEST(ReduceTest, PredAddIsOr) {
  bool operand[3] = {false, true, true}, init = false, output = false;
  const int64_t dimensions[1] = {3}, strides[1] = {1}, reduced[1] = {0};
  const ReduceRequest request = {
      ReduceKind::kAdd, PrimitiveType::kPred, dimensions, strides, reduced, operand, &init,
      &output};
  ForEachIsa([&] {
    ASSERT_TRUE(Reduce(Parallel(), request).ok());
    EXPECT_TRUE(output);
  });
}

TEST(ReduceTest, NanWinsAndInfinitiesStay) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t place : {0, 50, 99}) {
    std::vector<float> data(100, 1.0f);
    data[place] = nan;
    ForEachIsa([&] {
      for (ReduceKind kind : {ReduceKind::kMaximum, ReduceKind::kMinimum, ReduceKind::kAdd}) {
        const auto out = Reduced<float>({{100}, {1}, {0}}, kind, PrimitiveType::kF32, data, 0.f, 1);
        EXPECT_TRUE(std::isnan(out[0]));
      }
    });
  }
}

// For any order of additions, n u S bounds the error, where S is the sum of magnitudes. The bits
// must not depend on the number of threads.
TEST(ReduceTest, LongSumIsWithinItsBoundForAnyThreadCount) {
  const int64_t count = 3000000;
  const std::vector<float> data = RandomFloats(count, 5);
  double exact = 0, magnitude = 0;
  for (float x : data) exact += x, magnitude += std::fabs(x);
  ForEachIsa([&] {
    const View view = {{count}, {1}, {0}};
    const float one = Reduced(view, ReduceKind::kAdd, PrimitiveType::kF32, data, 0.f, 1, 1)[0];
    EXPECT_LE(std::fabs(one - exact), count * 0x1p-24 * magnitude);
    EXPECT_LE(std::fabs(one - exact), 1e-5 * magnitude);  // sums by blocks are more accurate
    for (int threads : {2, 3, 8}) {
      EXPECT_EQ(Reduced(view, ReduceKind::kAdd, PrimitiveType::kF32, data, 0.f, 1, threads)[0],
                one);
    }
  });
}

// Tests sums of whole arrays and of columns whose elements `make` computes.
TEST(ReduceTest, ElementsMayBeMade) {
  const View kMade[] = {{{100003}, {1}, {0}},
                        {{5, 4097}, {4097, 1}, {0}},
                        {{9000, 3}, {3, 1}, {0}},
                        {{3, 5000, 60}, {300000, 60, 1}, {1}},
                        {{300, 7, 40}, {280, 40, 1}, {0, 1}}};
  const auto check = [&](auto zero, PrimitiveType type) {
    using T = decltype(zero);
    for (const View& view : kMade) {
      const std::vector<T> data = RandomElements<T>(Reach(view), 3, 0, 3);
      const T init = 1;
      std::vector<T> expected(data.size()), actual(data.size());
      const std::function<void(int64_t, int64_t, void*)> make = [&](int64_t begin, int64_t end,
                                                                    void* to) {
        std::copy(data.begin() + begin, data.begin() + end, static_cast<T*>(to));
      };
      ReduceRequest request = {ReduceKind::kAdd, type,        view.dimensions, view.strides,
                               view.reduced,     data.data(), &init,           expected.data()};
      ASSERT_TRUE(Reduce(Parallel(), request).ok());
      request.operand = nullptr;
      request.output = actual.data();
      request.make = &make;
      ASSERT_TRUE(Reduce(Parallel(), request).ok());
      EXPECT_EQ(actual, expected);
    }
  };
  ForEachIsa([&] {
    check(float{}, PrimitiveType::kF32);  // small numbers: sums are exact in any order
    check(double{}, PrimitiveType::kF64);
    check(int8_t{}, PrimitiveType::kS8);
    check(uint16_t{}, PrimitiveType::kU16);
  });
}

TEST(ReduceTest, EmptyOperandGivesInit) {
  const std::vector<float> none;
  EXPECT_EQ(
      Reduced<float>({{2, 0}, {0, 1}, {1}}, ReduceKind::kAdd, PrimitiveType::kF32, none, 7.f, 2),
      (std::vector<float>{7, 7}));
}

template <typename T>
void CheckArg(PrimitiveType type, ArgReduceRequest request, const std::vector<T>& data) {
  const int64_t outputs = request.outer * request.inner;
  std::vector<int32_t> expected(outputs), indices(outputs);
  std::vector<T> values(outputs);
  const auto is_nan = [](T x) { return x != x; };
  for (int64_t o = 0; o < outputs; ++o) {
    const auto at = [&](int64_t i) {
      return data[(o / request.inner * request.size + i) * request.inner + o % request.inner];
    };
    int64_t best = 0;
    for (int64_t i = 1; i < request.size; ++i) {
      const T x = at(i), y = at(best);
      const bool greater = request.maximum ? x > y : x < y;
      const bool better = is_nan(x) || is_nan(y)
                              ? (is_nan(x) == request.nan_wins && !(is_nan(x) && is_nan(y)))
                              : greater;
      const bool tie = x == y || (is_nan(x) && is_nan(y));
      if (better || (tie && !request.tie_low_index)) best = i;
    }
    expected[o] = static_cast<int32_t>(best);
  }
  request.type = type;
  request.operand = data.data();
  request.values = values.data();
  request.indices = indices.data();
  ASSERT_TRUE(ArgReduce(Parallel(), request).ok());
  EXPECT_EQ(indices, expected);
}

TEST(ArgReduceTest, TiesNansAndShapes) {
  for (auto [outer, size, inner] :
       {std::array<int64_t, 3>{3, 2500, 1}, {2, 40, 1500}, {1, 1, 1}, {4, 7, 3}}) {
    std::vector<float> data = RandomElements<float>(outer * size * inner, 3, -40, 40);
    for (size_t i = 0; i < data.size(); i += 97) data[i] = i % 2 ? std::nanf("") : -0.0f;
    for (bool maximum : {true, false}) {
      for (bool nan_wins : {true, false}) {
        for (bool low : {true, false}) {
          ArgReduceRequest request;
          request.outer = outer, request.size = size, request.inner = inner;
          request.maximum = maximum, request.nan_wins = nan_wins, request.tie_low_index = low;
          CheckArg(PrimitiveType::kF32, request, data);
          CheckArg(PrimitiveType::kU8, request, RandomElements<uint8_t>(outer * size * inner, 4));
          CheckArg(PrimitiveType::kS64, request, RandomElements<int64_t>(outer * size * inner, 4));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::kernels
