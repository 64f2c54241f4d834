// SPDX-License-Identifier: Apache-2.0
// Declares the reference evaluator, which computes the values that the documents define.
//
// Evaluate() runs the entry computation of a verified module on one device. Every value is the one
// that the clauses name; where they leave a choice, the reference makes the choice that
// spec/rulings states. Results do not depend on layouts, threads or time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class CustomCallLibrary;  // reference/custom_call.h
class EvalHook;           // reference/eval_hook.h
class DeviceEnvironment;  // reference/world_interface.h

// Returns the deadline of a run that begins now and may take `seconds`; 0 means no limit.
inline std::chrono::steady_clock::time_point DeadlineAfter(double seconds) {
  using Clock = std::chrono::steady_clock;
  if (seconds <= 0) return Clock::time_point::max();
  return Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

struct EvalOptions : RunSettings {
  const CustomCallLibrary* custom_calls = nullptr;  // nullptr: every custom-call is unsupported
  DeviceEnvironment* world = nullptr;               // nullptr: one device, no channels
  EvalHook* hook = nullptr;                         // sees and may change every value
  // The evaluation checks the deadline periodically and returns DeadlineExceeded after it.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Evaluates the entry computation. `arguments` contains one literal per entry parameter, with
// tuples nested as in the parameter's shape. The result has the root's shape. Errors:
//   InvalidArgument    number or shape of arguments; the module has no entry or root
//   Unimplemented      an opcode or type without evaluator (names the instruction)
//   DeadlineExceeded   steps_max used up, or the deadline has passed
//   ResourceExhausted  memory_bytes_max exceeded (before allocating), or calls nested too deep
absl::StatusOr<Literal> Evaluate(const Module& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options = {});

// Returns the entry computation's parameters, or an error if their number is not `arguments`.
inline absl::StatusOr<std::vector<Instruction*>> ParametersFor(const Module& module,
                                                               size_t arguments) {
  if (module.entry() == nullptr || module.entry()->root() == nullptr) {
    return InvalidInput("module ", module.name(), " has no entry computation with a root");
  }
  std::vector<Instruction*> parameters = module.entry()->parameters();
  if (parameters.size() == arguments) return parameters;
  return InvalidInput("module ", module.name(), ": expected ", parameters.size(),
                      " arguments, found ", arguments);
}

}  // namespace hlocts::reference
