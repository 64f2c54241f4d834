// SPDX-License-Identifier: Apache-2.0
#include "reference/custom_call.h"

#include "reference/ops/structured.h"

namespace hlocts::reference {

// custom_call.1-9: the function of that name from the library given to the evaluation, applied to
// row-major buffers. Without one the module is unsupported, never wrong (ruling 0069).
absl::StatusOr<Literal> EvaluateCustomCall(EvalContext& context, const Instruction& instruction,
                                           absl::Span<Literal> operands) {
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  const CustomCallLibrary* library = context.options().custom_calls;
  if (target == nullptr || library == nullptr || !library->Has(*target)) {
    return Unsupported(instruction.name(), ": no handler for custom-call target \"",
                       target == nullptr ? "" : *target, "\"");
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(instruction.shape()));
  return library->Call(instruction, operands);
}

}  // namespace hlocts::reference
