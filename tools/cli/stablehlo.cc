// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/stablehlo.h"

#include "spec/ir/module.h"

namespace hlocts::tools {
namespace {

using backends::ModuleForm;

// Started on first use; lives as long as the program.
absl::StatusOr<backends::Converter*> TheConverter() {
  static std::unique_ptr<backends::Converter> converter;
  if (!converter) {
    auto made = backends::MakeXlaConverter();
    if (!made.ok()) {
      return absl::UnavailableError(absl::StrCat(
          "StableHLO is read and written by XLA's own converter: ", made.status().message()));
    }
    converter = *std::move(made);
  }
  return converter.get();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ReadStablehlo(const std::string& path,
                                                      absl::string_view content) {
  absl::StatusOr<backends::Converter*> converter = TheConverter();
  if (!converter.ok()) return Annotate(converter.status(), path);
  auto module = backends::HloFromStablehlo(**converter, content);
  return module.ok() ? std::move(module) : Annotate(module.status(), path);
}

std::optional<ModuleForm> StablehloFormFromName(absl::string_view name) {
  for (ModuleForm form : {ModuleForm::kStablehlo, ModuleForm::kStablehloBytecode}) {
    if (name == backends::ModuleFormName(form)) return form;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> WriteStablehlo(const Module& module, ModuleForm form) {
  HLOCTS_ASSIGN_OR_RETURN(backends::Converter * converter, TheConverter());
  return backends::StablehloFromHlo(*converter, module, form);
}

}  // namespace hlocts::tools
