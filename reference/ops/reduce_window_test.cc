// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <random>

#include "absl/strings/str_join.h"
#include "reference/ops/module_testing.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

// A window over an array, and the size of the result.
struct WindowedArray {
  std::vector<int64_t> base, out, taps;
  Window window;
};

using Draw = std::function<int(int low, int high)>;

WindowedArray DrawWindowedArray(const Draw& draw) {
  WindowedArray array;
  const int rank = draw(1, 3);
  for (int d = 0; d < rank; ++d) {
    WindowDimension w;
    w.size = draw(1, 3), w.stride = draw(1, 2), w.padding_low = draw(-1, 2),
    w.padding_high = draw(-1, 2);
    w.window_dilation = draw(1, 3), w.base_dilation = draw(1, 3);
    array.base.push_back(draw(2, 5));
    const int64_t padded =
        (array.base[d] - 1) * w.base_dilation + 1 + w.padding_low + w.padding_high;
    const int64_t extent = (w.size - 1) * w.window_dilation + 1;
    array.out.push_back(padded < extent ? 0 : (padded - extent) / w.stride + 1);
    array.taps.push_back(w.size);
    array.window.dimensions.push_back(w);
  }
  return array;
}

// Returns true if tap t of the window at output o is over element b of the base.
bool Meets(const Window& window, absl::Span<const int64_t> b, absl::Span<const int64_t> o,
           absl::Span<const int64_t> t) {
  for (size_t d = 0; d < b.size(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    if (b[d] * w.base_dilation + w.padding_low != o[d] * w.stride + t[d] * w.window_dilation) {
      return false;
    }
  }
  return true;
}

// Returns the maximum at output o, found by a search of all pairs of an element and a tap.
int32_t MaximumOfAllPairs(const WindowedArray& array, absl::Span<const int32_t> x, int32_t init,
                          absl::Span<const int64_t> o) {
  int32_t best = init;
  ForEachIndex(array.base, [&](absl::Span<const int64_t> b) {
    ForEachIndex(array.taps, [&](absl::Span<const int64_t> t) {
      if (!Meets(array.window, b, o, t)) return;
      best = std::max(best, x[LinearIndex(b, RowMajorStrides(array.base))]);
    });
  });
  return best;
}

// Tests the maximum over random windows of random arrays.
TEST(ReduceWindow, AgreesWithASearchOfAllPairs) {
  const char* max =
      "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\n";
  std::mt19937 random(7);
  const Draw draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int64_t compared = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const WindowedArray array = DrawWindowedArray(draw);
    const std::string entry = absl::StrCat(
        "x = s32[", absl::StrJoin(array.base, ","),
        "] parameter(0) i = s32[] constant(-1000) ROOT r = s32[", absl::StrJoin(array.out, ","),
        "] reduce-window(x, i), window=", PrintWindow(array.window), ", to_apply=f");
    const std::unique_ptr<Module> module = ModuleOf(entry, max);
    ASSERT_NE(module, nullptr);
    Literal x(Shape(PrimitiveType::kS32, array.base));
    for (int32_t& v : x.mutable_data<int32_t>()) v = draw(-99, 99);
    absl::StatusOr<Literal> result = Evaluate(*module, {x});
    ASSERT_TRUE(result.ok()) << entry << result.status();
    ASSERT_EQ(result->shape().dimensions(), array.out);
    ForEachIndex(array.out, [&, at = int64_t{0}](absl::Span<const int64_t> o) mutable {
      ASSERT_EQ(result->data<int32_t>()[at++],
                MaximumOfAllPairs(array, x.data<int32_t>(), -1000, o))
          << entry;
      ++compared;
    });
  }
  EXPECT_GT(compared, 500);
}

TEST(ReduceWindow, HugePaddingIsRefusedBeforeAllocating) {
  EvalOptions options;
  options.memory_bytes_max = int64_t{3} << 30;  // enough for the result, not for its geometry
  absl::StatusOr<Literal> result = TryRun(
      "x = pred[1] parameter(0) i = pred[] constant(false) ROOT r = pred[2000000001] "
      "reduce-window(x, i), window={size=1 pad=0_2000000000}, to_apply=f",
      "f { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] or(a, b) }\n",
      {"pred[1] {true}"}, options);
  EXPECT_TRUE(absl::IsResourceExhausted(result.status())) << result.status();
}

}  // namespace
}  // namespace hlocts::reference
