#include "backends/backend.h"

#include <chrono>

namespace hlocts {

absl::string_view OutcomeKindName(OutcomeKind kind) {
  constexpr absl::string_view kNames[] = {"values", "unsupported", "rejected",
                                          "crash",  "timeout",     "error"};
  return kNames[static_cast<size_t>(kind)];
}

OutcomeKind OutcomeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted:
      return OutcomeKind::kUnsupported;
    case absl::StatusCode::kAborted:
      return OutcomeKind::kCrash;
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return OutcomeKind::kTimeout;
    case absl::StatusCode::kUnavailable:
      return OutcomeKind::kError;
    default:
      return OutcomeKind::kRejected;
  }
}

RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                  const ExecuteRequest& request) {
  RunOutcome outcome;
  if (options.stop && options.stop()) {
    outcome.reason = "not run: nobody waits any more";
    return outcome;
  }
  auto start = std::chrono::steady_clock::now();
  auto executable = backend.Load(module, options);
  outcome.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  absl::Status status = executable.status();
  if (status.ok()) {
    auto result = (*executable)->Execute(request);
    status = result.status();
    if (status.ok()) {
      outcome.kind = OutcomeKind::kValues;
      outcome.result = *std::move(result);
      return outcome;
    }
  }
  outcome.kind = OutcomeOf(status);
  outcome.reason = std::string(status.message());
  return outcome;
}

std::vector<Shape> ArgumentLeafShapes(const Module& module) {
  std::vector<Shape> leaves;
  for (const Shape& parameter : module.EntryProgramShape().parameters) {
    for (Shape& leaf : LeafShapes(parameter)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

std::vector<Shape> OutputLeafShapes(const Module& module) {
  return LeafShapes(module.EntryProgramShape().result);
}

absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves) {
  ProgramShape program = module.EntryProgramShape();
  HLOCTS_ASSIGN_OR_RETURN(Literal all, UnflattenLeaves(Shape::Tuple(program.parameters), leaves));
  return all.elements();
}

}  // namespace hlocts
