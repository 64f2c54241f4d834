// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.h"

#include <chrono>

#include "absl/algorithm/container.h"
#include "spec/ops/partitions.h"

namespace hlocts::backends {

Outcome OutcomeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted:
      return Outcome::kUnsupported;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDataLoss:  // a broken protocol
      return Outcome::kCrash;
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return Outcome::kTimeout;
    case absl::StatusCode::kUnavailable:
      return Outcome::kError;
    default:
      return Outcome::kRejected;
  }
}

absl::StatusOr<std::string> Executable::OptimizedModule() {
  return absl::UnimplementedError("the engine does not return its optimized module");
}

RunOutcome FailedRun(const absl::Status& status) {
  RunOutcome outcome;
  outcome.failure = OutcomeOf(status);
  outcome.error = ErrorOf(status);
  return outcome;
}

RunOutcome OutcomeFrom(absl::StatusOr<ExecuteResult> result) {
  if (!result.ok()) return FailedRun(result.status());
  RunOutcome outcome;
  outcome.failure.reset();
  outcome.result = *std::move(result);
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

// Copies donated arguments: an engine in this process may write its results into them, and the
// judge reads the arguments afterwards.
ExecuteRequest WithCopiesOfDonated(ExecuteRequest request) {
  for (std::vector<Literal>& leaves : request.arguments) {
    for (int64_t leaf : request.donated_leaves) {
      if (leaf < 0 || leaf >= static_cast<int64_t>(leaves.size())) continue;
      Literal& given = leaves[static_cast<size_t>(leaf)];
      if (given.shape().IsArray()) given.mutable_raw_data();  // gives it separate storage
    }
  }
  return request;
}

}  // namespace

RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request) {
  if (IsSharded(module)) {
    const BackendInfo info = backend.info();
    if (info.available && !absl::c_linear_search(info.capabilities, "partitions"))
      return OutcomeFrom(absl::UnimplementedError("the engine does not partition modules"));
  }
  if (!options.stop || !options.stop()) {
    return request.donated_leaves.empty()
               ? backend.Run(module, options, request)
               : backend.Run(module, options, WithCopiesOfDonated(request));
  }
  return FailedRun(absl::UnavailableError("not run: the caller has stopped waiting"));
}

}  // namespace hlocts::backends
