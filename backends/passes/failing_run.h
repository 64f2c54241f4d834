// SPDX-License-Identifier: Apache-2.0
// Runs the failing module once for blame, with its own XLA_FLAGS, in a new worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/passes/pass_blame.h"

namespace hlocts::backends {

// Extends XLA_FLAGS during its lifetime; a worker that starts then inherits them.
class MoreXlaFlags {
 public:
  explicit MoreXlaFlags(const std::string& flags);
  ~MoreXlaFlags();
  MoreXlaFlags(const MoreXlaFlags&) = delete;

 private:
  std::optional<std::string> before_;
};

struct Ran {
  reports::Verdict verdict;
  RunOutcome outcome;
  std::vector<std::string> facts;
};
// Runs and judges the module. Errors: the engine cannot be started.
absl::StatusOr<Ran> RunOnce(const BlameSubject& subject, Differ& differ, Backend& engine);
absl::StatusOr<Ran> RunWithFlags(const BlameSubject& subject, Differ& differ,
                                 const EngineFactory& factory, const std::string& flags);

// The value, in the outputs of any run, of the element that `failure` reports as wrong.
std::string ElementOf(const Ran& ran, const reports::Verdict& failure);
bool IsWrong(const reports::Verdict& verdict);

}  // namespace hlocts::backends
