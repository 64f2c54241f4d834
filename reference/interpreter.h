// SPDX-License-Identifier: Apache-2.0
// Declares the interpreter, which runs plans: the EvalContext of Evaluate().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "reference/eval_context.h"
#include "reference/plan.h"

namespace hlocts::reference {

class Interpreter : public EvalContext {
 public:
  Interpreter(const Module& module, const EvalOptions& options);

  absl::StatusOr<Literal> Call(const Computation& computation,
                               std::vector<Literal> arguments) override;
  absl::StatusOr<const ScalarFunction*> Scalar(const Computation& computation) override;
  absl::Status ChargeSteps(int64_t steps) override;
  absl::Status ReserveMemory(const Shape& shape) override;
  absl::Status ReserveBytes(int64_t bytes) override;
  const EvalOptions& options() const override { return options_; }
  uint64_t NextRngStream() override { return rng_stream_++; }
  absl::Span<uint64_t> rng_state() override { return absl::MakeSpan(rng_state_, 2); }

  // Returns the depth of nested calls in this module, counting the entry as 1. Does not recurse.
  static int64_t CallDepth(const Module& module);

 private:
  absl::StatusOr<const Plan*> PlanOf(const Computation& computation);
  absl::Status CheckDeadline();
  absl::StatusOr<Literal> Run(const Plan& plan, std::vector<Literal> arguments);
  absl::StatusOr<Literal> RunStep(const PlannedStep& step, std::vector<Literal>& values,
                                  std::vector<Literal>& arguments);
  absl::StatusOr<Literal> RunHooked(const PlannedStep& step, const std::vector<Literal>& values,
                                    std::vector<Literal>& arguments);
  absl::StatusOr<Literal> RunElementwise(const PlannedStep& step, std::vector<Literal>& values);
  absl::StatusOr<Literal> RunWithOperands(const PlannedStep& step, std::vector<Literal>& values);

  const EvalOptions options_;
  int64_t bytes_at_start_;
  int64_t steps_left_;
  int64_t instructions_run_ = 0;
  int64_t depth_ = 0;
  uint64_t rng_stream_ = 0;
  uint64_t rng_state_[2];
  absl::flat_hash_set<const Computation*> side_effects_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<Plan>> plans_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<ScalarFunction>> scalars_;
};

}  // namespace hlocts::reference
