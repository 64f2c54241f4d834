// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/function_builder.h"

#include "backends/engine/cuda/compile/host_steps.h"

namespace hlocts::cuda {

using plan::Node;
using plan::NodeId;
using plan::NodeKind;
using plan::ValueId;

int32_t FunctionBuilder::NewSlot(ValueId value) { return slot_of_[value] = function_.slots++; }

absl::Status FunctionBuilder::Build() {
  function_.parameter_slots.assign(graph_.parameters.size(), -1);
  for (ValueId parameter : graph_.parameters) {
    function_.parameter_types.push_back(graph_.type(parameter));
  }
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!graph_.nodes[n].removed) HLOCTS_RETURN_IF_ERROR(EmitNode(static_cast<NodeId>(n)));
  }
  for (ValueId result : graph_.results) {
    function_.result_types.push_back(graph_.type(result));
    function_.result_slots.push_back(slot_of_[result]);
  }
  HLOCTS_RETURN_IF_ERROR(GroupRows(compiler_, sketches_, function_));
  FindLastUses();
  return absl::OkStatus();
}

void FunctionBuilder::AddStep(Step step, std::optional<StepCandidate> sketch) {
  step.name = step_name_;
  function_.steps.push_back(std::move(step));
  sketches_.push_back(std::move(sketch));
}

absl::Status FunctionBuilder::EmitNode(NodeId id) {
  const Node& node = graph_.nodes[id];
  step_name_ = node.source != nullptr ? node.source->name() : "";
  if (reductions_.is_fused(id) || loads_.is_fused(id)) return absl::OkStatus();
  switch (plan::KindOf(graph_, node)) {
    case NodeKind::kLeaf:
      return EmitLeaf(node);
    case NodeKind::kIota:
    case NodeKind::kView: {
      const ValueId value = node.outputs[0];
      if (!fusion_.is_dense(value)) return absl::OkStatus();
      return EmitCopy(value, fusion_.ViewSourceOf(value));
    }
    case NodeKind::kReshape:
      if (fusion_.is_dense(node.outputs[0])) slot_of_[node.outputs[0]] = slot_of_[node.operands[0]];
      return absl::OkStatus();
    case NodeKind::kElementwise:
      if (fusion_.loop_of(id) != id) return absl::OkStatus();
      return reductions_.reduce_of(id) >= 0 ? EmitReduce(reductions_.reduce_of(id)) : EmitLoop(id);
    case NodeKind::kAssembled:  // KindOf never returns this
    case NodeKind::kStructured:
      return node.opcode == Opcode::kMap && IsStraightLine(*node.called[0]) ? EmitMap(node)
                                                                            : EmitStructured(id);
  }
  return absl::OkStatus();
}

absl::Status FunctionBuilder::EmitLeaf(const Node& node) {
  const ValueId value = node.outputs[0];
  if (graph_.type(value).type == PrimitiveType::kToken) return absl::OkStatus();
  const int32_t slot = NewSlot(value);
  if (node.IsParameter()) {
    function_.parameter_slots[node.parameter] = slot;
    return absl::OkStatus();
  }
  const Literal& literal = graph_.constants[node.constant];
  HLOCTS_ASSIGN_OR_RETURN(Buffer constant,
                          compiler_.Upload(literal.raw_data(), graph_.type(value).bytes));
  function_.constants.push_back({slot, std::move(constant)});
  return absl::OkStatus();
}

template <typename Args>
void FunctionBuilder::AddMove(hl::Kernel kernel, const Args& args, int64_t count,
                              const Move& move) {
  Step step;
  step.in = {move.from};
  step.out = {move.to};
  step.out_bytes = {move.bytes};
  step.work = [kernel, args, count](Run& run, In in, Out out) {
    Args now = args;
    now.in = in[0];
    now.out = out[0];
    return run.Launch(kernel, now, count);
  };
  AddStep(std::move(step));
}

void FunctionBuilder::AddTranspose(const TransposePlan& plan, const Move& move) {
  AddMove(hl::kTransposeKernel, plan.args, plan.blocks, move);
}

// Copies a view to a dense array, which another step requires.
absl::Status FunctionBuilder::EmitCopy(ValueId value, const plan::Source& source) {
  if (source.is_line) return EmitLine(value, source.view);
  const plan::ArrayType& type = graph_.type(value);
  HLOCTS_ASSIGN_OR_RETURN(const auto turned, PlanTranspose(source.view, type.width()));
  if (turned.has_value()) {
    AddTranspose(*turned, {slot_of_[source.base], NewSlot(value), type.bytes});
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(const BoxPlan box,
                          PlanBox(source.view, plan::View::Dense({type.elements}), type.width(),
                                  /*widen=*/true));
  const bool widened = box.args.bytes > type.width();
  if (!widened && compiler_.IsCompiled(type.elements)) {
    // Emitted code is faster here, because it divides by constants.
    Loop loop;
    HLOCTS_ASSIGN_OR_RETURN(const int element,
                            LoadOf(source, source.view, type, type.elements != 1, loop));
    return FinishLoop(loop, element, value);
  }
  AddMove(hl::kBoxKernel, box.args, box.count, {slot_of_[source.base], NewSlot(value), type.bytes});
  return absl::OkStatus();
}

absl::Status FunctionBuilder::EmitLine(ValueId value, const plan::View& view) {
  Loop loop;
  HLOCTS_ASSIGN_OR_RETURN(const hl::View place, DeviceView(view));
  loop.views.push_back(place);
  return FinishLoop(loop, loop.program.Line(0, graph_.type(value).type), value);
}

absl::Status FunctionBuilder::EmitLoop(NodeId root) {
  Loop loop;
  loop.turns = true;
  HLOCTS_ASSIGN_OR_RETURN(const int value, AddMembers(root, loop));
  return FinishLoop(loop, value, graph_.nodes[root].outputs[0]);
}

// Emits a map as a loop whose operation is the called computation.
absl::Status FunctionBuilder::EmitMap(const Node& node) {
  Loop loop;
  loop.turns = true;
  const ValueId result = node.outputs[0];
  std::vector<int> arguments;
  for (ValueId operand : node.operands) {
    HLOCTS_ASSIGN_OR_RETURN(const int value,
                            OperandOf(operand, graph_.type(result).elements, loop));
    arguments.push_back(value);
  }
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int> results,
                          loop.program.Inline(*node.called[0], arguments));
  return FinishLoop(loop, results[0], result);
}

absl::Status FunctionBuilder::FinishLoop(Loop& loop, int result, ValueId value) {
  if (loop.arrays.size() > hl::kArraysMax) {
    return Unsupported("a loop over ", loop.arrays.size(), " arrays is not supported");
  }
  const plan::ArrayType& type = graph_.type(value);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> code, loop.program.Finish({result}));
  HLOCTS_ASSIGN_OR_RETURN(const auto body, compiler_.UploadProgram(std::move(code)));
  HLOCTS_ASSIGN_OR_RETURN(
      const Buffer views,
      compiler_.Upload(loop.views.data(),
                       static_cast<int64_t>(loop.views.size() * sizeof(hl::View))));
  Step step;
  step.in = loop.arrays;
  step.out = {NewSlot(value)};
  step.out_bytes = {type.bytes};
  for (size_t k = 0; k < loop.arrays.size(); ++k) {
    if (loop.dense[k] && loop.widths[k] == type.width()) {
      step.in_place.push_back({0, static_cast<int>(k)});
    }
  }
  AddStep(std::move(step), LoopCandidate(loop, type, body, views));
  return absl::OkStatus();
}

StepCandidate FunctionBuilder::LoopCandidate(Loop& loop, const plan::ArrayType& type,
                                             const std::shared_ptr<const Body>& body,
                                             const Buffer& views) {
  StepCandidate sketch;
  sketch.may_group = type.elements > 0;
  sketch.elements = type.elements;
  sketch.type = TypeNumber(type.type);
  sketch.terms = body;
  sketch.views = loop.views;
  sketch.views_memory = views;
  sketch.array_views = loop.array_views;
  sketch.finish_ungrouped = [this, body, views, places = loop.views, arrays = loop.arrays.size(),
                             to = sketch.type, elements = type.elements](Step& alone) {
    return FinishUngroupedLoop(body, views, places, arrays, to, elements, alone);
  };
  return sketch;
}

absl::Status FunctionBuilder::FinishUngroupedLoop(const std::shared_ptr<const Body>& body,
                                                  const Buffer& views,
                                                  absl::Span<const hl::View> places, size_t arrays,
                                                  int type, int64_t elements, Step& step) {
  HLOCTS_ASSIGN_OR_RETURN(const int64_t compiled,
                          compiler_.CompileKernel(hl::kLoopKernel, *body, places, elements));
  step.work = [=](Run& run, In in, Out out) {
    hl::LoopArgs args;
    args.body = body->code;
    args.views = static_cast<const hl::View*>(views->data());
    args.out = out[0];
    args.type = type;
    for (size_t k = 0; k < arrays; ++k) args.arrays[k] = in[k];
    return run.Launch(hl::kLoopKernel, args, elements, compiled);
  };
  return absl::OkStatus();
}

absl::Status FunctionBuilder::EmitStructured(NodeId id) {
  const Node& node = graph_.nodes[id];
  if (ReduceFusion::IsBlockReduce(graph_, node)) {
    return reductions_.epilogue_of(id) < 0 ? EmitReduce(id) : absl::OkStatus();
  }
  Step step;
  for (ValueId operand : node.operands) step.in.push_back(slot_of_[operand]);
  for (ValueId output : node.outputs) {
    const plan::ArrayType& type = graph_.type(output);
    step.out.push_back(type.type == PrimitiveType::kToken ? -1 : NewSlot(output));
    step.out_bytes.push_back(type.bytes);
  }
  // after-all and similar operations have no arrays.
  if (node.opcode == Opcode::kAfterAll) return absl::OkStatus();
  const OpContext context = {compiler_, graph_, node};
  HLOCTS_ASSIGN_OR_RETURN(StepDraft draft,
                          NeedsHost(context) ? MakeHostStep(context) : MakeStep(context));
  step.work = std::move(draft.work);
  step.control = std::move(draft.control);
  step.in_place = std::move(draft.in_place);
  AddStep(std::move(step));
  return absl::OkStatus();
}

void FunctionBuilder::FindLastUses() {
  std::vector<bool> needed(function_.slots, false);
  for (int32_t slot : function_.result_slots) {
    if (slot >= 0) needed[slot] = true;
  }
  for (size_t s = function_.steps.size(); s-- > 0;) {
    Step& step = function_.steps[s];
    if (compiler_.options().disabled.contains("in-place")) step.in_place.clear();
    for (const std::vector<int32_t>* list : {&step.out, &step.in}) {
      for (int32_t slot : *list) {
        if (slot < 0 || needed[slot]) continue;
        needed[slot] = true;
        step.last_use.push_back(slot);
      }
    }
  }
}

}  // namespace hlocts::cuda
