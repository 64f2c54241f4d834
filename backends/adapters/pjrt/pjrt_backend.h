// SPDX-License-Identifier: Apache-2.0
// Any PJRT plugin as a Backend: `pjrt:PATH` with options after '?'. `facts` is our own option: the
// promises of the plugin beyond the documents, a target of spec/targets or facts joined by '+'.
// Options beginning with "client." are passed to PJRT_Client_Create, the others to the compiler by
// name, except `partitioner`: gspmd or shardy, the partitioner of sharded modules.
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_PJRT_BACKEND_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_PJRT_BACKEND_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapters/pjrt/compile_options.h"
#include "backends/backend.h"

namespace hlocts::backends {

struct PjrtSettings {
  std::string name;  // as given on the command line
  std::string path;  // of the plugin
  std::vector<std::pair<std::string, std::string>> client_options;
  std::vector<std::pair<std::string, std::string>> compile_options;
  // A client option that takes the number of devices to make, "" when the machine decides.
  std::string device_count_option;
  std::string version_prefix;
  std::vector<std::string> facts;
  // For sharded modules: the option `partitioner`, gspmd (the default) or shardy.
  Partitioner partitioner = Partitioner::kGspmd;
};

// Takes `partitioner` out of the options of the compiler. kInvalidArgument: another word.
absl::Status TakePartitioner(PjrtSettings& settings);

std::unique_ptr<Backend> MakePjrtBackendFrom(PjrtSettings settings);
// The same with a client opened at once: kInvalidArgument where it refuses an option.
absl::StatusOr<std::unique_ptr<Backend>> OpenPjrtBackend(PjrtSettings settings);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_PJRT_BACKEND_H_
