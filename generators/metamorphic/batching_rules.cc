// SPDX-License-Identifier: Apache-2.0
// Rules that compute an operation in parts, twice in one instruction, or with swapped operands.
#include "generators/metamorphic/rules.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

Instruction* RowOfArray(Site& s, Instruction* array, Instruction* row) {
  Operands operands = {array, row};
  for (int64_t d = 1; d < s.rank(); ++d) operands.push_back(s.Number(PrimitiveType::kS32, 0));
  return s.Make(Opcode::kDynamicSlice, operands,
                {{Attr::kDynamicSliceSizes, With(s.dims(), 0, 1)}});
}

Instruction* WithRow(Site& s, Instruction* array, Instruction* update, Instruction* row) {
  Operands operands = {array, update, row};
  for (int64_t d = 1; d < s.rank(); ++d) operands.push_back(s.Number(PrimitiveType::kS32, 0));
  return s.Make(Opcode::kDynamicUpdateSlice, operands);
}

}  // namespace

bool ComputeByRows(Site& s) {
  constexpr int64_t kRowsMax = 16;
  constexpr PrimitiveType kCounter = PrimitiveType::kS32;
  if (!s.IsElementwise() || s.rank() < 1 || s.dims()[0] < 1 || s.dims()[0] > kRowsMax) return false;
  int64_t count = s.at->operand_count();
  Operands init = {s.Number(kCounter, 0)};
  init.insert(init.end(), s.at->operands().begin(), s.at->operands().end());
  init.push_back(s.Splat(s.shape(), 1));
  Instruction* state = s.Make(Opcode::kTuple, init);
  Computation* condition = s.Define("condition", {state->shape()}, [&](const Operands& p) {
    Instruction* rows = s.Number(kCounter, static_cast<double>(s.dims()[0]));
    return s.Compare(s.Element(p[0], 0), "LT", rows);
  });
  Computation* body = s.Define("body", {state->shape()}, [&](const Operands& p) {
    Instruction* row = s.Element(p[0], 0);
    Operands next = {s.Make(Opcode::kAdd, {row, s.Number(kCounter, 1)})}, rows;
    for (int64_t i = 1; i <= count; ++i) {
      next.push_back(s.Element(p[0], i));
      rows.push_back(RowOfArray(s, next.back(), row));
    }
    Instruction* computed = s.Again(rows, Shape(s.type(), With(s.dims(), 0, 1)));
    next.push_back(WithRow(s, s.Element(p[0], count + 1), computed, row));
    return s.Make(Opcode::kTuple, next);
  });
  Instruction* loop =
      s.Make(Opcode::kWhile, {state}, {{Attr::kCondition, condition}, {Attr::kBody, body}});
  return s.Use(s.Element(loop, count + 1));
}

bool ComputeSideBySide(Site& s) {
  if (!s.IsElementwise() || s.rank() < 1 || s.at->operand_count() == 0) return false;
  int64_t d = s.choose.Range(0, s.rank() - 1), size = s.shape().dimension(d);
  Operands operands;
  for (Instruction* one : s.at->operands()) operands.push_back(s.Concatenate({one, one}, d));
  Instruction* both = s.Again(operands, Shape(s.type(), With(s.dims(), d, 2 * size)));
  int64_t start = s.choose.Range(0, 1) * size;
  return s.Use(s.Slice(both, d, start, start + size));
}

bool SplitDotBatch(Site& s) {
  if (s.opcode() != Opcode::kDot) return false;
  DotDimensionNumbers numbers = DotDimensionsOf(*s.at);
  if (numbers.lhs_batch.empty() || s.dims()[0] < 2) return false;
  int64_t size = s.dims()[0], cut = s.choose.Range(1, size - 1);
  Operands parts;
  for (auto [start, limit] : {std::pair{int64_t{0}, cut}, std::pair{cut, size}}) {
    Instruction* lhs = s.Slice(s.operand(0), numbers.lhs_batch[0], start, limit);
    Instruction* rhs = s.Slice(s.operand(1), numbers.rhs_batch[0], start, limit);
    parts.push_back(s.Again({lhs, rhs}, Shape(s.type(), With(s.dims(), 0, limit - start))));
  }
  return s.Use(s.Concatenate(parts, 0));
}

// A dot with swapped operands has the free dimensions of the right operand first, so the result is
// transposed back.
bool SwapDotOperands(Site& s) {
  if (s.opcode() != Opcode::kDot || s.at->Has(Attr::kOperandPrecision)) return false;
  DotDimensionNumbers numbers = DotDimensionsOf(*s.at);
  int64_t batch = static_cast<int64_t>(numbers.lhs_batch.size());
  int64_t contracting = static_cast<int64_t>(numbers.lhs_contracting.size());
  int64_t left = s.operand(0)->shape().rank() - batch - contracting;
  int64_t right = s.rank() - batch - left;
  Dims sizes, back = Iotas(batch);
  for (int64_t d = 0; d < batch; ++d) sizes.push_back(s.dims()[static_cast<size_t>(d)]);
  for (int64_t d = 0; d < right; ++d) sizes.push_back(s.shape().dimension(batch + left + d));
  for (int64_t d = 0; d < left; ++d) sizes.push_back(s.shape().dimension(batch + d));
  for (int64_t d = 0; d < left; ++d) back.push_back(batch + right + d);
  for (int64_t d = 0; d < right; ++d) back.push_back(batch + d);
  Instruction* swapped = s.Make(Opcode::kDot, {s.operand(1), s.operand(0)},
                                {{Attr::kLhsBatchDims, numbers.rhs_batch},
                                 {Attr::kLhsContractingDims, numbers.rhs_contracting},
                                 {Attr::kRhsBatchDims, numbers.lhs_batch},
                                 {Attr::kRhsContractingDims, numbers.lhs_contracting}},
                                Shape(s.type(), sizes));
  return s.Use(s.Transpose(swapped, back));
}

bool SplitFeatureGroups(Site& s) {
  if (s.opcode() != Opcode::kConvolution) return false;
  int64_t groups = s.at->IntOr(Attr::kFeatureGroupCount, 1);
  if (groups < 2 || s.at->IntOr(Attr::kBatchGroupCount, 1) != 1) return false;
  const auto& numbers = *s.at->Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  int64_t inputs = s.operand(0)->shape().dimension(numbers.input_feature) / groups;
  int64_t outputs = s.operand(1)->shape().dimension(numbers.kernel_output_feature) / groups;
  Attributes attributes = s.AttributesWith(Attr::kFeatureGroupCount, int64_t{1});
  Operands parts;
  for (int64_t g = 0; g < groups; ++g) {
    Instruction* lhs = s.Slice(s.operand(0), numbers.input_feature, g * inputs, (g + 1) * inputs);
    Instruction* rhs =
        s.Slice(s.operand(1), numbers.kernel_output_feature, g * outputs, (g + 1) * outputs);
    parts.push_back(s.Again(
        {lhs, rhs}, Shape(s.type(), With(s.dims(), numbers.output_feature, outputs)), attributes));
  }
  return s.Use(s.Concatenate(parts, numbers.output_feature));
}

bool SplitConvolutionBatch(Site& s) {
  if (s.opcode() != Opcode::kConvolution || s.at->IntOr(Attr::kBatchGroupCount, 1) != 1)
    return false;
  const auto& numbers = *s.at->Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  int64_t size = s.shape().dimension(numbers.output_batch);
  if (size < 2) return false;
  int64_t cut = s.choose.Range(1, size - 1);
  Operands parts;
  for (auto [start, limit] : {std::pair{int64_t{0}, cut}, std::pair{cut, size}}) {
    Instruction* lhs = s.Slice(s.operand(0), numbers.input_batch, start, limit);
    parts.push_back(s.Again({lhs, s.operand(1)},
                            Shape(s.type(), With(s.dims(), numbers.output_batch, limit - start))));
  }
  return s.Use(s.Concatenate(parts, numbers.output_batch));
}

}  // namespace hlocts::generators
