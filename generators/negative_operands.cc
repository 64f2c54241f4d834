// SPDX-License-Identifier: Apache-2.0
// Breaks rules about operands: gives an operand another type, size or number of dimensions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "generators/negative_rows.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {
namespace {

using Changed = std::optional<Shape>;

Changed OtherType(const Instruction&, const Shape& operand) {
  if (!operand.IsArray()) return std::nullopt;
  bool floating = IsFloat(operand.element_type());
  return Shape(floating ? PrimitiveType::kS32 : PrimitiveType::kF32, operand.dimensions());
}
Changed Floats(const Instruction&, const Shape& operand) {
  return Shape(PrimitiveType::kF32, operand.dimensions());
}
Changed Vector(const Instruction&, const Shape& operand) {
  if (!operand.IsScalar()) return std::nullopt;
  return Shape(operand.element_type(), {2});
}
Changed OneDimensionMore(const Instruction&, const Shape& operand) {
  if (!operand.IsArray()) return std::nullopt;
  Sizes dims = operand.dimensions();
  dims.push_back(2);
  return Shape(operand.element_type(), std::move(dims));
}
// Grows a dimension. A negative number counts from the last dimension: -1 is the last one.
Changed LargerIn(const Shape& operand, int64_t dimension) {
  Sizes dims = operand.dimensions();
  int64_t rank = static_cast<int64_t>(dims.size());
  if (dimension < 0) dimension += rank;
  if (dimension < 0 || dimension >= rank) return std::nullopt;
  ++dims[dimension];
  return Shape(operand.element_type(), std::move(dims));
}
Changed Larger(const Instruction&, const Shape& operand) { return LargerIn(operand, 0); }
Changed LongerRows(const Instruction&, const Shape& operand) { return LargerIn(operand, -1); }
Changed FirstOf(const Instruction&, const Shape& operand) {  // a matrix becomes a vector
  if (operand.rank() != 2) return std::nullopt;
  return Shape(operand.element_type(), {operand.dimension(0)});
}

// Gives a predicate or bound more dimensions than the result has.
Changed MoreDimensionsThanTheResult(const Instruction& user, const Shape& operand) {
  Sizes dims = user.shape().dimensions();
  dims.push_back(2);
  return Shape(operand.element_type(), std::move(dims));
}

Changed LargerBesideTheDimension(const Instruction& user, const Shape& operand) {
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (d != user.IntList(Attr::kDimensions)[0]) return LargerIn(operand, d);
  }
  return std::nullopt;
}
template <Attr kAttr>
Changed LargerInTheFirstOf(const Instruction& user, const Shape& operand) {
  const Sizes& dimensions = user.IntList(kAttr);
  if (dimensions.empty()) return std::nullopt;
  return LargerIn(operand, dimensions[0]);
}
Changed LargerThanTheOperand(const Instruction& user, const Shape& update) {
  if (update.rank() == 0) return std::nullopt;
  Sizes dims = update.dimensions();
  dims[0] = user.operand(0).shape().dimension(0) + 1;
  return Shape(update.element_type(), std::move(dims));
}
Changed WindowLargerThanTheOperand(const Instruction& user, const Shape& updates) {
  const Sizes& windows = user.IntList(Attr::kUpdateWindowDims);
  if (windows.empty() || user.operand(0).shape().rank() == 0) return std::nullopt;
  Sizes dims = updates.dimensions();
  const Sizes& sizes = user.operand(0).shape().dimensions();
  dims[windows[0]] = *std::max_element(sizes.begin(), sizes.end()) + 1;
  return Shape(updates.element_type(), std::move(dims));
}
Changed AnotherBatch(const Instruction& user, const Shape& updates) {
  const Sizes& windows = user.IntList(Attr::kUpdateWindowDims);
  for (int64_t d = 0; d < updates.rank(); ++d) {
    if (std::find(windows.begin(), windows.end(), d) == windows.end()) return LargerIn(updates, d);
  }
  return std::nullopt;
}

Changed MoreInputFeatures(const Instruction& user, const Shape& kernel) {
  return LargerIn(kernel, LabelsOf(user).kernel_input_feature);
}
Changed LargerThanTheWindow(const Instruction& user, const Shape& kernel) {
  const ConvolutionDimensionNumbers& labels = LabelsOf(user);
  return labels.kernel_spatial.empty() ? std::nullopt : LargerIn(kernel, labels.kernel_spatial[0]);
}
Changed OutputsThatGroupsDoNotDivide(const Instruction& user, const Shape& kernel) {
  return user.IntOr(Attr::kFeatureGroupCount, 1) > 1
             ? LargerIn(kernel, LabelsOf(user).kernel_output_feature)
             : std::nullopt;
}
Changed OutputsThatBatchGroupsDoNotDivide(const Instruction& user, const Shape& kernel) {
  return user.IntOr(Attr::kBatchGroupCount, 1) > 1
             ? LargerIn(kernel, LabelsOf(user).kernel_output_feature)
             : std::nullopt;
}

template <bool kLeft>
Changed AnotherSystem(const Instruction& solve, const Shape& b) {
  if (solve.BoolOr(Attr::kLeftSide, false) != kLeft) return std::nullopt;
  return LargerIn(b, kLeft ? -2 : -1);
}

bool TwoWay(const Instruction& user) { return !user.Has(Attr::kBranchComputations); }
Changed TwoWaySelectors(const Instruction& user, const Shape& selector) {
  return TwoWay(user) ? Vector(user, selector) : std::nullopt;
}
Changed SelectorsOfSeveral(const Instruction& user, const Shape& selector) {
  return TwoWay(user) ? std::nullopt : Vector(user, selector);
}
Changed OfTwoWays(const Instruction& user, const Shape& operand) {
  return TwoWay(user) ? OneDimensionMore(user, operand) : std::nullopt;
}
Changed OfSeveralWays(const Instruction& user, const Shape& operand) {
  return TwoWay(user) ? std::nullopt : OneDimensionMore(user, operand);
}

template <bool kNormal>
Changed BoundsOfRng(const Instruction& rng, const Shape& operand) {
  return (rng.WordOr(Attr::kDistribution, "") == "rng_normal") == kNormal ? Vector(rng, operand)
                                                                          : std::nullopt;
}
template <bool kNormal>
Changed BoundsOfOtherType(const Instruction& rng, const Shape& operand) {
  return (rng.WordOr(Attr::kDistribution, "") == "rng_normal") == kNormal ? OtherType(rng, operand)
                                                                          : std::nullopt;
}
Changed StateOfPhilox(const Instruction& rng, const Shape&) {
  if (rng.WordOr(Attr::kAlgorithm, "") != "rng_three_fry") return std::nullopt;
  return Shape(PrimitiveType::kU64, {3});
}
Changed StateOfOne(const Instruction& rng, const Shape&) {
  if (rng.WordOr(Attr::kAlgorithm, "") != "rng_philox") return std::nullopt;
  return Shape(PrimitiveType::kU64, {1});
}

template <absl::string_view (*kKind)()>
Changed RealFor(const Instruction& fft, const Shape& operand) {
  return fft.WordOr(Attr::kFftType, "") == kKind() ? Floats(fft, operand) : std::nullopt;
}
absl::string_view Forward() { return "FFT"; }
absl::string_view Inverse() { return "IFFT"; }
absl::string_view InverseReal() { return "IRFFT"; }
Changed ComplexForReal(const Instruction& fft, const Shape& operand) {
  if (fft.WordOr(Attr::kFftType, "") != "RFFT") return std::nullopt;
  return Shape(PrimitiveType::kC64, operand.dimensions());
}
Changed FewerDimensionsThanLengths(const Instruction& fft, const Shape& operand) {
  Sizes dims = operand.dimensions();
  while (dims.size() >= fft.IntList(Attr::kFftLength).size()) dims.pop_back();
  return Shape(operand.element_type(), std::move(dims));
}
Changed ATuple(const Instruction&, const Shape&) { return Shape::Tuple({}); }
Changed OtherRatio(const Instruction& convert, const Shape& operand) {
  bool narrower = BitWidth(operand.element_type()) < BitWidth(convert.shape().element_type());
  return narrower ? LargerIn(operand, -1) : std::nullopt;
}
Changed AnArray(const Instruction&, const Shape&) { return Shape(PrimitiveType::kF32, {2}); }

void AddFamilies(std::vector<OperandRow>& rows) {
  for (Opcode opcode : AllOpcodes()) {
    if (RowOf(opcode).family != Family::kElementwiseBinary) continue;
    rows.push_back({opcode, "elementwise_binary.21", 1, OtherType});
    rows.push_back({opcode, "elementwise_binary.22", 1, OneDimensionMore});
    rows.push_back({opcode, "elementwise_binary.22", 1, Larger});
  }
}

constexpr OperandRow kOperandRows[] = {
    {Opcode::kCompare, "elementwise_comparison.24", 1, OtherType},
    {Opcode::kCompare, "elementwise_comparison.25", 1, OneDimensionMore},
    {Opcode::kClamp, "clamp.3", 0, OtherType},
    {Opcode::kClamp, "clamp.5", 2, OtherType},
    {Opcode::kClamp, "clamp.10", 0, MoreDimensionsThanTheResult},
    {Opcode::kClamp, "clamp.10", 2, MoreDimensionsThanTheResult},
    {Opcode::kSelect, "select.5", 2, OtherType},
    {Opcode::kSelect, "select.6", 2, OneDimensionMore},
    {Opcode::kSelect, "select.8", 0, MoreDimensionsThanTheResult},
    {Opcode::kSelect, "select.4", 1, ATuple},
    {Opcode::kClamp, "clamp.4", 1, ATuple},
    {Opcode::kMap, "map.5", 1, OneDimensionMore},
    {Opcode::kMap, "map.2", 1, ATuple},
    {Opcode::kSort, "sort.13", 1, Larger},
    {Opcode::kSort, "sort.2", 1, ATuple},
    {Opcode::kReduce, "reduce.10", 1, Larger},
    {Opcode::kBitcastConvert, "bitcast_convert_type.16", 0, OtherRatio},
    {Opcode::kBroadcast, "broadcast_in_dim.9", 0, Larger},
    {Opcode::kConcatenate, "concatenate.5", 1, OtherType},
    {Opcode::kConcatenate, "concatenate.2", 1, OneDimensionMore},
    {Opcode::kConcatenate, "concatenate.9", 1, LargerBesideTheDimension},
    {Opcode::kPad, "pad.3", 1, OtherType},
    {Opcode::kPad, "pad.3", 1, Vector},
    {Opcode::kDynamicSlice, "dynamic_slice.9", 1, Floats},
    {Opcode::kDynamicUpdateSlice, "dynamic_update_slice.7", 1, OtherType},
    {Opcode::kDynamicUpdateSlice, "dynamic_update_slice.7", 1, OneDimensionMore},
    {Opcode::kDynamicUpdateSlice, "dynamic_update_slice.9", 1, LargerThanTheOperand},
    {Opcode::kDynamicUpdateSlice, "dynamic_update_slice.10", 2, Floats},
    {Opcode::kGather, "gather.4", 1, Floats},
    {Opcode::kScatter, "scatter.5", 1, Floats},
    {Opcode::kScatter, "scatter.6", 2, OtherType},
    {Opcode::kScatter, "scatter.24", 2, OneDimensionMore},
    {Opcode::kScatter, "scatter.25", 2, WindowLargerThanTheOperand},
    {Opcode::kScatter, "scatter.26", 2, AnotherBatch},
    {Opcode::kDot, "dot_general.3", 1, OtherType},
    {Opcode::kDot, "dot_general.12", 1, LargerInTheFirstOf<Attr::kRhsContractingDims>},
    {Opcode::kDot, "dot_general.16", 1, LargerInTheFirstOf<Attr::kRhsBatchDims>},
    {Opcode::kConvolution, "conv_with_general_padding.3", 1, OtherType},
    {Opcode::kConvolution, "conv_with_general_padding.2", 0, OneDimensionMore},
    {Opcode::kConvolution, "conv_with_general_padding.38", 1, MoreInputFeatures},
    {Opcode::kConvolution, "conv_with_general_padding.18", 1, LargerThanTheWindow},
    {Opcode::kConvolution, "conv_with_general_padding.35", 1, OutputsThatGroupsDoNotDivide},
    {Opcode::kConvolution, "conv_with_general_padding.46", 1, OutputsThatBatchGroupsDoNotDivide},
    {Opcode::kReduce, "reduce.4", -1, OtherType},
    {Opcode::kReduce, "reduce.4", -1, Vector},
    {Opcode::kReduce, "reduce.5", 0, OtherType},
    {Opcode::kReduceWindow, "reduce_window.8", -1, OtherType},
    {Opcode::kReduceWindow, "reduce_window.8", -1, Vector},
    {Opcode::kReduceWindow, "reduce_window.9", 0, OtherType},
    {Opcode::kSelectAndScatter, "select_and_scatter.14", 1, Larger},
    {Opcode::kSelectAndScatter, "select_and_scatter.23", 2, Vector},
    {Opcode::kMap, "map.7", 0, OtherType},
    {Opcode::kSort, "sort.16", 0, OtherType},
    {Opcode::kCholesky, "cholesky.1", 0, LongerRows},
    {Opcode::kCholesky, "cholesky.4", 0, FirstOf},
    {Opcode::kTriangularSolve, "triangular_solve.6", 0, LongerRows},
    {Opcode::kTriangularSolve, "triangular_solve.7", 0, FirstOf},
    {Opcode::kTriangularSolve, "triangular_solve.10", 1, OtherType},
    {Opcode::kTriangularSolve, "triangular_solve.19", 1, OneDimensionMore},
    {Opcode::kTriangularSolve, "triangular_solve.8", 1, AnotherSystem<true>},
    {Opcode::kTriangularSolve, "triangular_solve.9", 1, AnotherSystem<false>},
    {Opcode::kFft, "fft.7", 0, RealFor<Forward>},
    {Opcode::kFft, "fft.8", 0, RealFor<Inverse>},
    {Opcode::kFft, "fft.13", 0, RealFor<InverseReal>},
    {Opcode::kFft, "fft.10", 0, ComplexForReal},
    {Opcode::kFft, "fft.16", 0, FewerDimensionsThanLengths},
    {Opcode::kBatchNormTraining, "batch_norm_training.4", 1, Larger},
    {Opcode::kBatchNormTraining, "batch_norm_training.5", 2, Larger},
    {Opcode::kBatchNormInference, "batch_norm_inference.4", 1, Larger},
    {Opcode::kBatchNormInference, "batch_norm_inference.5", 2, OneDimensionMore},
    {Opcode::kBatchNormInference, "batch_norm_inference.6", 3, OtherType},
    {Opcode::kBatchNormInference, "batch_norm_inference.7", 4, Larger},
    {Opcode::kBatchNormGrad, "batch_norm_grad.4", 1, Larger},
    {Opcode::kBatchNormGrad, "batch_norm_grad.5", 2, OtherType},
    {Opcode::kBatchNormGrad, "batch_norm_grad.6", 3, OneDimensionMore},
    {Opcode::kBatchNormGrad, "batch_norm_grad.7", 4, Larger},
    {Opcode::kRng, "rng_normal.5", 0, BoundsOfRng<true>},
    {Opcode::kRng, "rng_uniform.5", 0, BoundsOfRng<false>},
    {Opcode::kRng, "rng_normal.9", 1, BoundsOfOtherType<true>},
    {Opcode::kRng, "rng_uniform.3", 1, BoundsOfOtherType<false>},
    {Opcode::kRngBitGenerator, "rng_bit_generator.14", 0, StateOfPhilox},
    {Opcode::kRngBitGenerator, "rng_bit_generator.16", 0, StateOfOne},
    {Opcode::kGetTupleElement, "get_tuple_element.1", 0, AnArray},
    {Opcode::kSetDimensionSize, "set_dimension_size.5", 1, OtherType},
    {Opcode::kCall, "call.7", 0, OneDimensionMore},
    {Opcode::kFusion, "hlo.fusion", 0, OneDimensionMore},
    {Opcode::kConditional, "conditional.2", 0, TwoWaySelectors},
    {Opcode::kConditional, "conditional.17", 0, SelectorsOfSeveral},
    {Opcode::kConditional, "conditional.12", 1, OfTwoWays},
    {Opcode::kConditional, "conditional.13", 2, OfTwoWays},
    {Opcode::kConditional, "conditional.24", 1, OfSeveralWays},
};

}  // namespace

std::vector<OperandRow> OperandBreaks() {
  std::vector<OperandRow> rows(std::begin(kOperandRows), std::end(kOperandRows));
  AddFamilies(rows);
  return rows;
}

void ReplaceOperand(Instruction& user, int64_t operand, const Shape& shape) {
  Computation* computation = user.parent();
  std::string name = absl::StrCat("broken.", user.name());
  auto owned = std::make_unique<Instruction>(std::move(name),
                                             shape.IsTuple() ? Opcode::kTuple : Opcode::kConstant,
                                             shape.WithDefaultLayout());
  if (!shape.IsTuple()) owned->set_literal(Literal(owned->shape()));
  Instruction* added = computation->Add(std::move(owned));
  user.mutable_operands()[operand] = added;
  MoveToFront(added);
}

}  // namespace hlocts::generators
