// SPDX-License-Identifier: Apache-2.0
// An engine that measures the time spent waiting for it, for use by one thread.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "backends/backend.h"

namespace hlocts::fuzz {

// Adds its lifetime to `seconds`.
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

}  // namespace hlocts::fuzz
