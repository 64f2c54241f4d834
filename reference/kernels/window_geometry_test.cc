// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/window_geometry.h"

#include <map>
#include <optional>
#include <random>

#include "gtest/gtest.h"
#include "reference/kernels/reduce_window.h"
#include "spec/base/int128.h"
#include "spec/infer/window_util.h"

namespace hlocts::reference {
namespace {

// Returns the base area with its holes and padding as a map from coordinate to element.
std::map<int64_t, int64_t> LaidOut(int64_t base_size, const WindowDimension& window) {
  std::map<int64_t, int64_t> place_to_element;
  for (int64_t i = 0; i < base_size; ++i) {
    place_to_element[window.padding_low + i * window.base_dilation] = i;
  }
  return place_to_element;
}

int64_t PaddedSizeOf(int64_t base_size, const WindowDimension& window) {
  const int64_t dilated = base_size == 0 ? 0 : (base_size - 1) * window.base_dilation + 1;
  return window.padding_low + dilated + window.padding_high;
}

std::vector<std::pair<int64_t, int64_t>> Expected(int64_t base_size, const WindowDimension& window,
                                                  int64_t output) {
  const auto elements = LaidOut(base_size, window);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t tap = 0; tap < window.size; ++tap) {
    auto found = elements.find(output * window.stride + tap * window.window_dilation);
    if (found != elements.end()) pairs.push_back({tap, found->second});
  }
  return pairs;
}

TEST(WindowGeometry, AgreesWithALayoutOfEveryCoordinate) {
  std::mt19937 random(1);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int64_t seen = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    WindowDimension window;
    window.size = draw(1, 6);
    window.stride = draw(1, 4);
    window.window_dilation = draw(1, 6);
    window.base_dilation = draw(1, 6);
    window.padding_low = draw(-4, 5);
    window.padding_high = draw(-4, 5);
    const int64_t base = draw(0, 7);
    const int64_t padded = PaddedSizeOf(base, window);
    const int64_t extent = (window.size - 1) * window.window_dilation + 1;
    const int64_t outputs = padded < extent ? 0 : (padded - extent) / window.stride + 1;
    const WindowAxis axis = MakeWindowAxis(base, outputs, window);
    ASSERT_EQ(static_cast<int64_t>(axis.positions.size()), outputs);
    for (int64_t o = 0; o < outputs; ++o) {
      std::vector<std::pair<int64_t, int64_t>> actual;
      const WindowPosition& at = axis.positions[o];
      for (int64_t i = 0; i < at.count; ++i) {
        actual.push_back({at.first_tap + i * axis.tap_step, at.first_base + i * axis.base_step});
      }
      ASSERT_EQ(actual, Expected(base, window, o)) << "trial " << trial << " output " << o;
      seen += at.count;
    }
  }
  EXPECT_GT(seen, 30000);  // enough positions were compared
}

// Returns a step of the base, the window or between windows: small, or near the end of int64.
int64_t DrawStep(std::mt19937& random) {
  const int64_t small = std::uniform_int_distribution<int>(1, 6)(random);
  switch (random() % 4) {
    case 0:
      return INT64_MAX - small + 1;
    case 1:
      return INT64_MAX / 2 + small - 3;
    default:
      return small;
  }
}

// Returns a window whose attributes are near the ends of int64, placed so that a few positions are
// near elements. Returns nullopt if the required padding does not fit in an int64.
std::optional<WindowDimension> DrawWide(std::mt19937& random, int64_t base) {
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  WindowDimension window{.size = draw(1, 4),
                         .stride = DrawStep(random),
                         .window_dilation = DrawStep(random),
                         .base_dilation = DrawStep(random)};
  const Int128 low = draw(-3, 3) - Int128{draw(0, 2)} * window.base_dilation +
                     Int128{draw(0, 2)} * window.window_dilation;
  const Int128 dilated = base == 0 ? 0 : Int128{base - 1} * window.base_dilation + 1;
  const Int128 extent = Int128{window.size - 1} * window.window_dilation + 1;
  const Int128 high =
      extent + draw(-2, 3) * (draw(0, 2) ? Int128{1} : window.stride) - dilated - low;
  for (Int128 padding : {low, high}) {
    if (padding < INT64_MIN || padding > INT64_MAX) return std::nullopt;
  }
  window.padding_low = static_cast<int64_t>(low);
  window.padding_high = static_cast<int64_t>(high);
  return window;
}

std::vector<std::pair<int64_t, int64_t>> ExpectedWide(int64_t base, const WindowDimension& window,
                                                      int64_t output) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t tap = 0; tap < window.size; ++tap) {
    for (int64_t i = 0; i < base; ++i) {
      const Int128 at = Int128{i} * window.base_dilation + window.padding_low;
      if (at == Int128{output} * window.stride + Int128{tap} * window.window_dilation) {
        pairs.push_back({tap, i});
      }
    }
  }
  return pairs;
}

// Sums and products of the attributes may exceed int64.
TEST(WindowGeometry, NumbersNearTheEndsOfInt64) {
  std::mt19937 random(7);
  int64_t seen = 0, windows = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    const int64_t base = static_cast<int64_t>(random() % 5);
    const std::optional<WindowDimension> window = DrawWide(random, base);
    if (!window) continue;
    const int64_t outputs = WindowOutputSize(base, *window);
    const Int128 padded = (base == 0 ? 0 : Int128{base - 1} * window->base_dilation + 1) +
                          window->padding_low + window->padding_high;
    const Int128 extent = Int128{window->size - 1} * window->window_dilation + 1;
    const Int128 wanted = padded < extent ? 0 : (padded - extent) / window->stride + 1;
    ASSERT_TRUE(outputs == wanted) << "trial " << trial;
    const WindowAxis axis = MakeWindowAxis(base, outputs, *window);
    for (int64_t o = 0; o < outputs; ++o, ++windows) {
      std::vector<std::pair<int64_t, int64_t>> actual;
      const WindowPosition& at = axis.positions[o];
      for (int64_t i = 0; i < at.count; ++i) {
        actual.push_back({at.first_tap + i * axis.tap_step, at.first_base + i * axis.base_step});
      }
      ASSERT_EQ(actual, ExpectedWide(base, *window, o)) << "trial " << trial << " output " << o;
      seen += at.count;
    }
  }
  EXPECT_GT(windows, 10000);
  EXPECT_GT(seen, 10000);
}

using ElementsOfOutputs = std::vector<std::vector<int64_t>>;

ElementsOfOutputs EachForItself(const WindowGeometry& geometry) {
  ElementsOfOutputs all;
  ForEachWindow(geometry, [&](int64_t, absl::Span<const int64_t> position) {
    auto& elements = all.emplace_back();
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t step) {
      for (int64_t i = 0; i < count; ++i) elements.push_back(first + i * step);
    });
  });
  return all;
}

ElementsOfOutputs Growing(const WindowGeometry& geometry, const GrowingWindows& growing,
                          size_t outputs) {
  ElementsOfOutputs all(outputs);
  std::vector<int64_t> seen;
  ForEachGrowingWindow(
      geometry, growing, [&] { seen.clear(); }, [&](int64_t at) { seen.push_back(at); },
      [&](int64_t at) {
        all[at] = seen;
        if (growing.backwards) std::sort(all[at].begin(), all[at].end());
      });
  return all;
}

// Returns a dimension whose windows mostly grow if `cumulative`, or are small otherwise.
WindowDimension DrawDimension(std::mt19937& random, int64_t base, bool cumulative) {
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  WindowDimension window;
  if (!cumulative) {
    window.padding_low = draw(-1, 1), window.padding_high = draw(-1, 1);
    window.base_dilation = draw(1, 2);
    return window;
  }
  window.size = base + draw(-2, 2);
  window.stride = draw(1, 2);
  window.window_dilation = draw(1, 5) == 1 ? 2 : 1;
  const int64_t extent = (window.size - 1) * window.window_dilation;
  (draw(0, 1) ? window.padding_low : window.padding_high) = extent + draw(-2, 2);
  return window;
}

TEST(WindowGeometry, GrowingWindowsSeeWhatEachSees) {
  std::mt19937 random(3);
  int forwards = 0, backwards = 0, neither = 0;
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 3000; ++trial) {
    const int rank = 1 + trial % 3, cumulative = draw(0, rank - 1);
    std::vector<int64_t> bases;
    Window window;
    for (int d = 0; d < rank; ++d) {
      bases.push_back(d == cumulative ? draw(16, 40) : draw(1, 3));
      window.dimensions.push_back(DrawDimension(random, bases[d], d == cumulative));
    }
    const WindowGeometry geometry = MakeWindowGeometry(bases, window);
    const std::optional<GrowingWindows> growing = GrowingWindowsOf(geometry);
    if (!growing) {
      ++neither;
      continue;
    }
    ++(growing->backwards ? backwards : forwards);
    const ElementsOfOutputs expected = EachForItself(geometry);
    ASSERT_EQ(Growing(geometry, *growing, expected.size()), expected) << "trial " << trial;
  }
  EXPECT_GT(forwards, 500);
  EXPECT_GT(backwards, 500);
  EXPECT_GT(neither, 100);
}

TEST(WindowGeometry, ARankZeroWindowHasItsOneElement) {
  const WindowGeometry geometry = MakeWindowGeometry({}, Window());
  int64_t visits = 0;
  ForEachWindow(geometry, [&](int64_t out, absl::Span<const int64_t> position) {
    EXPECT_EQ(out, 0);
    ForEachWindowRun(geometry, position, [&](int64_t first, int64_t count, int64_t) {
      EXPECT_EQ(first, 0);
      visits += count;
    });
  });
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace hlocts::reference
