// SPDX-License-Identifier: Apache-2.0
// A loop program of 32-bit integer operations as a chain that strips of elements go through in
// registers (elementwise/strips.h): how gather and scatter make their indices.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_STRIP_LOOP_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_STRIP_LOOP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/engine/cpu/elementwise/strips.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

class StripLoop {
 public:
  // Nothing where the program has anything but such operations on arrays read in order, single
  // elements and lines, or the processor has no strips.
  static std::optional<StripLoop> Of(const LoopProgram& program);

  // What is done with the results of elements [begin, end), which are at least a strip. The last
  // strip may overlap the one before, so `out` is none of the arrays.
  void Make(const uint8_t* const* arrays, int64_t begin, int64_t end, uint8_t* out) const;
  // out[i] = the element of 4 bytes of `table` that result i names; below 0 is 0, above `last` is
  // `last`.
  struct Table {
    const void* elements = nullptr;
    int64_t last = 0;
    bool is_signed = true;
  };
  void Take(const Table& table, const uint8_t* const* arrays, int64_t begin, int64_t end,
            uint8_t* out) const;

 private:
  // A StripOp without addresses: what it names lies in an array or in a cell, a strip of memory.
  struct Draft {
    StripCode code;
    int64_t array = -1, cell = -1;
    int64_t offset = 0;  // of the array, in elements; of a line its first number
  };
  // A cell that one element of an array fills.
  struct Splat {
    int64_t array, offset, cell;
  };
  class Builder;

  void Run(StripOp last, const uint8_t* const* arrays, int64_t begin, int64_t end) const;

  std::vector<Draft> drafts_;
  std::vector<Splat> splats_;
  int64_t cells_ = 0;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_STRIP_LOOP_H_
