// SPDX-License-Identifier: Apache-2.0
// What a graph compiles to: functions of steps on slots, and the state of one device that runs
// them.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_BASE_PROGRAM_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_BASE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/engine/plan/communicator.h"
#include "backends/engine/plan/graph.h"
#include "spec/base/status.h"

namespace hlocts::cpu {

class BoxMove;
class LoopProgram;
class Run;
struct Program;
using plan::Communicator;

// Pointers of a step's operands and results; nullptr for tokens.
using plan::In;
using Out = uint8_t* const*;
using StepFunction = std::function<absl::Status(Run& run, In in, Out out)>;

struct Step {
  StepFunction run;
  absl::InlinedVector<int32_t, 4> in;  // slots, -1: none
  absl::InlinedVector<int32_t, 2> out;
  std::shared_ptr<const LoopProgram> loop;  // when the step is a loop over so many elements
  int64_t elements = 0;
  std::shared_ptr<const BoxMove> box;  // when this is the whole step
};

struct Slot {
  enum class Kind : uint8_t { kParameter, kResult, kConstant, kTemporary };
  Kind kind = Kind::kTemporary;
  int64_t bytes = 0;
  int64_t offset = 0;             // kTemporary: in the function's part of the arena
  const uint8_t* data = nullptr;  // kConstant
};

struct Function {
  int32_t index = 0;  // in Program::functions
  std::string name;
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<int32_t> parameter_slots;  // of each leaf, -1 for tokens
  std::vector<int32_t> result_slots;
  // result_source[r] = p >= 0: result r is the final contents of parameter p's buffer, and nothing
  // is written to the result's own buffer.
  std::vector<int32_t> result_source;
  std::vector<plan::ArrayType> parameter_types, result_types;
  int64_t temporary_bytes = 0;
  int64_t arena_offset = 0;
  std::vector<int32_t> callees;

  // Returns true if result `leaf` is parameter `leaf` and no step writes it.
  bool HandsOn(size_t leaf) const;
};

struct Program {
  std::vector<std::unique_ptr<Function>> functions;        // callees before callers
  std::vector<std::unique_ptr<plan::GraphModule>> graphs;  // own the constants
  Function* entry = nullptr;
  int64_t arena_bytes = 0;
  // Detects steps that write beyond their results or leave parts of them unwritten: temporaries
  // have kGuardBytes on either side, which no step may change, and are initialized with garbage.
  bool guarded = false;
};
inline constexpr int64_t kGuardBytes = 64;

// One device's execution: memory, the pointers of every function's slots, counters.
class Run {
 public:
  explicit Run(const Program& program) : program_(program) {}

  // Allocates the arena (once) and binds every slot that does not depend on the caller.
  absl::Status Prepare();
  // Requires that the caller has set the function's parameters and results.
  absl::Status Execute(const Function& function);

  uint8_t** slots(const Function& function) { return slots_[function.index].data(); }
  void SetParameter(const Function& function, size_t leaf, uint8_t* data) {
    const int32_t slot = function.parameter_slots[leaf];
    if (slot >= 0) slots(function)[slot] = data;
  }
  void SetResult(const Function& function, size_t leaf, uint8_t* data) {
    const int32_t slot = function.result_slots[leaf];
    if (slot >= 0 && function.result_source[leaf] < 0) slots(function)[slot] = data;
  }

  absl::Status ChargeSteps(int64_t count) {
    steps_left -= count;
    if (steps_left >= 0) return absl::OkStatus();
    return absl::DeadlineExceededError("loops took more steps than their budget");
  }

  int64_t steps_left = 0;
  uint64_t rng_seed = 0;
  uint64_t rng_stream = 0;         // rng instructions executed so far
  uint64_t rng_state[2] = {0, 0};  // of rng-get-and-update-state
  int64_t replica = 0, partition = 0, device = 0;
  Communicator* world = nullptr;

 private:
  struct Free {
    void operator()(uint8_t* data) const;
  };
  void SetGuards(const Function& function, const Step& step);
  absl::Status CheckGuards(const Function& function, const Step& step) const;

  const Program& program_;
  std::unique_ptr<uint8_t[], Free> arena_;
  std::vector<std::vector<uint8_t*>> slots_;
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_BASE_PROGRAM_H_
