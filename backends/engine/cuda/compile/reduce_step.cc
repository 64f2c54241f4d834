// SPDX-License-Identifier: Apache-2.0
// Reductions by blocks of threads. Loops that are fused (reduce_fusion.h) are in the same kernel.
#include <algorithm>

#include "backends/engine/cuda/compile/function_builder.h"
#include "backends/engine/cuda/compile/reduce_plan.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cuda {

using plan::Node;
using plan::NodeId;
using plan::NodeKind;
using plan::ValueId;

// Launches the kernels of one reduction. `args` has no array pointers yet.
struct ReduceRun {
  hl::ReduceBlockArgs args;
  ReduceGeometry geometry;
  int64_t arrays = 0;
  int64_t code = -1;
  std::shared_ptr<const Body> prologue, body, epilogue;
  Buffer views;

  // `in` has the arrays, then the init values.
  absl::Status operator()(Run& run, In in, Out out) const {
    hl::ReduceBlockArgs now = args;
    for (int64_t k = 0; k < arrays; ++k) now.arrays[k] = in[k];
    for (int k = 0; k < now.places; ++k) now.init[k] = in[arrays + k];
    for (int k = 0; k < now.outs; ++k) now.out[k] = out[k];
    if (geometry.splits == 1)
      return run.Launch(hl::kReduceBlockKernel, now, geometry.blocks(), code);
    HLOCTS_ASSIGN_OR_RETURN(
        const Buffer partial,
        run.Allocate(geometry.splits * now.results * now.places * int64_t{sizeof(hl::Value)}));
    now.partial = static_cast<hl::Value*>(partial->data());
    now.stage = hl::kReduceSplit;
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kReduceBlockKernel, now, geometry.blocks(), code));
    const ReduceGeometry last = PlanReduce(now.results, geometry.splits, false, true);
    now.stage = hl::kReducePartials;
    now.terms = now.per_split = geometry.splits;
    now.lane_bits = last.lane_bits;
    now.lane_minor = last.lane_minor ? 1 : 0;
    now.groups = last.groups;
    now.phases = last.phases();
    return run.Launch(hl::kReduceBlockKernel, now, now.groups, code);
  }
};

namespace {

// With fewer terms, one thread applies a computation that KnownBody does not recognize.
constexpr int64_t kTermsToShare = 64;

void SetGeometry(const ReduceGeometry& g, hl::ReduceBlockArgs& args) {
  args.phases = g.phases();
  args.lane_bits = g.lane_bits;
  args.lane_minor = g.lane_minor ? 1 : 0;
  args.init_first = g.lane_bits == 0 && g.splits == 1 ? 1 : 0;
  args.groups = g.groups;
  args.per_split = g.per_split;
}

// Returns a program that applies operation k to element k of both operands, for each k.
absl::StatusOr<std::vector<hl::Instr>> BodyOf(const std::vector<hl::Op>& ops,
                                              const std::vector<PrimitiveType>& types) {
  ProgramBuilder program;
  std::vector<int> results;
  const int places = static_cast<int>(ops.size());
  for (int k = 0; k < places; ++k) {
    const int left = program.Parameter(k, types[k]),
              right = program.Parameter(places + k, types[k]);
    results.push_back(program.Apply(ops[k], types[k], types[k], left, right));
  }
  return program.Finish(results);
}

// Describes the reduction as a part of a kernel of rows: each result element has a row of terms.
StepCandidate CandidateOf(const ReduceRun& job, bool may_share) {
  const hl::ReduceBlockArgs& args = job.args;
  StepCandidate s;
  s.is_reduce = true;
  s.elements = s.rows = args.results;
  s.columns = args.terms;
  const bool rows =
      args.kept.rank == 0 || (args.kept.rank == 1 && args.kept.stride[0] == args.terms);
  const bool columns = args.reduced.rank == 1 && args.reduced.stride[0] == 1;
  s.may_group = may_share && rows && columns && args.places == 1 && args.outs == 1 &&
                args.kept.offset == 0 && args.reduced.offset == 0;
  s.type = args.out_types[0];
  s.init_type = args.init_types[0];
  s.terms = job.prologue;
  s.body = job.body;
  s.finish = job.epilogue;
  s.views_memory = job.views;
  return s;
}

absl::Status FinishUngroupedReduce(Compiler& compiler, ReduceRun job,
                                   absl::Span<const hl::View> views, int64_t elements, Step& step) {
  const hl::ReduceBlockArgs& args = job.args;
  HLOCTS_ASSIGN_OR_RETURN(job.code,
                          compiler.CompileReduce({job.prologue->instructions,
                                                  job.body->instructions,
                                                  job.epilogue->instructions,
                                                  views,
                                                  args.kept,
                                                  args.reduced,
                                                  args.init_first != 0,
                                                  {args.init_types, args.init_types + args.places},
                                                  {args.out_types, args.out_types + args.outs}},
                                                 elements));
  step.work = std::move(job);
  return absl::OkStatus();
}

}  // namespace

// Sets views of the operand: `kept` finds the first term of a result, `reduced` the others.
absl::StatusOr<hl::ReduceBlockArgs> FunctionBuilder::ReduceArgsOf(const Node& node) {
  hl::ReduceBlockArgs args = {};
  const plan::ArrayType& operand = graph_.type(node.operands[0]);
  std::vector<int64_t> reduced = node.source->IntList(Attr::kDimensions);
  std::sort(reduced.begin(), reduced.end());
  const plan::View dense = plan::View::Dense(operand.dimensions);
  const plan::View terms = plan::Transposed(dense, reduced);
  HLOCTS_ASSIGN_OR_RETURN(
      args.kept, DeviceView(plan::Transposed(dense, DimensionsExcept(operand.rank(), reduced))));
  HLOCTS_ASSIGN_OR_RETURN(args.reduced, DeviceView(terms));
  args.terms = terms.elements();
  args.results = graph_.type(node.outputs[0]).elements;
  args.places = static_cast<int>(node.outputs.size());
  for (int k = 0; k < args.places; ++k)
    args.init_types[k] = TypeNumber(graph_.type(node.outputs[k]).type);
  return args;
}

absl::StatusOr<std::vector<hl::Instr>> FunctionBuilder::TermsOf(const Node& node, Loop& loop) {
  std::vector<int> terms;
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    const ValueId value = fusion_.Strip(node.operands[k]);
    const NodeId producer = graph_.values[value].node;
    const plan::ArrayType& type = graph_.type(value);
    absl::StatusOr<int> term = 0;
    if (!reductions_.is_fused(producer)) {
      term = OperandOf(value, type.elements, loop);
    } else if (plan::KindOf(graph_, graph_.nodes[producer]) == NodeKind::kElementwise) {
      term = AddMembers(producer, loop);
    } else {
      const plan::Source& source = fusion_.ViewSourceOf(value);
      term = LoadOf(source, source.view, type, type.elements != 1, loop);
    }
    HLOCTS_RETURN_IF_ERROR(term.status());
    terms.push_back(*term);
  }
  auto code = loop.program.Finish(terms);
  loop.program = ProgramBuilder();
  loop.values.clear();
  loop.is_reduction_epilogue = true;
  return code;
}

// Returns the program that computes the stored values from the sums, which may have a wider type.
absl::StatusOr<std::vector<hl::Instr>> FunctionBuilder::EpilogueOf(const Node& node, NodeId ending,
                                                                   Loop& loop) {
  std::vector<int> results;
  const auto ops = KnownBody(*node.called[0]);
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    const PrimitiveType type = graph_.type(node.outputs[k]).type;
    const PrimitiveType sum = ops.has_value() ? SumTypeOf((*ops)[k], type) : type;
    int value = loop.program.Parameter(static_cast<int>(k), sum);
    if (sum != type) value = loop.program.Apply(hl::kOpConvert, sum, type, value);
    results.push_back(value);
  }
  if (ending < 0) return loop.program.Finish(results);
  loop.values[node.outputs[0]] = results[0];
  HLOCTS_ASSIGN_OR_RETURN(const int stored, AddMembers(ending, loop));
  return loop.program.Finish({stored});
}

// Returns the program that combines two terms, or two partial sums.
absl::StatusOr<std::shared_ptr<const Body>> FunctionBuilder::CombiningOf(const Node& node) {
  const auto ops = KnownBody(*node.called[0]);
  if (!ops.has_value()) return compiler_.CompileElements(*node.called[0]);
  std::vector<PrimitiveType> types;
  for (size_t k = 0; k < ops->size(); ++k) {
    types.push_back(SumTypeOf((*ops)[k], graph_.type(node.outputs[k]).type));
  }
  HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> body, BodyOf(*ops, types));
  return compiler_.UploadProgram(std::move(body));
}

// Adds the programs of the terms, of their combination, and of the results.
absl::Status FunctionBuilder::AddReducePrograms(const Node& node, NodeId ending, Loop& loop,
                                                ReduceRun& job) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> terms, TermsOf(node, loop));
  HLOCTS_ASSIGN_OR_RETURN(job.prologue, compiler_.UploadProgram(std::move(terms)));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> end, EpilogueOf(node, ending, loop));
  HLOCTS_ASSIGN_OR_RETURN(job.epilogue, compiler_.UploadProgram(std::move(end)));
  HLOCTS_ASSIGN_OR_RETURN(job.body, CombiningOf(node));
  job.args.body = {job.prologue->code, job.body->code, job.epilogue->code};
  if (loop.arrays.size() > hl::kArraysMax) {
    return Unsupported("a reduction over ", loop.arrays.size(), " arrays is not supported");
  }
  HLOCTS_ASSIGN_OR_RETURN(
      job.views, compiler_.Upload(loop.views.data(),
                                  static_cast<int64_t>(loop.views.size() * sizeof(hl::View))));
  job.args.views = static_cast<const hl::View*>(job.views->data());
  job.arrays = static_cast<int64_t>(loop.arrays.size());
  return absl::OkStatus();
}

Step FunctionBuilder::ReduceSlots(const Node& node, absl::Span<const ValueId> outputs,
                                  const Loop& loop, hl::ReduceBlockArgs& args) {
  Step step;
  args.outs = static_cast<int>(outputs.size());
  for (int k = 0; k < args.outs; ++k) {
    const plan::ArrayType& type = graph_.type(outputs[k]);
    args.out_types[k] = TypeNumber(type.type);
    step.out.push_back(NewSlot(outputs[k]));
    step.out_bytes.push_back(type.bytes);
  }
  step.in = loop.arrays;
  for (int k = 0; k < args.places; ++k) step.in.push_back(slot_of_[node.operands[args.places + k]]);
  return step;
}

absl::Status FunctionBuilder::EmitReduce(NodeId id) {
  const Node& node = graph_.nodes[id];
  const NodeId ending = reductions_.epilogue_of(id);
  const auto& outputs = ending >= 0 ? graph_.nodes[ending].outputs : node.outputs;
  ReduceRun job;
  HLOCTS_ASSIGN_OR_RETURN(job.args, ReduceArgsOf(node));
  hl::ReduceBlockArgs& args = job.args;
  const bool may_share = KnownBody(*node.called[0]).has_value() || args.terms >= kTermsToShare;
  const bool adjoin = args.reduced.rank > 0 && args.reduced.stride[args.reduced.rank - 1] == 1;
  job.geometry = PlanReduce(args.results, args.terms, adjoin || args.results == 1, may_share);
  SetGeometry(job.geometry, args);
  Loop loop;
  HLOCTS_RETURN_IF_ERROR(AddReducePrograms(node, ending, loop, job));
  Step step = ReduceSlots(node, outputs, loop, args);
  StepCandidate sketch = CandidateOf(job, may_share);
  sketch.views = loop.views;
  sketch.array_views = loop.array_views;
  sketch.finish_ungrouped = [this, job = std::move(job), views = loop.views,
                             elements = graph_.type(node.operands[0]).elements](Step& alone) {
    return FinishUngroupedReduce(compiler_, job, views, elements, alone);
  };
  AddStep(std::move(step), std::move(sketch));
  return absl::OkStatus();
}

}  // namespace hlocts::cuda
