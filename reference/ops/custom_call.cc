// SPDX-License-Identifier: Apache-2.0
#include "reference/custom_call.h"

#include "reference/lapack/lapack_results.h"
#include "reference/ops/sharding_call.h"
#include "reference/ops/structured.h"
#include "spec/base/engine_error.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {

// custom_call.1-9: calls the function that the instruction names, from the evaluation's library, on
// row-major buffers (ruling 0069). If the library has no such function, evaluates a LAPACK routine
// (ruling 0093) or a sharding call (ruling 0123). With any other name, the module is unsupported.
absl::StatusOr<Literal> EvaluateCustomCall(EvalContext& context, const Instruction& instruction,
                                           absl::Span<Literal> operands) {
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  const CustomCallLibrary* library = context.options().custom_calls;
  if (target == nullptr || library == nullptr || !library->Has(*target)) {
    if (const std::optional<LapackCall> routine = LapackCallOf(instruction)) {
      HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(instruction.shape()));
      return EvaluateLapack(*routine, instruction, operands);
    }
    if (ShardingCallOf(instruction)) return EvaluateShardingCall(context, instruction, operands);
    EngineError error = {.kind = ErrorKind::kNoHandler, .target = target == nullptr ? "" : *target};
    error.message = absl::StrCat(instruction.name(), ": no handler for custom-call target \"",
                                 error.target, "\"");
    return EngineStatus(absl::StatusCode::kUnimplemented, error);
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(instruction.shape()));
  return library->Call(instruction, operands);
}

}  // namespace hlocts::reference
