// SPDX-License-Identifier: Apache-2.0
// Lists the elements under the windows of reduce-window and select-and-scatter.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/engine/plan/graph.h"
#include "spec/ir/attributes.h"

namespace hlocts::cpu {

// In one dimension: the elements under the window at each position, in the window's order.
struct WindowAxis {
  std::vector<std::vector<int64_t>> elements;
  int64_t stride = 1;  // stride of the dimension in the base array, in elements
};

class Windows {
 public:
  // `positions` are the sizes of the array that has one element for each window.
  static absl::StatusOr<Windows> Of(const Instruction& instruction, absl::Span<const int64_t> base,
                                    absl::Span<const int64_t> positions);
  int64_t count() const { return count_; }
  // Sets `elements` to the row-major indices of the elements of window `number`, in the row-major
  // order of the window.
  void ElementsOf(int64_t number, std::vector<int64_t>& elements) const;

 private:
  std::vector<WindowAxis> axes_;
  int64_t count_ = 1;
};

}  // namespace hlocts::cpu
