// SPDX-License-Identifier: Apache-2.0
// The worker that converts modules: it opens libhlocts_xla.so and answers Hello and Convert.
#include <dlfcn.h>

#include "backends/adapters/stablehlo/converter.h"
#include "backends/adapters/xla_library.h"
#include "backends/worker/wire.h"
#include "spec/base/frame.h"

namespace hlocts::backends {
namespace {

struct XlaConverters {
  decltype(&hlocts_xla_version) version = nullptr;
  decltype(&hlocts_xla_free) free = nullptr;
  decltype(&hlocts_xla_from_stablehlo) from_stablehlo = nullptr;
  decltype(&hlocts_xla_to_stablehlo) to_stablehlo = nullptr;
  decltype(&hlocts_xla_run_pass) run_pass = nullptr;
};

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

absl::StatusOr<XlaConverters> OpenConverters() {
  HLOCTS_ASSIGN_OR_RETURN(void* library, OpenXlaLibrary());
  XlaConverters xla;
  const bool all = Find(library, "hlocts_xla_version", xla.version) &&
                   Find(library, "hlocts_xla_free", xla.free) &&
                   Find(library, "hlocts_xla_from_stablehlo", xla.from_stablehlo) &&
                   Find(library, "hlocts_xla_to_stablehlo", xla.to_stablehlo) &&
                   Find(library, "hlocts_xla_run_pass", xla.run_pass);
  if (!all) return absl::UnavailableError("libhlocts_xla.so is older than this program");
  return xla;
}

class ConvertServer {
 public:
  explicit ConvertServer(absl::StatusOr<XlaConverters> xla) : xla_(std::move(xla)) {}

  worker::Reply Answer(const worker::Request& request) {
    worker::Reply reply;
    absl::StatusOr<std::string> converted;
    switch (request.kind_case()) {
      case worker::Request::kHello:
        Greet(*reply.mutable_hello());
        return reply;
      case worker::Request::kConvert:
        converted = Convert(request.convert());
        break;
      default:
        converted = absl::UnimplementedError("this worker only converts");
    }
    if (converted.ok()) {
      reply.set_converted(*std::move(converted));
    } else {
      StatusToWire(converted.status(), reply.mutable_error());
    }
    return reply;
  }

 private:
  void Greet(worker::HelloReply& hello) {
    hello.set_protocol_version(1);
    hello.set_name("convert");
    hello.add_capabilities("convert");
    if (xla_.ok()) hello.set_version(xla_->version());
    if (!xla_.ok()) hello.set_unavailable_reason(std::string(xla_.status().message()));
  }

  template <typename Call>
  absl::StatusOr<std::string> Called(const Call& call) {
    hlocts_xla_bytes out{}, error{};
    const hlocts_xla_status status = call(&out, &error);
    std::string bytes(out.data ? out.data : "", out.size);
    std::string message(error.data ? error.data : "", error.size);
    xla_->free(&out);
    xla_->free(&error);
    HLOCTS_RETURN_IF_ERROR(StatusOfXla(status, message));
    return bytes;
  }

  absl::StatusOr<std::string> Convert(const worker::Convert& convert) {
    HLOCTS_RETURN_IF_ERROR(xla_.status());
    const hlocts_xla_view module = {convert.module().data(), convert.module().size()};
    const bool from_hlo = convert.from() == ModuleFormName(ModuleForm::kHlo);
    const bool to_hlo = convert.to() == ModuleFormName(ModuleForm::kHlo);
    if (from_hlo && to_hlo) {
      const hlocts_xla_view pass = {convert.rewrite().data(), convert.rewrite().size()};
      return Called(
          [&](auto* out, auto* error) { return xla_->run_pass(module, pass, out, error); });
    }
    if (!convert.rewrite().empty() || from_hlo == to_hlo) {
      return absl::UnimplementedError(absl::StrCat("expected hlo to or from stablehlo, found ",
                                                   convert.from(), " to ", convert.to()));
    }
    if (to_hlo) {
      return Called(
          [&](auto* out, auto* error) { return xla_->from_stablehlo(module, out, error); });
    }
    const int32_t form = convert.to() == ModuleFormName(ModuleForm::kStablehlo)
                             ? HLOCTS_XLA_STABLEHLO_TEXT
                             : HLOCTS_XLA_STABLEHLO_BYTECODE;
    return Called(
        [&](auto* out, auto* error) { return xla_->to_stablehlo(module, form, out, error); });
  }

  absl::StatusOr<XlaConverters> xla_;
};

}  // namespace

absl::Status ServeConversions(int input_fd, int output_fd) {
  ConvertServer server(OpenConverters());
  FrameReader reader(input_fd);
  while (true) {
    absl::StatusOr<std::string> frame = reader.Read();
    if (absl::IsOutOfRange(frame.status())) return absl::OkStatus();
    HLOCTS_RETURN_IF_ERROR(frame.status());
    worker::Request request;
    if (!request.ParseFromString(*frame)) return absl::DataLossError("no request");
    HLOCTS_RETURN_IF_ERROR(WriteFrame(output_fd, server.Answer(request).SerializeAsString()));
  }
}

}  // namespace hlocts::backends
