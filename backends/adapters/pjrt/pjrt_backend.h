// SPDX-License-Identifier: Apache-2.0
// Makes any PJRT plugin a Backend: `pjrt:PATH` with options after '?'.
// Options that begin with "client." are passed to PJRT_Client_Create. The option `partitioner`
// (gspmd or shardy) selects the partitioner of sharded modules. All other options are passed to the
// compiler by name.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapters/pjrt/compile_options.h"
#include "backends/backend.h"

namespace hlocts::backends {

struct PjrtSettings {
  std::string name;  // as given on the command line
  std::string path;  // path of the plugin
  std::vector<std::pair<std::string, std::string>> client_options;
  std::vector<std::pair<std::string, std::string>> compile_options;
  // The client option that sets the number of devices; "" if the machine decides.
  std::string device_count_option;
  std::string version_prefix;
  std::vector<std::string> facts;
  // The option `partitioner` for sharded modules: gspmd (the default) or shardy.
  Partitioner partitioner = Partitioner::kGspmd;
};

// Moves `partitioner` out of the compiler options. Returns kInvalidArgument for an unknown value.
absl::Status TakePartitioner(PjrtSettings& settings);

std::unique_ptr<Backend> MakePjrtBackendFrom(PjrtSettings settings);
// Like MakePjrtBackendFrom, but opens a client now. Returns kInvalidArgument for a rejected option.
absl::StatusOr<std::unique_ptr<Backend>> OpenPjrtBackend(PjrtSettings settings);

}  // namespace hlocts::backends
