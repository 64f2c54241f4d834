// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.h"

#include <chrono>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/entry_leaves.h"
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
  return {.failure = OutcomeOf(status), .error = ErrorOf(status)};
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
ExecuteRequest WithCopiesOfDonated(ExecuteRequest request, std::vector<int64_t> donated) {
  request.donated_leaves = std::move(donated);
  for (std::vector<Literal>& leaves : request.arguments) {
    for (int64_t leaf : request.donated_leaves) {
      if (leaf < 0 || leaf >= static_cast<int64_t>(leaves.size())) continue;
      Literal& given = leaves[static_cast<size_t>(leaf)];
      if (given.shape().IsArray()) given.mutable_raw_data();  // copies shared storage
    }
  }
  return request;
}

// Returns the target of a custom call by which JAX calls a Python function; "" if there is none.
// Such a call contains the function's address, which is valid only in the process that traced it.
std::string PythonCallback(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const std::string* target = instruction->Get<std::string>(Attr::kCustomCallTarget);
      if (target && absl::StrContains(*target, "python") && absl::StrContains(*target, "callback"))
        return *target;
    }
  }
  return "";
}

}  // namespace

std::vector<int64_t> DonatedLeaves(const Module& module, const ExecuteRequest& request) {
  std::vector<int64_t> donated = request.donated_leaves;
  for (const Donation& one : DonationsOf(module)) {
    if (one.must_alias && !absl::c_linear_search(donated, one.argument))
      donated.push_back(one.argument);
  }
  return donated;
}

RunOutcome RunModule(Backend& backend, const Module& module, const LoadOptions& options,
                     const ExecuteRequest& request) {
  if (IsSharded(module)) {
    const BackendInfo info = backend.info();
    if (info.available && !absl::c_linear_search(info.capabilities, "partitions"))
      return OutcomeFrom(absl::UnimplementedError("the engine does not partition modules"));
  }
  if (const std::string target = PythonCallback(module); !target.empty()) {
    return FailedRun(absl::UnimplementedError(absl::StrCat(
        "not run: ", target, " calls a Python function in the process that made the module")));
  }
  if (!options.stop || !options.stop()) {
    std::vector<int64_t> donated = DonatedLeaves(module, request);
    return donated.empty()
               ? backend.Run(module, options, request)
               : backend.Run(module, options, WithCopiesOfDonated(request, std::move(donated)));
  }
  return FailedRun(absl::UnavailableError("not run: the caller has stopped waiting"));
}

}  // namespace hlocts::backends
