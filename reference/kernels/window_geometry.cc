// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/window_geometry.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/base/int128.h"
#include "spec/infer/window_util.h"

namespace hlocts::reference {
namespace {

// Returns x in [0, m) with a * x = 1 modulo m (a and m coprime, m >= 1).
int64_t ModularInverse(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, x0 = 0, x1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    x0 = std::exchange(x1, x0 - q * x1);
  }
  x0 %= m;
  return x0 < 0 ? x0 + m : x0;
}

Int128 CeilDivide(Int128 a, Int128 b) { return (a + b - 1) / b; }

// Returns the elements under the window that begins at `start`. Tap t is at start + t *
// window_dilation; elements are at multiples of base_dilation in [0, base_size * base_dilation).
WindowPosition PositionAt(Int128 start, int64_t base_size, const WindowDimension& window,
                          const WindowAxis& axis) {
  const int64_t common = window.base_dilation / axis.tap_step;
  if (start % common != 0) return {};
  const Int128 tap_min = start >= 0 ? 0 : CeilDivide(-start, window.window_dilation);
  if (tap_min >= window.size) return {};
  // Finds the first tap >= tap_min over an element.
  const Int128 place = start + tap_min * window.window_dilation;
  const Int128 hole = (place / common) % axis.tap_step;  // 0 if the tap is over an element
  Int128 first_tap = tap_min;
  if (hole != 0) {
    const int64_t inverse = ModularInverse(axis.base_step % axis.tap_step, axis.tap_step);
    first_tap += (axis.tap_step - hole) * inverse % axis.tap_step;
  }
  if (first_tap >= window.size) return {};
  const Int128 first_base = (start + first_tap * window.window_dilation) / window.base_dilation;
  if (first_base >= base_size) return {};
  const Int128 count = std::min(CeilDivide(window.size - first_tap, axis.tap_step),
                                CeilDivide(base_size - first_base, axis.base_step));
  return {static_cast<int64_t>(first_tap), static_cast<int64_t>(first_base),
          static_cast<int64_t>(count)};
}

constexpr int64_t kLongWindow = 16;  // in elements; shorter windows gain nothing

int64_t Longest(const WindowAxis& axis) {
  int64_t longest = 0;
  for (const WindowPosition& at : axis.positions) longest = std::max(longest, at.count);
  return longest;
}

// Returns true if `next` is `before` followed (if `backwards`, preceded) by other elements.
bool Contains(const WindowAxis& axis, const WindowPosition& next, const WindowPosition& before,
              bool backwards) {
  if (before.count == 0) return true;
  if (next.count < before.count) return false;
  const int64_t ahead = backwards ? next.count - before.count : 0;
  return next.first_base + ahead * axis.base_step == before.first_base;
}

bool Grows(const WindowAxis& axis, bool backwards) {
  const size_t size = axis.positions.size();
  for (size_t i = 1; i < size; ++i) {
    const WindowPosition &before = axis.positions[i - 1], &at = axis.positions[i];
    if (!(backwards ? Contains(axis, before, at, true) : Contains(axis, at, before, false))) {
      return false;
    }
  }
  return true;
}

}  // namespace

WindowAxis MakeWindowAxis(int64_t base_size, int64_t output_size, const WindowDimension& window) {
  WindowAxis axis;
  const int64_t common = std::gcd(window.window_dilation, window.base_dilation);
  axis.tap_step = window.base_dilation / common;
  axis.base_step = window.window_dilation / common;
  axis.positions.reserve(output_size);
  for (int64_t i = 0; i < output_size; ++i) {
    const Int128 start = Int128{i} * window.stride - window.padding_low;
    axis.positions.push_back(PositionAt(start, base_size, window, axis));
  }
  // Longer steps leave the window or the base, and might overflow int64.
  axis.tap_step = std::min(axis.tap_step, window.size);
  axis.base_step = std::min(axis.base_step, std::max<int64_t>(base_size, 1));
  return axis;
}

int64_t WindowGeometryBytes(absl::Span<const int64_t> base_dimensions, const Window& window) {
  int64_t bytes = 0;
  for (size_t d = 0; d < std::min(base_dimensions.size(), window.dimensions.size()); ++d) {
    const int64_t positions = WindowOutputSize(base_dimensions[d], window.dimensions[d]);
    int64_t more;
    if (__builtin_mul_overflow(positions, sizeof(WindowPosition), &more) ||
        __builtin_add_overflow(bytes, more, &bytes)) {
      return INT64_MAX;
    }
  }
  return bytes;
}

WindowGeometry MakeWindowGeometry(absl::Span<const int64_t> base_dimensions, const Window& window) {
  WindowGeometry geometry;
  geometry.base_strides = RowMajorStrides(base_dimensions);
  for (size_t d = 0; d < base_dimensions.size(); ++d) {
    const WindowDimension dimension =
        d < window.dimensions.size() ? window.dimensions[d] : WindowDimension();
    const int64_t output_size = WindowOutputSize(base_dimensions[d], dimension);
    geometry.output_dimensions.push_back(output_size);
    geometry.axes.push_back(MakeWindowAxis(base_dimensions[d], output_size, dimension));
  }
  return geometry;
}

std::optional<GrowingWindows> GrowingWindowsOf(const WindowGeometry& geometry) {
  std::optional<GrowingWindows> found;
  for (size_t d = 0; d < geometry.axes.size(); ++d) {
    const WindowAxis& axis = geometry.axes[d];
    const int64_t longest = Longest(axis);
    if (longest <= 1) continue;
    if (found || longest < kLongWindow) return std::nullopt;
    for (bool backwards : {false, true}) {
      if (!found && Grows(axis, backwards)) found = {static_cast<int64_t>(d), backwards};
    }
    if (!found) return std::nullopt;
  }
  return found;
}

}  // namespace hlocts::reference
