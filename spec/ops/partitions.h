// SPDX-License-Identifier: Apache-2.0
// The partitioner of a module: its text (a program of each device, with collectives), or an engine
// (a program of one device, with annotations on arrays).
#ifndef HLOCTS_SPEC_OPS_PARTITIONS_H_
#define HLOCTS_SPEC_OPS_PARTITIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Custom calls of shardings (ruling 0123): annotations of a value, and the ends of a manual region,
// inside which each device computes on its own part.
enum class ShardingCall : uint8_t {
  kAnnotation,   // returns its operands
  kFullToShard,  // the device's own tile of each operand
  kShardToFull,  // the whole array of the devices' tiles
};
std::optional<ShardingCall> ShardingCallOf(const Instruction& instruction);

// The module reads its partition, exchanges data with others, or has a manual region: it is a
// program of each device, and an engine has nothing to partition.
bool IsPerDevice(const Module& module);
bool HasShardings(const Module& module);
// The engine is asked to partition: num_partitions above 1, annotations, and no program of each
// device. Arguments and results are those of one device.
bool IsSharded(const Module& module);
// Partitions with arguments of their own: 1 of a module that the engine partitions, else
// num_partitions.
int64_t ArgumentPartitions(const Module& module);

// Calls `visit` with every annotation, the elements of a tuple's one by one, and the instruction
// that has it.
void VisitShardings(
    const Module& module,
    const std::function<void(const Instruction& instruction, const Sharding& sharding)>& visit);

// The same module for one device: no annotation, one partition.
std::unique_ptr<Module> WithoutShardings(const Module& module);
// A part of a sharded module that has no annotations is of one device.
void DropIdlePartitions(const Module& whole, Module& part);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_OPS_PARTITIONS_H_
