// SPDX-License-Identifier: Apache-2.0
// Partitioning of a module by its text (a program per device, with collectives) or the engine (a
// single program, with annotated arrays).
#ifndef HLOCTS_SPEC_OPS_PARTITIONS_H_
#define HLOCTS_SPEC_OPS_PARTITIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Custom calls for shardings (ruling 0123): annotations of a value, and the ends of a manual
// region, in which each device computes on its own part.
enum class ShardingCall : uint8_t {
  kAnnotation,   // returns its operands
  kFullToShard,  // the device's own tile of each operand
  kShardToFull,  // the whole array from the devices' tiles
};
std::optional<ShardingCall> ShardingCallOf(const Instruction& instruction);

// The module reads its partition, exchanges data with others, or has a manual region: it is a
// program per device, and the engine has nothing to partition.
bool IsPerDevice(const Module& module);
bool HasShardings(const Module& module);
// The engine must partition: num_partitions above 1, annotations, and not a program per device.
// Arguments and results are those of one device.
bool IsSharded(const Module& module);
// The number of partitions with arguments of their own: 1 if the engine partitions the module, else
// num_partitions.
int64_t ArgumentPartitions(const Module& module);

// Calls `visit` with every annotation and its instruction; for a tuple, with each element's
// annotation.
void VisitShardings(
    const Module& module,
    const std::function<void(const Instruction& instruction, const Sharding& sharding)>& visit);

// The same module for one device: no annotations, one partition.
std::unique_ptr<Module> WithoutShardings(const Module& module);
// Makes a part of a sharded module a single-device module if it has no annotations.
void DropIdlePartitions(const Module& whole, Module& part);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_OPS_PARTITIONS_H_
