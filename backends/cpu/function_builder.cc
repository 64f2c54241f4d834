#include "backends/cpu/function_builder.h"

#include <algorithm>

#include "backends/cpu/float_control.h"
#include "backends/cpu/kernels/thread_pool.h"
#include "backends/cpu/view_copy.h"
#include "backends/plan/pieces.h"

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
                                    Handover handover) {
  for (ValueId parameter : graph_.parameters) {
    function_.parameter_types.push_back(graph_.type(parameter));
  }
  for (ValueId result : graph_.results) function_.result_types.push_back(graph_.type(result));
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!graph_.nodes[n].removed) HLOCTS_RETURN_IF_ERROR(EmitNode(static_cast<NodeId>(n)));
  }
  PlaceResults(handover);
  DropUnread();
  FuseMade("indices");
  if (!compiler_.options().disabled.contains("rows")) GroupRows();
  if (!compiler_.options().disabled.contains("batches")) GroupBatches();
  FuseMade("sums");  // of what no group has taken in
  if (!compiler_.options().disabled.contains("epilogues")) FuseEpilogues();
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
  const bool is_parameter = node.opcode == Opcode::kParameter;
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

// Where the source's elements stand. An iota's line is written when somebody first asks for it.
int32_t FunctionBuilder::BufferOf(const Source& source) {
  if (!source.is_line) return buffer_of_[source.base];
  if (line_of_[source.base] < 0) EmitLine(source.base);
  return line_of_[source.base];
}

// 0, 1, 2, ... in the iota's type, with one rounding; integers wrap.
void FunctionBuilder::EmitLine(ValueId value) {
  const Node& node = graph_.producer(value);
  const plan::ArrayType& whole = graph_.type(value);
  plan::ArrayType type = whole;
  const int64_t size = whole.dimensions[node.source->IntOr(Attr::kIotaDimension, 0)];
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

int NumberIn(std::vector<int32_t>& arrays, int32_t buffer) {
  const auto found = std::find(arrays.begin(), arrays.end(), buffer);
  if (found != arrays.end()) return static_cast<int>(found - arrays.begin());
  arrays.push_back(buffer);
  return static_cast<int>(arrays.size()) - 1;
}

}  // namespace

// A pad or a concatenate, put together block by block.
int FunctionBuilder::PiecesRegister(ValueId value, LoopProgram& loop,
                                    std::vector<int32_t>& arrays) {
  const Node& node = graph_.producer(value);
  const plan::Assembly assembly = plan::AssemblyOf(fusion_, graph_, node);
  const auto number = [&](int k) {
    return NumberIn(arrays, BufferOf(fusion_.SourceOf(node.operands[k])));
  };
  std::vector<LoadedPiece> pieces;
  for (size_t p = 0; p < assembly.pieces.size(); ++p) {
    pieces.push_back({number(static_cast<int>(p)), assembly.pieces[p].Simplified()});
  }
  const int filling = assembly.filling < 0 ? -1 : number(assembly.filling);
  return loop.AddPieces(filling, std::move(pieces), graph_.type(value).width());
}

int FunctionBuilder::OperandRegister(ValueId operand, int64_t elements, LoopProgram& loop,
                                     std::vector<int32_t>& arrays) {
  const ValueId stripped = fusion_.Strip(operand);
  if (register_of_[stripped] >= 0) return register_of_[stripped];
  const bool assembled = fusion_.kind(graph_.values[stripped].node) == NodeKind::kAssembled;
  if (assembled && !fusion_.is_dense(stripped)) return PiecesRegister(stripped, loop, arrays);
  const Source source = fusion_.SourceOf(operand);
  const plan::ArrayType& type = graph_.type(operand);
  if (source.is_line && type.elements == elements && LoopProgram::IsLineInOrder(source.view)) {
    return loop.AddLine(LineKernel(type.type), source.view, type.width());
  }
  const plan::View view =
      type.elements == elements ? source.view : plan::View::Splat(source.view.offset, elements);
  return loop.AddInput(NumberIn(arrays, BufferOf(source)), view, type.width());
}

plan::FusionOptions FunctionBuilder::FusionOptionsOf(const CompileOptions& options) {
  plan::FusionOptions fusion;
  fusion.loops = !options.disabled.contains("fusion");
  fusion.turned_dots = true;
  fusion.pieces = !options.disabled.contains("pieces");
  fusion.members_max = LoopProgram::kOperationsMax;
  if (!options.disabled.contains("several-results")) {
    fusion.several_results_min = options.guard ? 1 : LoopProgram::kBlock;
  }
  return fusion;
}

// The shift, in the loop that is being built and for one reader, that a value is.
const Node* FunctionBuilder::ShiftOf(ValueId value, Opcode opcode) const {
  const ValueId stripped = fusion_.Strip(value);
  const Node& node = graph_.producer(stripped);
  const bool fits = node.opcode == opcode && register_of_[stripped] >= 0 &&
                    fusion_.use_count(stripped) == 1 && stripped == value;
  return fits ? &node : nullptr;
}

// x << a | x >> b as one operation, instead of three; the shifts are then read by nobody.
bool FunctionBuilder::AddBothShifts(const Node& node, LoopProgram& loop,
                                    std::vector<int32_t>& arrays) {
  if (node.opcode != Opcode::kOr) return false;
  for (const int first : {0, 1}) {
    const Node* left = ShiftOf(node.operands[first], Opcode::kShiftLeft);
    const Node* right = ShiftOf(node.operands[1 - first], Opcode::kShiftRightLogical);
    if (left == nullptr || right == nullptr || left->operands[0] != right->operands[0]) continue;
    const plan::ArrayType& type = graph_.type(node.outputs[0]);
    const Kernel both = ShiftBothKernel(type.type);
    if (both.run == nullptr) return false;
    const auto operand = [&](const Node& shift, int k) {
      return OperandRegister(shift.operands[k], type.elements, loop, arrays);
    };
    register_of_[node.outputs[0]] =
        loop.AddOperation(both, operand(*left, 0), operand(*left, 1), operand(*right, 1),
                          type.width());
    return true;
  }
  return false;
}

absl::Status FunctionBuilder::AddMembers(NodeId root, LoopProgram& loop,
                                         std::vector<int32_t>& arrays) {
  const int64_t elements = graph_.type(graph_.nodes[root].outputs[0]).elements;
  register_of_.resize(graph_.values.size(), -1);
  for (NodeId member : fusion_.members(root)) {
    const Node& node = graph_.nodes[member];
    if (AddBothShifts(node, loop, arrays)) continue;
    int registers[3] = {-1, -1, -1};
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const int64_t given = graph_.type(node.operands[k]).elements;
      if (given != elements && given != 1) {
        return InvalidInput(node.source->name(), ": operand ", k, " has ", given,
                            " elements, the result ", elements);
      }
      registers[k] = OperandRegister(node.operands[k], elements, loop, arrays);
    }
    const plan::ArrayType& out = graph_.type(node.outputs[0]);
    const size_t values = node.opcode == Opcode::kSelect ? 1 : 0;
    HLOCTS_ASSIGN_OR_RETURN(const Kernel kernel,
                            ResolveKernel(*node.source,
                                          {graph_.type(node.operands[values]).type, out.type,
                                           static_cast<int>(node.operands.size())},
                                          compiler_.options().math));
    register_of_[node.outputs[0]] =
        loop.AddOperation(kernel, registers[0], registers[1], registers[2], out.width());
  }
  return absl::OkStatus();
}

absl::Status FunctionBuilder::EmitLoop(NodeId root) {
  auto loop = std::make_shared<LoopProgram>();
  loop->WriteOutputsStraight();
  Draft draft;
  HLOCTS_RETURN_IF_ERROR(AddMembers(root, *loop, draft.in));
  std::vector<ValueId> results;
  for (NodeId member : fusion_.members(root)) {
    const ValueId value = graph_.nodes[member].outputs[0];
    if (fusion_.is_dense(value)) results.push_back(value);
  }
  for (ValueId result : results) loop->AddOutput(register_of_[result]);
  const plan::ArrayType& type = graph_.type(graph_.nodes[root].outputs[0]);
  constexpr int64_t kStreamedBytes = 16 << 20;
  if (type.elements * type.width() >= kStreamedBytes) loop->StreamOutput();
  for (NodeId member : fusion_.members(root)) register_of_[graph_.nodes[member].outputs[0]] = -1;
  loop->Finish();
  for (ValueId result : results) {
    draft.out.push_back(buffer_of_[result] = NewBuffer(graph_.type(result)));
  }
  for (int out = 0; out < static_cast<int>(results.size()); ++out) {
    for (int k = 0; k < static_cast<int>(draft.in.size()); ++k) {
      if (loop->MayOverwrite(k, out)) draft.step.in_place.push_back({out, k});
    }
  }
  const int64_t elements = type.elements;
  if (results.size() == 1) {
    draft.step.rows.loop = loop;
    draft.step.rows.elements = elements;
    draft.step.rows.width = type.width();
  }
  const kernels::Parallel parallel(compiler_.options().threads);
  const double cost = loop->cost_ns();
  draft.step.run = [loop, elements, parallel, cost](Run&, In in, Out out) {
    if (elements <= LoopProgram::kBlock) {
      loop->Run(in, out, 0, elements);
    } else {
      parallel.For(
          elements, cost, [&](int64_t begin, int64_t end) { loop->Run(in, out, begin, end); },
          LoopProgram::kBlock);
    }
    return absl::OkStatus();
  };
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

namespace {

// Where one flushed number would change a whole feature, row or matrix, none is.
bool KeepsSubnormals(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
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
  for (int k : draft.step.handed_on) {
    if (!fusion_.is_dense(node.operands[k])) continue;
    buffer_of_[node.outputs[k]] = draft.in[k];
    draft.out[k] = -1;
  }
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

// Copies and loops whose results nobody looks at after all.
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
