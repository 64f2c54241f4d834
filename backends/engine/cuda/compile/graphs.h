// SPDX-License-Identifier: Apache-2.0
// Work that is launches alone, as graphs of the device: the rest of a loop, whose condition the
// device then looks at itself, and whole functions that run again and again.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_GRAPHS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_GRAPHS_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/engine/cuda/base/recorder.h"
#include "backends/engine/cuda/base/run.h"

namespace hlocts::cuda {

class LoopRecord;

// A loop that devices run alone. What was recorded for a device is kept for the next time.
class LoopOnDevice {
 public:
  LoopOnDevice(const Function& condition, const Function& body);
  ~LoopOnDevice();
  // The loop from this state on, which meets the condition; nullopt: it is none of launches alone,
  // and nothing has happened.
  absl::StatusOr<std::optional<std::vector<Buffer>>> Run(cuda::Run& run,
                                                         const std::vector<Buffer>& state);

 private:
  std::unique_ptr<LoopRecord> RecordFor(cuda::Run& run, const std::vector<Buffer>& state);

  const Function &condition_, &body_;
  std::mutex mutex_;
  std::map<const Device*, std::vector<std::unique_ptr<LoopRecord>>> idle_;
};

// How many graphs have run in this process.
int64_t GraphsReplayed();

// A function on memory of its own: arguments in, one graph, results out, and nothing is allocated.
class KeptFunction {
 public:
  // nullptr: it cannot be kept.
  static std::unique_ptr<KeptFunction> New(Run& run, const Function& function);
  ~KeptFunction();
  absl::StatusOr<std::vector<Literal>> Call(Run& run, const std::vector<Literal>& arguments,
                                            const std::vector<Shape>& results);

 private:
  explicit KeptFunction(Device& device) : device_(device), recorder_(device) {}
  absl::Status Record(Run& run, const Function& function);

  Device& device_;
  Recorder recorder_;
  std::vector<void*> parameters_;  // nullptr: a token
  std::vector<Buffer> results_;
  int64_t graph_ = -1;
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_GRAPHS_H_
