// SPDX-License-Identifier: Apache-2.0
// Breaks rules about attributes: out-of-range, repeated or too many dimensions; out-of-range sizes
// and steps.

#include "generators/negative_rows.h"

namespace hlocts::generators {
namespace {

int64_t OperandRank(const Instruction& instruction) {
  return instruction.operand(0).shape().rank();
}

bool SetDimensions(Instruction& instruction, Sizes dimensions) {
  instruction.Set(Attr::kDimensions, std::move(dimensions));
  return true;
}

bool RepeatDimension(Instruction& instruction) {
  Sizes dimensions = instruction.IntList(Attr::kDimensions);
  if (dimensions.size() < 2) return false;
  dimensions[0] = dimensions[1];
  return SetDimensions(instruction, dimensions);
}
bool DimensionBeyondTheLast(Instruction& instruction) {
  Sizes dimensions = instruction.IntList(Attr::kDimensions);
  if (dimensions.empty()) return false;
  dimensions[0] = OperandRank(instruction);
  return SetDimensions(instruction, dimensions);
}
bool NegativeDimension(Instruction& instruction) {
  if (instruction.IntList(Attr::kDimensions).empty()) return false;
  return SetDimensions(instruction, {-1});
}
bool NoDimension(Instruction& instruction) {
  if (instruction.IntList(Attr::kDimensions).empty()) return false;
  return SetDimensions(instruction, {});
}
bool OneDimensionMore(Instruction& instruction) {
  Sizes dimensions = instruction.IntList(Attr::kDimensions);
  dimensions.push_back(0);
  return SetDimensions(instruction, dimensions);
}
bool BroadcastBeyondTheResult(Instruction& instruction) {
  Sizes dimensions = instruction.IntList(Attr::kDimensions);
  if (dimensions.empty()) return false;
  dimensions.back() = instruction.shape().rank();
  return SetDimensions(instruction, dimensions);
}

template <typename Change>
bool ChangeSlice(Instruction& instruction, const Change& change) {
  SliceRanges ranges = *instruction.Get<SliceRanges>(Attr::kSlice);
  if (ranges.dimensions.empty()) return false;
  change(ranges, instruction.operand(0).shape().dimension(0));
  instruction.Set(Attr::kSlice, ranges);
  return true;
}
bool LimitBeyondTheSize(Instruction& i) {
  return ChangeSlice(
      i, [](SliceRanges& ranges, int64_t size) { ranges.dimensions[0].limit = size + 1; });
}
bool StrideOfZero(Instruction& i) {
  return ChangeSlice(i, [](SliceRanges& ranges, int64_t) { ranges.dimensions[0].stride = 0; });
}
bool NegativeStart(Instruction& i) {
  return ChangeSlice(i, [](SliceRanges& ranges, int64_t) { ranges.dimensions[0].start = -1; });
}
bool StartBeyondTheLimit(Instruction& i) {
  return ChangeSlice(i, [](SliceRanges& ranges, int64_t) {
    ranges.dimensions[0].start = ranges.dimensions[0].limit + 1;
  });
}
bool OneRangeLess(Instruction& i) {
  return ChangeSlice(i, [](SliceRanges& ranges, int64_t) { ranges.dimensions.pop_back(); });
}

template <typename Change>
bool ChangePadding(Instruction& instruction, const Change& change) {
  PaddingConfig padding = *instruction.Get<PaddingConfig>(Attr::kPadding);
  if (padding.dimensions.empty()) return false;
  change(padding);
  instruction.Set(Attr::kPadding, padding);
  return true;
}
bool NegativeInterior(Instruction& i) {
  return ChangePadding(i, [](PaddingConfig& padding) { padding.dimensions[0].interior = -1; });
}
bool NothingIsLeft(Instruction& i) {
  return ChangePadding(i,
                       [](PaddingConfig& padding) { padding.dimensions[0].low = -1'000'000'000; });
}
bool OnePaddingLess(Instruction& i) {
  return ChangePadding(i, [](PaddingConfig& padding) { padding.dimensions.pop_back(); });
}

template <typename Change>
bool ChangeWindow(Instruction& instruction, const Change& change) {
  const Window* window = instruction.Get<Window>(Attr::kWindow);
  if (!window || window->dimensions.empty()) return false;
  Window changed = *window;
  change(changed);
  instruction.Set(Attr::kWindow, changed);
  return true;
}
bool WindowsOnOnePlace(Instruction& i) {
  return ChangeWindow(i, [](Window& window) { window.dimensions[0].stride = 0; });
}
bool WindowOfTooManyDimensions(Instruction& i) {
  return ChangeWindow(i, [](Window& window) { window.dimensions.push_back(window.dimensions[0]); });
}

bool IotaBeyondTheLast(Instruction& instruction) {
  instruction.Set(Attr::kIotaDimension, instruction.shape().rank());
  return true;
}
bool ElementBeyondTheLast(Instruction& instruction) {
  instruction.Set(Attr::kIndex,
                  static_cast<int64_t>(instruction.operand(0).shape().tuple_shapes().size()));
  return true;
}
bool MoreThanThereAre(Instruction& instruction) {
  instruction.Set(Attr::kK, instruction.operand(0).shape().dimension(-1) + 1);
  return true;
}
template <int64_t kValue>
bool NumberIs(Instruction& instruction, Attr attr) {
  instruction.Set(attr, kValue);
  return true;
}
bool LessThanNone(Instruction& i) { return NumberIs<-1>(i, Attr::kK); }
bool NoExponent(Instruction& i) { return NumberIs<0>(i, Attr::kExponentBits); }
bool NegativeMantissa(Instruction& i) { return NumberIs<-1>(i, Attr::kMantissaBits); }
// Uses -1, because 0 is valid: older protos have 0 instead of 1.
bool NoFeatureGroup(Instruction& i) { return NumberIs<-1>(i, Attr::kFeatureGroupCount); }
bool NoBatchGroup(Instruction& i) { return NumberIs<-1>(i, Attr::kBatchGroupCount); }
bool BothKindsOfGroups(Instruction& i) {
  return NumberIs<2>(i, Attr::kFeatureGroupCount) && NumberIs<2>(i, Attr::kBatchGroupCount);
}
bool FeatureBeyondTheLast(Instruction& instruction) {
  instruction.Set(Attr::kFeatureIndex, OperandRank(instruction));
  return true;
}

bool MoreGroupsThanFeatures(Instruction& i) {
  int64_t features = i.operand(0).shape().dimension(LabelsOf(i).input_feature);
  if (features == 0 || i.IntOr(Attr::kBatchGroupCount, 1) != 1) return false;
  i.Set(Attr::kFeatureGroupCount, features + 1);
  return true;
}
bool MoreGroupsThanBatches(Instruction& i) {
  int64_t batch = i.operand(0).shape().dimension(LabelsOf(i).input_batch);
  if (batch == 0 || i.IntOr(Attr::kFeatureGroupCount, 1) != 1) return false;
  i.Set(Attr::kBatchGroupCount, batch + 1);
  return true;
}

bool OrderOfComplexNumbers(Instruction& i) {
  if (!IsComplex(i.operand(0).shape().element_type())) return false;
  i.Set(Attr::kDirection, Word{"LT"});
  return true;
}
bool ComparisonOfAnotherKind(Instruction& i) {
  PrimitiveType type = i.operand(0).shape().element_type();
  i.Set(Attr::kType, Word{IsSigned(type) && IsInteger(type) ? "UNSIGNED" : "SIGNED"});
  return true;
}
bool NoSuchDirection(Instruction& i) {
  i.Set(Attr::kDirection, Word{"LESS"});
  return true;
}

bool ContractedBeyondTheLast(Instruction& i) {
  i.Set(Attr::kLhsContractingDims, Sizes{OperandRank(i)});
  return true;
}
bool ContractedOnOneSide(Instruction& i) {
  if (i.IntList(Attr::kRhsContractingDims).empty()) return false;
  i.Remove(Attr::kRhsContractingDims);
  return true;
}
bool BatchOnOneSide(Instruction& i) {
  if (i.IntList(Attr::kRhsBatchDims).empty()) return false;
  i.Remove(Attr::kRhsBatchDims);
  return true;
}

bool SlicesOfTooFewDimensions(Instruction& i) {
  Sizes sizes = i.IntList(Attr::kDynamicSliceSizes);
  if (sizes.empty()) return false;
  sizes.pop_back();
  i.Set(Attr::kDynamicSliceSizes, sizes);
  return true;
}
bool SliceOfSize(Instruction& i, int64_t size) {
  Sizes sizes = i.IntList(Attr::kDynamicSliceSizes);
  if (sizes.empty()) return false;
  sizes[0] = size;
  i.Set(Attr::kDynamicSliceSizes, sizes);
  return true;
}
bool LargerThanTheOperand(Instruction& i) {
  return OperandRank(i) > 0 && SliceOfSize(i, i.operand(0).shape().dimension(0) + 1);
}
bool SmallerThanNothing(Instruction& i) { return SliceOfSize(i, -1); }

bool NoLength(Instruction& i) {
  i.Set(Attr::kFftLength, Sizes{});
  return true;
}
bool InverseOfReal(const Instruction& i) { return i.WordOr(Attr::kFftType, "") == "IRFFT"; }
bool LongerTransform(Instruction& i) {
  Sizes lengths = i.IntList(Attr::kFftLength);
  if (InverseOfReal(i) || lengths.empty()) return false;
  ++lengths[0];
  i.Set(Attr::kFftLength, lengths);
  return true;
}
bool LongerInverse(Instruction& i) {
  Sizes lengths = i.IntList(Attr::kFftLength);
  if (!InverseOfReal(i) || lengths.empty()) return false;
  lengths.back() += 2;
  i.Set(Attr::kFftLength, lengths);
  return true;
}

using Pairs = std::vector<std::pair<int64_t, int64_t>>;
bool PairBelowZero(Instruction& i) {
  i.Set(Attr::kSourceTargetPairs, Pairs{{0, -1}});
  return true;
}
bool TwoTargets(Instruction& i) {
  i.Set(Attr::kSourceTargetPairs, Pairs{{0, 0}, {0, 1}});
  return true;
}
bool TwoSources(Instruction& i) {
  i.Set(Attr::kSourceTargetPairs, Pairs{{0, 1}, {1, 1}});
  return true;
}
bool TwiceInAGroup(Instruction& i) {
  ReplicaGroups groups;
  groups.groups = {{0, 0}};
  i.Set(Attr::kReplicaGroups, groups);
  return true;
}
bool GroupsOfUnequalSizes(Instruction& i) {
  ReplicaGroups groups;
  groups.groups = {{0, 1}, {2}};
  i.Set(Attr::kReplicaGroups, groups);
  return true;
}
bool GlobalWithoutChannel(Instruction& i) {
  i.Set(Attr::kUseGlobalDeviceIds, true);
  return true;
}

constexpr BreakRow kBreakRows[] = {
    {Opcode::kTranspose, "transpose.5", RepeatDimension},
    {Opcode::kTranspose, "transpose.5", NoDimension},
    {Opcode::kReverse, "rev.3", RepeatDimension},
    {Opcode::kReverse, "rev.3", DimensionBeyondTheLast},
    {Opcode::kReduce, "reduce.7", RepeatDimension},
    {Opcode::kReduce, "reduce.7", DimensionBeyondTheLast},
    {Opcode::kConcatenate, "concatenate.7", DimensionBeyondTheLast},
    {Opcode::kConcatenate, "concatenate.7", NegativeDimension},
    {Opcode::kConcatenate, "concatenate.8", OneDimensionMore},
    {Opcode::kSort, "sort.4", DimensionBeyondTheLast},
    {Opcode::kSort, "sort.4", OneDimensionMore},
    {Opcode::kMap, "map.4", OneDimensionMore},
    {Opcode::kBroadcast, "broadcast_in_dim.8", BroadcastBeyondTheResult},
    {Opcode::kBroadcast, "broadcast_in_dim.5", OneDimensionMore},
    {Opcode::kSlice, "slice.11", LimitBeyondTheSize},
    {Opcode::kSlice, "slice.13", StrideOfZero},
    {Opcode::kSlice, "slice.8", NegativeStart},
    {Opcode::kSlice, "slice.10", StartBeyondTheLimit},
    {Opcode::kSlice, "slice.7", OneRangeLess},
    {Opcode::kPad, "pad.12", NegativeInterior},
    {Opcode::kPad, "pad.10", NothingIsLeft},
    {Opcode::kPad, "pad.7", OnePaddingLess},
    {Opcode::kDynamicSlice, "dynamic_slice.12", LargerThanTheOperand},
    {Opcode::kDynamicSlice, "dynamic_slice.11", SmallerThanNothing},
    {Opcode::kDynamicSlice, "dynamic_slice.10", SlicesOfTooFewDimensions},
    {Opcode::kIota, "iota.9", IotaBeyondTheLast},
    {Opcode::kGetTupleElement, "get_tuple_element.5", ElementBeyondTheLast},
    {Opcode::kTopk, "top_k.4", MoreThanThereAre},
    {Opcode::kTopk, "top_k.5", LessThanNone},
    {Opcode::kReduceWindow, "reduce_window.11", WindowsOnOnePlace},
    {Opcode::kReduceWindow, "reduce_window.11", WindowOfTooManyDimensions},
    {Opcode::kSelectAndScatter, "select_and_scatter.19", WindowsOnOnePlace},
    {Opcode::kConvolution, "conv_with_general_padding.19", WindowsOnOnePlace},
    {Opcode::kConvolution, "conv_with_general_padding.4", WindowOfTooManyDimensions},
    {Opcode::kConvolution, "conv_with_general_padding.33", NoFeatureGroup},
    {Opcode::kConvolution, "conv_with_general_padding.42", NoBatchGroup},
    {Opcode::kConvolution, "hlo.convolution_groups", BothKindsOfGroups},
    {Opcode::kConvolution, "conv_with_general_padding.34", MoreGroupsThanFeatures},
    {Opcode::kConvolution, "conv_with_general_padding.44", MoreGroupsThanBatches},
    {Opcode::kReducePrecision, "reduce_precision.13", NoExponent},
    {Opcode::kReducePrecision, "reduce_precision.14", NegativeMantissa},
    {Opcode::kBatchNormTraining, "batch_norm_training.10", FeatureBeyondTheLast},
    {Opcode::kBatchNormInference, "batch_norm_inference.12", FeatureBeyondTheLast},
    {Opcode::kBatchNormGrad, "batch_norm_grad.11", FeatureBeyondTheLast},
    {Opcode::kCompare, "elementwise_comparison.6", OrderOfComplexNumbers},
    {Opcode::kCompare, "elementwise_comparison.23", ComparisonOfAnotherKind},
    {Opcode::kCompare, "hlo.attribute", NoSuchDirection},
    {Opcode::kDot, "dot_general.4", ContractedBeyondTheLast},
    {Opcode::kDot, "dot_general.12", ContractedOnOneSide},
    {Opcode::kDot, "dot_general.16", BatchOnOneSide},
    {Opcode::kFft, "fft.2", NoLength},
    {Opcode::kFft, "fft.5", LongerTransform},
    {Opcode::kFft, "fft.15", LongerInverse},
    {Opcode::kGetDimensionSize, "get_dimension_size.5", DimensionBeyondTheLast},
    {Opcode::kSetDimensionSize, "set_dimension_size.6", DimensionBeyondTheLast},
    {Opcode::kAllGather, "all_gather.4", DimensionBeyondTheLast},
    {Opcode::kAllGather, "all_gather.9", TwiceInAGroup},
    {Opcode::kAllGather, "all_gather.9", GroupsOfUnequalSizes},
    {Opcode::kAllReduce, "all_reduce.9", TwiceInAGroup},
    {Opcode::kAllReduce, "hlo.replica_groups", GlobalWithoutChannel},
    {Opcode::kAllToAll, "all_to_all.5", TwiceInAGroup},
    {Opcode::kAllToAll, "all_to_all.13", DimensionBeyondTheLast},
    {Opcode::kReduceScatter, "reduce_scatter.6", DimensionBeyondTheLast},
    {Opcode::kReduceScatter, "reduce_scatter.13", TwiceInAGroup},
    {Opcode::kReduceScatter, "reduce_scatter.14", GroupsOfUnequalSizes},
    {Opcode::kCollectiveBroadcast, "collective_broadcast.3", TwiceInAGroup},
    {Opcode::kCollectivePermute, "collective_permute.4", PairBelowZero},
    {Opcode::kCollectivePermute, "collective_permute.6", TwoTargets},
    {Opcode::kCollectivePermute, "collective_permute.5", TwoSources},
};

}  // namespace

std::vector<BreakRow> AttributeBreaks() { return {std::begin(kBreakRows), std::end(kBreakRows)}; }

}  // namespace hlocts::generators
