// SPDX-License-Identifier: Apache-2.0
// Makes backends from the engines that `hlocts engines install` has installed
// (backends/engine_list.h).
#pragma once

#include <memory>

#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/engines.pb.h"

namespace hlocts::backends {

// Returns the options of an engine: those of its entry that the recorded name does not override,
// then those of the name.
std::vector<std::pair<std::string, std::string>> OptionsInEffect(const std::string& recorded);
// Returns OptionsInEffect without those of hlocts (partitioner, facts) and of the client.
std::vector<std::pair<std::string, std::string>> CompileOptionsOf(const std::string& recorded);
// Returns CompileOptionsOf as text: "a=1, b=2", or "none (the plugin's own defaults)".
std::string CompileOptionsText(const std::string& recorded);

// Sets the environment variables of all entries with this library, except those already set.
void SetVariablesOf(const std::string& library);

// Makes the engine of a release that is a plugin, in this process. The options of its entry apply
// unless the name overrides them. The version contains the options, so every verdict records them.
absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine);

// Makes the engine of a release that is a program or a Python worker, and starts the process that
// serves it.
absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine);

// Returns a command for an engine that accepts only StableHLO. The caller appends the name of a
// file with a HloModuleProto. The command writes to standard output the HloModuleProto that the
// engine's compiler gets after the conversion.
absl::StatusOr<std::vector<std::string>> ConvertedModuleCommand(const engines::Engine& engine);

}  // namespace hlocts::backends
