// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.h"

#include <chrono>

#include "absl/algorithm/container.h"
#include "spec/ir/module.h"

namespace hlocts::backends {

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

absl::StatusOr<std::string> Executable::OptimizedModule() {
  return absl::UnimplementedError("the engine does not tell what it made code of");
}

RunOutcome OutcomeFrom(absl::StatusOr<ExecuteResult> result) {
  RunOutcome outcome;
  if (result.ok()) {
    outcome.kind = OutcomeKind::kValues;
    outcome.result = *std::move(result);
  } else {
    outcome.kind = OutcomeOf(result.status());
    outcome.reason = std::string(result.status().message());
  }
  return outcome;
}

RunOutcome Backend::Run(const Module& module, const LoadOptions& options,
                        const ExecuteRequest& request) {
  auto start = std::chrono::steady_clock::now();
  auto executable = Load(module, options);
  std::chrono::duration<double> load = std::chrono::steady_clock::now() - start;
  RunOutcome outcome =
      OutcomeFrom(executable.ok() ? (*executable)->Execute(request) : executable.status());
  outcome.load_seconds = load.count();
  return outcome;
}

namespace {

// An engine in this process may write its results into what it is given for good, and the judge
// reads the arguments afterwards.
ExecuteRequest WithCopiesOfDonated(ExecuteRequest request) {
  for (std::vector<Literal>& leaves : request.arguments) {
    for (int64_t leaf : request.donated_leaves) {
      if (leaf < 0 || leaf >= static_cast<int64_t>(leaves.size())) continue;
      Literal& given = leaves[static_cast<size_t>(leaf)];
      if (given.shape().IsArray()) given.mutable_raw_data();  // its storage is its own now
    }
  }
  return request;
}

}  // namespace

RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request) {
  if (!options.stop || !options.stop()) {
    return request.donated_leaves.empty()
               ? backend.Run(module, options, request)
               : backend.Run(module, options, WithCopiesOfDonated(request));
  }
  RunOutcome outcome;
  outcome.reason = "not run: nobody waits any more";
  return outcome;
}

namespace {

// Where the header says nothing, without copies of what the instructions say.
std::vector<const Shape*> ParameterShapes(const Module& module) {
  static const Shape* const missing = new Shape();
  std::vector<const Shape*> shapes;
  if (module.entry_computation_layout) {
    for (const Shape& shape : module.entry_computation_layout->parameters) shapes.push_back(&shape);
  } else if (module.entry()) {
    for (const Instruction* parameter : module.entry()->parameters())
      shapes.push_back(parameter ? &parameter->shape() : missing);
  }
  return shapes;
}

}  // namespace

std::vector<Shape> ArgumentLeafShapes(const Module& module) {
  std::vector<Shape> leaves;
  for (const Shape* parameter : ParameterShapes(module)) {
    if (parameter->IsTuple()) {
      for (Shape& leaf : LeafShapes(*parameter)) leaves.push_back(std::move(leaf));
    } else {
      leaves.push_back(*parameter);
    }
  }
  return leaves;
}

std::vector<Shape> OutputLeafShapes(const Module& module) {
  if (module.entry_computation_layout) return LeafShapes(module.entry_computation_layout->result);
  const Instruction* root = module.entry() ? module.entry()->root() : nullptr;
  return LeafShapes(root ? root->shape() : Shape());
}

absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves) {
  const std::vector<const Shape*> parameters = ParameterShapes(module);
  const bool tuples =
      absl::c_any_of(parameters, [](const Shape* shape) { return shape->IsTuple(); });
  if (!tuples && parameters.size() == leaves.size()) return leaves;
  std::vector<Shape> shapes;
  for (const Shape* shape : parameters) shapes.push_back(*shape);
  HLOCTS_ASSIGN_OR_RETURN(Literal all, UnflattenLeaves(Shape::Tuple(std::move(shapes)), leaves));
  return all.elements();
}

}  // namespace hlocts::backends
