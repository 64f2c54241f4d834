#include "reference/evaluator.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "reference/interpreter.h"

namespace hlocts {
namespace {

constexpr int64_t kDepthOnCallersStack = 50;
constexpr int64_t kDepthMax = 16'000;
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
  if (module.entry() == nullptr || module.entry()->root() == nullptr) {
    return InvalidInput("module ", module.name(), " has no entry computation with a root");
  }
  std::vector<Instruction*> parameters = module.entry()->parameters();
  if (parameters.size() != arguments.size()) {
    return InvalidInput("module ", module.name(), ": expected ", parameters.size(),
                        " arguments, found ", arguments.size());
  }
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

struct Job {
  const Module& module;
  absl::Span<const Literal> arguments;
  const EvalOptions& options;
  absl::StatusOr<Literal> result = absl::InternalError("not run");
};

void* RunJob(void* pointer) {
  Job* job = static_cast<Job*>(pointer);
  job->result = RunEntry(job->module, job->arguments, job->options);
  return nullptr;
}

// Calls recurse on the C++ stack: a deeply nested module gets a thread with a stack of its depth.
absl::StatusOr<Literal> RunOnOwnStack(Job job, int64_t depth) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<size_t>((depth + 64) * kStackBytesPerCall));
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, RunJob, &job);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no stack for calls nested ", depth, " deep"));
  }
  pthread_join(thread, nullptr);
  return std::move(job.result);
}

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  HLOCTS_RETURN_IF_ERROR(CheckArguments(module, arguments));
  int64_t depth = Interpreter::CallDepth(module);
  if (depth > kDepthMax) {
    return absl::ResourceExhaustedError(
        absl::StrCat("calls nest ", depth, " deep, at most ", kDepthMax, " are evaluated"));
  }
  if (depth <= kDepthOnCallersStack) return RunEntry(module, arguments, options);
  return RunOnOwnStack({module, arguments, options}, depth);
}

}  // namespace hlocts
