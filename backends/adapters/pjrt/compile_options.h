// SPDX-License-Identifier: Apache-2.0
// Encodes the CompileOptionsProto for PJRT_Client_Compile, without a protobuf class. The proto has
// the device counts, the partitioner and device assignment of a sharded module, and the engine's
// options. Field numbers are those of XLA's wire format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts::backends {

// The partitioner of a sharded module; kNone if the module is already the program of one device.
enum class Partitioner : uint8_t { kNone, kGspmd, kShardy };

struct PjrtCompileOptions {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  Partitioner partitioner = Partitioner::kNone;
  // True if the entry computation has one parameter, a tuple of arrays. The plugin needs this flag
  // because the elements are passed as separate arguments.
  bool one_tuple = false;
  // Overrides of engine options by name. Booleans and numbers are sent as typed values, other
  // values as text.
  std::vector<std::pair<std::string, std::string>> overrides;
};

// Returns true if the entry has one parameter, a tuple of arrays. Returns false for a nested tuple,
// which no client splits into arguments.
bool TakesOneTuple(const Module& module);
std::string SerializeCompileOptions(const PjrtCompileOptions& options);

}  // namespace hlocts::backends
