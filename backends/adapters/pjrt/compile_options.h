// SPDX-License-Identifier: Apache-2.0
// The CompileOptionsProto that PJRT_Client_Compile takes, encoded by hand: the device counts, the
// partitioner and device assignment of a module to be partitioned, and the engine's options. Field
// numbers are XLA's (a fact of the wire format).
#ifndef HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_OPTIONS_H_
#define HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// The partitioner of a sharded module; kNone: the module is a program of each device.
enum class Partitioner : uint8_t { kNone, kGspmd, kShardy };

struct PjrtCompileOptions {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  Partitioner partitioner = Partitioner::kNone;
  // The entry computation takes one tuple of arrays. A plugin must be informed, because its
  // elements are passed as separate arguments.
  bool one_tuple = false;
  // Overrides of engine options by name: true/false, integers and numbers are sent typed, else
  // text.
  std::vector<std::pair<std::string, std::string>> overrides;
};

// Returns true if the entry takes one tuple of arrays. No client splits a nested tuple.
bool TakesOneTuple(const Module& module);
std::string SerializeCompileOptions(const PjrtCompileOptions& options);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_ADAPTERS_PJRT_COMPILE_OPTIONS_H_
