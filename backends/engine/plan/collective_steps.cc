// SPDX-License-Identifier: Apache-2.0
// Computes the results of collectives on each device from the operands of all participants.
#include <algorithm>
#include <cstring>

#include "backends/engine/plan/groups.h"
#include "backends/engine/plan/index_elements.h"
#include "backends/engine/plan/shared_steps.h"
#include "spec/ops/kinds.h"

namespace hlocts::plan {
namespace {

using Types = std::vector<ArrayType>;

// The inputs from which the results of one member of a group are computed.
struct Part {
  const Member& member;
  const std::vector<int64_t>& group;
  Operands all;
  int64_t position;  // index of the member in the group
  Out out;
  int64_t members() const { return static_cast<int64_t>(all.size()); }
};
using Combine = std::function<absl::Status(const Part& part)>;

// The properties of a collective's node.
struct Facts {
  Types in, out;
  CollectivePlan plan;
  int64_t dimension = -1;  // -1 if the opcode has none or all-to-all exchanges operands
};

// An array as `outer` blocks of `size` rows along one dimension. A row has `row` bytes.
struct RowBytes {
  int64_t outer = 1, size = 0, row = 1;
  RowBytes(const ArrayType& type, int64_t dimension) : row(type.width()) {
    for (int64_t d = 0; d < type.rank(); ++d) {
      if (d < dimension) outer *= type.dimensions[d];
      if (d == dimension) size = type.dimensions[d];
      if (d > dimension) row *= type.dimensions[d];
    }
  }
};

void CopyRows(const RowBytes& from_rows, const uint8_t* from, int64_t from_start, int64_t count,
              const RowBytes& to_rows, uint8_t* to, int64_t to_start) {
  if (count <= 0 || from_rows.row == 0) return;
  for (int64_t block = 0; block < from_rows.outer; ++block) {
    std::memcpy(to + (block * to_rows.size + to_start) * to_rows.row,
                from + (block * from_rows.size + from_start) * from_rows.row,
                static_cast<size_t>(count * from_rows.row));
  }
}

Combine AllGather(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    for (size_t k = 0; k < facts.out.size(); ++k) {
      const RowBytes from(facts.in[k], facts.dimension), to(facts.out[k], facts.dimension);
      for (int64_t i = 0; i < part.members(); ++i) {
        if ((i + 1) * from.size > to.size) return InvalidInput("all-gather: the group is too big");
        CopyRows(from, part.all[i][k], 0, from.size, to, part.out[k], i * from.size);
      }
    }
    return absl::OkStatus();
  };
}

Combine AllReduce(Facts facts) {
  return [facts = std::move(facts)](const Part& part) -> absl::Status {
    for (size_t k = 0; k < facts.in.size(); ++k) {
      if (facts.in[k].elements == 0) continue;
      HLOCTS_RETURN_IF_ERROR(part.member.reduce(part.all, k, part.out[k]));
    }
    return absl::OkStatus();
  };
}

Combine ReduceScatter(Facts facts) {
  return [facts = std::move(facts)](const Part& part) -> absl::Status {
    for (size_t k = 0; k < facts.in.size(); ++k) {
      const RowBytes from(facts.in[k], facts.dimension), to(facts.out[k], facts.dimension);
      if (from.size != to.size * part.members()) {
        return InvalidInput(facts.plan.name, ": expected a scatter dimension of size ",
                            to.size * part.members(), " for ", part.members(), " members, found ",
                            from.size);
      }
      if (facts.in[k].elements == 0) continue;
      std::vector<uint8_t> whole(static_cast<size_t>(facts.in[k].bytes));
      HLOCTS_RETURN_IF_ERROR(part.member.reduce(part.all, k, whole.data()));
      CopyRows(from, whole.data(), part.position * to.size, to.size, to, part.out[k], 0);
    }
    return absl::OkStatus();
  };
}

// Sends block j of member i to member j, for all i and j in group order. A block is operand j
// (ExchangeOperands), or part j of one array that is split along `dimension` (ExchangeBlocks).
Combine ExchangeOperands(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    if (part.all.size() != facts.in.size()) {
      return InvalidInput(facts.plan.name, ": expected ", part.members(),
                          " operands, one for each member of the group, found ", facts.in.size());
    }
    for (size_t i = 0; i < part.all.size(); ++i) {
      CopyArray(facts.in[i], part.all[i][part.position], part.out[i]);
    }
    return absl::OkStatus();
  };
}
Combine ExchangeBlocks(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    const RowBytes rows(facts.in[0], facts.dimension);
    if (rows.size % part.members() != 0) {
      return InvalidInput(facts.plan.name, ": expected a split dimension divisible by the ",
                          part.members(), " members of the group, found size ", rows.size);
    }
    const int64_t block = rows.size / part.members();
    for (int64_t i = 0; i < part.members(); ++i) {
      CopyRows(rows, part.all[i][0], part.position * block, block, rows, part.out[0], i * block);
    }
    return absl::OkStatus();
  };
}

// The operands are input, output, input_offsets, send_sizes, output_offsets, recv_sizes. Each
// member receives the same number of a sender's slices, in the order of members. Slice s is the
// send_sizes[s] rows of the sender's input that begin at input_offsets[s]. The receiver writes them
// at the sender's output_offsets[s].
Combine ExchangeSlices(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    const Types& in = facts.in;
    const RowBytes from_rows(in[0], 0), to_rows(in[1], 0);
    CopyArray(in[1], part.all[part.position][1], part.out[0]);
    for (In sender : part.all) {
      const auto numbers = [&](size_t k) {
        return IndicesOf(in[k].type, sender[k], in[k].elements);
      };
      const std::vector<int64_t> from = numbers(2), sizes = numbers(3), to = numbers(4);
      const int64_t slices = static_cast<int64_t>(sizes.size()) / part.members();
      for (int64_t s = part.position * slices; s < (part.position + 1) * slices; ++s) {
        const bool inside = sizes[s] >= 0 && from[s] >= 0 && to[s] >= 0 &&
                            from[s] <= from_rows.size - sizes[s] &&
                            to[s] <= to_rows.size - sizes[s];
        if (!inside) return InvalidInput(facts.plan.name, ": a slice exceeds the arrays");
        CopyRows(from_rows, sender[0], from[s], sizes[s], to_rows, part.out[0], to[s]);
      }
    }
    return absl::OkStatus();
  };
}

// Copies the operands of the source device of the source-target pair whose target is this device.
// Returns zeros if there is no such pair.
Combine Permute(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    const CollectivePlan& plan = facts.plan;
    const int64_t self = part.member.device;
    ZeroArrays(facts.in, part.out);
    for (const auto& [source, target] : plan.pairs) {
      if (DevicesOf(plan.mode, *part.member.world, self, target)[0] != self) continue;
      const int64_t from = DevicesOf(plan.mode, *part.member.world, self, source)[0];
      const auto found = std::find(part.group.begin(), part.group.end(), from);
      if (found == part.group.end()) {
        return InvalidInput(plan.name, ": source ", source, " does not exist");
      }
      const In operands = part.all[found - part.group.begin()];
      for (size_t k = 0; k < facts.in.size(); ++k) CopyArray(facts.in[k], operands[k], part.out[k]);
      break;
    }
    return absl::OkStatus();
  };
}

Combine Broadcast(Facts facts) {
  return [facts = std::move(facts)](const Part& part) {
    for (size_t k = 0; k < facts.in.size(); ++k)
      CopyArray(facts.in[k], part.all[0][k], part.out[k]);
    return absl::OkStatus();
  };
}

Combine CombineOf(ops::Collective collective, Facts facts) {
  switch (collective) {
    case ops::Collective::kAllGather:
      return AllGather(std::move(facts));
    case ops::Collective::kAllReduce:
      return AllReduce(std::move(facts));
    case ops::Collective::kReduceScatter:
      return ReduceScatter(std::move(facts));
    case ops::Collective::kAllToAll:
      return facts.dimension < 0 ? ExchangeOperands(std::move(facts))
                                 : ExchangeBlocks(std::move(facts));
    case ops::Collective::kRaggedAllToAll:
      return ExchangeSlices(std::move(facts));
    case ops::Collective::kCollectivePermute:
      return Permute(std::move(facts));
    case ops::Collective::kCollectiveBroadcast:
      return Broadcast(std::move(facts));
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

absl::StatusOr<SharedStep> CollectiveStep(const Graph& graph, const Node& node) {
  const Instruction& source = *node.source;
  if (source.Has(Attr::kPermuteSliceSizes)) {
    return Unsupported(source.name(), ": collective-permute of slices is not supported");
  }
  Facts facts;
  facts.in = OperandTypes(graph, node);
  facts.out = ResultTypes(graph, node);
  HLOCTS_ASSIGN_OR_RETURN(facts.plan, CollectivePlanOf(source));
  if (source.Has(Attr::kDimensions)) facts.dimension = source.IntList(Attr::kDimensions)[0];
  const CollectivePlan plan = facts.plan;
  const Types results = facts.out;
  const Combine combine = CombineOf(*ops::CollectiveOf(node.opcode), std::move(facts));
  return [=](const Member& member, In in, Out out) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                            GroupOf(plan, *member.world, member.device));
    if (group.empty()) {
      ZeroArrays(results, out);
      return absl::OkStatus();
    }
    return member.world->JoinRendezvous(
        member.device, plan.site, group, plan.name, in, [&](Operands all, size_t position) {
          return combine({member, group, all, static_cast<int64_t>(position), out});
        });
  };
}

}  // namespace hlocts::plan
