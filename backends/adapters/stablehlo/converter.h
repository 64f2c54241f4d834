// SPDX-License-Identifier: Apache-2.0
// Modules in other forms: HLO to StableHLO and back by the converters of the pinned wheel, and
// rewriters from module to module. All of it is external code: it runs in a worker process, and a
// crash there is a status here.
//
// An engine with the capability `via:rewriter:stablehlo` is judged on the module that the converter
// produced: its failure counts only where that module, read back, is right. New form: a value of
// ModuleForm and a branch in convert_server.cc.
#ifndef HLOCTS_BACKENDS_ADAPTERS_STABLEHLO_CONVERTER_H_
#define HLOCTS_BACKENDS_ADAPTERS_STABLEHLO_CONVERTER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

enum class ModuleForm : uint8_t {
  kHlo,                // serialized HloModuleProto
  kStablehlo,          // MLIR text; bytecode is read as well
  kStablehloBytecode,  // portable: versioned, readable by other releases
};
absl::string_view ModuleFormName(ModuleForm form);  // "hlo", "stablehlo", "stablehlo-bytecode"

struct ConvertOptions {
  std::string rewrite;  // name of a pass on the way; "" for none
  double timeout_seconds = 60;
  int64_t memory_bytes_max = int64_t{8} << 30;
};

class WorkerConnection;

// One worker process, started on first use and again after it died. Thread-compatible.
class Converter {
 public:
  // argv: a program that answers Convert of worker.proto.
  explicit Converter(std::vector<std::string> argv);
  ~Converter();

  // kUnavailable: it cannot be started (without the wheel: one sentence that says so). kAborted,
  // kDeadlineExceeded: it crashed or hung over this module. Others: the converter's own status.
  absl::StatusOr<std::string> Convert(absl::string_view module, ModuleForm from, ModuleForm to,
                                      const ConvertOptions& options = {});
  // Name and version as reported by the worker; "" before it has been started.
  std::string version() const;

 private:
  std::vector<std::string> argv_;
  std::unique_ptr<WorkerConnection> worker_;
  std::string version_;
};

// The pinned wheel's. kUnavailable where this build left it out.
absl::StatusOr<std::unique_ptr<Converter>> MakeXlaConverter();

// StableHLO, text or bytecode, as an HLO module. Not verified.
absl::StatusOr<std::unique_ptr<Module>> HloFromStablehlo(Converter& converter,
                                                         absl::string_view mlir,
                                                         const ConvertOptions& options = {});
absl::StatusOr<std::string> StablehloFromHlo(Converter& converter, const Module& module,
                                             ModuleForm form, const ConvertOptions& options = {});

// MLIR's message for users: "line 3, column 10: ...", without the guess that MLIR appends to every
// error (that the text may be of another version).
std::string PlainMlirError(absl::string_view message);

// The other end: serves the wheel's converters and passes on a pair of file descriptors.
absl::Status ServeConversions(int input_fd, int output_fd);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_STABLEHLO_CONVERTER_H_
