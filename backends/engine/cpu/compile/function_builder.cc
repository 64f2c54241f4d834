// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/compile/function_builder.h"

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/loops/view_copy.h"
#include "spec/ops/op_table.h"

namespace hlocts::cpu {
namespace {

using plan::Node;
using plan::NodeId;
using plan::ValueId;

}  // namespace

int32_t FunctionBuilder::NewBuffer(const plan::ArrayType& type) {
  Buffer buffer;
  buffer.bytes = type.bytes;
  buffers_.push_back(buffer);
  return static_cast<int32_t>(buffers_.size()) - 1;
}

absl::Status FunctionBuilder::Build(const std::vector<std::pair<int, int>>& aliases,
                                    AliasMode donation_mode) {
  for (ValueId parameter : graph_.parameters) {
    function_.parameter_types.push_back(graph_.type(parameter));
  }
  for (ValueId result : graph_.results) function_.result_types.push_back(graph_.type(result));
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!graph_.nodes[n].removed) HLOCTS_RETURN_IF_ERROR(EmitNode(static_cast<NodeId>(n)));
  }
  PlaceResults(donation_mode);
  DropUnread();
  if (!compiler_.options().disabled.contains("rows")) GroupRows();
  if (!compiler_.options().disabled.contains("batches")) GroupBatches();
  if (!compiler_.options().disabled.contains("sums")) FuseComputedOperands();  // not in groups
  FindLifetimes();
  if (!compiler_.options().disabled.contains("in-place")) ReuseInPlace(aliases);
  HLOCTS_RETURN_IF_ERROR(PlaceTemporaries());
  NumberSlots();
  return absl::OkStatus();
}

void FunctionBuilder::EmitLeaf(const Node& node) {
  const ValueId value = node.outputs[0];
  if (graph_.type(value).type == PrimitiveType::kToken) return;
  const int32_t buffer = buffer_of_[value] = NewBuffer(graph_.type(value));
  const bool is_parameter = node.IsParameter();
  buffers_[buffer].kind = is_parameter ? Buffer::Kind::kParameter : Buffer::Kind::kConstant;
  buffers_[buffer].parameter = node.parameter;
  if (!is_parameter) buffers_[buffer].data = graph_.constants[node.constant].raw_data();
}

absl::Status FunctionBuilder::EmitNode(NodeId id) {
  const Node& node = graph_.nodes[id];
  switch (fusion_.kind(id)) {
    case NodeKind::kLeaf:
      EmitLeaf(node);
      return absl::OkStatus();
    case NodeKind::kIota:
    case NodeKind::kView: {
      const ValueId value = node.outputs[0];
      if (fusion_.is_dense(value)) EmitCopy(value, fusion_.ViewSourceOf(value));
      return absl::OkStatus();
    }
    case NodeKind::kReshape:
      if (fusion_.is_dense(node.outputs[0])) {
        buffer_of_[node.outputs[0]] = buffer_of_[node.operands[0]];
      }
      return absl::OkStatus();
    case NodeKind::kElementwise:
      return fusion_.loop_of(id) == id ? EmitLoop(id) : absl::OkStatus();
    case NodeKind::kAssembled:
      return fusion_.is_dense(node.outputs[0]) ? EmitStructured(node) : absl::OkStatus();
    case NodeKind::kStructured:
      return EmitStructured(node);
  }
  return absl::OkStatus();
}

// Returns the buffer with the source's elements. Emits an iota's sequence 0, 1, 2, ... if needed.
int32_t FunctionBuilder::BufferOf(const Source& source) {
  if (!source.is_line) return buffer_of_[source.base];
  if (line_of_[source.base] < 0) EmitLine(source.base);
  return line_of_[source.base];
}

// Emits the sequence 0, 1, 2, ... in the iota's type. Floats are rounded once; integers wrap.
void FunctionBuilder::EmitLine(ValueId value) {
  const Node& node = graph_.producer(value);
  const plan::ArrayType& whole = graph_.type(value);
  plan::ArrayType type = whole;
  // If another dimension has size 0, `length` may exceed any memory, but no element is read.
  const int64_t length = whole.dimensions[node.source->IntOr(Attr::kIotaDimension, 0)];
  const int64_t size = whole.elements == 0 ? 0 : length;
  type.bytes = size * whole.width();
  line_of_[value] = NewBuffer(type);
  const Kernel line = LineKernel(whole.type);
  Draft draft;
  draft.is_copy = true;
  draft.out = {line_of_[value]};
  draft.step.run = [size, line](Run&, In, Out out) {
    const int64_t first = 0;
    line(&first, nullptr, nullptr, out[0], size);
    return absl::OkStatus();
  };
  drafts_.push_back(std::move(draft));
}

void FunctionBuilder::EmitCopy(ValueId value, const Source& source) {
  const plan::ArrayType& type = graph_.type(value);
  Draft draft;
  draft.is_copy = true;
  draft.in = {BufferOf(source)};
  draft.out = {buffer_of_[value] = NewBuffer(type)};
  draft.step.run = ViewCopy(source.view.Simplified(), type.width(), type.elements,
                            kernels::Parallel(compiler_.options().threads));
  drafts_.push_back(std::move(draft));
}

namespace {

// Returns true for operations that never flush subnormals, because one flushed element could change
// an entire feature, row or matrix.
bool KeepsSubnormals(Opcode opcode) {
  return RowOf(opcode).family == Family::kNormalization || opcode == Opcode::kCholesky ||
         opcode == Opcode::kTriangularSolve;
}
StepFunction KeepingSubnormals(StepFunction run) {
  return [run = std::move(run)](Run& state, In in, Out out) {
    const ScopedFlush keep(false);
    return run(state, in, out);
  };
}

}  // namespace

absl::Status FunctionBuilder::EmitStructured(const Node& node) {
  if (node.opcode == Opcode::kAfterAll) return absl::OkStatus();
  Draft draft;
  HLOCTS_ASSIGN_OR_RETURN(draft.step, MakeStep({compiler_, graph_, node, fusion_}));
  if (KeepsSubnormals(node.opcode)) draft.step.run = KeepingSubnormals(std::move(draft.step.run));
  for (ValueId operand : node.operands) {
    const bool laid_out = fusion_.is_dense(operand);
    draft.in.push_back(laid_out ? buffer_of_[operand] : BufferOf(fusion_.SourceOf(operand)));
  }
  for (int k : draft.step.unread) draft.in[k] = -1;
  for (ValueId output : node.outputs) {
    const bool is_token = graph_.type(output).type == PrimitiveType::kToken;
    if (!is_token) buffer_of_[output] = NewBuffer(graph_.type(output));
    draft.out.push_back(buffer_of_[output]);
  }
  for (int k : draft.step.forwarded_operands) {
    if (!fusion_.is_dense(node.operands[k])) continue;
    buffer_of_[node.outputs[k]] = draft.in[k];
    draft.out[k] = -1;
  }
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

// Removes copies and loops whose results became unused.
void FunctionBuilder::DropUnread() {
  for (size_t d = drafts_.size(); d-- > 0;) {
    const Draft& draft = drafts_[d];
    const bool may_go = draft.is_copy || draft.step.rows.loop != nullptr;
    if (may_go && !IsReadOutside(draft.out[0], d, d + 1)) {
      drafts_.erase(drafts_.begin() + static_cast<int64_t>(d));
    }
  }
}

}  // namespace hlocts::cpu
