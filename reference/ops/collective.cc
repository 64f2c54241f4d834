// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/collective.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_join.h"
#include "reference/kernels/index_values.h"
#include "reference/ops/applied_computation.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// The bytes of rows along one dimension: `outer` blocks of `size` rows of `row_bytes`.
struct RowBytes {
  int64_t outer = 1, size = 0, row_bytes = 1;
};
RowBytes RowBytesOf(const Shape& shape, int64_t dimension) {
  RowBytes rows;
  for (int64_t d = 0; d < dimension; ++d) rows.outer *= shape.dimension(d);
  rows.size = shape.dimension(dimension);
  rows.row_bytes = StorageBytes(shape.element_type());
  for (int64_t d = dimension + 1; d < shape.rank(); ++d) rows.row_bytes *= shape.dimension(d);
  return rows;
}

// Copies to[to_start + i] = from[from_start + i] along the dimension for i < count.
void CopyRows(const Literal& from, int64_t from_start, int64_t count, int64_t dimension,
              Literal& to, int64_t to_start) {
  const RowBytes source = RowBytesOf(from.shape(), dimension),
                 target = RowBytesOf(to.shape(), dimension);
  if (count == 0 || source.row_bytes == 0) return;
  uint8_t* out = to.mutable_raw_data();
  for (int64_t block = 0; block < source.outer; ++block) {
    std::memcpy(out + (block * target.size + to_start) * target.row_bytes,
                from.raw_data() + (block * source.size + from_start) * source.row_bytes,
                count * source.row_bytes);
  }
}

Shape WithDimension(const Shape& shape, int64_t dimension, int64_t size) {
  std::vector<int64_t> dimensions = shape.dimensions();
  dimensions[dimension] = size;
  return Shape(shape.element_type(), dimensions);
}

Literal Zeros(const Shape& shape) {
  return Literal(Shape(shape.element_type(), shape.dimensions()));
}

using Leaves = std::vector<Literal>;
Leaves LeavesOf(const RendezvousState& meeting, int64_t member) {
  Leaves leaves;
  for (const Literal& operand : meeting.operands[member]) {
    for (Literal& leaf : FlattenLeaves(operand)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

// Returns the leaves of every member's operands, or an error if their shapes differ.
absl::StatusOr<std::vector<Leaves>> AllLeaves(const Instruction& collective,
                                              const RendezvousState& meeting) {
  std::vector<Leaves> all;
  for (size_t i = 0; i < meeting.operands.size(); ++i) {
    all.push_back(LeavesOf(meeting, static_cast<int64_t>(i)));
    bool same = all[0].size() == all[i].size();
    for (size_t k = 0; same && k < all[i].size(); ++k) {
      same = all[0][k].shape().CompatibleWith(all[i][k].shape());
    }
    if (!same) {
      return InvalidInput(collective.name(), ": devices ", meeting.devices[0], " and ",
                          meeting.devices[i], " have operands of different shapes");
    }
  }
  return all;
}

// all_gather.1, .7, .14: concatenates the members' operands along the dimension.
absl::StatusOr<Leaves> AllGather(const Instruction& collective, const std::vector<Leaves>& all) {
  const int64_t dimension = collective.IntList(Attr::kDimensions)[0];
  const int64_t members = static_cast<int64_t>(all.size());
  Leaves results;
  for (size_t k = 0; k < all[0].size(); ++k) {
    const Shape& shape = all[0][k].shape();
    const int64_t size = shape.dimension(dimension);
    Literal out(WithDimension(shape, dimension, size * members));
    for (int64_t i = 0; i < members; ++i) CopyRows(all[i][k], 0, size, dimension, out, i * size);
    results.push_back(std::move(out));
  }
  return results;
}

// all_reduce.4, .7: folds the members' operands element by element, in the order of the group, with
// computation(accumulated, next member's element), separately for each array.
absl::StatusOr<Leaves> AllReduce(EvalContext& context, const Instruction& collective,
                                 const std::vector<Leaves>& all) {
  HLOCTS_ASSIGN_OR_RETURN(
      AppliedComputation body,
      AppliedComputation::Of(context, *collective.CalledComputation(Attr::kToApply)));
  Leaves results;
  for (size_t k = 0; k < all[0].size(); ++k) {
    Literal out = all[0][k];
    uint8_t* data = out.mutable_raw_data();
    const int width = StorageBytes(out.element_type());
    for (size_t i = 1; i < all.size(); ++i) {
      if (body.function() != nullptr) {
        const void* arguments[2] = {data, all[i][k].raw_data()};
        void* result[1] = {data};
        body.function()->RunBatch(arguments, result, out.element_count());
        continue;
      }
      Slot slots[2];
      for (int64_t e = 0; e < out.element_count(); ++e) {
        slots[0].Load(data + e * width, width);
        slots[1].Load(all[i][k].raw_data() + e * width, width);
        body(slots, slots);
        slots[0].Store(data + e * width, width);
      }
    }
    results.push_back(std::move(out));
  }
  HLOCTS_RETURN_IF_ERROR(body.status());
  return results;
}

// reduce_scatter.1-2: divides the reduced array into as many blocks as there are members. Each
// member gets the block of its position in the group.
absl::StatusOr<Leaves> ReduceScatter(EvalContext& context, const Instruction& collective,
                                     const std::vector<Leaves>& all, int64_t position) {
  const int64_t dimension = collective.IntList(Attr::kDimensions)[0];
  HLOCTS_ASSIGN_OR_RETURN(const Leaves reduced, AllReduce(context, collective, all));
  Leaves results;
  for (const Literal& whole : reduced) {
    const int64_t size = whole.shape().dimension(dimension),
                  members = static_cast<int64_t>(all.size());
    if (size % members != 0) {
      return InvalidInput(collective.name(), ": expected a scatter dimension divisible by the ",
                          members, " members of the group, found size ", size);
    }
    Literal out(WithDimension(whole.shape(), dimension, size / members));
    CopyRows(whole, position * (size / members), size / members, dimension, out, 0);
    results.push_back(std::move(out));
  }
  return results;
}

// all_to_all.2-4, 6: member i sends its block j to member j, which concatenates the blocks it
// receives in the order of the group. With `dimensions`, the blocks are parts of one array along
// that dimension; otherwise operand j is the block for member j (ruling 0042).
absl::StatusOr<Leaves> AllToAll(const Instruction& collective, const std::vector<Leaves>& all,
                                int64_t position) {
  const int64_t members = static_cast<int64_t>(all.size());
  Leaves results;
  if (!collective.Has(Attr::kDimensions)) {
    if (static_cast<int64_t>(all[0].size()) != members) {
      return InvalidInput(collective.name(), ": expected ", members,
                          " operands, one for each member of the group, found ", all[0].size());
    }
    for (int64_t i = 0; i < members; ++i) results.push_back(all[i][position]);
    return results;
  }
  const int64_t dimension = collective.IntList(Attr::kDimensions)[0];
  const Shape& shape = all[0][0].shape();
  const int64_t size = shape.dimension(dimension);
  if (size % members != 0) {
    return InvalidInput(collective.name(), ": expected a split dimension divisible by the ",
                        members, " members of the group, found size ", size);
  }
  const int64_t block = size / members;
  Literal out = Zeros(shape);
  for (int64_t i = 0; i < members; ++i) {
    CopyRows(all[i][0], position * block, block, dimension, out, i * block);
  }
  results.push_back(std::move(out));
  return results;
}

// The slices that one member sends and expects: rows of its input and of the output.
struct RaggedSlices {
  std::vector<int64_t> from, sizes, to, received;
  int64_t each = 0;  // number of slices for each member
};
RaggedSlices SlicesOf(const Leaves& operands, int64_t members) {
  RaggedSlices slices = {IndexValues(operands[2]), IndexValues(operands[3]),
                         IndexValues(operands[4]), IndexValues(operands[5])};
  slices.each = static_cast<int64_t>(slices.sizes.size()) / members;
  return slices;
}

// ragged_all_to_all.7-9, .13: operands are input, output, input_offsets, send_sizes,
// output_offsets, recv_sizes. Each member sends rows of its input to the other members' outputs, at
// the sender's output_offsets. Slices that extend beyond an array or overlap in the output, and
// recv_sizes that differ from the sent sizes, are undefined and are rejected (ruling 0113).
absl::StatusOr<Leaves> RaggedAllToAll(const Instruction& collective, const std::vector<Leaves>& all,
                                      int64_t position) {
  const int64_t members = static_cast<int64_t>(all.size());
  Literal out = all[position][1];
  const RaggedSlices mine = SlicesOf(all[position], members);
  if (mine.each * members != static_cast<int64_t>(mine.sizes.size())) {
    return InvalidInput(collective.name(), ": expected a number of slices divisible by the ",
                        members, " members of the group, found ", mine.sizes.size());
  }
  std::vector<bool> written(out.shape().dimension(0));
  for (int64_t member = 0; member < members; ++member) {
    const Literal& input = all[member][0];
    const RaggedSlices sent = SlicesOf(all[member], members);
    for (int64_t k = 0; k < mine.each; ++k) {
      const int64_t s = position * mine.each + k, expected = mine.received[member * mine.each + k];
      const int64_t from = sent.from[s], size = sent.sizes[s], to = sent.to[s];
      const bool inside = size >= 0 && from >= 0 && to >= 0 &&
                          from <= input.shape().dimension(0) - size &&
                          to <= out.shape().dimension(0) - size;
      if (!inside) {
        return InvalidInput(collective.name(), ": a slice of ", size, " rows from input row ", from,
                            " to output row ", to, " exceeds the arrays");
      }
      if (size != expected) {
        return InvalidInput(collective.name(), ": member ", member, " sends ", size,
                            " rows to member ", position, ", which expects ", expected);
      }
      if (std::find(written.begin() + to, written.begin() + to + size, true) !=
          written.begin() + to + size) {
        return InvalidInput(collective.name(), ": slices overlap in rows ", to, " to ",
                            to + size - 1);
      }
      std::fill_n(written.begin() + to, size, true);
      CopyRows(input, from, size, 0, out, to);
    }
  }
  Leaves results;
  results.push_back(std::move(out));
  return results;
}

// collective_permute.4, .7: returns the operands of this device's source, or zeros (ruling 0076).
absl::StatusOr<Leaves> CollectivePermute(const Instruction& collective,
                                         const RendezvousState& meeting,
                                         const std::vector<Leaves>& all) {
  HLOCTS_ASSIGN_OR_RETURN(const CollectiveGroupMode mode, GroupModeOf(collective));
  const int64_t device = meeting.devices[meeting.position];
  const auto* pairs =
      collective.Get<std::vector<std::pair<int64_t, int64_t>>>(Attr::kSourceTargetPairs);
  if (pairs != nullptr) {
    for (const auto& [source, target] : *pairs) {
      const std::vector<int64_t> targets = DevicesOfId(mode, meeting.grid, device, target);
      if (targets[0] != device) continue;
      const int64_t from = DevicesOfId(mode, meeting.grid, device, source)[0];
      const auto found = std::find(meeting.devices.begin(), meeting.devices.end(), from);
      if (found == meeting.devices.end()) {
        return InvalidInput(collective.name(), ": source ", source, " of ", meeting.devices.size());
      }
      return all[found - meeting.devices.begin()];
    }
  }
  Leaves results;
  for (const Literal& operand : all[0]) results.push_back(Zeros(operand.shape()));
  return results;
}

absl::StatusOr<Leaves> Combined(EvalContext& context, const Instruction& collective,
                                const RendezvousState& meeting, const std::vector<Leaves>& all) {
  const std::optional<ops::Collective> kind = ops::CollectiveOf(collective.opcode());
  if (!kind.has_value()) return Unsupported(collective.name(), ": no collective");
  switch (*kind) {
    case ops::Collective::kAllGather:
      return AllGather(collective, all);
    case ops::Collective::kAllReduce:
      return AllReduce(context, collective, all);
    case ops::Collective::kReduceScatter:
      return ReduceScatter(context, collective, all, meeting.position);
    case ops::Collective::kAllToAll:
      return AllToAll(collective, all, meeting.position);
    case ops::Collective::kRaggedAllToAll:
      return RaggedAllToAll(collective, all, meeting.position);
    case ops::Collective::kCollectivePermute:
      return CollectivePermute(collective, meeting, all);
    // All members get the first member's operands.
    case ops::Collective::kCollectiveBroadcast:
      return all[0];
  }
  HLOCTS_UNREACHABLE();
}

// Returns true if a *-start instruction returns (operand, result, contexts...). all-reduce-start
// returns only the result.
bool StartsWithOperand(Opcode opcode) {
  return opcode == Opcode::kAllGatherStart || opcode == Opcode::kCollectivePermuteStart;
}

// Checks the shapes of results, which may differ from `stated` if the module omits device counts.
absl::Status ExpectShapes(const Instruction& collective, const Shape& stated,
                          const Leaves& results) {
  const std::vector<Shape> leaves = LeafShapes(stated);
  for (size_t i = 0; i < std::min(leaves.size(), results.size()); ++i) {
    if (leaves[i].dimensions() == results[i].shape().dimensions()) continue;
    return InvalidInput(collective.name(),
                        ": the group of these devices yields a result of sizes [",
                        absl::StrJoin(results[i].shape().dimensions(), ","), "], expected [",
                        absl::StrJoin(leaves[i].dimensions(), ","),
                        "] (replica_count, num_partitions and --replicas set the devices)");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateCollectiveAtRendezvous(EvalContext& context,
                                                       const Instruction& collective,
                                                       const RendezvousState& meeting) {
  if (collective.Has(Attr::kPermuteSliceSizes)) {
    return Unsupported(collective.name(), ": collective-permute of slices is not supported");
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(collective.shape()));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<Leaves> all, AllLeaves(collective, meeting));
  HLOCTS_ASSIGN_OR_RETURN(Leaves results, Combined(context, collective, meeting, all));
  const bool starts = StartsWithOperand(collective.opcode());
  const Shape& stated = starts ? collective.shape().tuple_shapes()[1] : collective.shape();
  HLOCTS_RETURN_IF_ERROR(ExpectShapes(collective, stated, results));
  if (!starts) return UnflattenLeaves(stated, std::move(results));
  std::vector<Literal> elements;
  const std::vector<Shape>& shapes = collective.shape().tuple_shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i >= 2) {
      elements.emplace_back(shapes[i]);
      continue;
    }
    const Leaves& leaves = i == 0 ? all[meeting.position] : results;
    HLOCTS_ASSIGN_OR_RETURN(Literal element, UnflattenLeaves(shapes[i], leaves));
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace hlocts::reference
