// SPDX-License-Identifier: Apache-2.0
// Collectives: members with devices of their own leave them to a library (device_collective.h);
// others meet on the host with copies of their operands, and reductions run on the device.
#include <algorithm>
#include <cstring>

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/cuda/ops/device_collective.h"
#include "backends/engine/plan/groups.h"

namespace hlocts::cuda {
namespace {

using plan::CollectivePlan;
using Bytes = std::vector<uint8_t>;
using Operands = absl::Span<const plan::In>;  // of each member
using Types = std::vector<plan::ArrayType>;
// One member's results on the host: everybody's operands, its position.
using Combiner =
    std::function<absl::Status(Run&, Operands, size_t position, std::vector<Bytes>& out)>;

Types InTypes(const OpContext& context) {
  Types types;
  for (plan::ValueId operand : context.node.operands) types.push_back(context.graph.type(operand));
  return types;
}
Types OutTypes(const OpContext& context) {
  Types types;
  for (plan::ValueId output : context.node.outputs) types.push_back(context.graph.type(output));
  return types;
}
size_t Size(const plan::ArrayType& type) { return static_cast<size_t>(type.bytes); }

// A collective whose members meet on the host.
struct HostCollective {
  CollectivePlan plan;
  Types in_types, out_types;
  Combiner combine;

  absl::Status operator()(Run& run, const std::vector<int64_t>& group, In in, Out out) const {
    std::vector<Bytes> mine, results;
    std::vector<const uint8_t*> pointers;
    for (size_t k = 0; k < in_types.size(); ++k) {
      HLOCTS_ASSIGN_OR_RETURN(mine.emplace_back(), ToHost(run, in[k], in_types[k].bytes));
    }
    for (const Bytes& bytes : mine) pointers.push_back(bytes.data());
    for (const plan::ArrayType& type : out_types) results.emplace_back(Size(type) + 1);
    if (!group.empty()) {
      HLOCTS_RETURN_IF_ERROR(run.world->Meet(
          run.device_number, plan.site, group, plan.name, pointers.data(),
          [&](Operands all, size_t position) { return combine(run, all, position, results); }));
    }
    for (size_t k = 0; k < out_types.size(); ++k) {
      HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], results[k].data(), out_types[k].bytes));
    }
    return absl::OkStatus();
  }
};

absl::StatusOr<StepDraft> Collective(const OpContext& context, Combiner combine) {
  if (context.source().Has(Attr::kPermuteSliceSizes)) {
    return Unsupported(context.name(), ": collective-permute of slices in place");
  }
  HLOCTS_ASSIGN_OR_RETURN(const CollectivePlan plan, plan::CollectivePlanOf(context.source()));
  const std::optional<DeviceCollective> alone = DeviceCollective::Of(context, plan);
  const HostCollective on_host = {plan, InTypes(context), OutTypes(context), std::move(combine)};
  StepDraft draft;
  draft.work = [plan, alone, on_host](Run& run, In in, Out out) -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                            plan::GroupOf(plan, *run.world, run.device_number));
    if (alone.has_value()) {
      HLOCTS_ASSIGN_OR_RETURN(const bool done, (*alone)(run, group, in, out));
      if (done) return absl::OkStatus();
    }
    return on_host(run, group, in, out);
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

// out = body(... body(first, second) ..., last), in the order of the group.
absl::Status ReduceAll(Run& run, const Body& body, const plan::ArrayType& type, Operands all,
                       size_t k, Bytes& out) {
  HLOCTS_ASSIGN_OR_RETURN(const Buffer sum, run.Allocate(type.bytes));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer next, run.Allocate(type.bytes));
  HLOCTS_RETURN_IF_ERROR(run.device().Upload(sum->data(), all[0][k], type.bytes));
  hl::LoopArgs args = {};
  args.body = body.code;
  args.type = TypeNumber(type.type);
  args.out = sum->data();
  args.arrays[0] = sum->data();
  args.arrays[1] = next->data();
  for (size_t i = 1; i < all.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(run.device().Upload(next->data(), all[i][k], type.bytes));
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kLoopKernel, args, type.elements));
  }
  return run.device().Download(out.data(), sum->data(), type.bytes);
}

// The computation of a reduction over members, as loops over two arrays.
absl::StatusOr<std::vector<std::shared_ptr<const Body>>> PairLoops(const OpContext& context) {
  std::vector<std::shared_ptr<const Body>> bodies;
  for (const plan::ArrayType& type : InTypes(context)) {
    HLOCTS_ASSIGN_OR_RETURN(bodies.emplace_back(), context.compiler.CompileLoop(
                                                       context.called(0), {type.type, type.type}));
  }
  return bodies;
}

}  // namespace

absl::StatusOr<StepDraft> MakeAllGather(const OpContext& context) {
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  const Types in = InTypes(context), out_types = OutTypes(context);
  return Collective(context, [=](Run&, Operands all, size_t, std::vector<Bytes>& out) {
    for (size_t k = 0; k < out_types.size(); ++k) {
      const RowBytes from(in[k], dimension), to(out_types[k], dimension);
      for (size_t i = 0; i < all.size(); ++i) {
        const int64_t start = static_cast<int64_t>(i) * from.size;
        if (start + from.size > to.size) return InvalidInput("all-gather of too many members");
        CopyRows(from, all[i][k], 0, from.size, to, out[k].data(), start);
      }
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<StepDraft> MakeAllReduce(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto bodies, PairLoops(context));
  const Types types = InTypes(context);
  return Collective(context, [=](Run& run, Operands all, size_t, std::vector<Bytes>& out) {
    for (size_t k = 0; k < types.size(); ++k) {
      HLOCTS_RETURN_IF_ERROR(ReduceAll(run, *bodies[k], types[k], all, k, out[k]));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<StepDraft> MakeReduceScatter(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto bodies, PairLoops(context));
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  const Types in = InTypes(context), out_types = OutTypes(context);
  const std::string name = context.name();
  return Collective(context, [=](Run& run, Operands all, size_t position, std::vector<Bytes>& out) {
    const int64_t members = static_cast<int64_t>(all.size());
    for (size_t k = 0; k < in.size(); ++k) {
      const RowBytes from(in[k], dimension), to(out_types[k], dimension);
      if (from.size != to.size * members) {
        return InvalidInput(name, ": scatter dimension of size ", from.size, " for ", members,
                            " members");
      }
      Bytes whole(Size(in[k]) + 1);
      HLOCTS_RETURN_IF_ERROR(ReduceAll(run, *bodies[k], in[k], all, k, whole));
      CopyRows(from, whole.data(), static_cast<int64_t>(position) * to.size, to.size, to,
               out[k].data(), 0);
    }
    return absl::OkStatus();
  });
}

// Member i's block for member j goes to j, in the order of the group: a part of one array along
// `dimensions`, else operand j.
absl::StatusOr<StepDraft> MakeAllToAll(const OpContext& context) {
  const Types in = InTypes(context);
  const std::string name = context.name();
  if (!context.source().Has(Attr::kDimensions)) {
    return Collective(context, [=](Run&, Operands all, size_t position, std::vector<Bytes>& out) {
      if (all.size() != in.size()) {
        return InvalidInput(name, ": ", in.size(), " operands for ", all.size(), " members");
      }
      for (size_t i = 0; i < all.size(); ++i) {
        std::copy_n(all[i][position], Size(in[i]), out[i].data());
      }
      return absl::OkStatus();
    });
  }
  const int64_t dimension = context.source().IntList(Attr::kDimensions)[0];
  return Collective(context, [=](Run&, Operands all, size_t position, std::vector<Bytes>& out) {
    const RowBytes rows(in[0], dimension);
    const int64_t members = static_cast<int64_t>(all.size()), block = rows.size / members;
    if (rows.size % members != 0) {
      return InvalidInput(name, ": split dimension of size ", rows.size, " for ", members,
                          " members");
    }
    for (int64_t i = 0; i < members; ++i) {
      CopyRows(rows, all[i][0], static_cast<int64_t>(position) * block, block, rows, out[0].data(),
               i * block);
    }
    return absl::OkStatus();
  });
}

namespace {

std::vector<int64_t> Indices(const plan::ArrayType& type, const uint8_t* data) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < type.elements; ++i) {
    indices.push_back(hl::IndexAt(TypeNumber(type.type), data, i));
  }
  return indices;
}

}  // namespace

// Operands: input, output, input_offsets, send_sizes, output_offsets, recv_sizes. Member i sends
// send_sizes[j] rows from input_offsets[j] on to member j, to the sender's output_offsets[j].
absl::StatusOr<StepDraft> MakeRaggedAllToAll(const OpContext& context) {
  const Types in = InTypes(context);
  const std::string name = context.name();
  return Collective(context, [=](Run&, Operands all, size_t position, std::vector<Bytes>& out) {
    const RowBytes from_rows(in[0], 0), to_rows(in[1], 0);
    std::copy_n(all[position][1], Size(in[1]), out[0].data());
    for (plan::In sender : all) {
      const std::vector<int64_t> from = Indices(in[2], sender[2]),
                                 sizes = Indices(in[3], sender[3]), to = Indices(in[4], sender[4]);
      const size_t slices = sizes.size() / all.size();
      for (size_t s = position * slices; s < (position + 1) * slices; ++s) {
        const bool inside = sizes[s] >= 0 && from[s] >= 0 && to[s] >= 0 &&
                            from[s] <= from_rows.size - sizes[s] &&
                            to[s] <= to_rows.size - sizes[s];
        if (!inside) return InvalidInput(name, ": a slice leaves the arrays");
        CopyRows(from_rows, sender[0], from[s], sizes[s], to_rows, out[0].data(), to[s]);
      }
    }
    return absl::OkStatus();
  });
}

// The operands of the pair's source; zeros without one.
absl::StatusOr<StepDraft> MakeCollectivePermute(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const CollectivePlan plan, plan::CollectivePlanOf(context.source()));
  const Types types = InTypes(context);
  return Collective(
      context, [=](Run& run, Operands all, size_t, std::vector<Bytes>& out) -> absl::Status {
        const plan::Communicator& world = *run.world;
        HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> group,
                                plan::GroupOf(plan, world, run.device_number));
        for (const auto& [source, target] : plan.pairs) {
          const int64_t to = plan::DevicesOf(plan.mode, world, run.device_number, target)[0];
          if (to != run.device_number) continue;
          const int64_t from = plan::DevicesOf(plan.mode, world, run.device_number, source)[0];
          const auto found = std::find(group.begin(), group.end(), from);
          if (found == group.end()) {
            return InvalidInput(plan.name, ": source ", source, " does not exist");
          }
          const plan::In operands = all[found - group.begin()];
          for (size_t k = 0; k < types.size(); ++k) {
            std::copy_n(operands[k], Size(types[k]), out[k].data());
          }
          break;
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<StepDraft> MakeCollectiveBroadcast(const OpContext& context) {
  const Types types = InTypes(context);
  return Collective(context, [=](Run&, Operands all, size_t, std::vector<Bytes>& out) {
    for (size_t k = 0; k < types.size(); ++k) {
      std::copy_n(all[0][k], Size(types[k]), out[k].data());
    }
    return absl::OkStatus();
  });
}

}  // namespace hlocts::cuda
