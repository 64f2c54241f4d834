// SPDX-License-Identifier: Apache-2.0
#include "reference/interpreter.h"

#include <algorithm>
#include <utility>

#include "reference/dynamic_sizes.h"
#include "reference/eval_hook.h"
#include "reference/world_interface.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

// Exceeds the call depth that deep_stack.cc accepts, so only a cycle of calls reaches it.
constexpr int64_t kDepthMax = 20'000;

Literal Take(const PlannedStep& step, size_t k, std::vector<Literal>& values) {
  Literal& value = values[step.operands[k]];
  return step.dies[k] ? std::move(value) : value;
}

bool HasRunTimeSizes(const Literal& literal) { return literal.has_runtime_sizes(); }

// Returns true if a scalar operand of select or clamp applies to every element of array operands.
bool NeedsSplat(const PlannedStep& step, const std::vector<Literal>& values) {
  int64_t count = step.shape->ElementCount();
  for (int32_t operand : step.operands) {
    if (values[operand].element_count() != count) return true;
  }
  return false;
}

Literal Splat(const Literal& scalar, const Shape& like) {
  Shape shape(scalar.element_type(), like.dimensions());
  Literal result = Literal::Uninitialized(shape);
  int width = StorageBytes(scalar.element_type());
  uint8_t* out = result.mutable_raw_data();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    std::copy(scalar.raw_data(), scalar.raw_data() + width, out + i * width);
  }
  return result;
}

}  // namespace

Interpreter::Interpreter(const Module& module, const EvalOptions& options)
    : options_(options),
      bytes_at_start_(Literal::LiveBytes()),
      steps_left_(options.steps_max),
      rng_state_{options.rng_seed, 0},
      side_effects_(ComputationsWithSideEffects(module)) {}

int64_t Interpreter::CallDepth(const Module& module) {
  if (module.computations().size() == 1) return 1;
  absl::flat_hash_map<const Computation*, int64_t> depths;
  int64_t deepest = 0;
  for (const Computation* computation : module.CallOrder()) {
    int64_t depth = 1;
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        depth = std::max(depth, depths[callee] + 1);
      }
    }
    depths[computation] = depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

absl::StatusOr<const Plan*> Interpreter::PlanOf(const Computation& computation) {
  auto [at, is_new] = plans_.try_emplace(&computation);
  if (is_new) {
    absl::StatusOr<std::unique_ptr<Plan>> plan = MakePlan(computation, side_effects_);
    if (!plan.ok()) return plans_.erase(at), plan.status();
    at->second = *std::move(plan);
  }
  return at->second.get();
}

absl::StatusOr<const ScalarFunction*> Interpreter::Scalar(const Computation& computation) {
  auto found = scalars_.find(&computation);
  if (found != scalars_.end()) return found->second.get();
  absl::StatusOr<std::unique_ptr<ScalarFunction>> compiled = ScalarFunction::Compile(computation);
  if (!compiled.ok()) return compiled.status();
  return (scalars_[&computation] = *std::move(compiled)).get();
}

absl::Status Interpreter::ChargeSteps(int64_t steps) {
  steps_left_ -= steps;
  HLOCTS_RETURN_IF_ERROR(CheckDeadline());  // trips of a compiled loop run no instruction
  if (steps_left_ >= 0) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("loops exceeded the budget of ", options_.steps_max, " steps"));
}

// Checks the clock only once in 256 instructions: reading it costs as much as a scalar instruction.
absl::Status Interpreter::CheckDeadline() {
  using Clock = std::chrono::steady_clock;
  if (options_.deadline == Clock::time_point::max() || ++instructions_run_ % 256 != 0)
    return absl::OkStatus();
  if (Clock::now() <= options_.deadline) return absl::OkStatus();
  return absl::DeadlineExceededError("the reference exceeds its time limit");
}

absl::Status Interpreter::ReserveBytes(int64_t bytes) {
  int64_t alive = Literal::LiveBytes() - bytes_at_start_;
  if (bytes <= options_.memory_bytes_max - std::max<int64_t>(alive, 0)) return absl::OkStatus();
  if (bytes == INT64_MAX)  // the value at which Shape::StorageSizeBytes saturates
    return absl::ResourceExhaustedError("the size has no bound, or is at least 2^63 bytes");
  return absl::ResourceExhaustedError(absl::StrCat("memory budget of ", options_.memory_bytes_max,
                                                   " bytes exceeded: ", alive, " in use, ", bytes,
                                                   " more needed"));
}

absl::Status Interpreter::ReserveMemory(const Shape& shape) {
  return ReserveBytes(shape.StorageSizeBytes());
}

absl::StatusOr<Literal> Interpreter::Call(const Computation& computation,
                                          std::vector<Literal> arguments) {
  HLOCTS_ASSIGN_OR_RETURN(const Plan* plan, PlanOf(computation));
  if (static_cast<int64_t>(arguments.size()) != plan->parameter_count) {
    return InvalidInput("computation ", computation.name(), ": expected ", plan->parameter_count,
                        " arguments, found ", arguments.size());
  }
  if (++depth_ > kDepthMax) {
    return absl::ResourceExhaustedError(absl::StrCat("calls are nested more than ", kDepthMax,
                                                     " levels deep at ", computation.name()));
  }
  absl::StatusOr<Literal> result = Run(*plan, std::move(arguments));
  --depth_;
  return result;
}

absl::StatusOr<Literal> Interpreter::Run(const Plan& plan, std::vector<Literal> arguments) {
  std::vector<Literal> values(plan.steps.size());
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlannedStep& step = plan.steps[s];
    HLOCTS_RETURN_IF_ERROR(CheckDeadline());
    absl::StatusOr<Literal> result = options_.hook == nullptr ? RunStep(step, values, arguments)
                                                              : RunHooked(step, values, arguments);
    if (!result.ok()) return result.status();
    for (size_t k = 0; k < step.operands.size(); ++k) {
      if (step.dies[k]) values[step.operands[k]] = Literal();
    }
    if (!step.unused) values[s] = *std::move(result);
  }
  return std::move(values[plan.root]);
}

// Runs the step on copies of its operands, so that the hook's changes affect no other step.
absl::StatusOr<Literal> Interpreter::RunHooked(const PlannedStep& step,
                                               const std::vector<Literal>& values,
                                               std::vector<Literal>& arguments) {
  PlannedStep own = step;
  std::vector<Literal> operands;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    operands.push_back(values[step.operands[k]]);
    own.operands[k] = static_cast<int32_t>(k);
    own.dies[k] = false;
  }
  own.takes_element = false;
  HLOCTS_RETURN_IF_ERROR(
      options_.hook->BeforeInstruction(*this, *step.instruction, absl::MakeSpan(operands)));
  HLOCTS_ASSIGN_OR_RETURN(Literal result, RunStep(own, operands, arguments));
  HLOCTS_RETURN_IF_ERROR(
      options_.hook->AfterInstruction(*this, *step.instruction, operands, result));
  return result;
}

absl::StatusOr<Literal> Interpreter::RunStep(const PlannedStep& step, std::vector<Literal>& values,
                                             std::vector<Literal>& arguments) {
  switch (step.kind) {
    case PlannedStep::Kind::kParameter:
      return std::move(arguments[step.instruction->parameter_number()]);
    case PlannedStep::Kind::kConstant:
      return step.instruction->literal();
    case PlannedStep::Kind::kNoElements:
      return Literal::Uninitialized(step.shape);
    case PlannedStep::Kind::kPass:
      return Take(step, 0, values);
    case PlannedStep::Kind::kTuple: {
      std::vector<Literal> elements;
      elements.reserve(step.operands.size());
      for (size_t k = 0; k < step.operands.size(); ++k) elements.push_back(Take(step, k, values));
      return Literal::Tuple(std::move(elements), step.shape);
    }
    case PlannedStep::Kind::kGetTupleElement: {
      int64_t index = step.instruction->IntOr(Attr::kIndex, 0);
      Literal& tuple = values[step.operands[0]];
      return step.takes_element ? tuple.TakeElement(index) : tuple.elements()[index];
    }
    case PlannedStep::Kind::kElementwise:
      return RunElementwise(step, values);
    case PlannedStep::Kind::kEvaluator:
    case PlannedStep::Kind::kDeviceEnvironment:
      return RunWithOperands(step, values);
    case PlannedStep::Kind::kUnsupported:
      return step.status;
  }
  return step.status;
}

// Works in place if this is the last use of an operand of the same size with unshared storage.
absl::StatusOr<Literal> Interpreter::RunElementwise(const PlannedStep& step,
                                                    std::vector<Literal>& values) {
  for (int32_t operand : step.operands) {
    if (HasRunTimeSizes(values[operand])) return RunWithOperands(step, values);
  }
  if (NeedsSplat(step, values)) return RunWithOperands(step, values);
  const void* operands[3];
  int64_t reused = -1;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    Literal& value = values[step.operands[k]];
    operands[k] = value.raw_data();
    if (step.dies[k] && value.UniqueStorage() &&
        static_cast<int64_t>(value.raw_size()) == step.result_bytes) {
      reused = static_cast<int64_t>(k);
    }
  }
  Literal result;
  if (reused >= 0) {
    result = std::move(values[step.operands[reused]]).ReuseAs(step.shape);
  } else {
    HLOCTS_RETURN_IF_ERROR(Annotate(ReserveBytes(step.result_bytes), step.instruction->name()));
    result = Literal::Uninitialized(step.shape);
  }
  step.op(operands, result.mutable_raw_data(), result.element_count());
  return result;
}

absl::StatusOr<Literal> Interpreter::RunWithOperands(const PlannedStep& step,
                                                     std::vector<Literal>& values) {
  std::vector<Literal> operands;
  operands.reserve(step.operands.size());
  bool run_time_sizes = false;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    operands.push_back(Take(step, k, values));
    run_time_sizes = run_time_sizes || HasRunTimeSizes(operands.back());
  }
  HLOCTS_RETURN_IF_ERROR(Annotate(ReserveBytes(step.result_bytes), step.instruction->name()));
  if (step.kind == PlannedStep::Kind::kDeviceEnvironment) {
    if (options_.world == nullptr) {
      return Unsupported(step.instruction->name(), ": ", OpcodeName(step.instruction->opcode()),
                         " needs other devices or a host, found none");
    }
    return options_.world->Evaluate(*this, *step.instruction, absl::MakeSpan(operands));
  }
  if (run_time_sizes && !step.takes_run_time_sizes) {
    return EvaluateCut(*this, *step.instruction, absl::MakeSpan(operands));
  }
  absl::StatusOr<Literal> result =
      step.evaluator ? step.evaluator(*this, *step.instruction, absl::MakeSpan(operands))
                     : EvaluateElementwise(*step.instruction, absl::MakeSpan(operands));
  return result;
}

absl::StatusOr<Literal> EvaluateElementwise(const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  HLOCTS_ASSIGN_OR_RETURN(ElementwiseOp op, ResolveElementwise(instruction));
  Literal result = Literal::Uninitialized(instruction.shape());
  const void* data[3];
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].element_count() != result.element_count()) {
      if (!operands[k].shape().IsScalar()) {
        return InvalidInput(
            instruction.name(), ": operand ", k, ": expected as many elements as in the result, ",
            instruction.shape().ToString(false), ", found ", operands[k].shape().ToString(false));
      }
      operands[k] = Splat(operands[k], instruction.shape());
    }
    data[k] = operands[k].raw_data();
  }
  op(data, result.mutable_raw_data(), result.element_count());
  return result;
}

}  // namespace hlocts::reference
