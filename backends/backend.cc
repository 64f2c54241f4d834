// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.h"

#include <chrono>

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

}  // namespace hlocts::backends
