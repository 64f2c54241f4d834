// SPDX-License-Identifier: Apache-2.0
// A computation as a graph of operations on arrays. There are no tuples: each leaf is a separate
// value. Calls are inlined, except those of large computations with several calls. Nodes are in the
// order of the module's text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"

namespace hlocts::plan {

using Dimensions = absl::InlinedVector<int64_t, 6>;
using ValueId = int32_t;
using NodeId = int32_t;

// The type of a leaf: an array, or a token without elements. An array's elements are row-major, as
// in a Literal.
struct ArrayType {
  PrimitiveType type = PrimitiveType::kInvalid;
  Dimensions dimensions;
  int64_t elements = 0;  // 0 for tokens
  int64_t bytes = 0;     // INT64_MAX if it does not fit

  int width() const { return StorageBytes(type); }
  int64_t rank() const { return static_cast<int64_t>(dimensions.size()); }
  bool IsScalar() const { return dimensions.empty() && type != PrimitiveType::kToken; }
  bool operator==(const ArrayType& other) const {
    return type == other.type && dimensions == other.dimensions;
  }
};
ArrayType TypeOf(const Shape& leaf);
Shape ShapeOf(const ArrayType& type);  // for arrays only
int64_t Product(absl::Span<const int64_t> sizes);
std::vector<int64_t> Joined(std::vector<int64_t> a, const std::vector<int64_t>& b);

struct Value {
  ArrayType type;
  NodeId node = -1;
  int32_t output = 0;
};

class Graph;

struct Node {
  Opcode opcode = Opcode::kTuple;
  const Instruction* source = nullptr;  // provides the attributes; must outlive the node
  absl::InlinedVector<ValueId, 3> operands;
  absl::InlinedVector<ValueId, 2> outputs;
  absl::InlinedVector<Graph*, 1> called;  // in the order of Instruction::called_computations()
  int32_t parameter = -1;                 // if opcode is kParameter: index of the leaf
  int32_t constant = -1;                  // if opcode is kConstant: index in Graph::constants
  bool has_effect = false;                // kept even if it has no user
  bool removed = false;

  bool IsParameter() const { return opcode == Opcode::kParameter; }
  bool IsConstant() const { return opcode == Opcode::kConstant; }
};

class Graph {
 public:
  std::string name;
  std::vector<Node> nodes;  // sorted: operands before users
  std::vector<Value> values;
  std::vector<Literal> constants;
  std::vector<ValueId> parameters;  // leaves, depth first
  std::vector<ValueId> results;
  bool has_effect = false;
  std::vector<std::unique_ptr<const Instruction>> made;  // owned sources of nodes that Made creates

  const ArrayType& type(ValueId value) const { return values[value].type; }
  const Node& producer(ValueId value) const { return nodes[values[value].node]; }
  // Returns the constant, or nullptr if the value is not a constant.
  const Literal* ConstantOf(ValueId value) const;
  NodeId Add(Node node, absl::Span<const ArrayType> outputs);
  ValueId AddConstant(Literal literal);
  // Moves all nodes out of the graph. The caller then appends the nodes to keep, and adds others.
  std::vector<Node> ReleaseNodes();
  // Appends a node that ReleaseNodes returned, with its outputs.
  void AppendNode(Node node);
  // Creates a node that is not in the module, without adding it to `nodes`. The graph owns
  // `instruction`.
  Node Made(Instruction instruction, absl::Span<const ValueId> operands);
  ValueId AddMade(Instruction instruction, absl::Span<const ValueId> operands);
};

// Returns the types of a node's operands or results. A token has 0 bytes.
std::vector<ArrayType> OperandTypes(const Graph& graph, const Node& node);
std::vector<ArrayType> ResultTypes(const Graph& graph, const Node& node);

// The graphs of all computations of a module.
struct GraphModule {
  absl::flat_hash_map<const Computation*, std::unique_ptr<Graph>> graphs;
  Graph* entry = nullptr;
};

// Builds the graphs of a verified module without dynamic dimensions.
absl::StatusOr<GraphModule> BuildGraphs(const Module& module);
// Builds a graph of one instruction, whose operands become parameters, and the graphs of the
// computations that it calls.
absl::StatusOr<GraphModule> BuildGraphsOf(const Instruction& instruction);

int64_t LeafCount(const Shape& shape);

}  // namespace hlocts::plan
