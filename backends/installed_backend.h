// SPDX-License-Identifier: Apache-2.0
// Makes backends from the engines that `hlocts engines install` has installed
// (backends/engine_list.h).
#pragma once

#include <memory>

#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/engines.pb.h"

namespace hlocts::backends {

// Returns the options with which an engine compiles, by its recorded name: those of a release's
// entry unless the name overrides them, then those of the name. Options of hlocts (partitioner,
// facts) and of the client are left out.
std::vector<std::pair<std::string, std::string>> CompileOptionsOf(const std::string& recorded);
// Returns them as text: "a=1, b=2", or "none (the plugin's own defaults)".
std::string CompileOptionsText(const std::string& recorded);

// Sets the environment variables of the engines with a library of this name, unless they are set.
void SetVariablesOf(const std::string& library);

// Makes the engine of a release that is a plugin, in this process. The options of its entry apply
// unless the name overrides them; they are part of the version, so every verdict records them.
absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine);

// Makes the engine of a release that is a program or a Python worker, and starts the process that
// serves it.
absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine);

// The command that prints the module that the compiler of an engine gets if the engine is reached
// through StableHLO. The caller appends one argument, a file with a HloModuleProto; the command
// writes another HloModuleProto to standard output.
absl::StatusOr<std::vector<std::string>> ConvertedModuleCommand(const engines::Engine& engine);

}  // namespace hlocts::backends
