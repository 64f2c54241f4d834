// SPDX-License-Identifier: Apache-2.0
// Infers the sizes of a result from the run-time sizes of its operands.
#include <algorithm>
#include <optional>

#include "reference/dynamic_sizes.h"
#include "reference/elementwise.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/window_util.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// Operations, other than movements, whose sizes follow from their operands' sizes.
// clang-format off
#define HLOCTS_SIZED(X) \
  X(Dot) X(Gather) X(Reduce) X(ReduceWindow) X(DynamicSlice) X(Select) X(Clamp) X(Sort) X(Map) \
  X(Scatter) X(SelectAndScatter) X(DynamicUpdateSlice)
HLOCTS_KIND(Sized, HLOCTS_SIZED)
// clang-format on

using Sizes = std::vector<int64_t>;

int64_t Product(const Sizes& sizes, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= sizes[i];
  return product;
}

absl::Status CannotInfer(const Instruction& instruction) {
  return Unsupported(instruction.name(), ": the run-time size of ",
                     OpcodeName(instruction.opcode()), " does not follow from its operand");
}

// Returns the sizes of a reshape. Operand and result dimensions form the smallest groups with equal
// products of bounds. A single dynamic result dimension of a group gets the group's remaining
// elements; inferred_dimension selects one of several, and the others have their bounds as sizes.
absl::StatusOr<Sizes> ReshapeSizes(const Instruction& reshape, const Sizes& operand) {
  const Sizes& from = reshape.operand(0).shape().dimensions();
  const Shape& shape = reshape.shape();
  const int64_t inferred = reshape.IntOr(Attr::kInferredDimension, -1);
  Sizes sizes = shape.dimensions();
  size_t i = 0, j = 0;
  while (i < from.size() || j < sizes.size()) {
    size_t i_end = i, j_end = j;
    int64_t left = 1, right = 1;
    do {
      if (left <= right && i_end < from.size()) {
        left *= from[i_end++];
      } else if (j_end < sizes.size()) {
        right *= shape.dimensions()[j_end++];
      } else {
        left *= from[i_end++];
      }
    } while (left != right && (i_end < from.size() || j_end < sizes.size()));
    int64_t elements = Product(operand, i, i_end), fixed = 1, dynamic = -1;
    const auto in_group = [&](int64_t d) {
      return d >= static_cast<int64_t>(j) && d < static_cast<int64_t>(j_end) &&
             shape.is_dynamic_dimension(d);
    };
    for (int64_t d = static_cast<int64_t>(j); d < static_cast<int64_t>(j_end); ++d) {
      const bool takes_rest = in_group(inferred) ? d == inferred : in_group(d);
      if (takes_rest && dynamic >= 0) return CannotInfer(reshape);
      if (takes_rest) dynamic = d;
      if (!takes_rest) fixed *= sizes[d];
    }
    if (dynamic >= 0) sizes[dynamic] = fixed == 0 ? 0 : elements / fixed;
    if (Product(sizes, j, j_end) != elements) return CannotInfer(reshape);
    i = i_end, j = j_end;
  }
  return sizes;
}

Sizes BroadcastSizes(const Instruction& broadcast, const Sizes& operand) {
  Sizes sizes = broadcast.shape().dimensions();
  const Sizes& dimensions = broadcast.IntList(Attr::kDimensions);
  const Sizes& bounds = broadcast.operand(0).shape().dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (bounds[d] == sizes[dimensions[d]]) sizes[dimensions[d]] = operand[d];
  }
  return sizes;
}

Sizes DotSizes(const Instruction& dot, const Sizes& lhs, const Sizes& rhs) {
  DotDimensionNumbers numbers = DotDimensionsOf(dot);
  Sizes sizes, excluded = numbers.lhs_batch;
  for (int64_t d : numbers.lhs_batch) sizes.push_back(lhs[d]);
  excluded.insert(excluded.end(), numbers.lhs_contracting.begin(), numbers.lhs_contracting.end());
  for (int64_t d : DimensionsExcept(static_cast<int64_t>(lhs.size()), excluded))
    sizes.push_back(lhs[d]);
  excluded = numbers.rhs_batch;
  excluded.insert(excluded.end(), numbers.rhs_contracting.begin(), numbers.rhs_contracting.end());
  for (int64_t d : DimensionsExcept(static_cast<int64_t>(rhs.size()), excluded))
    sizes.push_back(rhs[d]);
  return sizes;
}

// Returns the batch sizes of start_indices and the offset sizes of slice_sizes.
Sizes GatherSizes(const Instruction& gather, const Sizes& start_indices) {
  GatherDimensionNumbers numbers = GatherDimensionsOf(gather);
  Sizes sizes = gather.shape().dimensions();
  Sizes batch = DimensionsExcept(static_cast<int64_t>(sizes.size()), numbers.offset_dims);
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(start_indices.size()); ++d) {
    if (d != numbers.index_vector_dim && next < batch.size())
      sizes[batch[next++]] = start_indices[d];
  }
  return sizes;
}

Sizes WindowSizes(const Window& window, Sizes sizes) {
  for (size_t d = 0; d < sizes.size(); ++d)
    sizes[d] = WindowOutputSize(sizes[d], window.dimensions[d]);
  return sizes;
}

Sizes SliceSizes(const Instruction& slice, const Sizes& operand) {
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d) {
    const SliceRange& range = slice.Get<SliceRanges>(Attr::kSlice)->dimensions[d];
    const int64_t length = std::max<int64_t>(std::min(range.limit, operand[d]) - range.start, 0);
    sizes.push_back((length + range.stride - 1) / range.stride);
  }
  return sizes;
}
Sizes PadSizes(const Instruction& pad, const Sizes& operand) {
  const auto& by = pad.Get<PaddingConfig>(Attr::kPadding)->dimensions;
  Sizes sizes;
  for (size_t d = 0; d < operand.size(); ++d)
    sizes.push_back(std::max<int64_t>(PaddedSize(operand[d], by[d]), 0));
  return sizes;
}
Sizes ConcatenateSizes(const Instruction& concatenate, absl::Span<const Sizes> operands) {
  const int64_t dimension = concatenate.IntList(Attr::kDimensions)[0];
  Sizes sizes = operands[0];
  for (const Sizes& other : operands.subspan(1)) sizes[dimension] += other[dimension];
  return sizes;
}
Sizes Picked(const Sizes& sizes, absl::Span<const int64_t> dimensions) {
  Sizes picked;
  for (int64_t d : dimensions) picked.push_back(sizes[d]);
  return picked;
}
absl::StatusOr<Sizes> MovementSizes(ops::Movement movement, const Instruction& instruction,
                                    absl::Span<const Sizes> operands) {
  switch (movement) {
    case ops::Movement::kBroadcast:
      return BroadcastSizes(instruction, operands[0]);
    case ops::Movement::kReshape:
      return ReshapeSizes(instruction, operands[0]);
    case ops::Movement::kTranspose:
      return Picked(operands[0], instruction.IntList(Attr::kDimensions));
    case ops::Movement::kReverse:
      return operands[0];
    case ops::Movement::kSlice:
      return SliceSizes(instruction, operands[0]);
    case ops::Movement::kPad:
      return PadSizes(instruction, operands[0]);
    case ops::Movement::kConcatenate:
      return ConcatenateSizes(instruction, operands);
    case ops::Movement::kDynamicReshape:  // its evaluator reads the run-time sizes
    case ops::Movement::kBitcast:
    case ops::Movement::kCopy:
      return CannotInfer(instruction);
  }
  HLOCTS_UNREACHABLE();
}

Sizes SizesOf(Sized sized, const Instruction& instruction, absl::Span<const Sizes> operand_sizes) {
  const Sizes& first = operand_sizes[0];
  switch (sized) {
    case Sized::kDot:
      return DotSizes(instruction, first, operand_sizes[1]);
    case Sized::kGather:
      return GatherSizes(instruction, operand_sizes[1]);
    case Sized::kReduce:
      return Picked(first, DimensionsExcept(static_cast<int64_t>(first.size()),
                                            instruction.IntList(Attr::kDimensions)));
    case Sized::kReduceWindow: {
      const auto* window = instruction.Get<Window>(Attr::kWindow);
      return window ? WindowSizes(*window, first) : first;
    }
    case Sized::kDynamicSlice:
      return instruction.shape().dimensions();
    case Sized::kSelect:
    case Sized::kClamp:
      return operand_sizes[1];
    case Sized::kSort:
    case Sized::kMap:
    case Sized::kScatter:
    case Sized::kSelectAndScatter:
    case Sized::kDynamicUpdateSlice:
      return first;
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

absl::StatusOr<Sizes> ResultSizes(const Instruction& instruction,
                                  absl::Span<const Sizes> operand_sizes) {
  const Opcode opcode = instruction.opcode();
  if (const std::optional<ops::Movement> movement = ops::MovementOf(opcode))
    return MovementSizes(*movement, instruction, operand_sizes);
  if (const std::optional<Sized> sized = SizedOf(opcode))
    return SizesOf(*sized, instruction, operand_sizes);
  const bool elementwise =
      IsElementwise(opcode) && instruction.operand(0).shape().rank() == instruction.shape().rank();
  if (elementwise) return operand_sizes[0];
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  return Unsupported(instruction.name(), ": ", OpcodeName(opcode),
                     target == nullptr ? "" : absl::StrCat(" \"", *target, "\""),
                     " of an operand with run-time sizes is not supported");
}

}  // namespace hlocts::reference
