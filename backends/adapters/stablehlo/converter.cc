// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/stablehlo/converter.h"

#include "backends/adapters/xla_library.h"
#include "backends/backend_list.h"
#include "backends/worker/frame.h"
#include "backends/worker/wire.h"
#include "backends/worker/worker_client.h"
#include "backends/worker/worker_connection.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {

absl::string_view ModuleFormName(ModuleForm form) {
  switch (form) {
    case ModuleForm::kHlo:
      return "hlo";
    case ModuleForm::kStablehlo:
      return "stablehlo";
    case ModuleForm::kStablehloBytecode:
      return "stablehlo-bytecode";
  }
  return "";
}

Converter::Converter(std::vector<std::string> argv) : argv_(std::move(argv)) {}
Converter::~Converter() = default;

std::string Converter::version() const { return version_; }

absl::StatusOr<std::string> Converter::Convert(absl::string_view module, ModuleForm from,
                                               ModuleForm to, const ConvertOptions& options) {
  if (!worker_) {
    HLOCTS_ASSIGN_OR_RETURN(worker_, WorkerConnection::Start(argv_, StartSecondsMax()));
    version_ = absl::StrCat(worker_->hello().name(), " ", worker_->hello().version());
    const std::string reason = worker_->hello().unavailable_reason();
    if (!reason.empty()) {
      worker_.reset();
      return absl::UnavailableError(reason);
    }
  }
  worker::Request request;
  worker::Convert* convert = request.mutable_convert();
  convert->set_module(std::string(module));
  convert->set_from(std::string(ModuleFormName(from)));
  convert->set_to(std::string(ModuleFormName(to)));
  convert->set_rewrite(options.rewrite);
  std::string frame;
  AppendFrame(request.SerializeAsString(), frame);
  LoadOptions limits;
  limits.timeout_seconds = options.timeout_seconds;
  limits.memory_bytes_max = options.memory_bytes_max;
  absl::Status sent = worker_->Send(frame);
  absl::StatusOr<worker::Reply> reply = sent.ok() ? worker_->Receive(limits) : sent;
  if (!reply.ok()) {
    worker_.reset();
    return reply.status();
  }
  if (reply->has_error()) return StatusFromWire(reply->error());
  if (reply->kind_case() != worker::Reply::kConverted)
    return absl::InternalError("the converter answered something else");
  return std::move(*reply->mutable_converted());
}

absl::StatusOr<std::unique_ptr<Converter>> MakeXlaConverter() {
  HLOCTS_RETURN_IF_ERROR(CheckXlaLibrary());
  return std::make_unique<Converter>(ForeignWorkerArguments("--convert"));
}

absl::StatusOr<std::unique_ptr<Module>> HloFromStablehlo(Converter& converter,
                                                         absl::string_view mlir,
                                                         const ConvertOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::string proto, converter.Convert(mlir, ModuleForm::kStablehlo,
                                                               ModuleForm::kHlo, options));
  return ParseSerializedModule(proto);
}

absl::StatusOr<std::string> StablehloFromHlo(Converter& converter, const Module& module,
                                             ModuleForm form, const ConvertOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(module));
  return converter.Convert(proto, ModuleForm::kHlo, form, options);
}

}  // namespace hlocts::backends
