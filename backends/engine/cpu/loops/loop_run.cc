// SPDX-License-Identifier: Apache-2.0
// Runs a loop program in blocks. If the result is streamed, a block is divided into steps.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/base/scratch.h"
#include "backends/engine/cpu/elementwise/stream.h"
#include "backends/engine/cpu/loops/load_piece.h"
#include "backends/engine/cpu/loops/load_view.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

// Sets the addresses that are the same in all blocks: of splats, and of arrays read row by row.
void LoopProgram::PlaceOnce(const uint8_t* const* arrays, int64_t count, uint8_t* scratch,
                            uint8_t** at) const {
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    at[r] = scratch + reg.scratch;
    if (reg.kind == Kind::kLoaded && reg.stays) {
      at[r] = const_cast<uint8_t*>(arrays[reg.array]);
    } else if (reg.kind == Kind::kSplat) {
      const uint8_t* element = arrays[reg.array] + reg.view.offset * reg.width;
      if (reg.stays) {
        at[r] = const_cast<uint8_t*>(element);
      } else {
        FillElements(element, reg.width, count, at[r]);
      }
    }
  }
}

// Sets the addresses that differ between blocks. Copies operands to scratch memory if their
// elements are not contiguous in the array.
void LoopProgram::PlaceBlock(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t start,
                             int64_t count, uint8_t* scratch, uint8_t** at) const {
  for (size_t r = 0; r < registers_.size(); ++r) {
    const Register& reg = registers_[r];
    if (reg.kind == Kind::kDirect) {
      at[r] = const_cast<uint8_t*>(arrays[reg.array]) + (reg.view.offset + start) * reg.width;
    } else if (reg.kind == Kind::kLoaded && !reg.stays) {
      const uint8_t* run = RunIn(reg.view, reg.width, arrays[reg.array], start, count);
      at[r] = run != nullptr ? const_cast<uint8_t*>(run) : scratch + reg.scratch;
      if (run == nullptr) LoadView(reg.view, reg.width, arrays[reg.array], start, count, at[r]);
    } else if (reg.kind == Kind::kLine) {
      const int64_t first = reg.view.offset + start;
      reg.line(&first, nullptr, nullptr, at[r], count);
    } else if (reg.kind == Kind::kAssembled) {
      const uint8_t* run = RunInPieces(reg.pieces, reg.width, arrays, start, count);
      at[r] = run != nullptr ? const_cast<uint8_t*>(run) : scratch + reg.scratch;
      if (run == nullptr) {
        Assemble(reg.array, reg.pieces, reg.width, arrays, start, count, at[r]);
      }
    } else if (reg.output >= 0) {
      at[r] = outputs[reg.output] + start * reg.width;
    }
  }
}

// Runs an operation that reads some of its operands row by row.
void LoopProgram::RunByRows(const Operation& operation, uint8_t* const* at, int64_t start,
                            int64_t count) const {
  const int64_t size = operation.row_size;
  KernelParameters parameters = operation.kernel.parameters;
  parameters.single |= operation.row_single;
  auto [row, column] = Divided(start, size);
  for (int64_t done = 0, run, rows; done < count; done += run, row += rows, column = 0) {
    run = std::min(size - column, count - done);
    rows = 1;
    if (operation.row_repeats > 1 && run == size) {
      rows = std::min(operation.row_repeats - row % operation.row_repeats, (count - done) / size);
      run = rows * size;
    }
    parameters.row_size = rows > 1 ? size : 0;
    const auto place = [&, row = row, column = column](int r) -> uint8_t* {
      if (r < 0) return nullptr;
      const Register& reg = registers_[r];
      if (!reg.stays) return at[r] + done * reg.width;
      if (reg.kind == Kind::kSplat) return at[r];
      const int64_t along = column * reg.view.dimensions.back().stride;
      return at[r] + (RowStart(reg.view, row) + along) * reg.width;
    };
    operation.kernel.run(parameters, place(operation.a), place(operation.b), place(operation.c),
                         place(operation.out), run);
  }
}

void LoopProgram::RunOperations(uint8_t* const* at, int64_t start, int64_t count) const {
  for (const Operation& operation : operations_) {
    if (operation.row_size > 0) {
      RunByRows(operation, at, start, count);
      continue;
    }
    const auto place = [&](int r) { return r < 0 ? nullptr : at[r]; };
    operation.kernel(place(operation.a), place(operation.b), place(operation.c), at[operation.out],
                     count);
  }
}

// Runs a step. If the output is aligned, computes the result in `held` and streams it from there.
void LoopProgram::RunStreamed(uint8_t** at, int64_t start, int64_t count, uint8_t* held) const {
  const int out = operations_.back().out;
  uint8_t* const to = at[out];
  if (reinterpret_cast<uintptr_t>(to) % kStreamAlignment != 0)
    return RunOperations(at, start, count);
  at[out] = held;
  RunOperations(at, start, count);
  at[out] = to;
  StreamBytes(held, to, count * registers_[out].width);
}

// Runs a block of `count` elements in steps of `step` elements. Restores `at` afterwards.
void LoopProgram::RunSteps(uint8_t** at, int64_t start, int64_t count, int64_t step,
                           uint8_t* held) const {
  const auto advance = [&](int64_t elements) {
    for (size_t r = 0; r < registers_.size(); ++r) {
      if (!registers_[r].stays) at[r] += elements * registers_[r].width;
    }
  };
  int64_t done = 0;
  for (; done < count; done += step) {
    RunStreamed(at, start + done, std::min(step, count - done), held);
    advance(step);
  }
  advance(-done);
}

// Returns the size of the first block of a streamed result. Later blocks begin at a cache line.
int64_t LoopProgram::FirstBlock(uint8_t* const* outputs, int64_t begin) const {
  const Register& reg = registers_[operations_.back().out];
  const auto place = reinterpret_cast<uintptr_t>(outputs[reg.output] + begin * reg.width);
  const int64_t beyond = static_cast<int64_t>(place % kStreamAlignment);
  if (beyond == 0 || beyond % reg.width != 0) return kBlock;
  return (kStreamAlignment - beyond) / reg.width;
}

void LoopProgram::Run(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t begin,
                      int64_t end, bool is_part) const {
  if (begin >= end) return;
  ScratchBuffer scratch(scratch_bytes_);
  uint8_t* at[kRegistersMax + 1];
  PlaceOnce(arrays, std::min(kBlock, end - begin), scratch.data(), at);
  const bool streams = streams_ && (is_part || end - begin > kStreamedElements);
  // In short steps all arrays advance together, so the hardware prefetches each of them. A part
  // does not need short steps: its operands are already in the L1 or L2 cache.
  const int64_t step = is_part ? kBlock : kStreamStep;
  int64_t block = streams ? FirstBlock(outputs, begin) : kBlock;
  for (int64_t start = begin, count; start < end; start += count, block = kBlock) {
    count = std::min(block, end - start);
    PlaceBlock(arrays, outputs, start, count, scratch.data(), at);
    if (streams) {
      RunSteps(at, start, count, step, scratch.data() + stream_buffer_offset_);
    } else {
      RunOperations(at, start, count);
    }
    for (size_t o = 0; o < outputs_.size(); ++o) {
      const Register& reg = registers_[outputs_[o]];
      if (reg.output == static_cast<int>(o)) continue;
      std::memmove(outputs[o] + start * reg.width, at[outputs_[o]],
                   static_cast<size_t>(count * reg.width));
    }
  }
  if (streams) FinishStreams();
}

void LoopProgram::RunInto(const uint8_t* const* arrays, int64_t begin, int64_t end,
                          void* to) const {
  const int width = registers_[outputs_[0]].width;
  uint8_t* const outputs[] = {static_cast<uint8_t*>(to) - begin * width};
  Run(arrays, outputs, begin, end);
}

}  // namespace hlocts::cpu
