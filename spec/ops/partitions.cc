// SPDX-License-Identifier: Apache-2.0
#include "spec/ops/partitions.h"

#include <algorithm>

#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

template <typename Predicate>
bool AnyInstruction(const Module& module, Predicate&& predicate) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (predicate(*instruction)) return true;
    }
  }
  return false;
}

void VisitLeaves(const Instruction& instruction, const Sharding& sharding,
                 const std::function<void(const Instruction&, const Sharding&)>& visit) {
  if (sharding.type != Sharding::Type::kTuple) return visit(instruction, sharding);
  for (const Sharding& element : sharding.tuple_shardings) VisitLeaves(instruction, element, visit);
}

}  // namespace

bool IsPerDevice(const Module& module) {
  return AnyInstruction(module, [](const Instruction& instruction) {
    const Opcode opcode = instruction.opcode();
    return opcode == Opcode::kPartitionId ||
           ops::CollectiveOf(ops::SynchronousOpcode(opcode)).has_value() ||
           ShardingCallOf(instruction) == ShardingCall::kFullToShard;
  });
}

bool HasShardings(const Module& module) {
  return AnyInstruction(
      module, [](const Instruction& instruction) { return instruction.Has(Attr::kSharding); });
}

bool IsSharded(const Module& module) { return SumDevices(module) > 1 && !IsPerDevice(module); }

int64_t SumDevices(const Module& module) {
  // A scheduled module is a compiler's output, so it is already partitioned despite annotations.
  const bool is_split = module.num_partitions > 1 && !module.is_scheduled && HasShardings(module);
  return is_split ? module.num_partitions : 1;
}

int64_t ArgumentPartitions(const Module& module) {
  return IsSharded(module) ? 1 : module.num_partitions;
}

void VisitShardings(
    const Module& module,
    const std::function<void(const Instruction& instruction, const Sharding& sharding)>& visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto* sharding = instruction->Get<Sharding>(Attr::kSharding);
      if (sharding != nullptr) VisitLeaves(*instruction, *sharding, visit);
    }
  }
}

void DropIdlePartitions(const Module& whole, Module& part) {
  if (IsSharded(whole) && !HasShardings(part)) part.num_partitions = 1;
}

std::unique_ptr<Module> WithoutShardings(const Module& module) {
  std::unique_ptr<Module> plain = module.Clone();
  plain->num_partitions = 1;
  std::erase_if(plain->extra_attributes, [](const auto& attribute) {
    return attribute.first.rfind("allow_spmd_sharding_propagation_to_", 0) == 0;
  });
  for (const auto& computation : plain->computations()) {
    for (const auto& instruction : computation->instructions())
      instruction->Remove(Attr::kSharding);
  }
  return plain;
}

}  // namespace hlocts
