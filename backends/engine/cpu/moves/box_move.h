// SPDX-License-Identifier: Apache-2.0
// Reads or writes a box of an array at a computed start.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_MOVES_BOX_MOVE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_MOVES_BOX_MOVE_H_

#include <vector>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/elementwise/micro_ops.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {

class BoxMove {
 public:
  enum class Kind : uint8_t { kRead, kWrite };

  // For a dynamic-slice or a dynamic-update-slice.
  BoxMove(const OpContext& context, Kind kind);
  void Run(In in, Out out) const;
  // The same as one element of an array; false where it is none.
  bool AsElement(In in, Out out, MicroElement& element) const;
  bool reads() const { return kind_ == Kind::kRead; }
  int width() const { return width_; }

 private:
  // A dimension in which the box is smaller than the array: elsewhere its start is always 0.
  struct Start {
    PrimitiveType type;
    size_t operand;
    int64_t element, last, stride;  // in bytes
  };
  int64_t Offset(In in) const;
  void MoveBox(const uint8_t* from, uint8_t* to) const;

  Kind kind_;
  int width_;
  int64_t array_bytes_;
  int64_t run_bytes_ = -1;  // of a box that is one run
  StridedCopy copy_;
  absl::InlinedVector<Start, 3> starts_;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_MOVES_BOX_MOVE_H_
