// SPDX-License-Identifier: Apache-2.0
// Converts modules between HLO and StableHLO with the converters of the pinned wheel or with
// external rewriters. The external code runs in a worker process, where a crash becomes a status.
//
// An engine with the capability `via:rewriter:stablehlo` gets the module that the converter
// produced. A failure of the engine counts only if this module, converted back to HLO, is correct.
// To add a form, add a value of ModuleForm and a branch in convert_server.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

enum class ModuleForm : uint8_t {
  kHlo,                // serialized HloModuleProto
  kStablehlo,          // MLIR text; an input may also be bytecode
  kStablehloBytecode,  // versioned, readable by other releases
};
absl::string_view ModuleFormName(ModuleForm form);  // "hlo", "stablehlo", "stablehlo-bytecode"

struct ConvertOptions {
  std::string rewrite;  // name of a pass to run; "" for none
  double timeout_seconds = 60;
  int64_t memory_bytes_max = int64_t{8} << 30;
};

class WorkerConnection;

// A converter in a worker process, which starts on first use and after a crash. Thread-compatible.
class Converter {
 public:
  // `argv` starts a program that answers the request Convert of worker.proto.
  explicit Converter(std::vector<std::string> argv);
  ~Converter();

  // Returns kUnavailable if the worker cannot be started, e.g. because the wheel is missing, and
  // kAborted or kDeadlineExceeded if it crashed or hung on this module. Other errors are the
  // converter's.
  absl::StatusOr<std::string> Convert(absl::string_view module, ModuleForm from, ModuleForm to,
                                      const ConvertOptions& options = {});
  // Returns the name and version that the worker reported; "" before it has been started.
  std::string version() const;

 private:
  std::vector<std::string> argv_;
  std::unique_ptr<WorkerConnection> worker_;
  std::string version_;
};

// Returns the converter of the pinned wheel; kUnavailable if this build has no wheel.
absl::StatusOr<std::unique_ptr<Converter>> MakeXlaConverter();

// Converts StableHLO, as text or bytecode, to an HLO module, which is not verified.
absl::StatusOr<std::unique_ptr<Module>> HloFromStablehlo(Converter& converter,
                                                         absl::string_view mlir,
                                                         const ConvertOptions& options = {});
absl::StatusOr<std::string> StablehloFromHlo(Converter& converter, const Module& module,
                                             ModuleForm form, const ConvertOptions& options = {});

// Serves the wheel's converters, as the worker process, on a pair of file descriptors.
absl::Status ServeConversions(int input_fd, int output_fd);

}  // namespace hlocts::backends
