// SPDX-License-Identifier: Apache-2.0
#include "reference/evaluator.h"

#include "reference/deep_stack.h"
#include "reference/interpreter.h"
#include "reference/ops/sharding_call.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kStackBytesPerCall = 32 << 10;

absl::Status CheckArgument(const Literal& argument, const Shape& expected, int64_t number) {
  bool same = argument.shape().IsTuple() == expected.IsTuple();
  if (same && expected.IsTuple()) {
    same = argument.elements().size() == expected.tuple_shapes().size();
    for (size_t i = 0; same && i < argument.elements().size(); ++i) {
      HLOCTS_RETURN_IF_ERROR(
          CheckArgument(argument.elements()[i], expected.tuple_shapes()[i], number));
    }
  } else if (same) {
    same = argument.element_type() == expected.element_type() &&
           argument.shape().dimensions() == expected.dimensions();
  }
  if (same) return absl::OkStatus();
  return InvalidInput("argument ", number, ": expected ", expected.ToString(false), ", found ",
                      argument.shape().ToString(false));
}

absl::Status CheckArguments(const Module& module, absl::Span<const Literal> arguments) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Instruction*> parameters,
                          ParametersFor(module, arguments.size()));
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) return InvalidInput("parameter ", i, " is missing");
    HLOCTS_RETURN_IF_ERROR(
        CheckArgument(arguments[i], parameters[i]->shape(), static_cast<int64_t>(i)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> RunEntry(const Module& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  Interpreter interpreter(module, options);
  return interpreter.Call(*module.entry(),
                          std::vector<Literal>(arguments.begin(), arguments.end()));
}

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  HLOCTS_RETURN_IF_ERROR(CheckArguments(module, arguments));
  HLOCTS_RETURN_IF_ERROR(CheckShardings(module));
  absl::StatusOr<Literal> result = absl::InternalError("not run");
  HLOCTS_RETURN_IF_ERROR(RunOnStackFor(module, kStackBytesPerCall,
                                       [&] { result = RunEntry(module, arguments, options); }));
  return result;
}

}  // namespace hlocts::reference
