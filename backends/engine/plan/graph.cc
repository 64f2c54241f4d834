// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/graph.h"

#include <utility>

namespace hlocts::plan {

ArrayType TypeOf(const Shape& leaf) {
  ArrayType type;
  type.type = leaf.element_type();
  if (!leaf.IsArray()) return type;
  type.dimensions.assign(leaf.dimensions().begin(), leaf.dimensions().end());
  type.elements = leaf.ElementCount();
  type.bytes = leaf.StorageSizeBytes();
  return type;
}

Shape ShapeOf(const ArrayType& type) {
  return Shape(type.type, {type.dimensions.begin(), type.dimensions.end()});
}

int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

std::vector<int64_t> Joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Literal* Graph::ConstantOf(ValueId value) const {
  const Node& node = producer(value);
  return node.IsConstant() ? &constants[node.constant] : nullptr;
}

NodeId Graph::Add(Node node, absl::Span<const ArrayType> outputs) {
  const NodeId id = static_cast<NodeId>(nodes.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    node.outputs.push_back(static_cast<ValueId>(values.size()));
    values.push_back({outputs[i], id, static_cast<int32_t>(i)});
  }
  has_effect = has_effect || node.has_effect;
  nodes.push_back(std::move(node));
  return id;
}

ValueId Graph::AddConstant(Literal literal) {
  Node node;
  node.opcode = Opcode::kConstant;
  node.constant = static_cast<int32_t>(constants.size());
  const ArrayType type = TypeOf(literal.shape());
  constants.push_back(std::move(literal));
  return nodes[Add(std::move(node), {type})].outputs[0];
}

std::vector<Node> Graph::ReleaseNodes() {
  std::vector<Node> taken;
  taken.swap(nodes);
  nodes.reserve(taken.size());
  return taken;
}

void Graph::AppendNode(Node node) {
  for (ValueId output : node.outputs) values[output].node = static_cast<NodeId>(nodes.size());
  nodes.push_back(std::move(node));
}

Node Graph::Made(Instruction instruction, absl::Span<const ValueId> operands) {
  made.push_back(std::make_unique<const Instruction>(std::move(instruction)));
  Node node;
  node.source = made.back().get();
  node.opcode = node.source->opcode();
  node.operands.assign(operands.begin(), operands.end());
  return node;
}

ValueId Graph::AddMade(Instruction instruction, absl::Span<const ValueId> operands) {
  const ArrayType type = TypeOf(instruction.shape());
  return nodes[Add(Made(std::move(instruction), operands), {type})].outputs[0];
}

std::vector<ArrayType> OperandTypes(const Graph& graph, const Node& node) {
  std::vector<ArrayType> types;
  for (ValueId operand : node.operands) types.push_back(graph.type(operand));
  return types;
}
std::vector<ArrayType> ResultTypes(const Graph& graph, const Node& node) {
  std::vector<ArrayType> types;
  for (ValueId output : node.outputs) types.push_back(graph.type(output));
  return types;
}

int64_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

}  // namespace hlocts::plan
