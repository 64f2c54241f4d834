// SPDX-License-Identifier: Apache-2.0
// Steps that can run separately on equal parts of their arrays. The arrays are split along the
// leading dimension, which is usually the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "backends/engine/cpu/base/program.h"

namespace hlocts::cpu {

struct PartitionedStep {
  std::vector<bool> own;  // own[k]: a part reads only its part of operand k
  double cost_ns = 0;     // estimated time of one part on one thread
  // Computes parts [begin, end) on the calling thread. Pointers point to the starts of whole
  // arrays, but only the parts that are read or written must exist. The results have the same bits
  // as if the whole step ran at once.
  std::function<absl::Status(In in, Out out, int64_t begin, int64_t end)> run;
};

// Splits a step into `parts` parts. Returns nullopt if that is impossible.
using PartWorkFactory = std::function<std::optional<PartitionedStep>(int64_t parts)>;

// The location of an operand or a result of a step in a group: an operand of the group, a result of
// the group, or an array internal to the group.
struct OperandLocation {
  enum class Kind : uint8_t { kIn, kOut, kInternal };
  Kind kind = Kind::kIn;
  int32_t number = 0;  // index of the array; -1 if the step does not use it
};

}  // namespace hlocts::cpu
