// SPDX-License-Identifier: Apache-2.0
// A while loop as a list of small instructions on fixed addresses. An iteration needs no look-up,
// allocation or copy.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/engine/cpu/base/program.h"
#include "backends/engine/cpu/elementwise/micro_ops.h"
#include "backends/engine/cpu/loops/loop_program.h"

namespace hlocts::cpu {

class SmallLoop {
 public:
  SmallLoop(Run& run, const Function& condition, const Function& body);

  // Returns true if a SmallLoop saves time, which is not so if the body has many instructions.
  static bool IsProfitable(const Function& condition, const Function& body);

  // Runs the loop, beginning with the state in `now`: now[i] is leaf i of the body's parameters. A
  // leaf that the body computes in a new array is written to `next` and `now` in turns. At the end
  // `now` has the final state.
  absl::Status Execute(std::vector<uint8_t*>& now, std::vector<uint8_t*>& next);

 private:
  // A function that is being bound: the addresses of its slots, and which of them never change.
  struct Bound {
    const Function* function = nullptr;
    std::vector<uint8_t*> slots;
    std::vector<bool> invariant, padded;
  };
  struct StepCall {
    const Step* step = nullptr;
    Run* run = nullptr;
    absl::Status* status = nullptr;
    std::vector<const uint8_t*> in;
    std::vector<uint8_t*> out;
  };
  struct LoadCall {
    const LoopProgram::Register* reg = nullptr;
    const uint8_t* array = nullptr;
    int64_t count = 0;
    uint8_t* out = nullptr;
  };
  // The address of a register of a LoopProgram. `padded` means that whole vectors at this address
  // may be read and written.
  struct Place {
    uint8_t* at = nullptr;
    bool padded = false;
  };
  // A list of instructions. Each instruction with two operands has a kernel. Settle selects the
  // function that runs the kernel, depending on which values are in vector registers.
  struct Chain {
    std::vector<MicroOp> ops;
    std::vector<KernelFunction> kernels;
    MicroChain micro;

    void Add(const MicroOp& op, KernelFunction kernel = nullptr) {
      ops.push_back(op);
      kernels.push_back(kernel);
    }
  };
  // The addresses of the last two results, whose values are in vector registers.
  struct Registers {
    const void *last = nullptr, *before = nullptr;

    MicroOperands OperandsOf(const MicroOp& op) const;
    void Note(const void* result);
    void NoteWriteInto(const MicroElement& element);
  };
  using Leaves = std::vector<uint8_t*>;

  static int64_t Padded(int64_t bytes) {
    return (bytes + kMicroPadding - 1) / kMicroPadding * kMicroPadding;
  }
  uint8_t* Cell(int64_t bytes);
  Bound BoundOf(const Function& function);
  void TakeLeaves(const Leaves& from, bool copy, Leaves& cells);
  void ReturnState(const Leaves (&state)[2], int final_state, Leaves& now, Leaves& next);
  // Binds one iteration and the condition after it. The iteration reads the state in `from`. It
  // writes the leaves that the body computes to `to`.
  void BindBackEdge(const Leaves& from, const Leaves& to, MicroBranch& turn, Chain& chain);
  void BindCondition(const Leaves& state, MicroBranch& turn, Chain& chain);
  // Selects the functions of the instructions that have a kernel. `registers` are the contents of
  // the vector registers before the chain. Returns their contents after it.
  static Registers Settle(Registers registers, Chain& chain);
  void BindSteps(const Bound& bound, Chain& chain);
  StepCall& CallOf(const Bound& bound, const Step& step);
  void BindStep(const Bound& bound, const Step& step, Chain& chain);
  void BindLoop(const Bound& bound, const Step& step, Chain& chain);
  Place BindInput(const Bound& bound, const Step& step, const LoopProgram::Register& reg,
                  Chain& chain);
  void BindOperation(const LoopProgram::Operation& operation, const std::vector<Place>& places,
                     int64_t elements, int64_t bytes, Chain& chain);
  void BindCall(const MicroCall& call, Chain& chain);
  bool BindElement(const Bound& bound, const StepCall& call, Chain& chain);
  void BindThunk(bool (*function)(void*), void* context, Chain& chain);

  Run& run_;
  Bound condition_, body_;
  std::vector<bool> invariant_leaf_;
  std::vector<std::unique_ptr<uint8_t[]>> memory_;
  uint8_t* free_ = nullptr;
  int64_t free_bytes_ = 0;
  std::deque<MicroCall> calls_;
  std::deque<MicroThunk> thunks_;
  std::deque<StepCall> steps_;
  std::deque<LoadCall> loads_;
  std::deque<MicroElement> elements_;
  absl::Status status_;
};

}  // namespace hlocts::cpu
