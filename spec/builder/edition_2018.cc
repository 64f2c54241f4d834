// SPDX-License-Identifier: Apache-2.0
// Builds operations whose form has changed since the 2018 "Operation Semantics", in today's form.
#include <map>

#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"
#include "spec/ir/module.h"

namespace hlocts {

Value Builder::LogicalAnd(Value lhs, Value rhs) {
  if (!Usable({lhs, rhs})) return {};
  if (lhs.shape().element_type() != PrimitiveType::kPred) {
    return FailRule("LogicalAnd", "elementwise_binary.18", "operands of type pred",
                    lhs.shape().ToString(false));
  }
  return Binary("And", Opcode::kAnd, lhs, rhs);
}

Value Builder::LogicalOr(Value lhs, Value rhs) {
  if (!Usable({lhs, rhs})) return {};
  if (lhs.shape().element_type() != PrimitiveType::kPred) {
    return FailRule("LogicalOr", "elementwise_binary.19", "operands of type pred",
                    lhs.shape().ToString(false));
  }
  return Binary("Or", Opcode::kOr, lhs, rhs);
}

Value Builder::LogicalNot(Value operand) {
  if (!Usable({operand})) return {};
  if (operand.shape().element_type() != PrimitiveType::kPred) {
    return FailRule("LogicalNot", "elementwise_unary.23", "an operand of type pred",
                    operand.shape().ToString(false));
  }
  return Emit(Opcode::kNot, {operand});
}

Value Builder::SortKey(Value operand) {
  if (!Usable({operand})) return {};
  Computation* less = CompareComputation("LT", operand.shape().element_type());
  return Sort({operand}, less);
}

Value Builder::SortKeyValue(Value keys, Value values) {
  if (!Usable({keys, values})) return {};
  Shape key = Shape::Scalar(keys.shape().element_type());
  Shape value = Shape::Scalar(values.shape().element_type());
  Computation* less = Define("compare", {key, key, value, value},
                             [&](Values p) { return Compare("LT", p[0], p[1]); });
  return Sort({keys, values}, less);
}

Value Builder::IotaVector(PrimitiveType type, int64_t size) {
  return Emit(Opcode::kIota, {}, {{Attr::kIotaDimension, 0}}, Shape(type, {size}));
}

Value Builder::ReshapePermuting(Value operand, Sizes dimensions, Sizes new_sizes) {
  if (!Usable({operand})) return {};
  // `dimensions` lists the loops that flatten the array from slowest to fastest (reshape.13).
  if (dimensions.empty()) return Reshape(operand, new_sizes);
  int64_t rank = operand.shape().rank();
  std::vector<bool> seen(rank, false);
  bool permutes = static_cast<int64_t>(dimensions.size()) == rank;
  for (int64_t d : dimensions) {
    permutes = permutes && d >= 0 && d < rank && !seen[d];
    if (permutes) seen[d] = true;
  }
  if (!permutes) {
    return FailRule("Reshape", "reshape.11", absl::StrCat("a permutation of ", rank, " dimensions"),
                    absl::StrCat(dimensions.size(), " dimensions"));
  }
  return Reshape(Transpose(operand, dimensions), new_sizes);
}

Value Builder::CrossReplicaSum(Value operand, Sizes replica_group_ids) {
  if (!Usable({operand})) return {};
  std::map<int64_t, std::vector<int64_t>> by_id;  // ruling 0043: groups by id, replicas ascending
  for (size_t replica = 0; replica < replica_group_ids.size(); ++replica) {
    by_id[replica_group_ids[replica]].push_back(static_cast<int64_t>(replica));
  }
  int64_t count = static_cast<int64_t>(replica_group_ids.size());
  if (count > 0 && module_->replica_count > 1 && count != module_->replica_count) {
    return FailRule("CrossReplicaSum", "cross_replica_sum.8",
                    absl::StrCat(module_->replica_count, " group ids, one for each replica"),
                    absl::StrCat(count));
  }
  ReplicaGroups value;
  Groups& groups = value.groups;
  for (const auto& [id, replicas] : by_id) {
    if (!groups.empty() && groups[0].size() != replicas.size()) {
      return FailRule("CrossReplicaSum", "cross_replica_sum.10",
                      absl::StrCat("groups of ", groups[0].size(), " replicas"),
                      absl::StrCat(replicas.size(), " of id ", id));
    }
    groups.push_back(replicas);
  }
  Computation* add = BinaryComputation(Opcode::kAdd, operand.shape().element_type());
  return Emit(Opcode::kAllReduce, {operand},
              {{Attr::kReplicaGroups, value}, {Attr::kToApply, add}});
}

Value Builder::Gather2018(Value operand, Value start_indices, int64_t index_vector_dim,
                          Sizes offset_dims, Sizes slice_sizes, Sizes collapsed_slice_dims,
                          Sizes start_index_map) {
  auto vector = [](Sizes list) { return std::vector<int64_t>(list.begin(), list.end()); };
  return Emit(Opcode::kGather, {operand, start_indices},
              {{Attr::kOffsetDims, vector(offset_dims)},
               {Attr::kCollapsedSliceDims, vector(collapsed_slice_dims)},
               {Attr::kStartIndexMap, vector(start_index_map)},
               {Attr::kIndexVectorDim, index_vector_dim},
               {Attr::kSliceSizes, vector(slice_sizes)}});
}

}  // namespace hlocts
