// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/infer_again.h"

#include <algorithm>

#include "spec/infer/infer.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::fuzz {
namespace {

using Sizes = std::vector<int64_t>;

void ClipSlice(Instruction& slice) {
  const SliceRanges* given = slice.Get<SliceRanges>(Attr::kSlice);
  if (given == nullptr) return;
  SliceRanges ranges = *given;
  const Sizes& sizes = slice.operand(0).shape().dimensions();
  for (size_t d = 0; d < std::min(sizes.size(), ranges.dimensions.size()); ++d) {
    SliceRange& range = ranges.dimensions[d];
    range.limit = std::min(range.limit, sizes[d]);
    range.start = std::min(range.start, std::max<int64_t>(range.limit - 1, 0));
  }
  slice.Set(Attr::kSlice, ranges);
}

void ClipSizes(Instruction& instruction, Attr attr) {
  Sizes clipped = instruction.IntList(attr);
  const Sizes& sizes = instruction.operand(0).shape().dimensions();
  for (size_t d = 0; d < std::min(sizes.size(), clipped.size()); ++d)
    clipped[d] = std::min(clipped[d], sizes[d]);
  instruction.Set(attr, clipped);
}

// Sets the sizes of the window to those of the kernel. This and the following functions ignore
// missing dimensions, because shape inference later rejects the operation.
void FollowKernel(Instruction& convolution) {
  const auto* numbers = convolution.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const Window* window = convolution.Get<Window>(Attr::kWindow);
  if (!numbers || !window) return;
  Window followed = *window;
  const Sizes& kernel = convolution.operand(1).shape().dimensions();
  for (size_t d = 0; d < std::min(followed.dimensions.size(), numbers->kernel_spatial.size());
       ++d) {
    size_t dimension = static_cast<size_t>(numbers->kernel_spatial[d]);
    if (dimension < kernel.size()) followed.dimensions[d].size = kernel[dimension];
  }
  convolution.Set(Attr::kWindow, followed);
}

void FollowLast(Instruction& topk) {
  const Sizes& sizes = topk.operand(0).shape().dimensions();
  if (!sizes.empty()) topk.Set(Attr::kK, std::min(topk.IntOr(Attr::kK, 0), sizes.back()));
}

void FollowBroadcast(Instruction& broadcast, const Shape& operand) {
  Shape& shape = broadcast.mutable_shape();
  const Sizes& dimensions = broadcast.IntList(Attr::kDimensions);
  size_t count = std::min(dimensions.size(), operand.dimensions().size());
  for (size_t i = 0; i < count; ++i) {
    if (dimensions[i] >= 0 && dimensions[i] < shape.rank())
      shape.set_dimension(dimensions[i], operand.dimensions()[i]);
  }
}

// Operations whose result shape is stated in the text and follows only partly from the operand.
#define HLOCTS_STATED(X) X(Broadcast) X(Convert) X(Reshape)
HLOCTS_KIND(StatedShape, HLOCTS_STATED)

void FollowOperand(StatedShape stated, Instruction& instruction) {
  Shape& shape = instruction.mutable_shape();
  const Shape& operand = instruction.operand(0).shape();
  if (!shape.IsArray() || !operand.IsArray()) return;
  switch (stated) {
    case StatedShape::kBroadcast:
      return FollowBroadcast(instruction, operand);
    case StatedShape::kConvert:
      shape = operand.WithElementType(shape.element_type());
      return;
    case StatedShape::kReshape:
      if (operand.ElementCount() != shape.ElementCount())
        shape = Shape(shape.element_type(), {operand.ElementCount()}).WithDefaultLayout();
      return;
  }
}

// Operations with attributes that must fit the sizes of the operand.
#define HLOCTS_BOUNDED(X) X(Slice) X(DynamicSlice) X(Gather) X(Convolution) X(Topk)
HLOCTS_KIND(BoundedByOperand, HLOCTS_BOUNDED)

void Adjust(Instruction& instruction) {
  if (instruction.operand_count() == 0) return;
  const Opcode opcode = instruction.opcode();
  if (const std::optional<StatedShape> stated = StatedShapeOf(opcode))
    return FollowOperand(*stated, instruction);
  const std::optional<BoundedByOperand> bounded = BoundedByOperandOf(opcode);
  if (!bounded.has_value()) return;
  switch (*bounded) {
    case BoundedByOperand::kSlice:
      return ClipSlice(instruction);
    case BoundedByOperand::kDynamicSlice:
      return ClipSizes(instruction, Attr::kDynamicSliceSizes);
    case BoundedByOperand::kGather:
      return ClipSizes(instruction, Attr::kSliceSizes);
    case BoundedByOperand::kConvolution:
      return FollowKernel(instruction);
    case BoundedByOperand::kTopk:
      return FollowLast(instruction);
  }
}

// Dot and convolution keep their stated element type, which may be wider than the inferred one.
Shape Stated(const Instruction& instruction, const Shape& inferred) {
  if (RowOf(instruction.opcode()).family != Family::kContraction) return inferred;
  return inferred.WithElementType(instruction.shape().element_type());
}

// Gives parameters of called computations the shapes of the caller's operands.
void FollowCaller(const Instruction& caller) {
  auto give = [](Computation* called, size_t parameter, const Shape& shape) {
    std::vector<Instruction*> parameters = called->parameters();
    if (parameter < parameters.size() && parameters[parameter])
      parameters[parameter]->mutable_shape() = shape;
  };
  std::vector<Computation*> called = caller.called_computations();
  const std::optional<ops::Caller> kind = ops::CallerOf(caller.opcode());
  if (!kind.has_value()) return;
  switch (*kind) {
    case ops::Caller::kCall:
    case ops::Caller::kFusion:
      for (int64_t i = 0; i < caller.operand_count() && !called.empty(); ++i)
        give(called[0], i, caller.operand(i).shape());
      return;
    case ops::Caller::kWhile:
      if (caller.operand_count() == 0) return;
      for (Computation* computation : called) give(computation, 0, caller.operand(0).shape());
      return;
    case ops::Caller::kConditional:
      for (size_t b = 0; b < called.size() && b + 1 < caller.operands().size(); ++b)
        give(called[b], 0, caller.operand(b + 1).shape());
      return;
  }
}

// Keeps the layout, which is part of the test, if it still fits.
Shape WithLayoutOf(const Shape& before, Shape shape) {
  if (shape.IsArray() && before.IsArray() && before.rank() == shape.rank())
    shape.mutable_layout() = before.layout();
  return shape.WithDefaultLayout();
}

bool HasItsShape(const Instruction& instruction) {
  absl::StatusOr<Shape> inferred = InferShape(instruction);
  return inferred.ok() && Compatible(*inferred, instruction.shape());
}

bool InferComputation(Computation& computation, int depth) {
  constexpr int kDepthMax = 32;
  if (depth > kDepthMax) return false;
  bool all = true;
  for (const auto& instruction : computation.instructions()) {
    if (ops::IsSource(instruction->opcode())) continue;
    Adjust(*instruction);
    FollowCaller(*instruction);
    for (Computation* called : instruction->called_computations()) {
      all = InferComputation(*called, depth + 1) && all;
    }
    absl::StatusOr<Shape> inferred = InferShape(*instruction);
    if (inferred.ok()) {
      instruction->mutable_shape() =
          WithLayoutOf(instruction->shape(), Stated(*instruction, *inferred));
    } else {
      all = false;
    }
  }
  return all;
}

}  // namespace

bool InferAgain(Module& module) { return InferComputation(*module.entry(), 0); }

bool InferEdited(Module& edited, const Module& before) {
  if (VerifyModule(before).ok()) return InferAgain(edited);
  std::vector<std::pair<Instruction*, Shape>> stated;
  for (size_t c = 0; c < before.computations().size(); ++c) {
    const auto& instructions = before.computations()[c]->instructions();
    for (size_t i = 0; i < instructions.size(); ++i) {
      Instruction& same = *edited.computations()[c]->instructions()[i];
      if (!HasItsShape(*instructions[i])) stated.push_back({&same, same.shape()});
    }
  }
  InferAgain(edited);
  for (auto& [instruction, shape] : stated) instruction->mutable_shape() = std::move(shape);
  return true;
}

}  // namespace hlocts::fuzz
