// SPDX-License-Identifier: Apache-2.0
// Faults of collectives: membership and order of groups, and source-target pairs (as in
// openxla/xla#40034, #42481, jax-ml/jax#40830).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

bool ReverseGroups(Instruction& instruction) {
  auto* groups = Attribute<ReplicaGroups>(instruction, Attr::kReplicaGroups);
  if (groups == nullptr) return false;
  for (std::vector<int64_t>& group : groups->groups) std::reverse(group.begin(), group.end());
  return true;
}

bool OneGroup(Instruction& instruction) {
  if (!instruction.Has(Attr::kReplicaGroups)) return false;
  instruction.Remove(Attr::kReplicaGroups);
  return true;
}

// Interleaves the members of neighbouring groups: {{0,1},{2,3}} becomes {{0,2},{1,3}}.
bool TransposeGroups(Instruction& instruction) {
  auto* groups = Attribute<ReplicaGroups>(instruction, Attr::kReplicaGroups);
  if (groups == nullptr || groups->groups.size() < 2) return false;
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& group : groups->groups) {
    if (group.size() != groups->groups[0].size()) return false;
    all.insert(all.end(), group.begin(), group.end());
  }
  const size_t count = groups->groups.size();
  for (size_t i = 0; i < all.size(); ++i) groups->groups[i % count][i / count] = all[i];
  return true;
}

// Expands the compact (iota) form of the groups without its permutation.
bool IotaPermutationIgnored(Instruction& instruction) {
  auto* groups = Attribute<ReplicaGroups>(instruction, Attr::kReplicaGroups);
  if (groups == nullptr || groups->iota_transpose_permutation.empty()) return false;
  int64_t next = 0;
  for (std::vector<int64_t>& group : groups->groups) {
    for (int64_t& member : group) member = next++;
  }
  return true;
}

bool SwapPairs(Instruction& instruction) {
  auto* pairs =
      Attribute<std::vector<std::pair<int64_t, int64_t>>>(instruction, Attr::kSourceTargetPairs);
  if (pairs == nullptr) return false;
  for (auto& [source, target] : *pairs) std::swap(source, target);
  return true;
}

// Lets a device that receives nothing keep its own value instead of zeros.
void KeepsOwn(FaultSite& site) {
  const auto* pairs =
      site.instruction.Get<std::vector<std::pair<int64_t, int64_t>>>(Attr::kSourceTargetPairs);
  if (pairs == nullptr || site.result->shape().IsTuple() || site.operands.size() != 1) return;
  if (!site.result->shape().CompatibleWith(site.operands[0].shape())) return;
  bool zero = true;
  for (int64_t i = 0; i < site.result->element_count(); ++i) {
    Literal nothing(Shape::Scalar(site.result->element_type()));
    zero = zero && SameElement(*site.result, i, nothing, 0);
  }
  if (zero) *site.result = site.operands[0];
}

void OwnContributionOnly(FaultSite& site) {
  if (site.result->shape().CompatibleWith(site.operands[0].shape())) {
    *site.result = site.operands[0];
  }
}

// Halves the sum, as a mean over two devices does.
void Halved(FaultSite& site) {
  if (!IsRealFloat(*site.result)) return;
  for (int64_t i = 0; i < site.result->element_count(); ++i) {
    WriteNumber(*site.result, i, ReadNumber(*site.result, i) / 2);
  }
}

void IdFromOne(FaultSite& site) { WriteInteger(*site.result, 0, ReadInteger(*site.result, 0) + 1); }

// Exchanges the two halves of the gathered elements.
void HalvesSwapped(FaultSite& site) {
  Literal& result = *site.result;
  if (result.shape().IsTuple() || result.element_count() % 2 != 0) return;
  const Literal right = result;
  const int64_t half = result.element_count() / 2;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    CopyElement(right, (i + half) % result.element_count(), result, i);
  }
}

bool ReduceByMaximum(Instruction& instruction) {
  Computation* body = instruction.CalledComputation(Attr::kToApply);
  if (body == nullptr || body->root() == nullptr) return false;
  if (body->root()->opcode() != Opcode::kMinimum) return false;
  body->root()->set_opcode(Opcode::kMaximum);
  return true;
}

// Faults in the results of collectives, replica-id and partition-id.
constexpr SiteFault kGroupSites[] = {
    {"collective-permute.keeps-own-value", FaultClass::kGroupOrder, Opcode::kCollectivePermute,
     "a device without source keeps its own value", KeepsOwn, false},
    {"all-reduce.own-contribution-only", FaultClass::kGroupOrder, Opcode::kAllReduce,
     "the all-reduce was dropped by the partitioner", OwnContributionOnly, false},
    {"collective-broadcast.own-value", FaultClass::kGroupOrder, Opcode::kCollectiveBroadcast,
     "nothing is broadcast", OwnContributionOnly, false},
    {"all-reduce.mean-for-sum", FaultClass::kGroupOrder, Opcode::kAllReduce,
     "divided by two devices", Halved, false},
    {"all-gather.halves-swapped", FaultClass::kGroupOrder, Opcode::kAllGather,
     "the ring starts at the wrong rank", HalvesSwapped, false},
    {"all-to-all.halves-swapped", FaultClass::kGroupOrder, Opcode::kAllToAll,
     "the ring starts at the wrong rank", HalvesSwapped, false},
    {"reduce-scatter.halves-swapped", FaultClass::kGroupOrder, Opcode::kReduceScatter,
     "the ring starts at the wrong rank", HalvesSwapped, false},
    {"replica-id.from-one", FaultClass::kGroupOrder, Opcode::kReplicaId, "counts from 1", IdFromOne,
     false},
    {"partition-id.from-one", FaultClass::kGroupOrder, Opcode::kPartitionId, "counts from 1",
     IdFromOne, false},
};

}  // namespace

void AddGroupFaults(std::vector<Fault>& faults) {
  auto module_edit = [&](std::string id, Opcode opcode, const char* what,
                         bool (*change)(Instruction&)) {
    faults.push_back(ModuleEditFault(std::move(id), FaultClass::kGroupOrder, opcode, what, change));
  };
  for (Opcode opcode : {Opcode::kAllGather, Opcode::kAllToAll, Opcode::kReduceScatter,
                        Opcode::kCollectiveBroadcast}) {
    module_edit(absl::StrCat(OpcodeName(opcode), ".group-reversed"), opcode,
                "members of a group are counted in reverse order", ReverseGroups);
  }
  for (Opcode opcode :
       {Opcode::kAllReduce, Opcode::kAllGather, Opcode::kAllToAll, Opcode::kReduceScatter}) {
    module_edit(absl::StrCat(OpcodeName(opcode), ".groups-transposed"), opcode,
                "devices are distributed to the groups cyclically", TransposeGroups);
  }
  module_edit("all-reduce.groups-ignored", Opcode::kAllReduce, "all devices are one group",
              OneGroup);
  module_edit("all-reduce.iota-permutation-ignored", Opcode::kAllReduce,
              "the compact form of groups is expanded without its permutation",
              IotaPermutationIgnored);
  module_edit("all-reduce.minimum-as-maximum", Opcode::kAllReduce,
              "the library performs the wrong reduction", ReduceByMaximum);
  module_edit("collective-permute.source-target-swapped", Opcode::kCollectivePermute,
              "sources and targets are swapped", SwapPairs);
  for (const SiteFault& row : kGroupSites) faults.push_back(SiteFaultOf(row, row.id));
}

}  // namespace hlocts::backends
