// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/windows.h"

#include "spec/ir/instruction.h"

namespace hlocts::plan {
namespace {

// Limit of the result of Reach: a sum of six such numbers fits in int64.
constexpr int64_t kReach = int64_t{1} << 60;

// Returns a bound on the distance of any position of a window from the first element of `base`.
Int128 Reach(const WindowDimension& window, int64_t base, int64_t positions) {
  const Int128 low = window.padding_low;
  return (low < 0 ? -low : low) + Int128{base} * window.base_dilation +
         Int128{window.size} * window.window_dilation + Int128{positions} * window.stride;
}

}  // namespace

absl::StatusOr<std::vector<WindowDimension>> WindowsOf(const Instruction& instruction,
                                                       absl::Span<const int64_t> base,
                                                       absl::Span<const int64_t> positions) {
  std::vector<WindowDimension> windows;
  if (const Window* given = instruction.Get<Window>(Attr::kWindow)) windows = given->dimensions;
  windows.resize(base.size());
  for (size_t d = 0; d < base.size(); ++d) {
    WindowDimension& window = windows[d];
    if (positions[d] <= 1) window.stride = 1;
    if (base[d] <= 1) window.base_dilation = 1;
    if (window.size <= 1) window.window_dilation = 1;
    if (Reach(window, base[d], positions[d]) > kReach) {
      return Unsupported(instruction.name(), ": a window over 2^60 elements is not supported");
    }
  }
  return windows;
}

}  // namespace hlocts::plan
