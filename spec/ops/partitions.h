// SPDX-License-Identifier: Apache-2.0
// Distinguishes two kinds of partitioned modules: a program per device with collectives, and a
// single program with annotated arrays, which the engine partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "spec/ir/attributes.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Returns true if the module is a program per device: it reads its partition id, exchanges data
// with other devices, or has a manual region. The engine does not partition such a module.
bool IsPerDevice(const Module& module);
bool HasShardings(const Module& module);
// Returns true if the engine must partition the module: it has num_partitions above 1 and
// annotations, and is neither per device nor scheduled. Its arguments and results are full arrays.
bool IsSharded(const Module& module);
// Returns the number of partitions that have their own arguments: 1 if the engine partitions the
// module, else num_partitions.
int64_t ArgumentPartitions(const Module& module);
// Returns the number of devices over which an engine may split a sum: num_partitions if the module
// has annotations, even if it also has manual regions; else 1.
int64_t SumDevices(const Module& module);

// Calls `visit` with every annotation and its instruction. For an annotated tuple, calls `visit`
// with the annotation of each element.
void VisitShardings(
    const Module& module,
    const std::function<void(const Instruction& instruction, const Sharding& sharding)>& visit);

// Returns the same module for one device: no annotations, one partition.
std::unique_ptr<Module> WithoutShardings(const Module& module);
// Makes `part`, a piece of the sharded module `whole`, a single-device module if the piece has no
// annotations.
void DropIdlePartitions(const Module& whole, Module& part);

}  // namespace hlocts
