// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <random>

#include "absl/strings/str_join.h"
#include "reference/ops/module_testing.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

constexpr char kMin[] =
    "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] minimum(a, b) }\n";

std::vector<std::string> Window1D(absl::string_view window, absl::string_view called, int out,
                                  const std::string& operand, const std::string& init) {
  return ResultOf(absl::StrCat("x = f32[", operand.substr(0, operand.find(']')).substr(4),
                               "] parameter(0) i = f32[] parameter(1) ROOT r = f32[", out,
                               "] reduce-window(x, i), window={", window, "}, to_apply=f"),
                  called, {operand, init});
}

TEST(ReduceWindow, TheDocumentsExamples) {
  const std::string x = "f32[5] {10000,1000,100,10,1}";
  EXPECT_EQ(Window1D("size=3 stride=2", kMin, 2, x, "f32[] inf"), LeafTexts({"f32[2] {100,1}"}));
  EXPECT_EQ(Window1D("size=3 stride=2 pad=1_1", kMin, 3, x, "f32[] inf"),
            LeafTexts({"f32[3] {1000,10,1}"}));
}

TEST(ReduceWindow, InitIsTheLeftArgumentOnceAndPaddingAbsent) {
  const char* add =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  EXPECT_EQ(Window1D("size=3 pad=1_1", add, 4, "f32[4] {1,1,1,1}", "f32[] 5"),
            LeafTexts({"f32[4] {7,8,8,7}"}));
  const char* minus =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }\n";
  EXPECT_EQ(Window1D("size=2", minus, 2, "f32[3] {1,2,4}", "f32[] 100"),
            LeafTexts({"f32[2] {97,94}"}));
}

TEST(ReduceWindow, VariadicReducesTogether) {
  // The larger first value wins, and takes its partner along.
  const char* larger =
      "f { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "
      "parameter(3)\n"
      " p = pred[] compare(a, b), direction=GE v = f32[] select(p, a, b) w = s32[] select(p, i, "
      "j)\n"
      " ROOT r = (f32[], s32[]) tuple(v, w) }\n";
  EXPECT_EQ(
      ResultOf("x = f32[4] parameter(0) y = s32[4] parameter(1) i = f32[] constant(-inf) j = s32[] "
               "constant(-1) ROOT r = (f32[2], s32[2]) reduce-window(x, y, i, j), "
               "window={size=2 stride=2}, to_apply=f",
               larger, {"f32[4] {3,1,2,7}", "s32[4] {0,1,2,3}"}),
      LeafTexts({"f32[2] {3,7}", "s32[2] {0,3}"}));
}

TEST(ReduceWindow, AComputationWithALoopGoesThroughTheInterpreter) {
  const char* slow =
      "c { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 z = s32[] "
      "constant(0)\n"
      " ROOT g = pred[] compare(n, z), direction=GT }\n"
      "b { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0\n"
      " v = s32[] get-tuple-element(s), index=1 o = s32[] constant(1) m = s32[] subtract(n, o)\n"
      " w = s32[] add(v, o) ROOT t = (s32[], s32[]) tuple(m, w) }\n"
      "f { a = s32[] parameter(0) b = s32[] parameter(1) t = (s32[], s32[]) tuple(b, a)\n"
      " w = (s32[], s32[]) while(t), condition=c, body=b ROOT r = s32[] get-tuple-element(w), "
      "index=1 }\n";
  EXPECT_EQ(
      ResultOf("x = s32[3] parameter(0) i = s32[] constant(0) ROOT r = s32[2] reduce-window(x, i), "
               "window={size=2}, to_apply=f",
               slow, {"s32[3] {1,2,3}"}),
      LeafTexts({"s32[2] {3,5}"}));
}

// A window over an array, and how large the result is.
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

// Whether tap t of the window at output o lies on element b of the base.
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

// The maximum at output o, from all pairs of an element and a tap.
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

// Maximum over random windows of random arrays.
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

// A window whose strides and dilations nobody steps by, and one whose second tap lies 2^63 - 1 on.
TEST(ReduceWindow, StepsNearTheEndOfInt64) {
  const char* add =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  EXPECT_EQ(ResultOf("x = f32[1] parameter(0) i = f32[] constant(0) ROOT r = f32[1] "
                     "reduce-window(x, i), window={size=1 stride=9223372036854775807 "
                     "lhs_dilate=9223372036854775807 rhs_dilate=9223372036854775807}, to_apply=f",
                     add, {"f32[1] {3}"}),
            LeafTexts({"f32[1] {3}"}));
  EXPECT_EQ(ResultOf("x = f32[2] parameter(0) i = f32[] constant(0) ROOT r = f32[1] "
                     "reduce-window(x, i), window={size=2 pad=-1_9223372036854775807 "
                     "rhs_dilate=9223372036854775807}, to_apply=f",
                     add, {"f32[2] {3, 5}"}),
            LeafTexts({"f32[1] {5}"}));
  // The base is 2^63 long, and all but its last two places is cut.
  EXPECT_EQ(ResultOf("x = f32[2] parameter(0) i = f32[] constant(0) ROOT r = f32[2] "
                     "reduce-window(x, i), window={size=1 pad=-9223372036854775806_0 "
                     "lhs_dilate=9223372036854775807}, to_apply=f",
                     add, {"f32[2] {3, 5}"}),
            LeafTexts({"f32[2] {0, 5}"}));
}

constexpr char kGe[] =
    "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
    "direction=GE }\n";

TEST(SelectAndScatter, TheDocumentsExample) {
  // 9 is selected by two windows: 2 + 6 = 8.
  EXPECT_EQ(
      ResultOf("x = f32[4,5] parameter(0) s = f32[2,2] parameter(1) i = f32[] constant(0) ROOT r = "
               "f32[4,5] select-and-scatter(x, s, i), window={size=2x3 stride=2x2}, select=ge, "
               "scatter=add",
               absl::StrCat(kGe, kAdd),
               {"f32[4,5] {{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}}",
                "f32[2,2] {{2,6},{3,1}}"}),
      LeafTexts({"f32[4,5] {{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}"}));
}

TEST(SelectAndScatter, FirstOfTiesAndNeverPadding) {
  const std::string entry =
      "x = f32[4] parameter(0) s = f32[$] parameter(1) i = f32[] constant(1) ROOT r = f32[4] "
      "select-and-scatter(x, s, i), window={%}, select=ge, scatter=add";
  auto run = [&](const std::string& n, const std::string& window, const std::string& source) {
    std::string text = entry;
    text.replace(text.find('$'), 1, n);
    text.replace(text.find('%'), 1, window);
    return ResultOf(text, absl::StrCat(kGe, kAdd), {"f32[4] {-5,-5,-7,-7}", source});
  };
  EXPECT_EQ(run("2", "size=2 stride=2", "f32[2] {10,20}"), LeafTexts({"f32[4] {11,1,21,1}"}));
  // Windows 0 and 3 see one real element; padding (zeros would win) is no candidate.
  EXPECT_EQ(run("3", "size=2 stride=2 pad=1_1", "f32[3] {10,20,40}"),
            LeafTexts({"f32[4] {11,21,1,41}"}));
  // A window of padding only scatters nothing.
  EXPECT_EQ(run("3", "size=2 stride=2 pad=2_0", "f32[3] {10,20,40}"),
            LeafTexts({"f32[4] {21,1,41,1}"}));
}

TEST(Map, AppliesToMixedTypesAtEveryIndex) {
  const char* f =
      "f { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] convert(b) s = f32[] "
      "multiply(a, c) "
      "k = f32[] constant(0.5) ROOT r = pred[] compare(s, k), direction=GT }\n";
  EXPECT_EQ(
      ResultOf("x = f32[2,2] parameter(0) y = s32[2,2] parameter(1) ROOT m = pred[2,2] map(x, y), "
               "dimensions={0,1}, to_apply=f",
               f, {"f32[2,2] {{1,-1},{0.25,0.5}}", "s32[2,2] {{1,1},{2,2}}"}),
      LeafTexts({"pred[2,2] {{true,false},{false,true}}"}));
}

}  // namespace
}  // namespace hlocts::reference
