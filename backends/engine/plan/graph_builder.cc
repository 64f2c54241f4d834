// SPDX-License-Identifier: Apache-2.0
// Builds graphs from a module's computations. Tuples are split into leaves, instructions that only
// forward values are removed, and calls are inlined.
#include <queue>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "backends/engine/plan/graph.h"
#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::plan {
namespace {

using Leaves = std::vector<ValueId>;

// A graph with at most this number of nodes is inlined at every call.
constexpr size_t kSmallGraph = 64;
constexpr size_t kInlinedNodesMax = 1 << 18;  // limit on the nodes copied by inlining in a module

Leaves Slice(const Leaves& leaves, int64_t begin, int64_t count) {
  return Leaves(leaves.begin() + begin, leaves.begin() + begin + count);
}

// Returns the index of the first leaf of element `index` among the leaves of a tuple.
int64_t LeafOffset(const Shape& tuple, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = 0; i < index; ++i) offset += LeafCount(tuple.tuple_shapes()[i]);
  return offset;
}

std::vector<ArrayType> TypesOf(const Shape& shape) {
  std::vector<ArrayType> types;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) { types.push_back(TypeOf(leaf)); });
  return types;
}

// Returns the instructions in the order of the text, changed only so that control predecessors come
// before their successors.
absl::StatusOr<std::vector<const Instruction*>> OrderOf(const Computation& computation) {
  std::vector<const Instruction*> order;
  bool has_control = false;
  for (const auto& instruction : computation.instructions()) {
    order.push_back(instruction.get());
    has_control = has_control || instruction->Has(Attr::kControlPredecessors);
  }
  if (!has_control) return order;
  std::vector<std::vector<int64_t>> users(order.size());
  std::vector<int64_t> missing(order.size(), 0);
  auto needs = [&](const Instruction& user, const Instruction* before) {
    users[before->index()].push_back(user.index());
    ++missing[user.index()];
  };
  for (const Instruction* instruction : order) {
    for (const Instruction* operand : instruction->operands()) needs(*instruction, operand);
    if (auto* before = instruction->Get<std::vector<Instruction*>>(Attr::kControlPredecessors)) {
      for (const Instruction* predecessor : *before) needs(*instruction, predecessor);
    }
  }
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<int64_t>> ready;
  for (size_t i = 0; i < order.size(); ++i) {
    if (missing[i] == 0) ready.push(static_cast<int64_t>(i));
  }
  std::vector<const Instruction*> sorted;
  while (!ready.empty()) {
    const int64_t next = ready.top();
    ready.pop();
    sorted.push_back(order[next]);
    for (int64_t user : users[next]) {
      if (--missing[user] == 0) ready.push(user);
    }
  }
  if (sorted.size() != order.size()) {
    return InvalidInput("computation ", computation.name(), ": control dependencies form a cycle");
  }
  return sorted;
}

class ModuleBuilder;

class ComputationBuilder {
 public:
  ComputationBuilder(ModuleBuilder& module, Graph& graph) : module_(module), graph_(graph) {}

  absl::Status Build(const Computation& computation);
  absl::Status BuildOne(const Instruction& instruction);

 private:
  absl::StatusOr<Leaves> Wire(ops::Wiring wiring, const Instruction& instruction);
  Leaves Start(const Instruction& instruction);
  absl::StatusOr<Leaves> Done(const Instruction& instruction);
  Leaves Transfer(const Instruction& instruction);
  absl::StatusOr<Leaves> LeavesOf(const Instruction& instruction);
  absl::StatusOr<Leaves> Call(const Instruction& instruction, Attr attr, const Leaves& arguments);
  absl::StatusOr<Leaves> AsyncStart(const Instruction& instruction);
  Leaves Operands(const Instruction& instruction) const;
  const Leaves& Operand(const Instruction& instruction, int64_t i) const {
    return leaves_.at(&instruction.operand(i));
  }
  Leaves Parameter(const Instruction& instruction);
  Leaves Constant(const Literal& literal);
  Leaves General(const Instruction& instruction, const Leaves& operands, const Shape& shape);
  Leaves SelectTuples(const Instruction& instruction);
  void AppendContexts(const Instruction& instruction, Leaves& leaves);

  ModuleBuilder& module_;
  Graph& graph_;
  std::vector<int64_t> parameter_offsets_;
  absl::flat_hash_map<const Instruction*, Leaves> leaves_;
};

class ModuleBuilder {
 public:
  GraphModule graphs;

  absl::Status BuildAll(const Module& module) {
    const std::vector<Computation*> order = module.CallOrder();
    for (const Computation* computation : order) CountCalls(*computation);
    for (const Computation* computation : order) {
      HLOCTS_RETURN_IF_ERROR(BuildComputation(*computation));
    }
    graphs.entry = graphs.graphs.at(module.entry()).get();
    return absl::OkStatus();
  }

  absl::Status BuildAround(const Instruction& instruction) {
    std::vector<std::pair<const Computation*, bool>> stack;
    for (const Computation* called : instruction.called_computations()) {
      stack.push_back({called, false});
    }
    while (!stack.empty()) {
      auto [computation, ready] = stack.back();
      stack.pop_back();
      if (graphs.graphs.contains(computation)) continue;
      if (ready) {
        HLOCTS_RETURN_IF_ERROR(BuildComputation(*computation));
        continue;
      }
      stack.push_back({computation, true});
      CountCalls(*computation);
      for (const auto& inner : computation->instructions()) {
        for (const Computation* called : inner->called_computations()) {
          stack.push_back({called, false});
        }
      }
    }
    auto graph = std::make_unique<Graph>();
    graph->name = instruction.name();
    HLOCTS_RETURN_IF_ERROR(ComputationBuilder(*this, *graph).BuildOne(instruction));
    graphs.entry = graph.get();
    graphs.graphs[nullptr] = std::move(graph);
    return absl::OkStatus();
  }

  Graph* Of(const Computation* computation) { return graphs.graphs.at(computation).get(); }

  // Returns true if a copy of the callee may replace this call.
  bool MayInline(const Computation* computation, const Graph& callee) {
    const bool fits = callee.nodes.size() <= kSmallGraph || calls_[computation] == 1;
    if (!fits || inlined_ + callee.nodes.size() > kInlinedNodesMax) return false;
    inlined_ += callee.nodes.size();
    return true;
  }

 private:
  void CountCalls(const Computation& computation) {
    for (const auto& instruction : computation.instructions()) {
      for (const Computation* called : instruction->called_computations()) ++calls_[called];
    }
  }

  absl::Status BuildComputation(const Computation& computation) {
    auto graph = std::make_unique<Graph>();
    graph->name = computation.name();
    HLOCTS_RETURN_IF_ERROR(ComputationBuilder(*this, *graph).Build(computation));
    graphs.graphs[&computation] = std::move(graph);
    return absl::OkStatus();
  }

  absl::flat_hash_map<const Computation*, int64_t> calls_;
  size_t inlined_ = 0;
};

Leaves ComputationBuilder::Operands(const Instruction& instruction) const {
  Leaves all;
  for (const Instruction* operand : instruction.operands()) {
    const Leaves& leaves = leaves_.at(operand);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

Leaves ComputationBuilder::Parameter(const Instruction& instruction) {
  Leaves leaves;
  int64_t leaf = parameter_offsets_[instruction.parameter_number()];
  for (const ArrayType& type : TypesOf(instruction.shape())) {
    Node node;
    node.opcode = Opcode::kParameter;
    node.parameter = static_cast<int32_t>(leaf);
    const ValueId value = graph_.nodes[graph_.Add(std::move(node), {type})].outputs[0];
    graph_.parameters[leaf++] = value;
    leaves.push_back(value);
  }
  return leaves;
}

Leaves ComputationBuilder::Constant(const Literal& literal) {
  Leaves leaves;
  for (Literal& leaf : FlattenLeaves(literal)) leaves.push_back(graph_.AddConstant(leaf));
  return leaves;
}

Leaves ComputationBuilder::General(const Instruction& instruction, const Leaves& operands,
                                   const Shape& shape) {
  Node node;
  node.opcode = instruction.opcode();
  node.source = &instruction;
  node.operands.assign(operands.begin(), operands.end());
  node.has_effect = HasSideEffect(instruction);
  for (const Computation* called : instruction.called_computations()) {
    node.called.push_back(module_.Of(called));
    node.has_effect = node.has_effect || node.called.back()->has_effect;
  }
  const std::vector<ArrayType> types = TypesOf(shape);
  const auto& outputs = graph_.nodes[graph_.Add(std::move(node), types)].outputs;
  return Leaves(outputs.begin(), outputs.end());
}

absl::StatusOr<Leaves> ComputationBuilder::Call(const Instruction& instruction, Attr attr,
                                                const Leaves& arguments) {
  const Computation* computation = instruction.CalledComputation(attr);
  if (computation == nullptr) {
    return InvalidInput(instruction.name(), ": ", AttrName(attr), " is missing");
  }
  const Graph& callee = *module_.Of(computation);
  if (!module_.MayInline(computation, callee)) {
    return General(instruction, arguments, computation->root()->shape());
  }
  std::vector<ValueId> mapped(callee.values.size(), -1);
  for (const Node& original : callee.nodes) {
    if (original.IsParameter()) {
      mapped[original.outputs[0]] = arguments[original.parameter];
      continue;
    }
    if (original.IsConstant()) {
      mapped[original.outputs[0]] = graph_.AddConstant(callee.constants[original.constant]);
      continue;
    }
    Node node = original;
    node.outputs.clear();
    for (ValueId& operand : node.operands) operand = mapped[operand];
    std::vector<ArrayType> types;
    for (ValueId output : original.outputs) types.push_back(callee.type(output));
    const NodeId copy = graph_.Add(std::move(node), types);
    for (size_t i = 0; i < original.outputs.size(); ++i) {
      mapped[original.outputs[i]] = graph_.nodes[copy].outputs[i];
    }
  }
  Leaves results;
  for (ValueId result : callee.results) results.push_back(mapped[result]);
  return results;
}

// Appends constants for elements 2, 3, ... of an asynchronous start's tuple, which are never read.
void ComputationBuilder::AppendContexts(const Instruction& instruction, Leaves& leaves) {
  const std::vector<Shape>& shapes = instruction.shape().tuple_shapes();
  for (size_t i = 2; i < shapes.size(); ++i) {
    const Leaves context = Constant(Literal(shapes[i]));
    leaves.insert(leaves.end(), context.begin(), context.end());
  }
}

absl::StatusOr<Leaves> ComputationBuilder::AsyncStart(const Instruction& instruction) {
  Leaves leaves = Operands(instruction);
  HLOCTS_ASSIGN_OR_RETURN(const Leaves results, Call(instruction, Attr::kCalls, leaves));
  leaves.insert(leaves.end(), results.begin(), results.end());
  AppendContexts(instruction, leaves);
  return leaves;
}

// Replaces a select of tuples, which modules from 2018 contain, by one select per leaf.
Leaves ComputationBuilder::SelectTuples(const Instruction& instruction) {
  const Leaves &on_true = Operand(instruction, 1), &on_false = Operand(instruction, 2);
  Leaves leaves;
  for (size_t i = 0; i < on_true.size(); ++i) {
    Node node;
    node.opcode = Opcode::kSelect;
    node.source = &instruction;
    node.operands = {Operand(instruction, 0)[0], on_true[i], on_false[i]};
    const ArrayType type = graph_.type(on_true[i]);
    leaves.push_back(graph_.nodes[graph_.Add(std::move(node), {type})].outputs[0]);
  }
  return leaves;
}

// Returns the leaves of an asynchronous start: its operands, its results and its contexts.
Leaves ComputationBuilder::Start(const Instruction& instruction) {
  Leaves leaves = Operands(instruction);
  const Leaves results = General(instruction, leaves, instruction.shape().tuple_shapes()[1]);
  leaves.insert(leaves.end(), results.begin(), results.end());
  AppendContexts(instruction, leaves);
  return leaves;
}

absl::StatusOr<Leaves> ComputationBuilder::Done(const Instruction& instruction) {
  const Shape& start = instruction.operand(0).shape();
  if (!start.IsTuple() || start.tuple_shapes().size() < 2) {
    return InvalidInput(instruction.name(), ": ", OpcodeName(instruction.opcode()), " of ",
                        start.ToString(false));
  }
  return Slice(Operand(instruction, 0), LeafOffset(start, 1), LeafCount(start.tuple_shapes()[1]));
}

// Returns the leaves of a send or recv: the value, the channel number and a token.
Leaves ComputationBuilder::Transfer(const Instruction& instruction) {
  const Leaves token = General(instruction, Operands(instruction), Shape::Token());
  Leaves leaves = instruction.opcode() == Opcode::kSend
                      ? Operand(instruction, 0)
                      : Constant(Literal(instruction.shape().tuple_shapes()[0]));
  const Leaves channel = Constant(Literal::Scalar<uint32_t>(
      PrimitiveType::kU32, static_cast<uint32_t>(instruction.IntOr(Attr::kChannelId, 0))));
  leaves.push_back(channel[0]);
  leaves.push_back(token[0]);
  return leaves;
}

absl::StatusOr<Leaves> ComputationBuilder::Wire(ops::Wiring wiring,
                                                const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  switch (wiring) {
    case ops::Wiring::kParameter:
      return Parameter(instruction);
    case ops::Wiring::kConstant:
      return Constant(instruction.literal());
    case ops::Wiring::kTuple:
      return Operands(instruction);
    case ops::Wiring::kGetTupleElement: {
      const int64_t index = instruction.IntOr(Attr::kIndex, 0);
      return Slice(Operand(instruction, 0), LeafOffset(instruction.operand(0).shape(), index),
                   LeafCount(shape));
    }
    case ops::Wiring::kCopy:
    case ops::Wiring::kOptBarrier:
    case ops::Wiring::kAddDependency:
    case ops::Wiring::kDomain:
    case ops::Wiring::kAsyncUpdate:
    case ops::Wiring::kAllReduceDone:
      return Operand(instruction, 0);
    case ops::Wiring::kCall:
      return Call(instruction, Attr::kToApply, Operands(instruction));
    case ops::Wiring::kFusion:
      return Call(instruction, Attr::kCalls, Operands(instruction));
    case ops::Wiring::kAsyncStart:
      return AsyncStart(instruction);
    case ops::Wiring::kCopyStart: {
      Leaves leaves = Operands(instruction), twice = leaves;
      twice.insert(twice.end(), leaves.begin(), leaves.end());
      AppendContexts(instruction, twice);
      return twice;
    }
    case ops::Wiring::kCopyDone:
      return Slice(Operand(instruction, 0), 0, LeafCount(shape));
    case ops::Wiring::kAllGatherStart:
    case ops::Wiring::kCollectivePermuteStart:
      return Start(instruction);
    case ops::Wiring::kAsyncDone:
    case ops::Wiring::kAllGatherDone:
    case ops::Wiring::kCollectivePermuteDone:
      return Done(instruction);
    // These operations become separate steps.
    case ops::Wiring::kAllReduceStart:
    case ops::Wiring::kAfterAll:
    case ops::Wiring::kWhile:
    case ops::Wiring::kConditional:
      return General(instruction, Operands(instruction), shape);
  }
  HLOCTS_UNREACHABLE();
}

absl::StatusOr<Leaves> ComputationBuilder::LeavesOf(const Instruction& instruction) {
  // Neither engine supports an explicit tolerance for any function (ruling 0114).
  const auto* accuracy = instruction.Get<RawText>(Attr::kResultAccuracy);
  if (accuracy != nullptr && absl::StrContains(accuracy->text, "tolerance"))
    return Unsupported(instruction.name(), ": result_accuracy with a tolerance is not supported");
  const Shape& shape = instruction.shape();
  const Opcode opcode = instruction.opcode();
  if (const std::optional<ops::Wiring> wiring = ops::WiringOf(opcode))
    return Wire(*wiring, instruction);
  if (opcode == Opcode::kSend || opcode == Opcode::kRecv) return Transfer(instruction);
  if (opcode == Opcode::kGetDimensionSize) {
    const int64_t d = instruction.IntList(Attr::kDimensions)[0];
    return Constant(Literal::Scalar<int32_t>(
        PrimitiveType::kS32, static_cast<int32_t>(instruction.operand(0).shape().dimension(d))));
  }
  // A gather of slices without elements reads nothing (ruling 0037).
  if (opcode == Opcode::kGather && absl::c_linear_search(instruction.IntList(Attr::kSliceSizes), 0))
    return Constant(Literal(shape));
  if (opcode == Opcode::kSelect && shape.IsTuple()) return SelectTuples(instruction);
  if (opcode == Opcode::kMap && shape.IsScalar())
    return Call(instruction, Attr::kToApply, Operands(instruction));
  return General(instruction, Operands(instruction), shape);
}

absl::Status ComputationBuilder::Build(const Computation& computation) {
  if (computation.root() == nullptr) {
    return InvalidInput("computation ", computation.name(), " has no root");
  }
  int64_t leaf = 0;
  for (const Instruction* parameter : computation.parameters()) {
    parameter_offsets_.push_back(leaf);
    if (parameter != nullptr) leaf += LeafCount(parameter->shape());
  }
  graph_.parameters.assign(leaf, -1);
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<const Instruction*> order, OrderOf(computation));
  for (const Instruction* instruction : order) {
    HLOCTS_ASSIGN_OR_RETURN(leaves_[instruction], LeavesOf(*instruction));
  }
  graph_.results = leaves_.at(computation.root());
  return absl::OkStatus();
}

absl::Status ComputationBuilder::BuildOne(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands()) {
    if (leaves_.contains(operand)) continue;
    Leaves& leaves = leaves_[operand];
    for (const ArrayType& type : TypesOf(operand->shape())) {
      Node node;
      node.opcode = Opcode::kParameter;
      node.parameter = static_cast<int32_t>(graph_.parameters.size());
      leaves.push_back(graph_.nodes[graph_.Add(std::move(node), {type})].outputs[0]);
      graph_.parameters.push_back(leaves.back());
    }
  }
  HLOCTS_ASSIGN_OR_RETURN(graph_.results, LeavesOf(instruction));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphModule> BuildGraphs(const Module& module) {
  ModuleBuilder builder;
  HLOCTS_RETURN_IF_ERROR(builder.BuildAll(module));
  return std::move(builder.graphs);
}

absl::StatusOr<GraphModule> BuildGraphsOf(const Instruction& instruction) {
  ModuleBuilder builder;
  HLOCTS_RETURN_IF_ERROR(builder.BuildAround(instruction));
  return std::move(builder.graphs);
}

}  // namespace hlocts::plan
