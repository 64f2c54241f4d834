// SPDX-License-Identifier: Apache-2.0
// reduce over any dimensions. Kernels compute known reductions. Other computations process a block
// of results at a time, and combine the elements of each result in row-major order.
#include <algorithm>

#include "backends/engine/cpu/base/for_ranges.h"
#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/cpu/loops/load_view.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/cpu/ops/arg_reduce.h"
#include "backends/engine/cpu/ops/known_bodies.h"
#include "backends/engine/plan/index_elements.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kLanes = 1024;
constexpr double kTermNanoseconds = 1;  // estimated, for dividing the work among threads

struct ReducePlan {
  size_t arrays = 1;
  plan::View kept, reduced;  // views of the operand; an element's offset is their sum
  int64_t results = 0, terms = 0;
  std::vector<PrimitiveType> types, computed;
};

int64_t OffsetOf(const plan::View& view, int64_t number) {
  int64_t at = view.offset;
  for (size_t d = view.dimensions.size(); d-- > 0;) {
    at += number % view.dimensions[d].size * view.dimensions[d].stride;
    number /= view.dimensions[d].size;
  }
  return at;
}

// A block of results: accumulators and elements of every array, in the type of the computation.
class Lanes {
 public:
  Lanes(const ReducePlan& p, int64_t count)
      : plan_(p), accumulators_(p.arrays), elements_(p.arrays) {
    for (size_t k = 0; k < p.arrays; ++k) {
      accumulators_[k].resize(count * 16);
      elements_[k].resize(count * 16);
      in_.push_back(accumulators_[k].data());
      out_.push_back(accumulators_[k].data());
    }
    for (size_t k = 0; k < p.arrays; ++k) in_.push_back(elements_[k].data());
    gathered_.resize(count * 16);
  }

  void Start(In inits, int64_t count) {
    for (size_t k = 0; k < plan_.arrays; ++k) {
      uint8_t one[16];
      ConvertInto(plan_.types[k], plan_.computed[k], inits[k], 1, one);
      FillElements(one, StorageBytes(plan_.computed[k]), count, accumulators_[k].data());
    }
  }
  // Combines one more element with each of the `count` results from `first` on. `base` is the
  // offset of the element for result 0 in the arrays.
  absl::Status Take(Run& run, const ElementFunction& body, In arrays, int64_t base, int64_t first,
                    int64_t count) {
    for (size_t k = 0; k < plan_.arrays; ++k) {
      const int width = StorageBytes(plan_.types[k]);
      LoadView(plan_.kept, width, arrays[k] + base * width, first, count, gathered_.data());
      ConvertInto(plan_.types[k], plan_.computed[k], gathered_.data(), count, elements_[k].data());
    }
    return body.Apply(run, in_.data(), out_.data(), count);
  }
  void Finish(Out out, int64_t first, int64_t count) {
    for (size_t k = 0; k < plan_.arrays; ++k) {
      ConvertInto(plan_.computed[k], plan_.types[k], accumulators_[k].data(), count,
                  out[k] + first * StorageBytes(plan_.types[k]));
    }
  }

 private:
  const ReducePlan& plan_;
  std::vector<std::vector<uint8_t>> accumulators_, elements_;
  std::vector<uint8_t> gathered_;
  std::vector<const uint8_t*> in_;
  std::vector<uint8_t*> out_;
};

ReducePlan PlanOf(const OpContext& context) {
  ReducePlan p;
  p.arrays = context.node.outputs.size();
  const plan::ArrayType& operand = context.in(0);
  const std::vector<int64_t>& dimensions = context.source().IntList(Attr::kDimensions);
  const plan::View dense = plan::View::Dense(operand.dimensions);
  p.kept = plan::Transposed(dense, DimensionsExcept(operand.rank(), dimensions)).Simplified();
  std::vector<int64_t> ascending = dimensions;
  std::sort(ascending.begin(), ascending.end());
  p.reduced = plan::Transposed(dense, ascending);
  p.results = context.out(0).elements;
  p.terms = p.reduced.elements();
  for (size_t k = 0; k < p.arrays; ++k) {
    p.types.push_back(context.in(k).type);
    p.computed.push_back(context.in(k).type);
  }
  return p;
}

// Describes a reduction of the innermost dimensions as a reduction of rows to single elements.
void SetRowWork(const plan::ArrayType& type, const std::vector<int64_t>& reduced,
                kernels::ReduceKind kind, RowWork& work) {
  const int64_t kept = type.rank() - static_cast<int64_t>(reduced.size());
  for (int64_t d : reduced) {
    if (d < kept) return;
  }
  work.kind = kind;
  work.type = type.type;
  work.rows = 1, work.size = 1;
  for (int64_t d = 0; d < type.rank(); ++d) {
    (d < kept ? work.rows : work.size) *= type.dimensions[d];
  }
  work.is_reduce = work.rows > 1 && work.size > 0;
}

struct KnownPlan {
  kernels::ReduceKind kind;
  plan::ArrayType type;
  std::vector<int64_t> reduced;
  Strides strides;
  kernels::Parallel parallel;

  kernels::ReduceRequest RequestOn(In in, Out out) const {
    return {kind, type.type, type.dimensions, strides, reduced, in[0], in[1], out[0]};
  }
};

// Returns true if the kernel may compute the operand's elements by a fused loop. Reductions of rows
// are excluded, because they are grouped with other steps instead.
bool TakesMadeElements(const KnownPlan& p, bool however_small) {
  constexpr int64_t kElementsMin = 4096;
  if (p.type.elements < (however_small ? 1 : kElementsMin) || IsComplex(p.type.type) ||
      IsSubByte(p.type.type)) {
    return false;
  }
  const int64_t last = p.type.rank() - 1;
  const bool last_stays = std::count(p.reduced.begin(), p.reduced.end(), last) == 0;
  return static_cast<int64_t>(p.reduced.size()) == p.type.rank() ||
         (last_stays && p.type.dimensions[last] > 1);
}

// Returns a step that reduces the result of a loop, one block at a time.
StepFunction ReduceLoop(const KnownPlan& p, std::shared_ptr<const LoopProgram> loop, size_t first) {
  return [=](Run&, In in, Out out) {
    const std::function<void(int64_t, int64_t, void*)> make =
        [&](int64_t begin, int64_t end, void* to) { loop->RunInto(in + first, begin, end, to); };
    kernels::ReduceRequest request = p.RequestOn(in, out);
    request.make = &make;
    request.make_ns = loop->cost_ns();
    return kernels::Reduce(p.parallel, request);
  };
}

// Returns the step of a reduction of one array by an operation for which there is a kernel.
StepDraft KnownReduce(const OpContext& context, kernels::ReduceKind kind) {
  const CompileOptions& options = context.compiler.options();
  const plan::ArrayType type = context.in(0);
  const KnownPlan p = {kind, type, context.source().IntList(Attr::kDimensions),
                       RowMajor(type.dimensions), kernels::Parallel(options.threads)};
  StepDraft draft;
  draft.run = [p](Run&, In in, Out out) {
    return kernels::Reduce(p.parallel, p.RequestOn(in, out));
  };
  SetRowWork(type, p.reduced, kind, draft.rows);
  if (draft.rows.is_reduce || !TakesMadeElements(p, options.guard)) return draft;
  draft.made = 0;
  draft.with_loop = [p](std::shared_ptr<const LoopProgram> loop, size_t first) {
    return ReduceLoop(p, std::move(loop), first);
  };
  return draft;
}

// Returns true if each element of a value is its index along `dimension`: the value is an iota or a
// broadcast of one, possibly reshaped to insert dimensions of size 1.
bool CountsAlong(const plan::Graph& graph, plan::ValueId value, int64_t dimension) {
  const plan::Node& node = graph.producer(value);
  if (node.opcode == Opcode::kIota) {
    return node.source->IntOr(Attr::kIotaDimension, -1) == dimension;
  }
  const bool broadcasts = node.opcode == Opcode::kBroadcast;
  if (!broadcasts && node.opcode != Opcode::kReshape) return false;
  const plan::ArrayType &type = graph.type(value), &from = graph.type(node.operands[0]);
  const int64_t size = type.dimensions[dimension];
  if (from.elements != size || (!broadcasts && type.elements != size)) return false;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.dimensions[d] != size) continue;
    const bool same = !broadcasts || node.source->IntList(Attr::kDimensions)[d] == dimension;
    return same && CountsAlong(graph, node.operands[0], d);
  }
  return false;
}

// Recognizes a search for the position of the largest (or smallest) element along one dimension.
// The second operand must be the index along this dimension, and the initial pair must not be
// selected over any element.
std::optional<StepDraft> KnownArgReduce(const OpContext& context, const ElementFunction& body) {
  if (context.node.outputs.size() != 2) return std::nullopt;
  const std::optional<ArgBody> picks = ArgBodyOf(context.called(0), body);
  const plan::ArrayType type = context.in(0);
  const std::vector<int64_t>& reduced = context.source().IntList(Attr::kDimensions);
  const Literal *value = context.graph.ConstantOf(context.node.operands[2]),
                *index = context.graph.ConstantOf(context.node.operands[3]);
  if (!picks.has_value() || reduced.size() != 1 ||
      !CountsAlong(context.graph, context.node.operands[1], reduced[0]) || value == nullptr ||
      index == nullptr || !IsNeutral(*picks, type.type, *value) || type.elements == 0 ||
      plan::IndexAt(index->element_type(), index->raw_data(), 0) != 0) {
    return std::nullopt;
  }
  kernels::ArgReduceRequest request;
  request.type = type.type;
  request.maximum = picks->maximum, request.nan_wins = picks->nan_wins;
  request.index_type = context.in(1).type;
  for (int64_t d = 0; d < type.rank(); ++d) {
    (d < reduced[0]    ? request.outer
     : d == reduced[0] ? request.size
                       : request.inner) *= type.dimensions[d];
  }
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.unread = {1, 2, 3};
  draft.run = [request, parallel](Run&, In in, Out out) {
    kernels::ArgReduceRequest now = request;
    now.operand = in[0];
    now.values = out[0];
    now.indices = out[1];
    return kernels::ArgReduce(parallel, now);
  };
  return draft;
}

// Computes results [begin, end) of a reduction by any computation.
absl::Status ReduceBy(Run& run, const ElementFunction& body, const ReducePlan& p, In in, Out out,
                      int64_t begin, int64_t end) {
  Lanes lanes(p, std::min(kLanes, end - begin));
  for (int64_t first = begin; first < end; first += kLanes) {
    const int64_t count = std::min(kLanes, end - first);
    lanes.Start(in + p.arrays, count);
    for (int64_t t = 0; t < p.terms; ++t) {
      HLOCTS_RETURN_IF_ERROR(lanes.Take(run, body, in, OffsetOf(p.reduced, t), first, count));
    }
    lanes.Finish(out, first, count);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepDraft> MakeReduce(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const auto kind = KnownBodyOf(context.called(0));
  if (kind.has_value() && kernels::ReduceSupported(*kind, context.in(0).type)) {
    return KnownReduce(context, *kind);
  }
  if (auto draft = KnownArgReduce(context, *body)) return *std::move(draft);
  const ReducePlan p = PlanOf(context);
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [=](Run& run, In in, Out out) {
    const auto range = [&](int64_t begin, int64_t end) {
      return ReduceBy(run, *body, p, in, out, begin, end);
    };
    if (!body->is_straight()) return range(0, p.results);
    const double cost_ns = kTermNanoseconds * static_cast<double>(p.terms);
    return ForRanges(parallel, p.results, cost_ns, range, kLanes / 4);
  };
  return draft;
}

}  // namespace hlocts::cpu
