// SPDX-License-Identifier: Apache-2.0
// Steps that work on equal parts of their arrays, cut along the leading dimension: the entries of a
// batch.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_BASE_PART_WORK_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_BASE_PART_WORK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "backends/engine/cpu/base/program.h"

namespace hlocts::cpu {

struct PartWork {
  std::vector<bool> own;  // operand k: a part reads this part of it and no other
  double cost_ns = 0;     // of a part, on one thread
  // Computes parts [begin, end) on the calling thread. Pointers are of whole arrays, of which only
  // the parts that it reads or writes need exist. Gives the same bits as the whole step.
  std::function<absl::Status(In in, Out out, int64_t begin, int64_t end)> run;
};

// Null where a step cannot be split into this many parts.
using PartWorkFactory = std::function<std::optional<PartWork>(int64_t parts)>;

// An operand or a result of a group's member: an array of the whole group, or an internal value.
struct GroupPlace {
  enum class Kind : uint8_t { kIn, kOut, kInternal };
  Kind kind = Kind::kIn;
  int32_t number = 0;  // -1: not used by the member
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_BASE_PART_WORK_H_
