// SPDX-License-Identifier: Apache-2.0
// Converts StableHLO for our plugins. The converter is a process, which a plugin starts when it
// gets the first program of format "mlir". No MLIR library is linked.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>

#include "spec/base/status.h"

namespace hlocts::pjrt {

// The client option and the environment variable that name the converter: a program and its
// arguments, separated by newlines, or by spaces if there is no newline. The program implements
// Convert of backends/worker.proto on its standard streams, as `python3 -m hlocts.stablehlo` does.
inline constexpr char kConverterOption[] = "stablehlo_converter";
inline constexpr char kConverterVariable[] = "HLOCTS_STABLEHLO_CONVERTER";

// One converter process. Thread-safe; calls run one after another.
class StablehloConverter {
 public:
  // `command` has the form described above; "" means the value of the environment variable.
  explicit StablehloConverter(std::string command);
  ~StablehloConverter();
  StablehloConverter(const StablehloConverter&) = delete;
  StablehloConverter& operator=(const StablehloConverter&) = delete;

  // Returns a serialized HloModuleProto. Returns kUnimplemented if no converter is configured,
  // kInvalidArgument if it cannot be started, the converter's error if it rejects the module, and
  // kAborted if it ended or replied wrongly during this conversion; the next call then restarts it.
  absl::StatusOr<std::string> ToHlo(absl::string_view mlir);

 private:
  absl::Status Start();
  void Stop();
  absl::StatusOr<std::string> Ask(absl::string_view mlir);

  const std::string command_;
  std::mutex mutex_;  // guards the fields below
  pid_t pid_ = 0;     // 0: not running
  int socket_ = -1;
};

}  // namespace hlocts::pjrt
