// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/stablehlo/converter.h"

#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/xla_library.h"
#include "backends/backend_list.h"
#include "backends/worker/wire.h"
#include "backends/worker/worker_client.h"
#include "backends/worker/worker_connection.h"
#include "spec/base/frame.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/text/sharding_calls.h"

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
  absl::Status sent = worker_->Send(frame, limits);
  absl::StatusOr<worker::Reply> reply = sent.ok() ? worker_->Receive(limits) : sent;
  if (!reply.ok()) {
    worker_.reset();
    return reply.status();
  }
  if (reply->has_error()) return StatusFromWire(reply->error());
  if (reply->kind_case() != worker::Reply::kConverted)
    return absl::InternalError("unexpected reply from the converter");
  return std::move(*reply->mutable_converted());
}

absl::StatusOr<std::unique_ptr<Converter>> MakeXlaConverter() {
  HLOCTS_RETURN_IF_ERROR(CheckXlaLibrary());
  return std::make_unique<Converter>(ThirdPartyWorkerArguments("--convert"));
}

absl::StatusOr<std::unique_ptr<Module>> HloFromStablehlo(Converter& converter,
                                                         absl::string_view mlir,
                                                         const ConvertOptions& options) {
  auto proto = converter.Convert(mlir, ModuleForm::kStablehlo, ModuleForm::kHlo, options);
  if (proto.ok()) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParseSerializedModule(*proto));
    // The conversion drops mhlo.num_partitions, without which manual regions have no meaning.
    if (module->num_partitions == 1) module->num_partitions = PartitionsOfManualRegions(*module);
    return module;
  }
  static const auto* place = new std::regex("^-:(\\d+):(\\d+): (error: )?");
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(proto.status().message(), '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || absl::StartsWith(line, "<unknown>:0: error: Failed to parse using"))
      continue;
    // The rest is the full module in MLIR's generic form.
    if (absl::StrContains(line, "note: see current operation")) break;
    // Cuts advice for developers of MLIR's tools.
    line = line.substr(0, line.find(". If this is intended, please call"));
    // Turns "-:3:10: error: ..." into "line 3, column 10: ...".
    lines.push_back(std::regex_replace(std::string(line), *place, "line $1, column $2: "));
  }
  std::string message = absl::StrJoin(lines, "\n");
  if (absl::StrContains(message, "primitive_type_invalid") && absl::StrContains(mlir, "!quant."))
    message = "quantized types have no HLO type";
  return absl::Status(proto.status().code(), message);
}

absl::StatusOr<std::string> StablehloFromHlo(Converter& converter, const Module& module,
                                             ModuleForm form, const ConvertOptions& options) {
  HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(module));
  return converter.Convert(proto, ModuleForm::kHlo, form, options);
}

}  // namespace hlocts::backends
