// SPDX-License-Identifier: Apache-2.0
// Reads and writes StableHLO for the subcommands, with one converter for the run of the program.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/adapters/stablehlo/converter.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// Reads MLIR text or bytecode as an HLO module. Errors begin with `path`. If the build lacks the
// wheel, the error is one sentence.
absl::StatusOr<std::unique_ptr<Module>> ReadStablehlo(const std::string& path,
                                                      absl::string_view content);

// The form of StableHLO with this name in `convert --to`; nullopt for other names.
std::optional<backends::ModuleForm> StablehloFormFromName(absl::string_view name);
absl::StatusOr<std::string> WriteStablehlo(const Module& module, backends::ModuleForm form);

}  // namespace hlocts::tools
