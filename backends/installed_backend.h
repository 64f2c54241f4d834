// SPDX-License-Identifier: Apache-2.0
// Engines that `hlocts engines install` brought (backends/engine_list.h), as backends.
#ifndef HLOCTS_BACKENDS_INSTALLED_BACKEND_H_
#define HLOCTS_BACKENDS_INSTALLED_BACKEND_H_

#include <memory>

#include "backends/backend.h"
#include "backends/backend_list.h"
#include "backends/engines.pb.h"

namespace hlocts::backends {

// A release that is a plugin, in this process. The options of its entry hold where the name gives
// none; they stand in the version, so that every verdict says under which of them it came about.
absl::StatusOr<std::unique_ptr<Backend>> MakeInstalledBackend(BackendName name,
                                                              const engines::Engine& engine);

// A release that is a program or a worker in Python: the process that serves it.
absl::StatusOr<std::unique_ptr<Backend>> MakeReleaseWorker(const BackendName& name,
                                                           const engines::Engine& engine);

// How a release that HLO reaches through StableHLO is asked for the module that its compiler gets:
// the command and its arguments, behind which one more names a file with a HloModuleProto. It
// writes another one to standard output.
absl::StatusOr<std::vector<std::string>> ReachedModuleCommand(const engines::Engine& engine);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_INSTALLED_BACKEND_H_
