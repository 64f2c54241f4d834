// SPDX-License-Identifier: Apache-2.0
// The compiled form of a graph (Function), and its execution on one device.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/base/device.h"
#include "backends/engine/plan/communicator.h"
#include "backends/engine/plan/graph.h"

namespace hlocts::cuda {

class Run;

// Device pointers to operands and results. The pointer of a token is null.
using In = const void* const*;
using Out = void* const*;
using Work = std::function<absl::Status(Run& run, In in, Out out)>;
// Control steps are calls, while loops and conditionals. They pass buffers instead of pointers.
using Control =
    std::function<absl::StatusOr<std::vector<Buffer>>(Run& run, std::vector<Buffer> in)>;

struct Step {
  std::string name;  // name of the step's last instruction
  Work work;
  Control control;               // set instead of work in a control step
  std::vector<int32_t> in, out;  // slots, -1 for a token
  std::vector<int64_t> out_bytes;
  std::vector<std::pair<int, int>> in_place;  // (result, operand) that may share memory
  std::vector<int32_t> last_use;              // slots that no later step reads
};

struct Function {
  std::string name;
  int32_t slots = 0;
  std::vector<Step> steps;
  std::vector<int32_t> parameter_slots, result_slots;
  std::vector<std::pair<int32_t, Buffer>> constants;
  std::vector<plan::ArrayType> parameter_types, result_types;
};

// The state of an execution on one device: step budget, random number generators, device numbers.
struct RunState {
  int64_t steps_left = 0;
  uint64_t rng_seed = 0;
  uint64_t rng_stream = 0;         // number of rng instructions executed
  uint64_t rng_state[2] = {0, 0};  // state of rng-get-and-update-state
  int64_t replica = 0, partition = 0, device_number = 0;
  plan::Communicator* world = nullptr;
};

class Run : public RunState {
 public:
  // `bytes_max` limits the bytes of the arrays that exist at the same time.
  Run(Device& device, const RunState& state, int64_t bytes_max)
      : RunState(state),
        device_(device),
        bytes_max_(bytes_max),
        live_(std::make_shared<std::atomic<int64_t>>(0)) {}
  ~Run();
  // Continues the run `whole` on another device. Both runs share the memory budget.
  Run(Device& device, const Run& whole)
      : RunState(whole), device_(device), bytes_max_(whole.bytes_max_), live_(whole.live_) {}

  absl::StatusOr<std::vector<Buffer>> Call(const Function& function, std::vector<Buffer> arguments);
  // Uploads the arguments, calls the function, and downloads results of these shapes.
  absl::StatusOr<std::vector<Literal>> CallOnLiterals(const Function& function,
                                                      const std::vector<Literal>& arguments,
                                                      const std::vector<Shape>& results);
  absl::StatusOr<Buffer> Allocate(int64_t bytes);
  template <class Args>
  absl::Status Launch(hl::Kernel kernel, const Args& arguments, int64_t count, int64_t code = -1) {
    if (count <= 0) return absl::OkStatus();
    return device_.Launch(kernel, &arguments, count, code);
  }
  // Returns false, without an effect, if no library supports the plan.
  absl::StatusOr<bool> CallLibrary(const LibraryPlan& plan, std::initializer_list<const void*> in,
                                   std::initializer_list<void*> out) {
    return device_.CallLibrary(plan, in.begin(), out.begin());
  }
  Device& device() { return device_; }

  absl::Status ChargeSteps(int64_t count) {
    steps_left -= count;
    if (steps_left >= 0) return absl::OkStatus();
    return absl::DeadlineExceededError("loops exceeded their budget of steps");
  }

  double seconds = 0;  // device time without uploads and downloads

 private:
  absl::Status RunStep(const Step& step, std::vector<Buffer>& slots);
  absl::Status RunControl(const Step& step, std::vector<Buffer>& slots);

  Device& device_;
  int64_t bytes_max_;
  Account live_;
};

// Returns the name of the step that this thread ran last, or "" outside a run.
std::string CurrentInstruction();

}  // namespace hlocts::cuda
