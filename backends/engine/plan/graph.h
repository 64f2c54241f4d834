// SPDX-License-Identifier: Apache-2.0
// A computation as a graph of operations on arrays. There are no tuples: each leaf is a separate
// value. Calls are inlined unless that would multiply the nodes. Nodes have the order of the
// module's text.
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

// The type of a leaf: an array, or a token without elements. Elements are row-major, as in a
// Literal.
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
  const Instruction* source = nullptr;  // provides the attributes; valid as long as the module
  absl::InlinedVector<ValueId, 3> operands;
  absl::InlinedVector<ValueId, 2> outputs;
  absl::InlinedVector<Graph*, 1> called;  // in the order of Instruction::called_computations()
  int32_t parameter = -1;                 // kParameter: index of the leaf
  int32_t constant = -1;                  // kConstant: index in Graph::constants
  bool has_effect = false;                // kept even if it has no user
  bool removed = false;

  bool IsParameter() const { return opcode == Opcode::kParameter; }
  bool IsConstant() const { return opcode == Opcode::kConstant; }
};

class Graph {
 public:
  std::string name;
  std::vector<Node> nodes;  // operands before users
  std::vector<Value> values;
  std::vector<Literal> constants;
  std::vector<ValueId> parameters;  // leaves, depth first
  std::vector<ValueId> results;
  bool has_effect = false;
  std::vector<std::unique_ptr<const Instruction>> made;  // see Made

  const ArrayType& type(ValueId value) const { return values[value].type; }
  const Node& producer(ValueId value) const { return nodes[values[value].node]; }
  // Returns the constant, or nullptr if the value is not one.
  const Literal* ConstantOf(ValueId value) const;
  NodeId Add(Node node, absl::Span<const ArrayType> outputs);
  ValueId AddConstant(Literal literal);
  // Moves all nodes out of the graph. A pass then puts back the nodes to keep and adds others.
  std::vector<Node> ReleaseNodes();
  // Appends a node that ReleaseNodes returned, with its outputs.
  void AppendNode(Node node);
  // Creates a node that the module does not contain, without adding it to `nodes`. The graph owns
  // the node's source instruction.
  Node Made(Instruction instruction, absl::Span<const ValueId> operands);
  ValueId AddMade(Instruction instruction, absl::Span<const ValueId> operands);
};

// Returns the types of a node's operands or results. Tokens have no bytes.
std::vector<ArrayType> OperandTypes(const Graph& graph, const Node& node);
std::vector<ArrayType> ResultTypes(const Graph& graph, const Node& node);

// All graphs of a module, including the entry's.
struct GraphModule {
  absl::flat_hash_map<const Computation*, std::unique_ptr<Graph>> graphs;
  Graph* entry = nullptr;
};

// Builds the graphs of a verified, static module, which has no dynamic dimensions.
absl::StatusOr<GraphModule> BuildGraphs(const Module& module);
// Builds the graph of one instruction, whose operands become parameters, and the graphs of its
// called computations.
absl::StatusOr<GraphModule> BuildGraphsOf(const Instruction& instruction);

// Returns the number of leaves of a shape.
int64_t LeafCount(const Shape& shape);

}  // namespace hlocts::plan
