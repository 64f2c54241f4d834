#include "reference/kernels/window_geometry.h"

#include <map>
#include <random>

#include "gtest/gtest.h"
#include "reference/kernels/reduce_window.h"

namespace hlocts {
namespace {

// The base area laid out with its holes and padding, coordinate by coordinate.
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
  EXPECT_GT(seen, 30000);  // the comparison compared something
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
}  // namespace hlocts
