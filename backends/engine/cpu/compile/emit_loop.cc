// SPDX-License-Identifier: Apache-2.0
// Emits fused loops: the operations in order, where their operands are stored, and which values the
// loop stores.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/compile/function_builder.h"
#include "backends/engine/cpu/elementwise/stream.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/plan/segments.h"
#include "spec/ops/groups.h"

namespace hlocts::cpu {
namespace {

using plan::Node;
using plan::NodeId;
using plan::ValueId;

int NumberIn(std::vector<int32_t>& arrays, int32_t buffer) {
  const auto found = std::find(arrays.begin(), arrays.end(), buffer);
  if (found != arrays.end()) return static_cast<int>(found - arrays.begin());
  arrays.push_back(buffer);
  return static_cast<int>(arrays.size()) - 1;
}

}  // namespace

// Adds a register for a pad or concatenate, which the loop assembles one block at a time.
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
  fusion.transposed_dot_operands = true;
  fusion.pieces = !options.disabled.contains("pieces");
  fusion.members_max = LoopProgram::kOperationsMax;
  if (!options.disabled.contains("several-results")) {
    fusion.several_results_min = options.guard ? 1 : LoopProgram::kBlock;
  }
  return fusion;
}

// Returns the node that computes the value if it is a shift with this opcode, belongs to the loop
// that is being built, and has one reader. Returns null otherwise.
const Node* FunctionBuilder::ShiftOf(ValueId value, Opcode opcode) const {
  const ValueId stripped = fusion_.Strip(value);
  const Node& node = graph_.producer(stripped);
  const bool fits = node.opcode == opcode && register_of_[stripped] >= 0 &&
                    fusion_.use_count(stripped) == 1 && stripped == value;
  return fits ? &node : nullptr;
}

// Returns true if `left` repeats one scalar x, and `right` repeats the scalar width - x.
bool FunctionBuilder::AddUpToWidth(ValueId left, ValueId right) const {
  const Source amount = fusion_.SourceOf(left), rest = fusion_.SourceOf(right);
  const auto is_splat = [](const Source& source) {
    return !source.is_line && source.view.Simplified().IsSplat();
  };
  if (!is_splat(amount) || !is_splat(rest)) return false;
  const Node& difference = graph_.producer(rest.base);
  if (difference.opcode != Opcode::kSubtract || graph_.type(rest.base).elements != 1) return false;
  const Literal* width = graph_.ConstantOf(difference.operands[0]);
  if (width == nullptr || width->element_count() != 1) return false;
  uint64_t number = 0;
  std::memcpy(&number, width->raw_data(), graph_.type(left).width());
  if (number != uint64_t{8} * graph_.type(left).width()) return false;
  const Source from = fusion_.SourceOf(difference.operands[1]);
  return from.base == amount.base && is_splat(from) && from.view.offset == amount.view.offset;
}

// Emits x << a | x >> (width - a) as one rotation instead of three operations. The results of the
// two shifts become unused.
bool FunctionBuilder::AddRotation(const Node& node, LoopProgram& loop,
                                  std::vector<int32_t>& arrays) {
  if (node.opcode != Opcode::kOr) return false;
  for (const int first : {0, 1}) {
    const Node* left = ShiftOf(node.operands[first], Opcode::kShiftLeft);
    const Node* right = ShiftOf(node.operands[1 - first], Opcode::kShiftRightLogical);
    if (left == nullptr || right == nullptr || left->operands[0] != right->operands[0]) continue;
    const plan::ArrayType& type = graph_.type(node.outputs[0]);
    const Kernel rotation = RotationKernel(type.type);
    if (rotation.run == nullptr || !AddUpToWidth(left->operands[1], right->operands[1])) continue;
    int operands[2];
    for (int k : {0, 1}) {
      operands[k] = OperandRegister(left->operands[k], type.elements, loop, arrays);
    }
    register_of_[node.outputs[0]] =
        loop.AddOperation(rotation, operands[0], operands[1], -1, type.width());
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
    if (AddRotation(node, loop, arrays)) continue;
    int registers[3] = {-1, -1, -1};
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const int64_t given = graph_.type(node.operands[k]).elements;
      if (given != elements && given != 1) {
        return InvalidInput(node.source->name(), ": operand ", k, ": expected ", elements,
                            " elements, as in the result, found ", given);
      }
      registers[k] = OperandRegister(node.operands[k], elements, loop, arrays);
    }
    const plan::ArrayType& out = graph_.type(node.outputs[0]);
    const size_t values = ops::TypedOperand(node.opcode);
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

namespace {

// Returns a step that runs the loop, by several threads if it has more than one block.
StepFunction RunOf(std::shared_ptr<LoopProgram> loop, int64_t elements, int threads) {
  const kernels::Parallel parallel(threads);
  const double cost = loop->cost_ns();
  return [loop, elements, parallel, cost](Run&, In in, Out out) {
    if (elements <= LoopProgram::kBlock) {
      loop->Run(in, out, 0, elements);
    } else {
      parallel.For(
          elements, cost, [&](int64_t begin, int64_t end) { loop->Run(in, out, begin, end); },
          LoopProgram::kBlock);
    }
    return absl::OkStatus();
  };
}

}  // namespace

// Returns the values of the loop's members that are read outside the loop.
std::vector<ValueId> FunctionBuilder::ResultsOf(NodeId root) const {
  std::vector<ValueId> results;
  for (NodeId member : fusion_.members(root)) {
    const ValueId value = graph_.nodes[member].outputs[0];
    if (fusion_.is_dense(value)) results.push_back(value);
  }
  return results;
}

absl::Status FunctionBuilder::EmitLoop(NodeId root) {
  auto loop = std::make_shared<LoopProgram>();
  loop->WriteOutputsStraight();
  Draft draft;
  HLOCTS_RETURN_IF_ERROR(AddMembers(root, *loop, draft.in));
  const std::vector<ValueId> results = ResultsOf(root);
  const plan::ArrayType& type = graph_.type(graph_.nodes[root].outputs[0]);
  for (ValueId result : results) loop->AddOutput(register_of_[result]);
  if (type.elements * type.width() >= kStreamedBytes) loop->StreamOutput();
  for (NodeId member : fusion_.members(root)) register_of_[graph_.nodes[member].outputs[0]] = -1;
  const bool many_blocks = type.elements > LoopProgram::kBlock || compiler_.options().guard;
  if (many_blocks && !compiler_.options().disabled.contains("pairs")) loop->PairOperations();
  loop->Finish();
  for (ValueId result : results) {
    draft.out.push_back(buffer_of_[result] = NewBuffer(graph_.type(result)));
  }
  for (int out = 0; out < static_cast<int>(results.size()); ++out) {
    for (int k = 0; k < static_cast<int>(draft.in.size()); ++k) {
      if (loop->MayOverwrite(k, out)) draft.step.in_place.push_back({out, k});
    }
  }
  if (results.size() == 1) {
    draft.step.rows.loop = loop;
    draft.step.rows.elements = type.elements;
    draft.step.rows.width = type.width();
  }
  draft.step.run = RunOf(std::move(loop), type.elements, compiler_.options().threads);
  drafts_.push_back(std::move(draft));
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
