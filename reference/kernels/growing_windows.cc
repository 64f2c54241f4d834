// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/growing_windows.h"

#include <algorithm>

namespace hlocts::reference {
namespace {

constexpr int64_t kLongWindow = 16;  // in elements; shorter windows are as cheap one by one

int64_t Longest(const WindowAxis& axis) {
  int64_t longest = 0;
  for (const WindowPosition& at : axis.positions) longest = std::max(longest, at.count);
  return longest;
}

// Returns true if `next` contains `before` and at most more after it (backwards: before it).
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
