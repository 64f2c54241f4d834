// SPDX-License-Identifier: Apache-2.0
// A program is the compiled form of a graph: functions, whose steps read and write slots. A Run
// executes a program on one device.
#pragma once

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

// Pointers to a step's operands and results. The pointer of a token is null.
using plan::In;
using Out = uint8_t* const*;
using StepFunction = std::function<absl::Status(Run& run, In in, Out out)>;

struct Step {
  StepFunction run;
  absl::InlinedVector<int32_t, 4> in;  // slots; -1 if there is none
  absl::InlinedVector<int32_t, 2> out;
  std::shared_ptr<const LoopProgram> loop;  // set if the step is a loop over `elements`
  int64_t elements = 0;
  std::shared_ptr<const BoxMove> box;  // set if the step only copies this box
};

struct Slot {
  enum class Kind : uint8_t { kParameter, kResult, kConstant, kTemporary };
  Kind kind = Kind::kTemporary;
  int64_t bytes = 0;
  int64_t offset = 0;             // if kTemporary: offset in the function's part of the arena
  const uint8_t* data = nullptr;  // if kConstant: its elements
};

struct Function {
  int32_t index = 0;  // index in Program::functions
  std::string name;
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<int32_t> parameter_slots;  // a slot for each leaf; -1 for a token
  std::vector<int32_t> result_slots;
  // result_source[r] is a parameter or -1. If it is a parameter p, result r is the final contents
  // of p's buffer, and the buffer of result r is not written.
  std::vector<int32_t> result_source;
  std::vector<plan::ArrayType> parameter_types, result_types;
  int64_t temporary_bytes = 0;
  int64_t arena_offset = 0;
  std::vector<int32_t> callees;

  // Returns true if result number `leaf` is parameter number `leaf`, and no step writes to it.
  bool ForwardsParameter(size_t leaf) const;
};

struct Program {
  std::vector<std::unique_ptr<Function>> functions;        // sorted: callees before callers
  std::vector<std::unique_ptr<plan::GraphModule>> graphs;  // own the constants
  Function* entry = nullptr;
  int64_t arena_bytes = 0;
  // Enables detection of steps that write outside their results or leave parts of them unwritten.
  // If true, the results of a step are first filled with garbage, unless it works in place. Each
  // temporary is surrounded by kGuardBytes bytes that no step may change.
  bool guarded = false;
};
inline constexpr int64_t kGuardBytes = 64;

// The execution of a program on one device. Owns the memory, the pointers of every function's
// slots, and counters.
class Run {
 public:
  explicit Run(const Program& program) : program_(program) {}

  // Allocates the arena on the first call, and sets the pointers of all slots whose address does
  // not depend on the caller.
  absl::Status Prepare();
  // Runs the function. The caller must have set the pointers of its parameters and results.
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
    return absl::DeadlineExceededError("loops exceeded their budget of steps");
  }

  int64_t steps_left = 0;
  uint64_t rng_seed = 0;
  uint64_t rng_stream = 0;         // number of rng instructions executed
  uint64_t rng_state[2] = {0, 0};  // state of rng-get-and-update-state
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
