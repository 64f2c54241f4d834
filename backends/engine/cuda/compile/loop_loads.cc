// SPDX-License-Identifier: Apache-2.0
// Adds the inputs of a loop: contiguous arrays, views of arrays, iotas, pads and gathers.
#include <algorithm>
#include <cstring>

#include "backends/engine/cuda/compile/function_builder.h"
#include "backends/engine/cuda/compile/op_list.h"
#include "spec/ops/groups.h"

namespace hlocts::cuda {

using plan::Node;
using plan::NodeId;
using plan::ValueId;

absl::StatusOr<int> FunctionBuilder::OperandOf(ValueId operand, int64_t elements, Loop& loop) {
  const plan::ArrayType& type = graph_.type(operand);
  if (type.elements != elements && type.elements != 1) {
    return InvalidInput("computation ", graph_.name, ": expected operands of ", elements,
                        " elements, as in the result, found ", type.elements);
  }
  const auto known = loop.values.find(fusion_.Strip(operand));
  if (known != loop.values.end()) return known->second;
  const plan::Source source = fusion_.SourceOf(operand);
  const NodeId producer = graph_.values[source.base].node;
  if (!source.is_line && loads_.is_fused(producer)) {
    HLOCTS_ASSIGN_OR_RETURN(const int value, FusedLoad(graph_.nodes[producer], loop));
    return loop.values[fusion_.Strip(operand)] = value;
  }
  plan::View view = source.view;
  if (type.elements != elements) view = plan::View::Splat(view.offset, elements);
  if (loop.turns) {
    HLOCTS_ASSIGN_OR_RETURN(const int32_t turned, TransposedCopySlot(source, view, type));
    if (turned >= 0) return LoadFrom(turned, -1, type, loop);
  }
  return LoadOf(source, view, type, elements != 1, loop);
}

absl::StatusOr<int32_t> FunctionBuilder::TransposedCopySlot(const plan::Source& source,
                                                            const plan::View& view,
                                                            const plan::ArrayType& type) {
  if (source.is_line || !compiler_.IsCompiled(type.elements)) return -1;
  HLOCTS_ASSIGN_OR_RETURN(const auto transpose, PlanTranspose(view, type.width()));
  if (!transpose.has_value()) return -1;
  for (const TransposedCopy& known : transposed_copies_) {
    if (known.base == source.base && known.view == view) return known.slot;
  }
  transposed_copies_.push_back({source.base, view, function_.slots++});
  AddTranspose(*transpose, {slot_of_[source.base], transposed_copies_.back().slot, type.bytes});
  return transposed_copies_.back().slot;
}

absl::StatusOr<int> FunctionBuilder::LoadOf(const plan::Source& source, const plan::View& view,
                                            const plan::ArrayType& type, bool many, Loop& loop) {
  const bool dense = view.Simplified().IsContiguous() && view.offset == 0 && many;
  int number = -1;
  if (!dense || source.is_line) {
    HLOCTS_ASSIGN_OR_RETURN(const hl::View place, DeviceView(view));
    number = static_cast<int>(loop.views.size());
    loop.views.push_back(place);
  }
  if (source.is_line) return loop.program.Line(number, type.type);
  return LoadFrom(slot_of_[source.base], number, type, loop);
}

int FunctionBuilder::LoadFrom(int32_t slot, int number, const plan::ArrayType& type, Loop& loop) {
  const bool dense = number < 0;
  auto found = std::find(loop.arrays.begin(), loop.arrays.end(), slot);
  const size_t array = static_cast<size_t>(found - loop.arrays.begin());
  if (found == loop.arrays.end()) {
    loop.arrays.push_back(slot);
    loop.dense.push_back(true);
    loop.widths.push_back(type.width());
    loop.array_views.push_back(number);
  }
  loop.dense[array] = loop.dense[array] && dense;
  if (loop.is_reduction_epilogue || loop.array_views[array] != number) loop.array_views[array] = -2;
  return loop.program.Load(static_cast<int>(array), number, type.type);
}

int FunctionBuilder::ScatteredArray(int32_t slot, int width, Loop& loop) {
  const auto found = std::find(loop.arrays.begin(), loop.arrays.end(), slot);
  const size_t array = static_cast<size_t>(found - loop.arrays.begin());
  if (found == loop.arrays.end()) {
    loop.arrays.push_back(slot);
    loop.dense.push_back(false);
    loop.widths.push_back(width);
    loop.array_views.push_back(-2);
  }
  loop.dense[array] = false;
  loop.array_views[array] = -2;
  return static_cast<int>(array);
}

namespace {

// Stores the description in the memory of additional views. Returns the index of the first of them.
template <class T>
int AddDescription(const T& description, std::vector<hl::View>& views) {
  const size_t first = views.size();
  views.resize(first + hl::kViewsFor<T>);
  std::memcpy(static_cast<void*>(views.data() + first), &description, sizeof(description));
  return static_cast<int>(first);
}

}  // namespace

absl::StatusOr<int> FunctionBuilder::FusedLoad(const Node& node, Loop& loop) {
  const OpContext context = {compiler_, graph_, node};
  hl::Instr n;
  n.to = TypeNumber(context.out(0).type);
  n.a = ScatteredArray(slot_of_[node.operands[0]], context.in(0).width(), loop);
  n.c = ScatteredArray(slot_of_[node.operands[1]], context.in(1).width(), loop);
  if (node.opcode == Opcode::kPad) {
    HLOCTS_ASSIGN_OR_RETURN(const hl::PadShape shape, PadShapeOf(context));
    n.op = hl::kOpPadded;
    n.b = AddDescription(shape, loop.views);
  } else {
    HLOCTS_ASSIGN_OR_RETURN(const hl::IndexedWindows windows, GatherWindowsOf(context));
    n.op = hl::kOpGathered;
    n.b = AddDescription(windows, loop.views);
  }
  return loop.program.Add(n);
}

absl::StatusOr<int> FunctionBuilder::AddMembers(NodeId root, Loop& loop) {
  const ValueId result = graph_.nodes[root].outputs[0];
  const int64_t elements = graph_.type(result).elements;
  for (NodeId member : fusion_.members(root)) {
    const Node& node = graph_.nodes[member];
    std::vector<int> operands;
    for (ValueId operand : node.operands) {
      HLOCTS_ASSIGN_OR_RETURN(const int value, OperandOf(operand, elements, loop));
      operands.push_back(value);
    }
    const ValueId typed = node.operands[ops::TypedOperand(node.opcode)];
    HLOCTS_ASSIGN_OR_RETURN(const int value,
                            loop.program.Operation(*node.source, graph_.type(typed).type,
                                                   graph_.type(node.outputs[0]).type, operands));
    loop.values[node.outputs[0]] = value;
  }
  return loop.values.at(result);
}

}  // namespace hlocts::cuda
