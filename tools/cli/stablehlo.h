// SPDX-License-Identifier: Apache-2.0
// Reads and writes StableHLO for the subcommands. The program uses one converter for its lifetime.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/adapters/stablehlo/converter.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// Converts MLIR text or bytecode to an HLO module. Errors begin with `path`. If the build lacks the
// XLA wheel, the error is one sentence.
absl::StatusOr<std::unique_ptr<Module>> ReadStablehlo(const std::string& path,
                                                      absl::string_view content);

// Returns the form of StableHLO that `convert --to` calls `name`; nullopt for other names.
std::optional<backends::ModuleForm> StablehloFormFromName(absl::string_view name);
absl::StatusOr<std::string> WriteStablehlo(const Module& module, backends::ModuleForm form);

}  // namespace hlocts::tools
