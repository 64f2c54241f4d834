// SPDX-License-Identifier: Apache-2.0
// Who partitions a module: its text does (a program of each device, with collectives), or an
// engine is asked to (a program of one device, with annotations on arrays).
#ifndef HLOCTS_SPEC_OPS_PARTITIONS_H_
#define HLOCTS_SPEC_OPS_PARTITIONS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// The module asks which partition it is, or exchanges data with others, and has no manual region
// where that would be in place: it is a program of each device, and nothing is left to partition.
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
