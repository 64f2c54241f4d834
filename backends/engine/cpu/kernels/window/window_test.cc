// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/window/window.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

WindowDimensionSpec Dim(int64_t n, int64_t size, int64_t stride = 1, int64_t low = 0,
                        int64_t high = 0, int64_t base = 1, int64_t dilation = 1) {
  WindowDimensionSpec d;
  d.input_size = n;
  d.size = size;
  d.stride = stride;
  d.padding_low = low;
  d.base_dilation = base;
  d.window_dilation = dilation;
  d.output_size = ((n - 1) * base + 1 + low + high - ((size - 1) * dilation + 1)) / stride + 1;
  return d;
}

using Dims = absl::InlinedVector<WindowDimensionSpec, 4>;

const std::vector<Dims>& Cases() {
  static const auto* cases = new std::vector<Dims>{
      {},
      {Dim(10, 3)},
      {Dim(10, 3, 2, 1, 1)},
      {Dim(600, 600, 1, 599, 0)},  // prefix sums
      {Dim(600, 600, 1, 0, 599)},  // suffix sums
      {Dim(100000, 100000, 1, 99999, 0)},
      {Dim(300, 300, 1, 299, 299)},
      {Dim(300, 700, 1, 600, 600)},  // a window longer than the line
      {Dim(1000, 10, 1, 9, 9)},
      {Dim(1000, 13, 2, 40, 40)},  // windows completely in the padding
      {Dim(1000, 64, 5, 3, 0)},
      {Dim(1000, 64, 1, -5, -7)},
      {Dim(50, 7, 1, 3, 3, 3, 1)},  // dilated base
      {Dim(50, 7, 1, 3, 3, 1, 4)},  // dilated window
      {Dim(50, 9, 3, 5, 5, 2, 3)},
      {Dim(2, 1), Dim(17, 3, 2, 1, 1), Dim(19, 3, 2, 1, 1), Dim(5, 1)},
      {Dim(3, 1), Dim(40, 40, 1, 39, 0), Dim(300, 1)},
      {Dim(40, 9, 1, 4, 4), Dim(30, 11, 1, 5, 5)},
      {Dim(6, 2, 2), Dim(6, 2, 2), Dim(6, 3, 3)},
      // Short windows along the innermost dimension, and one window that covers the dimension.
      {Dim(2, 1), Dim(3, 1), Dim(8, 2, 2), Dim(58, 2, 2)},
      {Dim(3, 1), Dim(9, 3, 1, 1, 1), Dim(47, 3, 1, 1, 1)},
      {Dim(9, 3, 2, 4, 3), Dim(61, 5, 3, 2, 4, 1, 2)},
      {Dim(2, 1), Dim(5, 2, 2), Dim(7, 3, 1, -1, 0), Dim(37, 4, 4, 3, 3)},
      {Dim(2, 1), Dim(5000, 3, 2, 1, 1)},
      {Dim(3, 3, 1, 1, 1), Dim(300, 64, 1, -3, 70)},
      {Dim(4, 2, 2), Dim(20, 1, 3)},
      {Dim(3, 1), Dim(2, 1), Dim(7, 7), Dim(9, 9)},
      {Dim(5, 7, 1, 1, 1), Dim(3, 1), Dim(9, 12, 1, 3, 0)},
  };
  return *cases;
}

template <typename T, typename Combine>
std::vector<T> Expected(const Dims& dims, const std::vector<T>& data, T init, Combine combine) {
  std::vector<int64_t> outputs, taps, inputs;
  for (const WindowDimensionSpec& d : dims) {
    outputs.push_back(d.output_size);
    taps.push_back(d.size);
    inputs.push_back(d.input_size);
  }
  std::vector<T> result;
  ForEachIndexOf(outputs, [&](const std::vector<int64_t>& out) {
    T value = init;
    ForEachIndexOf(taps, [&](const std::vector<int64_t>& tap) {
      int64_t at = 0;
      for (size_t d = 0; d < out.size(); ++d) {
        const WindowDimensionSpec& w = dims[d];
        const int64_t i = out[d] * w.stride + tap[d] * w.window_dilation - w.padding_low;
        if (i < 0 || i % w.base_dilation != 0 || i / w.base_dilation >= w.input_size) return;
        at = at * w.input_size + i / w.base_dilation;
      }
      value = combine(value, data[at]);
    });
    result.push_back(value);
  });
  return result;
}

// Checks one kind of reduction in all cases. A simple loop computes the expected prefix sums of
// long cases, because the general computation is quadratic.
template <typename T, typename Combine>
void Check(ReduceKind kind, PrimitiveType type, T init, Combine combine) {
  for (size_t i = 0; i < Cases().size(); ++i) {
    const Dims& dims = Cases()[i];
    int64_t count = 1;
    for (const WindowDimensionSpec& d : dims) count *= d.input_size;
    const std::vector<T> data = RandomElements<T>(count, 1);
    std::vector<T> expected;
    if (count == 100000) {
      T running = init;
      for (T x : data) expected.push_back(running = combine(running, x));
    } else {
      expected = Expected(dims, data, init, combine);
    }
    for (int threads : {1, 2}) {
      ForEachIsa([&] {
        SCOPED_TRACE(testing::Message() << "case " << i << " of " << PrimitiveTypeName(type));
        std::vector<T> output(expected.size());
        ReduceWindowRequest request = {kind, type, dims, data.data(), &init, output.data()};
        ASSERT_TRUE(ReduceWindow(Parallel(threads), request).ok());
        EXPECT_TRUE(output == expected);
      });
    }
  }
}

TEST(ReduceWindowTest, Sums) {
  const auto add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  Check<float>(ReduceKind::kAdd, PrimitiveType::kF32, 5, add);
  Check<double>(ReduceKind::kAdd, PrimitiveType::kF64, 5, add);
  Check<int8_t>(ReduceKind::kAdd, PrimitiveType::kS8, 5, add);
  Check<Complex64>(ReduceKind::kAdd, PrimitiveType::kC64, {2, 3}, add);
}

TEST(ReduceWindowTest, MaximaAndMinima) {
  Check<float>(ReduceKind::kMaximum, PrimitiveType::kF32, -100,
               [](float a, float b) { return std::max(a, b); });
  Check<int64_t>(ReduceKind::kMinimum, PrimitiveType::kS64, 100,
                 [](int64_t a, int64_t b) { return std::min(a, b); });
  Check<double>(ReduceKind::kMinimum, PrimitiveType::kF64, 100,
                [](double a, double b) { return std::min(a, b); });
}

TEST(ReduceWindowTest, NanStaysAndPaddingIsNothing) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> data(2 * 40, -kInf), output(41);
  data[0] = kNan, data[40 + 7] = kNan, data[40 + 20] = 3, data[39] = -0.0f;
  ForEachIsa([&] {
    for (const bool maximum : {true, false}) {
      const float init = maximum ? -kInf : -0.0f;
      const ReduceKind kind = maximum ? ReduceKind::kMaximum : ReduceKind::kAdd;
      const Dims dims = {Dim(2, 2), Dim(40, 2, 1, 1, 1)};
      ASSERT_TRUE(ReduceWindow(Parallel(),
                               {kind, PrimitiveType::kF32, dims, data.data(), &init, output.data()})
                      .ok());
      for (int i : {0, 1, 7, 8}) EXPECT_TRUE(std::isnan(output[i])) << i;
      for (int i : {2, 6, 9, 19, 38}) EXPECT_EQ(output[i], -kInf) << i;
      EXPECT_EQ(output[20], maximum ? 3 : -kInf);
      EXPECT_EQ(output[40], maximum ? 0 : -kInf);
    }
  });
}

TEST(ReduceWindowTest, NarrowFloatsOfShortWindows) {
  using Bf16 = NativeOf<PrimitiveType::kBF16>;
  const std::vector<Bf16> data(18 * 70, Bf16(1.0));
  const Bf16 init(100.0);
  // If ones were added in bf16, the sum would stop at 256.
  const Dims dims = {Dim(18, 17), Dim(70, 24, 2, 0, 1)};
  std::vector<Bf16> output(2 * dims[1].output_size);
  ForEachIsa([&] {
    ASSERT_TRUE(ReduceWindow(Parallel(), {ReduceKind::kAdd, PrimitiveType::kBF16, dims, data.data(),
                                          &init, output.data()})
                    .ok());
    for (const Bf16& x : output) EXPECT_EQ(float{x}, 508);  // 100 + 17 * 24
  });
}

TEST(ReduceWindowTest, NarrowFloatsAccumulateInF32) {
  using Bf16 = NativeOf<PrimitiveType::kBF16>;
  const std::vector<Bf16> data(1024, Bf16(1.0));
  std::vector<Bf16> output(1024);
  const Bf16 init(0.0);
  const Dims dims = {Dim(1024, 1024, 1, 1023, 0)};
  ForEachIsa([&] {
    ASSERT_TRUE(ReduceWindow(Parallel(), {ReduceKind::kAdd, PrimitiveType::kBF16, dims, data.data(),
                                          &init, output.data()})
                    .ok());
    EXPECT_EQ(float{output[1023]}, 1024);
    EXPECT_EQ(float{output[299]}, 300);
  });
}

// Returns small integers, many of which are equal, with NaN, infinities and both zeros.
template <typename T>
std::vector<T> SelectOperand(int64_t count) {
  std::vector<T> operand = RandomElements<T>(count, 1);
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kInf = std::numeric_limits<T>::infinity();
    constexpr T kSpecial[] = {std::numeric_limits<T>::quiet_NaN(), kInf, -kInf, T(-0.0), T(0)};
    for (int64_t i = 0; i < count; i += 7) operand[i] = kSpecial[i / 7 % 5];
  }
  return operand;
}

template <typename T, typename Keeps>
void CheckSelect(PrimitiveType type, WindowSelect select, const Dims& dims, Keeps keeps) {
  int64_t inputs = 1, outputs = 1;
  std::vector<int64_t> sources, taps;
  for (const WindowDimensionSpec& d : dims) {
    inputs *= d.input_size, outputs *= d.output_size;
    sources.push_back(d.output_size);
    taps.push_back(d.size);
  }
  const std::vector<T> operand = SelectOperand<T>(inputs), source = RandomElements<T>(outputs, 2);
  const T init = static_cast<T>(-0.0);
  std::vector<T> expected(inputs, init), output(inputs);
  int64_t number = 0;
  ForEachIndexOf(sources, [&](const std::vector<int64_t>& out) {
    int64_t kept = -1;
    ForEachIndexOf(taps, [&](const std::vector<int64_t>& tap) {
      int64_t at = 0;
      for (size_t d = 0; d < out.size(); ++d) {
        const int64_t i = out[d] * dims[d].stride + tap[d] - dims[d].padding_low;
        if (i < 0 || i >= dims[d].input_size) return;
        at = at * dims[d].input_size + i;
      }
      if (kept < 0 || !keeps(operand[kept], operand[at])) kept = at;
    });
    if (kept >= 0) expected[kept] = static_cast<T>(expected[kept] + source[number]);
    ++number;
  });
  const SelectAndScatterRequest request = {select,         ReduceKind::kAdd, type,  dims,
                                           operand.data(), source.data(),    &init, output.data()};
  for (int threads : {1, 2}) {
    ForEachIsa([&] {
      std::fill(output.begin(), output.end(), static_cast<T>(1));
      ASSERT_TRUE(SelectAndScatter(Parallel(threads), request).ok());
      EXPECT_EQ(std::memcmp(output.data(), expected.data(), inputs * sizeof(T)), 0)
          << PrimitiveTypeName(type);
    });
  }
}

template <typename T>
void CheckSelects(PrimitiveType type, const Dims& dims) {
  CheckSelect<T>(type, WindowSelect::kGe, dims, std::greater_equal<T>());
  CheckSelect<T>(type, WindowSelect::kGt, dims, std::greater<T>());
  CheckSelect<T>(type, WindowSelect::kLe, dims, std::less_equal<T>());
  CheckSelect<T>(type, WindowSelect::kLt, dims, std::less<T>());
}

const Dims kSelectCases[] = {
    {},
    {Dim(10, 3)},
    {Dim(4, 1), Dim(3, 1)},
    {Dim(3, 1), Dim(9, 3, 2, 1, 1), Dim(8, 2, 2), Dim(3, 1)},
    {Dim(5, 3, 2, 1, 1), Dim(2, 1)},
    // Channels last. Windows tile the array, leave gaps, overlap, or are entirely or partly in
    // padding.
    {Dim(2, 1), Dim(8, 2, 2), Dim(6, 3, 3), Dim(37, 1)},
    {Dim(2, 1), Dim(8, 2, 2, 1, 1), Dim(7, 3, 3, 2, 0), Dim(23, 1)},
    {Dim(2, 1), Dim(9, 2, 3), Dim(9, 2, 2), Dim(19, 1)},
    {Dim(9, 3, 1, 1, 1), Dim(8, 4, 2, 1, 1), Dim(5, 1), Dim(7, 1)},
    {Dim(2, 1), Dim(6, 2, 1, 3, 4), Dim(5, 3, 2, -1, -1), Dim(21, 1)},
    {Dim(40, 3, 2, 1, 1), Dim(33, 3, 2, 1, 1), Dim(64, 1)},  // a larger array
    {Dim(300, 5, 1, 2, 2), Dim(513, 1)},
    // Channels first. The lengths of rows leave every remainder of a vector.
    {Dim(3, 1), Dim(8, 2, 2), Dim(64, 2, 2)},
    {Dim(3, 1), Dim(9, 3, 2, 1, 1), Dim(61, 3, 2, 1, 1)},
    {Dim(2, 1), Dim(7, 3, 1, 1, 1), Dim(47, 3, 1, 1, 1)},
    {Dim(6, 2, 2), Dim(100, 4, 3, 2, 5)},
    {Dim(6, 3, 3, 1, 0), Dim(39, 1, 2)},
    {Dim(150, 3, 1, 1, 1), Dim(300, 3, 2, 0, 1)},
    {Dim(400, 7, 1, 3, 3)},
};

TEST(SelectAndScatterTest, TiesPaddingAndOverlap) {
  for (const Dims& dims : kSelectCases) {
    SCOPED_TRACE(testing::Message() << "case " << &dims - kSelectCases);
    CheckSelects<float>(PrimitiveType::kF32, dims);
    CheckSelects<double>(PrimitiveType::kF64, dims);
    CheckSelect<int8_t>(PrimitiveType::kS8, WindowSelect::kGt, dims, std::greater<int8_t>());
    CheckSelect<uint64_t>(PrimitiveType::kU64, WindowSelect::kLe, dims,
                          std::less_equal<uint64_t>());
  }
}

TEST(SelectAndScatterTest, NarrowFloatsAddUpInF32) {
  using Bf16 = NativeOf<PrimitiveType::kBF16>;
  // Every window contains the 9 at the center, so output[1023] is the sum of all 1024 sources. A
  // sum in bf16 would stop at 256.
  std::vector<Bf16> operand(2047, Bf16(1.0)), output(2047);
  operand[1023] = Bf16(9.0);
  const std::vector<Bf16> source(1024, Bf16(1.0));
  const Bf16 init(0.0);
  const absl::InlinedVector<WindowDimensionSpec, 4> dims = {Dim(2047, 1024)};
  const SelectAndScatterRequest request = {WindowSelect::kGe,
                                           ReduceKind::kAdd,
                                           PrimitiveType::kBF16,
                                           dims,
                                           operand.data(),
                                           source.data(),
                                           &init,
                                           output.data()};
  ForEachIsa([&] {
    ASSERT_TRUE(SelectAndScatter(Parallel(), request).ok());
    EXPECT_EQ(float{output[1023]}, 1024);
    EXPECT_EQ(float{output[1022]}, 0);
  });
}

}  // namespace
}  // namespace hlocts::kernels
