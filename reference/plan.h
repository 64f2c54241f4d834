// SPDX-License-Identifier: Apache-2.0
// Declares plans. A plan is a computation prepared for execution: the ordered instructions with
// their kernels or evaluators, and the last use of every value, after which the value is freed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "reference/elementwise.h"
#include "reference/eval_context.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts::reference {

struct PlannedStep {
  enum class Kind : uint8_t {
    kParameter,
    kConstant,
    kTuple,
    kGetTupleElement,
    kPass,               // the first operand, unchanged (copy, opt-barrier, ...)
    kElementwise,        // runs `op`
    kEvaluator,          // runs `evaluator`
    kDeviceEnvironment,  // evaluated by the World
    kNoElements,         // returns an array of `shape`, which has no elements
    kUnsupported,        // returns `status`
  };
  const Instruction* instruction = nullptr;
  Kind kind = Kind::kUnsupported;
  bool takes_run_time_sizes = false;  // the evaluator handles run-time sizes
  bool takes_element = false;         // get-tuple-element: this is the last read of the element
  std::vector<int32_t> operands;      // step numbers
  std::vector<bool> dies;             // for each operand: this is its last use
  bool unused = false;                // evaluated only for its side effects
  ElementwiseOp op;
  Evaluator evaluator = nullptr;
  absl::Status status;
  std::shared_ptr<const Shape> shape;  // shape of the result, for kinds that allocate it here
  int64_t result_bytes = 0;
};

struct Plan {
  const Computation* computation = nullptr;
  std::vector<PlannedStep> steps;
  int32_t root = 0;
  int64_t parameter_count = 0;
};

// Returns true if an instruction only computes an array without elements. The array's other
// dimensions may be larger than any memory, and a loop over them may take forever.
bool NothingToCompute(const Instruction& instruction);

// Returns the computations that contain or call an instruction with side effects.
absl::flat_hash_set<const Computation*> ComputationsWithSideEffects(const Module& module);

// Returns InvalidArgument if instructions depend on each other in a cycle or the root is missing.
absl::StatusOr<std::unique_ptr<Plan>> MakePlan(
    const Computation& computation, const absl::flat_hash_set<const Computation*>& side_effects);

}  // namespace hlocts::reference
