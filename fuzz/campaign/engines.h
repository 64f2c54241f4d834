// SPDX-License-Identifier: Apache-2.0
// The engines of a campaign and the types that they support.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "spec/base/status.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {

// Adds its own lifetime to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// An engine, used by one thread, that measures the time spent waiting for it.
class TimedEngine : public backends::Backend {
 public:
  explicit TimedEngine(std::unique_ptr<backends::Backend> engine) : engine_(std::move(engine)) {}

  backends::BackendInfo info() override {
    Stopwatch waited(seconds_);
    return engine_->info();
  }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module& module, const backends::LoadOptions& options) override {
    Stopwatch waited(seconds_);
    return engine_->Load(module, options);
  }
  backends::RunOutcome Run(const Module& module, const backends::LoadOptions& options,
                           const backends::ExecuteRequest& request) override {
    Stopwatch waited(seconds_);
    return engine_->Run(module, options, request);
  }
  double seconds() const { return seconds_; }

 private:
  std::unique_ptr<backends::Backend> engine_;
  double seconds_ = 0;
};

struct Engines {
  std::vector<std::unique_ptr<TimedEngine>> tested;
  std::unique_ptr<backends::Backend> reference;  // computes intermediate values for the shrinker
};

// Returns kUnavailable, with the reason, if an engine cannot be started.
absl::StatusOr<Engines> StartEngines(const std::vector<std::string>& names);

// Starts up to `jobs` sets of engines, or fewer if an engine allows fewer (backends::BoundedJobs).
// The first set must start. A later set that does not start, e.g. on a busy machine, is reported on
// standard error and omitted.
absl::StatusOr<std::vector<Engines>> StartJobs(const std::vector<std::string>& names, int jobs);

// Returns all element types except those that the capabilities exclude, e.g. by "without:s1".
TypeSet TypesOf(const backends::BackendInfo& info);
// Returns the types that all tested engines support.
TypeSet CommonTypes(const Engines& engines);
// Returns true if the arguments of the engine may have dynamic dimensions. They may not if its
// capabilities contain "without:dynamic-arguments".
bool TakesDynamicArguments(const backends::BackendInfo& info);
bool AllTakeDynamicArguments(const Engines& engines);
// Returns the types that are not in the set, as " s1 u1".
std::string NamesOfMissing(TypeSet types);

}  // namespace hlocts::fuzz
