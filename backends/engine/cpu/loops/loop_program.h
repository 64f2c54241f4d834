// SPDX-License-Identifier: Apache-2.0
// A loop over the elements of arrays that computes element-wise operations block by block, so that
// intermediate values never leave the cache.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOOP_PROGRAM_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOOP_PROGRAM_H_

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
  static constexpr int kOperationsMax = 96;  // each with up to three inputs of its own
  static constexpr int kWidthMax = 16;       // bytes of an element
  // Steps of loops over far arrays, within blocks.
  static constexpr int64_t kFarStep = 256;

  // Registers of inputs: `array` numbers the pointers given to Run.
  int AddInput(int array, const plan::View& view, int width);
  // An iota's line at consecutive elements: kernel(start) writes start, start + 1, ... in the type
  // of the result. False when the view is none of these.
  static bool IsLineInOrder(const plan::View& view);
  int AddLine(const Kernel& kernel, const plan::View& view, int width);
  // An array assembled from pieces of others on a filling, which is one element (-1: the pieces
  // leave nothing open).
  int AddPieces(int filling, std::vector<LoadedPiece> pieces, int width);
  // A register for the result of kernel(a, b, c); registers that are not used are -1.
  int AddOperation(const Kernel& kernel, int a, int b, int c, int width);
  // Fuses an operation with the only reader of its result, where there is a kernel for both:
  // profitable in loops of many blocks.
  void PairOperations() { in_pairs_ = true; }
  // For programs whose outputs may overlap inputs in any way: results are kept in scratch to the
  // end.
  void KeepOutputsApart() { outputs_apart_ = true; }
  // For programs whose outputs overlap inputs at most where MayOverwrite allows it.
  void WriteOutputsStraight() { outputs_straight_ = true; }
  // Writes the last operation's result past the caches: it is longer than they are.
  void StreamOutput() { streams_ = true; }
  // Binds output `number` of Run to the register; call once for each, in order, after all
  // operations.
  void AddOutput(int reg);
  // Places the registers; nothing can be added afterwards.
  void Finish();

  // The estimated time of one element, for splitting the loop over threads.
  double cost_ns() const {
    return 0.1 * static_cast<double>(registers_.size()) +
           0.2 * static_cast<double>(operations_.size());
  }
  int register_count() const { return static_cast<int>(registers_.size()); }
  // Returns true if an input is only read at the index that is written, through no other view.
  bool ReadsInPlace(int array, int width) const;
  // Returns true if an output may share an array's memory: it is read in place, and not after the
  // write.
  bool MayOverwrite(int array, int output) const;

  // The width of the elements of an input, in bytes; 0 if it is not read.
  int WidthOf(int array) const;

  enum class Kind : uint8_t { kDirect, kSplat, kLoaded, kLine, kAssembled, kComputed };
  struct Register {
    Kind kind = Kind::kComputed;
    int width = 0;
    int array = -1;                   // of inputs
    Kernel line;                      // of kLine
    std::vector<LoadedPiece> pieces;  // of kAssembled, whose `array` is the filling
    int64_t scratch = -1;             // offset, where it has scratch memory
    int output = -1;                  // computed straight into this output
    // Never copied to scratch: all readers use its one element (kSplat) or its rows (kLoaded).
    bool stays = false;
    plan::View view;
  };
  struct Operation {
    Kernel kernel;
    int a, b, c, out;
    int64_t row_size = 0;    // of operands processed by rows; 0: none
    uint8_t row_single = 0;  // the one of which each row is one element: KernelParameters::single

    std::array<int, 3> operands() const { return {a, b, c}; }
  };

  // Its contents, for another executor.
  const std::vector<Register>& registers() const { return registers_; }
  const std::vector<Operation>& operations() const { return operations_; }
  absl::Span<const int> outputs() const { return outputs_; }

  // The views of `array`. nullptr: it is read as pieces of another.
  std::vector<const plan::View*> ViewsOf(int array) const;
  bool HasPieces() const;

  // Computes elements [begin, end). Outputs overlap inputs only as MayOverwrite allows.
  void Run(const uint8_t* const* arrays, uint8_t* const* outputs, int64_t begin, int64_t end) const;
  // Computes elements [begin, end) of the only output, contiguous from `to` on.
  void RunInto(const uint8_t* const* arrays, int64_t begin, int64_t end, void* to) const;

 private:
  int64_t FirstBlock(uint8_t* const* outputs, int64_t begin) const;
  void RunOperations(uint8_t* const* at, int64_t start, int64_t count) const;
  void RunByRows(const Operation& operation, uint8_t* const* at, int64_t start,
                 int64_t count) const;
  void RunFar(uint8_t** at, int64_t start, int64_t count, uint8_t* held) const;
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
  bool outputs_apart_ = false, outputs_straight_ = false, streams_ = false, in_pairs_ = false;
  int64_t held_ = 0;  // where in scratch a step of a streamed result waits
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOOP_PROGRAM_H_
