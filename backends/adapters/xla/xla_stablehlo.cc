// SPDX-License-Identifier: Apache-2.0
// Converts from and to StableHLO with the wheel's own converters. The wheel does not contain the
// MLIR headers that they need, so the called functions are declared here, with opaque types of the
// real sizes.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "backends/adapters/xla/mlir_text.h"
#include "backends/adapters/xla/xla_bytes.h"
#include "mlir/IR/BuiltinOps.h"
#include "xla/hlo/builder/xla_computation.h"

namespace xla {

absl::Status ParseMlirModuleStringAndConvertToXlaComputation(absl::string_view mlir,
                                                             XlaComputation& computation,
                                                             bool use_tuple_arguments,
                                                             bool return_tuple);
absl::StatusOr<std::string> ConvertHloToStablehlo(const HloModule& module, bool as_bytecode);
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ConvertHloToStablehlo(mlir::MLIRContext& context,
                                                                        const HloModule* module);
absl::StatusOr<std::string> SerializeUsingVersionedStablehlo(mlir::ModuleOp module,
                                                             absl::string_view version,
                                                             bool inplace,
                                                             bool allow_other_dialects);
std::string GetDefaultStablehloVersion();

}  // namespace xla

using hlocts::xla_plugin::Clear;
using hlocts::xla_plugin::CopyToOwnedBytes;
using hlocts::xla_plugin::Fail;
using hlocts::xla_plugin::ModuleOr;
using hlocts::xla_plugin::ParseProto;

namespace hlocts::xla_plugin {
namespace {

// Returns the portable bytecode that JAX's export and IREE exchange. It has a version, so other
// releases can read it.
absl::StatusOr<std::string> ToBytecode(const ::xla::HloModule& module) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto converted = ::xla::ConvertHloToStablehlo(context, &module);
  if (!converted.ok()) return converted.status();
  return ::xla::SerializeUsingVersionedStablehlo(converted->get(),
                                                 ::xla::GetDefaultStablehloVersion(),
                                                 /*inplace=*/true, /*allow_other_dialects=*/false);
}

absl::StatusOr<std::string> ToText(const ::xla::HloModule& module) {
  absl::StatusOr<std::string> text = ::xla::ConvertHloToStablehlo(module, /*as_bytecode=*/false);
  return text.ok() ? WithoutLocations(*text) : text;
}

}  // namespace

absl::StatusOr<std::string> StablehloOf(const ::xla::HloModule& module, int32_t form) {
  return form == HLOCTS_XLA_STABLEHLO_TEXT ? ToText(module) : ToBytecode(module);
}

}  // namespace hlocts::xla_plugin

hlocts_xla_status hlocts_xla_from_stablehlo(hlocts_xla_view mlir, hlocts_xla_bytes* module,
                                            hlocts_xla_bytes* error) {
  Clear(module, error);
  xla::XlaComputation computation;
  const absl::Status converted = xla::ParseMlirModuleStringAndConvertToXlaComputation(
      {mlir.data, mlir.size}, computation, /*use_tuple_arguments=*/false, /*return_tuple=*/false);
  if (!converted.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, converted, error);
  CopyToOwnedBytes(computation.proto().SerializeAsString(), module);
  return HLOCTS_XLA_OK;
}

hlocts_xla_status hlocts_xla_to_stablehlo(hlocts_xla_view module, int32_t form,
                                          hlocts_xla_bytes* mlir, hlocts_xla_bytes* error) {
  Clear(mlir, error);
  if (form != HLOCTS_XLA_STABLEHLO_TEXT && form != HLOCTS_XLA_STABLEHLO_BYTECODE) {
    return Fail(HLOCTS_XLA_ARGUMENT_ERROR,
                absl::InvalidArgumentError(absl::StrCat("form: unknown value ", form)), error);
  }
  ModuleOr parsed = ParseProto(module);
  if (!parsed.ok()) return Fail(HLOCTS_XLA_PARSE_ERROR, parsed.status(), error);
  auto converted = hlocts::xla_plugin::StablehloOf(**parsed, form);
  if (!converted.ok()) return Fail(HLOCTS_XLA_UNIMPLEMENTED, converted.status(), error);
  CopyToOwnedBytes(*converted, mlir);
  return HLOCTS_XLA_OK;
}
