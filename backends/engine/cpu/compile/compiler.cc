// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/compile/compiler.h"

#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"
#include "backends/engine/plan/passes.h"
#include "spec/ops/groups.h"

namespace hlocts::cpu {
namespace {

using plan::Node;
using plan::ValueId;

// The assumed length of an argument array. Straight-line code reads one element of it at a time.
constexpr int64_t kEndless = int64_t{1} << 40;

bool IsOneElement(const plan::Graph& graph, ValueId value) {
  const plan::ArrayType& type = graph.type(value);
  return type.elements == 1 && type.type != PrimitiveType::kToken;
}

// Adds a node to straight-line code. Returns false if the code cannot contain the node.
absl::StatusOr<bool> AddStraight(const plan::Graph& graph, const Node& node,
                                 const MathOptions& math, std::vector<int>& registers,
                                 LoopProgram& loop) {
  if (node.outputs.size() != 1 || !IsOneElement(graph, node.outputs[0])) return false;
  const plan::ArrayType& out = graph.type(node.outputs[0]);
  int& result = registers[node.outputs[0]];
  const int parameters = static_cast<int>(graph.parameters.size());
  switch (KindOf(graph, node)) {
    case NodeKind::kLeaf:
      result = node.IsParameter()
                   ? loop.AddInput(node.parameter, plan::View::Dense({kEndless}), out.width())
                   : loop.AddInput(parameters + node.constant, plan::View::Splat(0, kEndless),
                                   out.width());
      return true;
    case NodeKind::kReshape:
    case NodeKind::kView:
      if (!IsOneElement(graph, node.operands[0])) return false;
      result = registers[node.operands[0]];
      return true;
    case NodeKind::kElementwise:
      break;
    default:
      return false;
  }
  int operands[3] = {-1, -1, -1};
  for (size_t k = 0; k < node.operands.size(); ++k) operands[k] = registers[node.operands[k]];
  const ValueId value = node.operands[ops::TypedOperand(node.opcode)];
  HLOCTS_ASSIGN_OR_RETURN(
      const Kernel kernel,
      ResolveKernel(*node.source,
                    {graph.type(value).type, out.type, static_cast<int>(node.operands.size())},
                    math));
  result = loop.AddOperation(kernel, operands[0], operands[1], operands[2], out.width());
  return true;
}

}  // namespace

absl::Span<const absl::string_view> OwnPasses() {
  static constexpr absl::string_view kNames[] = {
      "fusion",      "in-place",        "rows", "batches", "sums", "pieces",
      "small-loops", "several-results", "pairs"};
  return kNames;
}

void Compiler::Simplify(plan::Graph& graph) {
  if (!simplified_.insert(&graph).second) return;
  const plan::Evaluator evaluate = [this](plan::Graph& closed) {
    return Evaluate(closed, options_);
  };
  plan::RunPasses(graph, options_.disabled, {&evaluate, options_.guard});
}

absl::StatusOr<std::shared_ptr<const LoopProgram>> Compiler::StraightLine(
    const plan::Graph& graph) {
  auto loop = std::make_shared<LoopProgram>();
  const bool several = graph.results.size() != 1;
  if (several) loop->KeepOutputsApart();
  std::vector<int> registers(graph.values.size(), -1);
  for (const Node& node : graph.nodes) {
    if (node.removed) continue;
    HLOCTS_ASSIGN_OR_RETURN(const bool added,
                            AddStraight(graph, node, options_.math, registers, *loop));
    if (!added || loop->register_count() > LoopProgram::kRegistersMax - 16) {
      return std::shared_ptr<const LoopProgram>();
    }
  }
  for (ValueId result : graph.results) loop->AddOutput(registers[result]);
  loop->Finish();
  return std::shared_ptr<const LoopProgram>(std::move(loop));
}

absl::StatusOr<std::shared_ptr<const ElementFunction>> Compiler::CompileElements(
    plan::Graph& graph) {
  auto found = elements_.find(&graph);
  if (found == elements_.end()) {
    Simplify(graph);
    HLOCTS_ASSIGN_OR_RETURN(std::shared_ptr<const LoopProgram> loop, StraightLine(graph));
    std::shared_ptr<const ElementFunction> elements;
    if (loop != nullptr) {
      elements = std::make_shared<const ElementFunction>(std::move(loop), graph);
    } else {
      HLOCTS_ASSIGN_OR_RETURN(const Function* function, Compile(graph, {}, AliasMode::kNone));
      elements = std::make_shared<const ElementFunction>(*function, graph);
    }
    found = elements_.emplace(&graph, std::move(elements)).first;
  }
  if (!found->second->is_straight()) NoteCall(*found->second->function());
  return found->second;
}

absl::StatusOr<Function*> Compiler::Compile(plan::Graph& graph,
                                            const std::vector<std::pair<int, int>>& aliases,
                                            AliasMode donation_mode) {
  for (const Compiled& compiled : functions_[&graph]) {
    if (compiled.aliases == aliases && compiled.donation_mode == donation_mode) {
      return compiled.function;
    }
  }
  Simplify(graph);
  std::vector<int32_t> outer;
  outer.swap(called_);
  auto function = std::make_unique<Function>();
  function->name = graph.name;
  absl::Status built = FunctionBuilder(*this, graph, *function).Build(aliases, donation_mode);
  function->callees = std::move(called_);
  called_ = std::move(outer);
  HLOCTS_RETURN_IF_ERROR(built);
  function->index = static_cast<int32_t>(program_.functions.size());
  Function* result = function.get();
  program_.functions.push_back(std::move(function));
  functions_[&graph].push_back({aliases, donation_mode, result});
  return result;
}

absl::Status Compiler::Finish() {
  // Places the temporaries of each function after those of all its callers. A function is never
  // active twice at the same time, so one place for each function is sufficient.
  for (size_t f = program_.functions.size(); f-- > 0;) {
    const Function& caller = *program_.functions[f];
    const int64_t end = caller.arena_offset + caller.temporary_bytes;
    program_.arena_bytes = std::max(program_.arena_bytes, end);
    for (int32_t callee : caller.callees) {
      int64_t& offset = program_.functions[callee]->arena_offset;
      offset = std::max(offset, end);
    }
  }
  if (program_.arena_bytes > options_.memory_bytes_max) {
    return absl::ResourceExhaustedError(absl::StrCat("temporaries need ", program_.arena_bytes,
                                                     " bytes, but the budget is ",
                                                     options_.memory_bytes_max));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::cpu
