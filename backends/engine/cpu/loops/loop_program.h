// SPDX-License-Identifier: Apache-2.0
// A loop that applies element-wise operations block by block, so that intermediate values remain in
// the cache. Every value is a register, which is a block of elements.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/loops/load_piece.h"
#include "backends/engine/plan/view.h"

namespace hlocts::cpu {

class LoopProgram {
 public:
  static constexpr int64_t kBlock = 1024;
  static constexpr int kRegistersMax = 400;
  static constexpr int kOperationsMax = 96;  // each has at most three separate inputs
  static constexpr int kWidthMax = 16;       // maximum bytes of an element
  // The number of elements in a step of a streamed result, and the minimum in the whole result.
  static constexpr int64_t kStreamStep = 128, kStreamedElements = 1 << 16;

  // Adds a register for an input. `array` is its index among the pointers that Run receives.
  int AddInput(int array, const plan::View& view, int width);
  // Returns true if the view maps to consecutive elements of the sequence 0, 1, 2, ..., which
  // AddLine requires. The kernel of AddLine writes start, start + 1, ... in the type of the result.
  static bool IsLineInOrder(const plan::View& view);
  int AddLine(const Kernel& kernel, const plan::View& view, int width);
  // Adds a register for an array that is assembled from pieces of other arrays. Other elements are
  // copies of the element of array `filling`, which is -1 if the pieces cover everything.
  int AddPieces(int filling, std::vector<LoadedPiece> pieces, int width);
  // Adds a register for the result of kernel(a, b, c). An absent operand is -1.
  int AddOperation(const Kernel& kernel, int a, int b, int c, int width);
  // Makes Finish fuse an operation with the only reader of its result if there is a kernel for
  // both. This saves time in loops with many blocks.
  void PairOperations() { paired_ = true; }
  // Keeps results in scratch memory until they are complete. This is required if outputs may
  // overlap inputs in any way.
  void KeepOutputsApart() { outputs_apart_ = true; }
  // Lets every operation write directly to its output. Outputs may then overlap inputs only as
  // MayOverwrite allows.
  void WriteOutputsStraight() { outputs_straight_ = true; }
  // Writes the last operation's result past the caches. Is useful if the result exceeds the caches.
  void StreamOutput() { streams_ = true; }
  // Makes the register the next output of Run. Must be called for each output, in order, after all
  // operations are added.
  void AddOutput(int reg);
  // Assigns memory to the registers. Must be the last call that changes the program.
  void Finish();

  // Returns the estimated time of one element, by which the loop is divided among threads.
  double cost_ns() const {
    return 0.1 * static_cast<double>(registers_.size()) +
           0.2 * static_cast<double>(operations_.size());
  }
  int register_count() const { return static_cast<int>(registers_.size()); }
  // Returns true if the loop reads the array only at the index that it writes.
  bool ReadsInPlace(int array, int width) const;
  // Returns true if an output may share the array's memory: the array is read in place, and no
  // operation reads it after the output is written.
  bool MayOverwrite(int array, int output) const;

  // Returns the bytes of an element of the array, or 0 if the array is not read.
  int WidthOf(int array) const;

  enum class Kind : uint8_t { kDirect, kSplat, kLoaded, kLine, kAssembled, kComputed };
  struct Register {
    Kind kind = Kind::kComputed;
    int width = 0;
    int array = -1;                   // index of the input array; of the filling if kAssembled
    Kernel line;                      // if kLine: its kernel
    std::vector<LoadedPiece> pieces;  // if kAssembled: its pieces
    int64_t scratch = -1;             // offset in scratch memory; -1: none
    int output = -1;                  // the output to which it is written directly
    // True if the array is not copied to scratch memory: all readers use its single element
    // (kSplat) or its rows (kLoaded).
    bool stays = false;
    plan::View view;
  };
  struct Operation {
    Kernel kernel;
    int a, b, c, out;
    int64_t row_size = 0;     // length of rows if operands are read row by row; else 0
    int64_t row_repeats = 1;  // number of equal rows that are processed together
    // The operands that have one element for each row, as bits like KernelParameters::single.
    uint8_t row_single = 0;

    std::array<int, 3> operands() const { return {a, b, c}; }
  };

  // These let other executors, such as SmallLoop, read the program.
  const std::vector<Register>& registers() const { return registers_; }
  const std::vector<Operation>& operations() const { return operations_; }
  absl::Span<const int> outputs() const { return outputs_; }

  // Returns the views of the array. A view is null if the array is read as a piece.
  std::vector<const plan::View*> ViewsOf(int array) const;
  bool HasPieces() const;

  // Computes elements [begin, end). `is_part` means that they are part of a longer run. Outputs may
  // overlap inputs only as MayOverwrite allows.
  void Run(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t begin, int64_t end,
           bool is_part = false) const;
  // Computes elements [begin, end) of the only output, and stores them at `to`.
  void RunInto(const uint8_t* const* arrays, int64_t begin, int64_t end, void* to) const;

 private:
  int64_t FirstBlock(uint8_t* const* outputs, int64_t begin) const;
  void RunOperations(uint8_t* const* at, int64_t start, int64_t count) const;
  void RunByRows(const Operation& operation, uint8_t* const* at, int64_t start,
                 int64_t count) const;
  void RunSteps(uint8_t** at, int64_t start, int64_t count, int64_t step, uint8_t* held) const;
  void RunStreamed(uint8_t** at, int64_t start, int64_t count, uint8_t* held) const;
  void FindPairs();
  int SingleOf(const Operation& operation) const;
  void DropUnread();
  void LeaveInPlace();
  int64_t NewScratch(int width);
  std::vector<int> LastReaders() const;
  void ShareScratch();
  void PlaceBlock(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t start,
                  int64_t count, uint8_t* scratch, uint8_t** at) const;
  void PlaceOnce(const uint8_t* const* arrays, int64_t count, uint8_t* scratch, uint8_t** at) const;

  std::vector<Register> registers_;
  std::vector<Operation> operations_;
  absl::InlinedVector<int, 2> outputs_;
  int64_t scratch_bytes_ = 0;
  bool outputs_apart_ = false, outputs_straight_ = false, streams_ = false, paired_ = false;
  int64_t stream_buffer_offset_ = 0;  // offset of the streamed result's block in scratch memory
};

}  // namespace hlocts::cpu
