// SPDX-License-Identifier: Apache-2.0
// Applies a fault in one execution.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backends/selftest/faults/fault.h"
#include "reference/eval_hook.h"

namespace hlocts::backends {

class FaultHook : public reference::EvalHook {
 public:
  explicit FaultHook(const Fault& fault) : fault_(fault) {}

  absl::Status BeforeInstruction(reference::EvalContext& context, const Instruction& instruction,
                                 absl::Span<Literal> operands) override;
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override;

 private:
  bool Applies(const Instruction& instruction) const;
  FaultMemory& MemoryOf(const reference::EvalContext& context);

  const Fault& fault_;
  std::mutex mutex_;
  std::map<const reference::EvalContext*, FaultMemory> memories_;  // one per device
};

// Changes the module as an engine with this fault would read it.
void MakeFaulty(std::unique_ptr<Module>& module, const Fault& fault);
// The status with which an engine with this fault loads the module; `verified` is the correct
// status.
absl::Status FaultyVerify(const Module& module, const absl::Status& verified, const Fault& fault);

}  // namespace hlocts::backends
