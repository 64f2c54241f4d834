// SPDX-License-Identifier: Apache-2.0
// Reads or writes a box of an array. The start of the box is computed at run time.
#pragma once

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/elementwise/micro_ops.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {

class BoxMove {
 public:
  enum class Kind : uint8_t { kRead, kWrite };

  // The context must be a dynamic-slice for kRead, a dynamic-update-slice for kWrite.
  BoxMove(const OpContext& context, Kind kind);
  void Run(In in, Out out) const;
  // Describes a box of one element. Returns false if MicroElement cannot describe this box.
  bool AsElement(In in, Out out, MicroElement& element) const;
  bool reads() const { return kind_ == Kind::kRead; }
  int width() const { return width_; }

 private:
  // The start in one dimension. Dimensions in which the box is as large as the array have no Start,
  // because the start is always 0.
  struct Start {
    PrimitiveType type;
    size_t operand;
    int64_t element, last, stride;  // last: the largest start; stride: in bytes
  };
  int64_t Offset(In in) const;
  void MoveBox(const uint8_t* from, uint8_t* to) const;

  Kind kind_;
  int width_;
  int64_t array_bytes_;
  int64_t run_bytes_ = -1;  // bytes of the box if it is contiguous, else -1
  StridedCopy copy_;
  absl::InlinedVector<Start, 3> starts_;
};

}  // namespace hlocts::cpu
