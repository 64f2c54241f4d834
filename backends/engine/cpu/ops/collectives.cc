// SPDX-License-Identifier: Apache-2.0
// What collectives give each device, once the operands of all who take part are known.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/groups.h"

namespace hlocts::cpu {
namespace {

using plan::CollectivePlan;
using plan::CollectivePlanOf;
using plan::DevicesOf;
using plan::GroupOf;

using Operands = absl::Span<const In>;  // of each member
// Results of one member: its operands, everybody's, its position.
using Combiner = std::function<absl::Status(Run&, Operands, size_t position, Out)>;

std::vector<plan::ArrayType> OutTypes(const OpContext& context) {
  std::vector<plan::ArrayType> types;
  for (size_t k = 0; k < context.node.outputs.size(); ++k) types.push_back(context.out(k));
  return types;
}

void Zero(const std::vector<plan::ArrayType>& types, Out out) {
  for (size_t k = 0; k < types.size(); ++k) {
    if (types[k].bytes > 0) std::memset(out[k], 0, static_cast<size_t>(types[k].bytes));
  }
}

absl::StatusOr<StepDraft> Collective(const OpContext& context, Combiner combine) {
  if (context.source().Has(Attr::kPermuteSliceSizes)) {
    return Unsupported(context.name(), ": collective-permute of slices in place");
  }
  HLOCTS_ASSIGN_OR_RETURN(const CollectivePlan plan, CollectivePlanOf(context.source()));
  const std::vector<plan::ArrayType> types = OutTypes(context);
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out out) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                            GroupOf(plan, *run.world, run.device));
    if (group.empty()) {
      Zero(types, out);
      return absl::OkStatus();
    }
    return run.world->Meet(
        run.device, plan.site, group, plan.name, in,
        [&](Operands all, size_t position) { return combine(run, all, position, out); });
  };
  return draft;
}

// Rows along one dimension: `outer` blocks of `size` rows of `row` bytes.
struct RowBytes {
  int64_t outer = 1, size = 0, row = 1;
  RowBytes(const plan::ArrayType& type, int64_t dimension) : row(type.width()) {
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

// out = body(... body(first, second) ..., last), element by element, in the order of the group.
absl::Status ReduceAll(Run& run, const ElementFunction& body, const plan::ArrayType& type,
                       Operands all, size_t k, uint8_t* out) {
  if (type.elements == 0) return absl::OkStatus();
  std::memcpy(out, all[0][k], static_cast<size_t>(type.bytes));
  for (size_t i = 1; i < all.size(); ++i) {
    const uint8_t* pair[2] = {out, all[i][k]};
    HLOCTS_RETURN_IF_ERROR(body.Apply(run, pair, &out, type.elements));
  }
  return absl::OkStatus();
}

std::vector<plan::ArrayType> InTypes(const OpContext& context) {
  std::vector<plan::ArrayType> types;
  for (size_t k = 0; k < context.node.operands.size(); ++k) types.push_back(context.in(k));
  return types;
}

}  // namespace

absl::StatusOr<StepDraft> MakeAllGather(const OpContext& context) {
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  const std::vector<plan::ArrayType> in = InTypes(context), out_types = OutTypes(context);
  return Collective(context, [=](Run&, Operands all, size_t, Out out) {
    for (size_t k = 0; k < out_types.size(); ++k) {
      const RowBytes from(in[k], dimension), to(out_types[k], dimension);
      for (size_t i = 0; i < all.size(); ++i) {
        const int64_t start = static_cast<int64_t>(i) * from.size;
        if (start + from.size > to.size) return InvalidInput("all-gather of too many members");
        CopyRows(from, all[i][k], 0, from.size, to, out[k], start);
      }
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<StepDraft> MakeAllReduce(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const std::vector<plan::ArrayType> types = InTypes(context);
  return Collective(context, [=](Run& run, Operands all, size_t, Out out) {
    for (size_t k = 0; k < types.size(); ++k) {
      HLOCTS_RETURN_IF_ERROR(ReduceAll(run, *body, types[k], all, k, out[k]));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<StepDraft> MakeReduceScatter(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  const std::vector<plan::ArrayType> in = InTypes(context), out_types = OutTypes(context);
  const std::string name = context.name();
  return Collective(context, [=](Run& run, Operands all, size_t position, Out out) {
    for (size_t k = 0; k < in.size(); ++k) {
      const RowBytes from(in[k], dimension), to(out_types[k], dimension);
      const int64_t members = static_cast<int64_t>(all.size());
      if (from.size != to.size * members) {
        return InvalidInput(name, ": scatter dimension of size ", from.size, " for ", members,
                            " members");
      }
      std::vector<uint8_t> whole(in[k].bytes + 1);
      HLOCTS_RETURN_IF_ERROR(ReduceAll(run, *body, in[k], all, k, whole.data()));
      CopyRows(from, whole.data(), static_cast<int64_t>(position) * to.size, to.size, to, out[k],
               0);
    }
    return absl::OkStatus();
  });
}

// Member i's block for member j goes to j, in the order of the group: a part of one array along
// `dimensions`, else operand j.
absl::StatusOr<StepDraft> MakeAllToAll(const OpContext& context) {
  const std::vector<plan::ArrayType> in = InTypes(context);
  const std::string name = context.name();
  if (!context.source().Has(Attr::kDimensions)) {
    return Collective(context, [=](Run&, Operands all, size_t position, Out out) {
      if (all.size() != in.size()) {
        return InvalidInput(name, ": ", in.size(), " operands for ", all.size(), " members");
      }
      for (size_t i = 0; i < all.size(); ++i) {
        if (in[i].bytes > 0) {
          std::memcpy(out[i], all[i][position], static_cast<size_t>(in[i].bytes));
        }
      }
      return absl::OkStatus();
    });
  }
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  return Collective(context, [=](Run&, Operands all, size_t position, Out out) {
    const RowBytes rows(in[0], dimension);
    const int64_t members = static_cast<int64_t>(all.size());
    if (rows.size % members != 0) {
      return InvalidInput(name, ": split dimension of size ", rows.size, " for ", members,
                          " members");
    }
    const int64_t block = rows.size / members;
    for (int64_t i = 0; i < members; ++i) {
      CopyRows(rows, all[i][0], static_cast<int64_t>(position) * block, block, rows, out[0],
               i * block);
    }
    return absl::OkStatus();
  });
}

// Operands: input, output, input_offsets, send_sizes, output_offsets, recv_sizes. Member i sends
// send_sizes[j] rows from input_offsets[j] on to member j, to the sender's output_offsets[j].
absl::StatusOr<StepDraft> MakeRaggedAllToAll(const OpContext& context) {
  const std::vector<plan::ArrayType> in = InTypes(context);
  const std::string name = context.name();
  return Collective(context, [=](Run&, Operands all, size_t position, Out out) {
    const RowBytes from_rows(in[0], 0), to_rows(in[1], 0);
    if (in[1].bytes > 0) {
      std::memcpy(out[0], all[position][1], static_cast<size_t>(in[1].bytes));
    }
    for (In sender : all) {
      const std::vector<int64_t> from = IndicesOf(in[2].type, sender[2], in[2].elements),
                                 sizes = IndicesOf(in[3].type, sender[3], in[3].elements),
                                 to = IndicesOf(in[4].type, sender[4], in[4].elements);
      const size_t slices = sizes.size() / all.size();
      for (size_t s = position * slices; s < (position + 1) * slices; ++s) {
        const bool inside = sizes[s] >= 0 && from[s] >= 0 && to[s] >= 0 &&
                            from[s] <= from_rows.size - sizes[s] &&
                            to[s] <= to_rows.size - sizes[s];
        if (!inside) return InvalidInput(name, ": a slice leaves the arrays");
        CopyRows(from_rows, sender[0], from[s], sizes[s], to_rows, out[0], to[s]);
      }
    }
    return absl::OkStatus();
  });
}

// The operands of the pair's source; zeros without one.
absl::StatusOr<StepDraft> MakeCollectivePermute(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const CollectivePlan plan, CollectivePlanOf(context.source()));
  const std::vector<plan::ArrayType> types = InTypes(context);
  return Collective(context, [=](Run& run, Operands all, size_t, Out out) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                            GroupOf(plan, *run.world, run.device));
    Zero(types, out);
    for (const auto& [source, target] : plan.pairs) {
      if (DevicesOf(plan.mode, *run.world, run.device, target)[0] != run.device) continue;
      const int64_t from = DevicesOf(plan.mode, *run.world, run.device, source)[0];
      const auto found = std::find(group.begin(), group.end(), from);
      if (found == group.end()) {
        return InvalidInput(plan.name, ": source ", source, " does not exist");
      }
      const In operands = all[found - group.begin()];
      for (size_t k = 0; k < types.size(); ++k) {
        if (types[k].bytes > 0) {
          std::memcpy(out[k], operands[k], static_cast<size_t>(types[k].bytes));
        }
      }
      break;
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<StepDraft> MakeCollectiveBroadcast(const OpContext& context) {
  const std::vector<plan::ArrayType> types = InTypes(context);
  return Collective(context, [=](Run&, Operands all, size_t, Out out) {
    for (size_t k = 0; k < types.size(); ++k) {
      if (types[k].bytes > 0) {
        std::memcpy(out[k], all[0][k], static_cast<size_t>(types[k].bytes));
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace hlocts::cpu
