// SPDX-License-Identifier: Apache-2.0
// Builds a Module from the documented operations. The functions have the documented names, make the
// implicit broadcasting (the document "Broadcasting") explicit, and lower the operation to HLO.
//
//   Builder b("increment");
//   Value p = b.Parameter(0, Shape(PrimitiveType::kF32, {2, 3}), "p");
//   Value sum = b.Add(p, b.Scalar(PrimitiveType::kF32, 1));
//   b.SetUpAlias({}, 0, {});
//   absl::StatusOr<std::unique_ptr<Module>> module = b.Build(sum);
//
// The first error is kept; later calls return Values without an instruction, and Build returns the
// error with the id of the broken clause. A Value belongs to the computation in which it was
// created.
//
// Each operation is lowered to as few instructions as its definition needs: to broadcast a
// dimension of size 1, a reshape removes it and a broadcast adds it; AllToAll between two
// dimensions becomes all-to-all, reshape, transpose, reshape.
//
// To add an operation, declare it here with its clause and define it in the file for its kind of
// operation; a single element-wise instruction is one line of elementwise.def. A test fails if an
// operation of spec/ops has no function.
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
#include "spec/infer/dimension_numbers.h"
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

// Shorthand padding of Conv, ReduceWindow and SelectAndScatter.
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

  // --- Sources -----------------------------------------------------------------------------------
  Value Parameter(int64_t number, Shape shape, absl::string_view name = "");
  Value Constant(Literal literal);
  Value Scalar(PrimitiveType type, double value);          // a constant; complex: value + 0i
  Value Iota(const Shape& shape, int64_t iota_dimension);  // iota.2
  Value ReplicaId();                                       // replica_id.3
  Value PartitionId();
  Value RngUniform(Value a, Value b, const Shape& shape);      // rng_uniform.7
  Value RngNormal(Value mu, Value sigma, const Shape& shape);  // rng_normal.6
  // rng_bit_generator.8: returns (updated state, data). `algorithm` is rng_default, rng_three_fry
  // or rng_philox.
  Value RngBitGenerator(absl::string_view algorithm, Value initial_state, const Shape& shape);

  // --- Element-wise ------------------------------------------------------------------------------
#define HLOCTS_BUILDER_UNARY(Name, Opcode) Value Name(Value operand);
// elementwise_binary.33: the shapes are equal or compatible, or one is a scalar. Other shapes of
// different ranks require broadcast_dimensions.
#define HLOCTS_BUILDER_BINARY(Name, Opcode) \
  Value Name(Value lhs, Value rhs, Sizes broadcast_dimensions = {});
#define HLOCTS_BUILDER_COMPARE(Name, direction, type) \
  Value Name(Value lhs, Value rhs, Sizes broadcast_dimensions = {});
#include "spec/builder/elementwise.def"
#undef HLOCTS_BUILDER_UNARY
#undef HLOCTS_BUILDER_BINARY
#undef HLOCTS_BUILDER_COMPARE
  Value Compare(Value lhs, Value rhs, absl::string_view direction, absl::string_view type = "",
                Sizes broadcast_dimensions = {});
  Value Conj(Value operand);                                // emits real, imag, negate, complex
  Value Square(Value operand);                              // multiplies the operand by itself
  Value Clamp(Value min, Value operand, Value max);         // clamp.2
  Value Select(Value pred, Value on_true, Value on_false);  // select.2; tuples: ruling 0080
  Value ConvertElementType(Value operand,
                           PrimitiveType new_element_type);  // convert_element_type.3
  Value BitcastConvertType(Value operand,
                           PrimitiveType new_element_type);  // bitcast_convert_type.5
  Value ReducePrecision(Value operand, int64_t exponent_bits, int64_t mantissa_bits);

  // --- Movement ----------------------------------------------------------------------------------
  Value Broadcast(Value operand, Sizes broadcast_sizes);  // broadcast.2: new dimensions on the left
  Value BroadcastInDim(Value operand, Sizes out_dim_size, Sizes broadcast_dimensions);
  Value Reshape(Value operand, Sizes new_sizes);      // reshape.2
  Value Collapse(Value operand, Sizes dimensions);    // collapse.2
  Value Transpose(Value operand, Sizes permutation);  // transpose.4
  Value Rev(Value operand, Sizes dimensions);         // rev.1
  Value Slice(Value operand, Sizes start_indices, Sizes limit_indices, Sizes strides = {});
  Value Pad(Value operand, Value padding_value, const PaddingConfig& padding_config);  // pad.1
  Value Concatenate(Values operands, int64_t dimension);  // concatenate.4
  // dynamic_slice.6: `start_indices` are N scalars; dynamic_slice.7 (2018): one array of N
  // integers.
  Value DynamicSlice(Value operand, Values start_indices, Sizes size_indices);
  Value DynamicUpdateSlice(Value operand, Value update, Values start_indices);
  Value Gather(Value operand, Value start_indices, const GatherDimensionNumbers& dimension_numbers,
               Sizes slice_sizes, bool indices_are_sorted = false);  // gather.2
  Value Scatter(Values operands, Value scatter_indices, Values updates,
                Computation* update_computation, const ScatterDimensionNumbers& dimension_numbers,
                bool indices_are_sorted = false, bool unique_indices = false);  // scatter.2
  Value GetDimensionSize(Value operand, int64_t dimension);
  Value SetDimensionSize(Value operand, Value size, int64_t dimension);

  // --- Contraction, reduction, ordering, linear algebra ------------------------------------------
  Value Dot(Value lhs, Value rhs);  // dot.1: one or two dimensions
  // `preferred_element_type` is the element type of the result; kInvalid means the operands' type.
  Value DotGeneral(Value lhs, Value rhs, const DotDimensionNumbers& dimension_numbers,
                   PrimitiveType preferred_element_type = PrimitiveType::kInvalid);
  Value Conv(Value lhs, Value rhs, Sizes window_strides, PaddingKind padding,
             int64_t feature_group_count = 1, int64_t batch_group_count = 1);  // conv.1
  // Batch and feature dimensions come first, as in conv_with_general_padding.11, .15 and .47. Empty
  // strides and dilations mean 1; empty padding means none.
  Value ConvWithGeneralPadding(Value lhs, Value rhs, Sizes window_strides, const Pairs& padding,
                               Sizes lhs_dilation = {}, Sizes rhs_dilation = {},
                               int64_t feature_group_count = 1, int64_t batch_group_count = 1);
  Value Reduce(Values operands, Values init_values, Computation* computation, Sizes dimensions);
  Value ReduceWindow(Values operands, Values init_values, Computation* computation,
                     Sizes window_dimensions, Sizes window_strides, PaddingKind padding,
                     Sizes base_dilations = {}, Sizes window_dilations = {});  // reduce_window.6
  Value ReduceWindowWithGeneralPadding(Values operands, Values init_values,
                                       Computation* computation, const Window& window);
  Value SelectAndScatter(Value operand, Computation* select, Sizes window_dimensions,
                         Sizes window_strides, PaddingKind padding, Value source, Value init_value,
                         Computation* scatter);          // select_and_scatter.16
  Value Map(Values operands, Computation* computation);  // map.1, over all dimensions
  Value Sort(Values operands, Computation* comparator, int64_t dimension = -1,
             bool is_stable = false);                         // sort.1, .12
  Value TopK(Value operand, int64_t k, bool largest = true);  // top_k.2
  Value Cholesky(Value a, bool lower);                        // cholesky.2
  // triangular_solve.5. `transpose_a` is NO_TRANSPOSE, TRANSPOSE or ADJOINT.
  Value TriangularSolve(Value a, Value b, bool left_side, bool lower, bool unit_diagonal,
                        absl::string_view transpose_a);
  Value Fft(Value operand, absl::string_view fft_type, Sizes fft_length);
  Value BatchNormTraining(Value operand, Value scale, Value offset, double epsilon,
                          int64_t feature_index);
  Value BatchNormInference(Value operand, Value scale, Value offset, Value mean, Value variance,
                           double epsilon, int64_t feature_index);
  Value BatchNormGrad(Value operand, Value scale, Value mean, Value variance, Value grad_output,
                      double epsilon, int64_t feature_index);

  // --- Tuples and control flow -------------------------------------------------------------------
  Value Tuple(Values elements);                            // tuple.1
  Value GetTupleElement(Value tuple, int64_t index);       // get_tuple_element.1
  Value Call(Computation* computation, Values arguments);  // call.2
  // composite_call.11: a call whose meaning is its decomposition.
  Value CompositeCall(Computation* decomposition, Values inputs, absl::string_view name,
                      absl::string_view composite_attributes = "{}", int64_t version = 0);
  Value While(Computation* condition, Computation* body, Value init);  // while.1
  Value Conditional(Value pred, Value true_operand, Computation* true_computation,
                    Value false_operand, Computation* false_computation);  // conditional.1
  Value Conditional(Value branch_index, absl::Span<Computation* const> branch_computations,
                    Values branch_operands);  // conditional.16
  Value CustomCall(absl::string_view target_name, Values arguments, const Shape& shape);
  Value OptimizationBarrier(Value operand);  // optimization_barrier.1

  // --- Replicas, channels, tokens ----------------------------------------------------------------
  Value AllGather(Value operand, int64_t all_gather_dim, int64_t shard_count,
                  const Groups& replica_groups = {}, std::optional<int64_t> channel_id = {});
  // all_reduce.3: reduces one array, or reduces several arrays and returns a tuple.
  Value AllReduce(Values operands, Computation* computation, const Groups& replica_groups = {},
                  std::optional<int64_t> channel_id = {});
  Value AllToAll(Value operand, int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count, const Groups& replica_groups = {});  // all_to_all.11
  Value CollectivePermute(Value operand, const Pairs& source_target_pairs);
  Value CollectiveBroadcast(Value operand, const Groups& replica_groups);
  // ragged_all_to_all.2. The operands are in the order of the signature in the document.
  Value RaggedAllToAll(Value input, Value input_offsets, Value send_sizes, Value output,
                       Value output_offsets, Value recv_sizes, const Groups& replica_groups);
  Value ReduceScatter(Value operand, Computation* computation, int64_t scatter_dim,
                      int64_t shard_count, const Groups& replica_groups = {},
                      std::optional<int64_t> channel_id = {});
  Value AfterAll(Values tokens);  // after_all.5
  // infeed.1: returns the data. Infeeds run in the order of these calls (infeed.7).
  Value Infeed(const Shape& shape);
  Value Outfeed(Value operand);                        // returns the token
  void Send(Value operand, int64_t channel_id);        // send.1: emits send and send-done
  Value Recv(const Shape& shape, int64_t channel_id);  // recv.1: emits recv and recv-done

  // --- The 2018 edition (edition_2018.cc) --------------------------------------------------------
  Value LogicalAnd(Value lhs, Value rhs, Sizes broadcast_dimensions = {});  // of PRED
  Value LogicalOr(Value lhs, Value rhs, Sizes broadcast_dimensions = {});
  Value LogicalNot(Value operand);
  Value SortKey(Value operand, int64_t dimension = -1);                  // sort.27: ascending
  Value SortKeyValue(Value keys, Value values, int64_t dimension = -1);  // sort.29: (keys, values)
  Value IotaVector(PrimitiveType type, int64_t size);                    // iota.3
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
  bool Usable(absl::Span<Computation* const> computations);
  std::string UniqueName(absl::string_view stem);
  int64_t Normalize(Value operand, int64_t dimension) const;  // -1 means the last (shapes.9)

  Value Binary(absl::string_view operation, Opcode opcode, Value lhs, Value rhs,
               Sizes broadcast_dimensions, Attributes attributes = {});
  // Broadcasts both operands to their common shape. Returns nullopt after an error.
  std::optional<std::pair<Value, Value>> BroadcastOperands(absl::string_view operation, Value lhs,
                                                           Value rhs, Sizes broadcast_dimensions);
  // Broadcasts `operand` to `target`. Dimension i of `operand`, whose size is 1 or the target's,
  // becomes dimension dimensions[i].
  Value BroadcastTo(Value operand, const Shape& target, Sizes dimensions);
  std::optional<Window> MakeWindow(absl::string_view operation, Sizes base, Sizes sizes,
                                   Sizes strides, PaddingKind padding, Sizes base_dilations,
                                   Sizes window_dilations);

  std::unique_ptr<Module> module_;
  Computation* entry_;
  Computation* current_;
  ShapeInference inference_;
  absl::Status status_;
  absl::flat_hash_map<std::string, int64_t> name_counts_;
  absl::flat_hash_map<const Computation*, Value> infeed_tokens_;
};

}  // namespace hlocts
