// SPDX-License-Identifier: Apache-2.0
// StableHLO for our plugins: a converter in its own process, which a plugin starts when the first
// program of format "mlir" arrives. No MLIR library is linked.
#ifndef HLOCTS_SPEC_PJRT_TABLE_STABLEHLO_H_
#define HLOCTS_SPEC_PJRT_TABLE_STABLEHLO_H_

#include <sys/types.h>

#include <mutex>
#include <string>

#include "spec/base/status.h"

namespace hlocts::pjrt {

// The client option and the environment variable that name the converter: a program and its
// arguments, separated by newlines, or by spaces where there is no newline. It answers Convert of
// backends/worker.proto on its standard streams, as `python3 -m hlocts.stablehlo` does.
inline constexpr char kConverterOption[] = "stablehlo_converter";
inline constexpr char kConverterVariable[] = "HLOCTS_STABLEHLO_CONVERTER";

// One converter process. Thread-safe; calls are answered one after another.
class StablehloConverter {
 public:
  // `command` as above; "" takes the environment variable.
  explicit StablehloConverter(std::string command);
  ~StablehloConverter();
  StablehloConverter(const StablehloConverter&) = delete;
  StablehloConverter& operator=(const StablehloConverter&) = delete;

  // Returns a serialized HloModuleProto. kUnimplemented: no converter is configured.
  // kInvalidArgument: it cannot be started, or refuses the module. kAborted: it ended during this
  // conversion; the next call restarts it.
  absl::StatusOr<std::string> ToHlo(absl::string_view mlir);

 private:
  absl::Status Start();
  void Stop();
  absl::StatusOr<std::string> Ask(absl::string_view mlir);

  const std::string command_;
  std::mutex mutex_;  // guards what follows
  pid_t pid_ = 0;     // 0: not running
  int socket_ = -1;
};

}  // namespace hlocts::pjrt

#endif  // HLOCTS_SPEC_PJRT_TABLE_STABLEHLO_H_
