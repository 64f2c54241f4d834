// SPDX-License-Identifier: Apache-2.0
// Rules that add collectives over groups of one device. Such a collective returns its operand.
#include "generators/metamorphic/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

bool IsAlone(const Site& s) {
  return s.module.replica_count == 1 && s.module.num_partitions == 1 && s.in_entry() &&
         s.shape().IsArray();
}

ReplicaGroups OneGroup() {
  ReplicaGroups groups;
  groups.groups = {{0}};
  return groups;
}

}  // namespace

bool AllReduceAlone(Site& s) {
  if (!IsAlone(s) || !IsInteger(s.type()) || BitWidth(s.type()) < 8) return false;
  const Shape scalar = Shape::Scalar(s.type());
  Computation* sum =
      s.Define("sum", {scalar, scalar}, [&](const Operands& p) { return s.Make(Opcode::kAdd, p); });
  return s.Use(s.Make(Opcode::kAllReduce, {s.at},
                      {{Attr::kReplicaGroups, OneGroup()}, {Attr::kToApply, sum}}));
}

bool AllGatherAlone(Site& s) {
  if (!IsAlone(s) || s.rank() < 1) return false;
  return s.Use(
      s.Make(Opcode::kAllGather, {s.at},
             {{Attr::kReplicaGroups, OneGroup()}, {Attr::kDimensions, Dims{s.rank() - 1}}}));
}

bool AllToAllAlone(Site& s) {
  if (!IsAlone(s) || s.rank() < 1) return false;
  return s.Use(s.Make(Opcode::kAllToAll, {s.at},
                      {{Attr::kReplicaGroups, OneGroup()}, {Attr::kDimensions, Dims{0}}}));
}

bool PermuteToItself(Site& s) {
  if (!IsAlone(s)) return false;
  std::vector<std::pair<int64_t, int64_t>> pairs = {{0, 0}};
  return s.Use(s.Make(Opcode::kCollectivePermute, {s.at}, {{Attr::kSourceTargetPairs, pairs}}));
}

}  // namespace hlocts::generators
