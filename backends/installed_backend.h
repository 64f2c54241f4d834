// SPDX-License-Identifier: Apache-2.0
// Engines that `hlocts engines install` has installed (backends/engine_list.h), as backends.
#ifndef HLOCTS_BACKENDS_INSTALLED_BACKEND_H_
#define HLOCTS_BACKENDS_INSTALLED_BACKEND_H_

#include <memory>

#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/engines.pb.h"

namespace hlocts::backends {

// A release that is a plugin, in this process. The options of its entry apply unless the name gives
// them; they are part of the version, so that every verdict records them.
absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine);

// A release that is a program or a worker in Python: the process that serves it.
absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine);

// The command that asks a release that is reached through StableHLO for the module that its
// compiler gets. One more argument must be appended: a file with a HloModuleProto. It writes
// another one to standard output.
absl::StatusOr<std::vector<std::string>> ReachedModuleCommand(const engines::Engine& engine);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_INSTALLED_BACKEND_H_
