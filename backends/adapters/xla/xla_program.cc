// SPDX-License-Identifier: Apache-2.0
// Bytes of the C API as a module and its compile options.
#include "backends/adapters/xla/xla_program.h"

#include <string>

#include "backends/adapters/xla/xla_status.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace hlocts::xla_plugin {
namespace {

Status ReadModule(std::string_view format, std::string_view program, xla::HloModuleProto* module) {
  const std::string size = std::to_string(program.size());
  if (format == "hlo") {
    if (module->ParseFromArray(program.data(), program.size())) return {};
    return {kInvalidArgument, "program: expected a serialized HloModuleProto, found " + size +
                                  " bytes that are none"};
  }
  if (format == "hlo_with_config") {
    xla::HloModuleProtoWithConfig with_config;
    if (with_config.ParseFromArray(program.data(), program.size())) {
      module->Swap(with_config.mutable_hlo_module());
      return {};
    }
    return {kInvalidArgument, "program: expected a serialized HloModuleProtoWithConfig, found " +
                                  size + " bytes that are none"};
  }
  return {kUnimplemented, "program format: expected \"hlo\" or \"hlo_with_config\", found \"" +
                              std::string(format) + "\""};
}

}  // namespace

Status ParseCompileOptions(std::string_view bytes, xla::CompileOptions* options) {
  xla::CompileOptionsProto proto;
  if (!proto.ParseFromArray(bytes.data(), bytes.size())) {
    return {kInvalidArgument, "compile options: expected a serialized CompileOptionsProto, found " +
                                  std::to_string(bytes.size()) + " bytes that are none"};
  }
  auto parsed = xla::CompileOptions::FromProto(proto);
  HLOCTS_RETURN_IF_ERROR(parsed.status());
  *options = *std::move(parsed);
  // TensorFlow's build turns fast min/max on (NaN operands are lost); XLA's own default is off.
  // Debug options that the caller spelt out stay as they are, and env_option_overrides win.
  if (!proto.executable_build_options().has_debug_options()) {
    options->executable_build_options.mutable_debug_options()->set_xla_cpu_enable_fast_min_max(
        false);
  }
  return {};
}

Status ParseModule(std::string_view format, std::string_view program, xla::HloModuleProto* module) {
  Status status = ReadModule(format, program, module);
  if (!status.ok() || module->has_host_program_shape()) return status;
  return {kInvalidArgument, "program: expected a module with its host_program_shape, found none"};
}

}  // namespace hlocts::xla_plugin
