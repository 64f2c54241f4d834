// SPDX-License-Identifier: Apache-2.0
// Builds a Module from documented forms that a module does not contain: the functions have the
// documented names, make the implicit broadcasting (the document "Broadcasting") explicit, and
// lower the operation to HLO. The suite's lowered cases are compared with them.
//
//   Builder b("sum");
//   Value p = b.Parameter(0, Shape(PrimitiveType::kF32, {2, 3}));
//   Value sum = b.Add(p, b.Parameter(1, Shape(PrimitiveType::kF32, {3})), {1});
//   absl::StatusOr<std::unique_ptr<Module>> module = b.Build(sum);
//
// The first error is kept; later calls return Values without an instruction, and Build returns the
// error with the id of the broken clause. A Value belongs to the computation in which it was
// created.
//
// Each operation is lowered to as few instructions as its definition needs: to broadcast a
// dimension of size 1, a reshape removes it and a broadcast adds it; AllToAll between two
// dimensions becomes all-to-all, reshape, transpose, reshape.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/infer/infer.h"
#include "spec/ir/attributes.h"
#include "spec/ir/instruction.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode.h"
#include "spec/ir/primitive_type.h"
#include "spec/ir/shape.h"

namespace hlocts {

struct Value {
  Instruction* instruction = nullptr;
  bool ok() const { return instruction != nullptr; }
  const Shape& shape() const { return instruction->shape(); }
};

// Shorthand padding of Conv and ReduceWindow.
enum class PaddingKind : uint8_t { kSame, kValid };

class Builder {
 public:
  using Values = absl::Span<const Value>;
  using Sizes = absl::Span<const int64_t>;
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  using Groups = std::vector<std::vector<int64_t>>;
  using Body = std::function<Value(Values parameters)>;

  explicit Builder(std::string name);

  // The module under construction, for reading and setting its replica and partition counts.
  Module& module() { return *module_; }
  const absl::Status& status() const { return status_; }

  // Closes the entry computation with `root`, verifies the module and returns it. Call once.
  absl::StatusOr<std::unique_ptr<Module>> Build(Value root);

  // Adds a computation that operations can call. `body` emits the instructions of the computation
  // through this builder and returns the root. Returns nullptr after an error.
  Computation* Define(absl::string_view name, const std::vector<Shape>& parameters,
                      const Body& body);
  // BinaryComputation adds (T, T) -> T with a binary opcode; CompareComputation adds (T, T) ->
  // PRED.
  Computation* BinaryComputation(Opcode opcode, PrimitiveType type);
  Computation* CompareComputation(absl::string_view direction, PrimitiveType type);

  // --- Sources, tuples ---------------------------------------------------------------------------
  Value Parameter(int64_t number, Shape shape);
  Value Constant(Literal literal);
  Value Tuple(Values elements);                       // tuple.1
  Value GetTupleElement(Value tuple, int64_t index);  // get_tuple_element.1

  // --- Element-wise ------------------------------------------------------------------------------
  // elementwise_binary.33: the shapes are equal or compatible, or one is a scalar. Other shapes of
  // different ranks require broadcast_dimensions.
  Value Add(Value lhs, Value rhs, Sizes broadcast_dimensions = {}) {  // elementwise_binary.2
    return Binary("Add", Opcode::kAdd, lhs, rhs, broadcast_dimensions);
  }
  Value Mul(Value lhs, Value rhs, Sizes broadcast_dimensions = {}) {  // elementwise_binary.4
    return Binary("Mul", Opcode::kMultiply, lhs, rhs, broadcast_dimensions);
  }
  // `direction` is EQ, NE, GE, GT, LE or LT (elementwise_comparison.4 to .9).
  Value Compare(absl::string_view direction, Value lhs, Value rhs, Sizes broadcast_dimensions = {});
  Value Conj(Value operand);                                // emits real, imag, negate, complex
  Value Square(Value operand);                              // multiplies the operand by itself
  Value Select(Value pred, Value on_true, Value on_false);  // select.2; tuples: ruling 0080

  // --- Movement ----------------------------------------------------------------------------------
  Value Broadcast(Value operand, Sizes broadcast_sizes);  // broadcast.2: new dimensions on the left
  Value BroadcastInDim(Value operand, Sizes out_dim_size, Sizes broadcast_dimensions);
  Value Reshape(Value operand, Sizes new_sizes);      // reshape.2
  Value Collapse(Value operand, Sizes dimensions);    // collapse.2
  Value Transpose(Value operand, Sizes permutation);  // transpose.4
  Value Slice(Value operand, Sizes start_indices, Sizes limit_indices);

  // --- Contraction, reduction, ordering, replicas ------------------------------------------------
  Value Dot(Value lhs, Value rhs);                                              // dot.1
  Value Conv(Value lhs, Value rhs, Sizes window_strides, PaddingKind padding);  // conv.1
  // Batch and feature dimensions come first, as in conv_with_general_padding.11, .15 and .47. Empty
  // strides mean 1; empty padding means none.
  Value ConvWithGeneralPadding(Value lhs, Value rhs, Sizes window_strides, const Pairs& padding);
  Value ReduceWindow(Value operand, Value init_value, Computation* computation,
                     Sizes window_dimensions, Sizes window_strides,
                     PaddingKind padding);               // reduce_window.6
  Value Sort(Values operands, Computation* comparator);  // sort.1, along the last dimension (.12)
  Value AllToAll(Value operand, int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count);  // all_to_all.11, of all replicas

  // --- The 2018 edition (edition_2018.cc) --------------------------------------------------------
  Value LogicalAnd(Value lhs, Value rhs);  // of PRED
  Value LogicalOr(Value lhs, Value rhs);
  Value LogicalNot(Value operand);
  Value SortKey(Value operand);                        // sort.27: ascending
  Value SortKeyValue(Value keys, Value values);        // sort.29: (keys, values)
  Value IotaVector(PrimitiveType type, int64_t size);  // iota.3
  Value ReshapePermuting(Value operand, Sizes dimensions, Sizes new_sizes);  // reshape.4
  // cross_replica_sum.2, .6. `replica_group_ids` has a group id for each replica, or is empty.
  Value CrossReplicaSum(Value operand, Sizes replica_group_ids = {});
  Value Gather2018(Value operand, Value start_indices, int64_t index_vector_dim, Sizes offset_dims,
                   Sizes slice_sizes, Sizes collapsed_slice_dims, Sizes start_index_map);

  // --- Aliasing ("Aliasing in XLA") --------------------------------------------------------------
  // aliasing.10: the output uses the parameter's buffer. must_alias: a run that cannot alias is
  // rejected.
  void SetUpAlias(const ShapeIndex& output_index, int64_t parameter_number,
                  const ShapeIndex& parameter_index, bool must_alias = false);

 private:
  using Attributes = std::vector<std::pair<Attr, AttributeValue>>;

  // Adds an instruction with the inferred shape, or `stated` if only the builder knows the shape.
  Value Emit(Opcode opcode, Values operands, Attributes attributes = {}, Shape stated = Shape());
  Value Fail(absl::Status status);  // keeps the first error
  Value FailRule(absl::string_view operation, absl::string_view rule, absl::string_view expected,
                 absl::string_view found);
  bool Usable(Values operands);
  bool Usable(const Computation* computation);
  std::string UniqueName(absl::string_view stem);

  Value Binary(absl::string_view operation, Opcode opcode, Value lhs, Value rhs,
               Sizes broadcast_dimensions = {}, Attributes attributes = {});
  // Broadcasts both operands to their common shape. Returns nullopt after an error.
  std::optional<std::pair<Value, Value>> BroadcastOperands(absl::string_view operation, Value lhs,
                                                           Value rhs, Sizes broadcast_dimensions);
  // Broadcasts `operand` to `target`. Dimension i of `operand`, whose size is 1 or the target's,
  // becomes dimension dimensions[i].
  Value BroadcastTo(Value operand, const Shape& target, Sizes dimensions);

  std::unique_ptr<Module> module_;
  Computation* entry_;
  Computation* current_;
  ShapeInference inference_;
  absl::Status status_;
  absl::flat_hash_map<std::string, int64_t> name_counts_;
};

}  // namespace hlocts
