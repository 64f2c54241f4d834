// SPDX-License-Identifier: Apache-2.0
// Generates collectives over the module's replicas. A group contains all replicas, two, or one.
// Groups are in the form of a list or of an iota.
#include "generators/families/reducers.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

// Returns groups in the form [groups,size]<=[replicas], or the same with transposed dimensions.
ReplicaGroups IotaGroups(ModuleWriter& w, int64_t size) {
  int64_t replicas = w.plan.replicas;
  ReplicaGroups groups{.iota_dimensions = {replicas / size, size}, .iota_reshape_dims = {replicas}};
  bool transposed = replicas % 2 == 0 && w.choose.Below(3) != 0;
  if (transposed) {
    groups.iota_reshape_dims = {replicas / 2, 2};
    groups.iota_transpose_permutation = {1, 0};
  }
  for (int64_t i = 0; i < replicas; ++i) {
    if (i % size == 0) groups.groups.emplace_back();
    groups.groups.back().push_back(transposed ? i % (replicas / 2) * 2 + i / (replicas / 2) : i);
  }
  return groups;
}

// Draws one group of all replicas, pairs, or single replicas, each in any order.
ReplicaGroups DrawGroups(ModuleWriter& w, int64_t* group_size) {
  ReplicaGroups groups;
  int64_t replicas = w.plan.replicas;
  *group_size = w.choose.OneIn(4) ? 1 : replicas % 2 == 0 && w.choose.Below(2) ? 2 : replicas;
  if (*group_size == replicas && w.choose.Below(2)) return groups;  // absent: all replicas
  if (w.choose.OneIn(4)) return IotaGroups(w, *group_size);
  std::vector<int64_t> order;
  for (int64_t replica = 0; replica < replicas; ++replica) order.push_back(replica);
  bool shuffled = w.choose.Below(2);
  for (size_t i = order.size(); shuffled && i > 1; --i)
    std::swap(order[i - 1], order[w.choose.Below(i)]);
  for (int64_t replica : order) {
    if (groups.groups.empty() || static_cast<int64_t>(groups.groups.back().size()) == *group_size) {
      groups.groups.emplace_back();
    }
    groups.groups.back().push_back(replica);
  }
  return groups;
}

// Returns an operand. Because all replicas get equal arguments, changes the data of one replica in
// most cases.
Value* OfEachReplica(ModuleWriter& w, PrimitiveType type, const Dims& dims,
                     const Requirement& demand = {}) {
  Value* operand = w.FindOrMake(type, dims, demand);
  if (w.choose.OneIn(4)) return operand;
  Value* other = w.MakeNew(type, dims, demand);
  ValueFacts one_of_them = RangeFacts(0, static_cast<double>(w.plan.replicas - 1), true);
  Value* id = w.Emit(Opcode::kReplicaId, Shape::Scalar(PrimitiveType::kU32), {}, one_of_them);
  Value* chosen = w.ScalarConstant(PrimitiveType::kU32,
                                   static_cast<double>(w.choose.Range(0, w.plan.replicas - 1)));
  Value* mine = w.Emit(Opcode::kCompare, Shape::Scalar(PrimitiveType::kPred), {id, chosen},
                       RangeFacts(0, 1, true));
  mine->instruction->Set(Attr::kDirection, Word{"EQ"});
  ValueFacts facts = Join(operand->facts, other->facts);
  facts.unique = false;
  return w.Emit(Opcode::kSelect, Shape(type, dims), {mine, other, operand}, facts);
}

// Returns true if some devices might execute a collective more often than others, and so deadlock.
bool Misplaced(ModuleWriter& w) { return !w.uniform() || w.plan.replicas < 2; }

}  // namespace

bool GenerateAllReduce(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  const ReducerRow* row = type == PrimitiveType::kInvalid ? nullptr : DrawReducer(w, type);
  if (!row || Misplaced(w)) return false;
  int64_t size = 1;
  ReplicaGroups groups = DrawGroups(w, &size);
  const bool scatter = opcode == Opcode::kReduceScatter;
  Dims dims = w.DrawDims(scatter ? 1 : 0), operand_dims = dims;
  if (scatter) operand_dims[0] *= size;
  if (!w.Fits(operand_dims)) return false;
  Value* operand = OfEachReplica(w, type, operand_dims, ReducerRequirement(w, *row, type, size));
  Value* made = w.Emit(opcode, Shape(type, dims), {operand},
                       ReducedFacts(w, *row, type, operand->facts, size));
  made->instruction->Set(Attr::kReplicaGroups, groups);
  if (scatter) made->instruction->Set(Attr::kDimensions, Dims{0});
  made->instruction->Set(Attr::kToApply, w.Reducer(row->opcode, type));
  return true;
}

bool GenerateAllGather(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid || Misplaced(w)) return false;
  int64_t size = 1;
  ReplicaGroups groups = DrawGroups(w, &size);
  Dims dims = w.DrawDims(1), result_dims = dims;
  bool gathers = opcode == Opcode::kAllGather;
  // all-to-all splits a dimension within the group and concatenates the parts that it receives.
  if (gathers) result_dims[0] *= size;
  if (opcode == Opcode::kAllToAll) result_dims[0] = dims[0] = dims[0] * size;
  if (!w.Fits(result_dims)) return false;
  Value* operand = OfEachReplica(w, type, dims);
  ValueFacts facts = operand->facts;
  facts.unique = false;
  Value* made = w.Emit(opcode, Shape(type, result_dims), {operand}, facts);
  made->instruction->Set(Attr::kReplicaGroups, groups);
  made->instruction->Set(Attr::kDimensions, Dims{0});
  return true;
}

bool GenerateCollectivePermute(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid || Misplaced(w)) return false;
  Dims dims = w.DrawDims();
  Value* operand = OfEachReplica(w, type, dims);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  int64_t shift = w.choose.Range(0, w.plan.replicas - 1);
  for (int64_t source = 0; source < w.plan.replicas; ++source) {
    if (w.choose.Below(4) != 3) pairs.emplace_back(source, (source + shift) % w.plan.replicas);
  }
  // A device that receives nothing returns zeros, so 0 is included in the range.
  Value* permute =
      w.Emit(opcode, Shape(type, dims), {operand}, Join(operand->facts, RangeFacts(0, 0, true)));
  permute->instruction->Set(Attr::kSourceTargetPairs, pairs);
  return true;
}

bool GenerateCollectiveBroadcast(ModuleWriter& w, Opcode opcode) {
  PrimitiveType type = w.DrawType(~TypeSet{0});
  if (type == PrimitiveType::kInvalid || Misplaced(w)) return false;
  int64_t size = 1;
  ReplicaGroups groups = DrawGroups(w, &size);
  if (groups.groups.empty()) return false;  // the first replica of each listed group sends
  Dims dims = w.DrawDims();
  Value* operand = OfEachReplica(w, type, dims);
  // A device that belongs to no group returns zeros, so 0 is included in the range.
  bool listed = groups.iota_dimensions.empty();
  if (listed && groups.groups.size() > 1 && w.choose.OneIn(4)) groups.groups.pop_back();
  Value* made =
      w.Emit(opcode, Shape(type, dims), {operand}, Join(operand->facts, RangeFacts(0, 0, true)));
  made->instruction->Set(Attr::kReplicaGroups, groups);
  return true;
}

// Each replica sends to each replica `updates` slices of `rows` rows, from any position of its
// input. The slices from replica i begin at row i * updates * rows of every output, so that none
// overlap.
bool GenerateRaggedAllToAll(ModuleWriter& w, Opcode opcode) {
  const PrimitiveType type = w.DrawType(~TypeSet{0}), index = PrimitiveType::kS32;
  const bool integers =
      Contains(w.plan.allowed, index) && Contains(w.plan.allowed, PrimitiveType::kU32);
  if (type == PrimitiveType::kInvalid || !integers || Misplaced(w) || w.depth() > 0) return false;
  const int64_t replicas = w.plan.replicas, rows = w.choose.Range(0, 2);
  const int64_t updates = w.choose.Range(1, 2), each = updates * rows;
  Dims dims = w.DrawDims(1), output_dims = dims, table = {replicas};
  dims[0] = std::max(dims[0], rows);
  output_dims[0] = replicas * each + w.choose.Range(0, 2);
  if (updates > 1 || w.choose.Below(2)) table.push_back(updates);
  if (!w.Fits(dims) || !w.Fits(output_dims)) return false;
  const Shape shape(index, table);
  Literal from(shape), sizes(shape), to(shape);
  for (int64_t i = 0; i < replicas * updates; ++i) {
    from.mutable_data<int32_t>()[i] = static_cast<int32_t>(w.choose.Range(0, dims[0] - rows));
    sizes.mutable_data<int32_t>()[i] = static_cast<int32_t>(rows);
    to.mutable_data<int32_t>()[i] = static_cast<int32_t>(i % updates * rows);
  }
  const ValueFacts offsets = RangeFacts(0, static_cast<double>(dims[0] + output_dims[0]), true);
  Value* input = OfEachReplica(w, type, dims);
  Value* output = w.FindOrMake(type, output_dims);
  Value* id =
      w.Convert(w.Emit(Opcode::kReplicaId, Shape::Scalar(PrimitiveType::kU32), {}, offsets), index);
  Value* first = w.Emit(Opcode::kMultiply, Shape::Scalar(index),
                        {id, w.ScalarConstant(index, static_cast<double>(each))}, offsets);
  Value* mine = w.Emit(Opcode::kBroadcast, shape, {first}, offsets);
  mine->instruction->Set(Attr::kDimensions, Dims{});
  Value* there = w.Emit(Opcode::kAdd, shape, {mine, w.Constant(std::move(to), offsets)}, offsets);
  Value* count = w.Constant(std::move(sizes), offsets);
  ValueFacts facts = Join(input->facts, output->facts);
  facts.unique = false;
  Value* made =
      w.Emit(opcode, Shape(type, output_dims),
             {input, output, w.Constant(std::move(from), offsets), count, there, count}, facts);
  made->instruction->Set(Attr::kReplicaGroups, ReplicaGroups());
  return true;
}

bool GeneratePartitionId(ModuleWriter& w, Opcode opcode) {
  if (!Contains(w.plan.allowed, PrimitiveType::kU32) || w.scalars_only()) return false;
  w.Emit(opcode, Shape::Scalar(PrimitiveType::kU32), {}, RangeFacts(0, 0, true));
  return true;
}

bool GenerateReplicaId(ModuleWriter& w, Opcode opcode) {
  if (!Contains(w.plan.allowed, PrimitiveType::kU32) || w.depth() > 0 || w.plan.replicas < 2)
    return false;
  w.Emit(opcode, Shape::Scalar(PrimitiveType::kU32), {},
         RangeFacts(0, static_cast<double>(w.plan.replicas - 1), true));
  return true;
}

}  // namespace hlocts::generators
