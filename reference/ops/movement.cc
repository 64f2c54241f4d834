// SPDX-License-Identifier: Apache-2.0
// Evaluates data movement; kernels/movement_geometry.cc defines where each element goes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "reference/dynamic_sizes.h"
#include "reference/eval_context.h"
#include "reference/kernels/codec.h"
#include "reference/kernels/movement_geometry.h"
#include "reference/number_system.h"
#include "reference/ops/families.h"
#include "spec/ir/tiling.h"

namespace hlocts::reference {
namespace {

const std::vector<int64_t>& DimensionsOf(const Literal& literal) {
  return literal.shape().dimensions();
}

void Copy(const CopyGeometry& geometry, const Literal& from, Literal& to) {
  DispatchStorage(StorageBytes(from.element_type()), [&](auto zero) {
    using T = decltype(zero);
    CopyKernel<T>(geometry, from.data<T>(), to.mutable_data<T>());
  });
}

Literal Moved(const CopyGeometry& geometry, const Literal& operand, const Shape& shape) {
  Literal result = Literal::Uninitialized(shape);
  Copy(geometry, operand, result);
  return result;
}

// Returns the start indices: one scalar per dimension or, in the edition of 2018, one array.
std::vector<int64_t> Starts(absl::Span<const Literal> indices) {
  std::vector<int64_t> starts;
  for (const Literal& index : indices) {
    for (int64_t i = 0; i < index.element_count(); ++i) {
      int64_t value;
      DecodeIntegers(index.element_type(),
                     index.raw_data() + i * StorageBytes(index.element_type()), &value, 1);
      // A u64 beyond s64 is a large number, not a negative one (ruling 0009).
      if (index.element_type() == PrimitiveType::kU64 && value < 0) value = INT64_MAX;
      starts.push_back(value);
    }
  }
  return starts;
}

}  // namespace

// broadcast_in_dim.*: operand dimension i becomes result dimension dimensions[i]; the value does
// not depend on the other indices.
absl::StatusOr<Literal> EvaluateBroadcast(EvalContext&, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  return Moved(BroadcastGeometry(DimensionsOf(operands[0]), instruction.shape().dimensions(),
                                 instruction.IntList(Attr::kDimensions)),
               operands[0], instruction.shape());
}

// reshape.*: gives an array new dimensions; its elements keep their row-major order. An operand
// with run-time sizes was already cut to these sizes (EvaluateCut).
absl::StatusOr<Literal> EvaluateReshape(EvalContext&, const Instruction& instruction,
                                        absl::Span<Literal> operands) {
  if (operands[0].element_count() != instruction.shape().ElementCount()) {
    return InvalidInput(instruction.name(), ": cannot reshape ",
                        operands[0].shape().ToString(false), " to ",
                        instruction.shape().ToString(false));
  }
  return operands[0].WithShape(instruction.shape());
}

// dynamic-reshape (not documented): gives an array run-time sizes, one per further operand.
absl::StatusOr<Literal> EvaluateDynamicReshape(EvalContext&, const Instruction& instruction,
                                               absl::Span<Literal> operands) {
  Literal dense = CutToSizes(operands[0]);
  std::vector<int64_t> sizes = Starts(operands.subspan(1));
  Shape shape(dense.element_type(), sizes);
  const Shape& bounds = instruction.shape();
  bool fits = shape.rank() == bounds.rank() && shape.ElementCount() == dense.element_count();
  for (int64_t d = 0; fits && d < shape.rank(); ++d) {
    fits = sizes[d] >= 0 && sizes[d] <= bounds.dimensions()[d];
  }
  if (!fits) {
    return InvalidInput(instruction.name(), ": ", dense.element_count(), " elements do not fit ",
                        shape.ToString(false), " within ", bounds.ToString(false));
  }
  return PadToBounds(dense.WithShape(shape), bounds);
}

// transpose.*: result dimension i is operand dimension permutation[i].
absl::StatusOr<Literal> EvaluateTranspose(EvalContext&, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  return Moved(TransposeGeometry(DimensionsOf(operands[0]), instruction.IntList(Attr::kDimensions)),
               operands[0], instruction.shape());
}

// rev.*: index i of a reversed dimension of size N becomes N-1-i.
absl::StatusOr<Literal> EvaluateReverse(EvalContext&, const Instruction& instruction,
                                        absl::Span<Literal> operands) {
  return Moved(ReverseGeometry(DimensionsOf(operands[0]), instruction.IntList(Attr::kDimensions)),
               operands[0], instruction.shape());
}

// slice.*: selects every stride-th element of a static box.
absl::StatusOr<Literal> EvaluateSlice(EvalContext&, const Instruction& instruction,
                                      absl::Span<Literal> operands) {
  const auto* ranges = instruction.Get<SliceRanges>(Attr::kSlice);
  if (ranges == nullptr) return InvalidInput(instruction.name(), ": expected ranges, found none");
  return Moved(SliceGeometry(DimensionsOf(operands[0]), ranges->dimensions), operands[0],
               instruction.shape());
}

// pad.*: positions without an operand element have the padding value.
absl::StatusOr<Literal> EvaluatePad(EvalContext&, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const auto* config = instruction.Get<PaddingConfig>(Attr::kPadding);
  if (config == nullptr) return InvalidInput(instruction.name(), ": expected padding, found none");
  Literal result = Moved(BroadcastGeometry({}, instruction.shape().dimensions(), {}), operands[1],
                         instruction.shape());
  Copy(PadGeometry(DimensionsOf(operands[0]), DimensionsOf(result), config->dimensions),
       operands[0], result);
  return result;
}

// concatenate.*: appends the operands along one dimension.
absl::StatusOr<Literal> EvaluateConcatenate(EvalContext&, const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  int64_t dimension = instruction.IntList(Attr::kDimensions)[0], offset = 0;
  Literal result = Literal::Uninitialized(instruction.shape());
  for (const Literal& operand : operands) {
    Copy(ConcatenateGeometry(DimensionsOf(operand), DimensionsOf(result), dimension, offset),
         operand, result);
    offset += DimensionsOf(operand)[dimension];
  }
  return result;
}

// dynamic_slice.*: selects the box of dynamic_slice_sizes at the clamped start (ruling 0009).
absl::StatusOr<Literal> EvaluateDynamicSlice(EvalContext&, const Instruction& instruction,
                                             absl::Span<Literal> operands) {
  const std::vector<int64_t>& sizes = instruction.IntList(Attr::kDynamicSliceSizes);
  std::vector<int64_t> starts =
      ClampStarts(DimensionsOf(operands[0]), sizes, Starts(operands.subspan(1)));
  return Moved(DynamicSliceGeometry(DimensionsOf(operands[0]), sizes, starts), operands[0],
               instruction.shape());
}

// dynamic_update_slice.*: replaces the box at the clamped start by the update, in place if the
// operand is not shared.
absl::StatusOr<Literal> EvaluateDynamicUpdateSlice(EvalContext&, const Instruction&,
                                                   absl::Span<Literal> operands) {
  Literal result = std::move(operands[0]);
  const Literal& update = operands[1];
  std::vector<int64_t> starts =
      ClampStarts(DimensionsOf(result), DimensionsOf(update), Starts(operands.subspan(2)));
  Copy(DynamicUpdateSliceGeometry(DimensionsOf(result), DimensionsOf(update), starts), update,
       result);
  return result;
}

// iota.*: counts 0, 1, 2, ... along iota_dimension. Integers wrap, floats are the converted integer
// rounded once, and complex numbers have imaginary part 0 (ruling 0013).
absl::StatusOr<Literal> EvaluateIota(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal>) {
  const Shape& shape = instruction.shape();
  int64_t dimension = instruction.IntOr(Attr::kIotaDimension, 0);
  if (dimension < 0 || dimension >= shape.rank()) {
    return InvalidInput(instruction.name(), ": iota_dimension: expected a dimension of ",
                        shape.ToString(false), ", found ", dimension);
  }
  int64_t size = shape.dimensions()[dimension];
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(Shape(PrimitiveType::kC128, {size})));
  Literal counted = Literal::Uninitialized(Shape(PrimitiveType::kS64, {size}));
  for (int64_t i = 0; i < size; ++i) counted.mutable_data<int64_t>()[i] = i;
  ElementwiseOp convert;
  convert.operand_type = PrimitiveType::kS64, convert.result_type = shape.element_type();
  Literal line = Literal::Uninitialized(Shape(shape.element_type(), {size}));
  const void* from = counted.raw_data();
  ConvertKernel(PrimitiveType::kS64, shape.element_type())(convert, &from, line.mutable_raw_data(),
                                                           size);
  return Moved(BroadcastGeometry(DimensionsOf(line), shape.dimensions(), {dimension}), line, shape);
}

// bitcast_convert_type.*: keeps the bits. If the widths differ, a dimension is added or removed
// whose element 0 contains the low bits (ruling 0038).
absl::StatusOr<Literal> EvaluateBitcastConvert(EvalContext&, const Instruction& instruction,
                                               absl::Span<Literal> operands) {
  PrimitiveType from = operands[0].element_type(), to = instruction.shape().element_type();
  if (BitWidth(from) != BitWidth(to)) {
    return Literal::FromPackedBytes(instruction.shape(), operands[0].PackedBytes());
  }
  HLOCTS_ASSIGN_OR_RETURN(ElementwiseOp op, ResolveElementwise(instruction));
  Literal result = Literal::Uninitialized(instruction.shape());
  const void* data = operands[0].raw_data();
  op(&data, result.mutable_raw_data(), result.element_count());
  return result;
}

// Divides the memory of an array in its tiled layout into units of `width` bytes. Returns the index
// of each unit in the row-major literal, or -1 for padding.
absl::StatusOr<std::vector<int64_t>> UnitsInTiles(const Shape& shape, int64_t width) {
  const Layout layout = shape.layout() ? *shape.layout() : DefaultLayout(shape.rank());
  HLOCTS_ASSIGN_OR_RETURN(const TiledPositions tiled, PositionsInTiles(shape.dimensions(), layout));
  const int64_t ratio = StorageBytes(shape.element_type()) / width;
  std::vector<int64_t> units(tiled.size * ratio, -1);
  for (size_t i = 0; i < tiled.positions.size(); ++i) {
    for (int64_t u = 0; u < ratio; ++u)
      units[tiled.positions[i] * ratio + u] = static_cast<int64_t>(i) * ratio + u;
  }
  return units;
}

// Evaluates a bitcast of tiled layouts. Padding has no value: reading it is unsupported.
absl::StatusOr<Literal> BitcastInTiles(const Instruction& instruction, const Literal& operand) {
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  const int64_t width =
      std::min<int64_t>(StorageBytes(from.element_type()), StorageBytes(to.element_type()));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> source, UnitsInTiles(from, width));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> target, UnitsInTiles(to, width));
  Literal result = Literal::Uninitialized(to);
  for (size_t u = 0; u < target.size(); ++u) {
    if (target[u] < 0) continue;
    if (u >= source.size() || source[u] < 0) {
      return Unsupported(instruction.name(), ": bitcast of ", from.ToString(), " to ",
                         to.ToString(), " reads padding, which has no value");
    }
    std::memcpy(result.mutable_raw_data() + target[u] * width,
                operand.raw_data() + source[u] * width, static_cast<size_t>(width));
  }
  return result;
}

// bitcast (not documented): reads the bytes of the operand's layout in the result's layout.
absl::StatusOr<Literal> EvaluateBitcast(EvalContext&, const Instruction& instruction,
                                        absl::Span<Literal> operands) {
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  const auto has_tiles = [](const Shape& shape) {
    return shape.layout() && !shape.layout()->tiles.empty();
  };
  if (!from.IsArray() || !to.IsArray()) {
    return Unsupported(instruction.name(), ": cannot bitcast ", from.ToString(), " to ",
                       to.ToString());
  }
  const int64_t from_bits = BitWidth(from.element_type()), to_bits = BitWidth(to.element_type());
  Literal operand = std::move(operands[0]);
  if (from_bits == to_bits && from_bits < 8 && from.element_type() != to.element_type()) {
    // A literal stores narrow integers with their sign extended, so their packed bytes are used.
    const Shape retyped(to.element_type(), from.dimensions());
    HLOCTS_ASSIGN_OR_RETURN(operand, Literal::FromPackedBytes(retyped, operand.PackedBytes()));
  }
  const bool narrow = from_bits != to_bits && std::min(from_bits, to_bits) < 8;
  if (!narrow && (has_tiles(from) || has_tiles(to))) return BitcastInTiles(instruction, operand);
  if (narrow || from.StorageSizeBytes() != to.StorageSizeBytes()) {
    return Unsupported(instruction.name(), ": cannot bitcast ", from.ToString(), " to ",
                       to.ToString());
  }
  bool row_major = (!from.layout() || from.layout()->IsMajorToMinor()) &&
                   (!to.layout() || to.layout()->IsMajorToMinor());
  if (row_major) return operand.WithShape(to);
  Layout from_layout = from.layout() ? *from.layout() : DefaultLayout(from.rank());
  Layout to_layout = to.layout() ? *to.layout() : DefaultLayout(to.rank());
  return Literal::FromBytesInLayout(to, to_layout, operand.BytesInLayout(from_layout));
}

// get_dimension_size.*: returns the run-time size, or else the static size, as s32.
absl::StatusOr<Literal> EvaluateGetDimensionSize(EvalContext&, const Instruction& instruction,
                                                 absl::Span<Literal> operands) {
  int64_t size = operands[0].runtime_size(instruction.IntList(Attr::kDimensions)[0]);
  return Literal::Scalar<int32_t>(PrimitiveType::kS32, static_cast<int32_t>(size));
}

// set_dimension_size.*: returns the operand with this run-time size. A size equal to the bound
// makes the dimension static again (ruling 0064).
absl::StatusOr<Literal> EvaluateSetDimensionSize(EvalContext&, const Instruction& instruction,
                                                 absl::Span<Literal> operands) {
  int64_t dimension = instruction.IntList(Attr::kDimensions)[0];
  int64_t size = Starts(operands.subspan(1, 1))[0];
  int64_t bound = operands[0].shape().dimension(dimension);
  if (size < 0 || size > bound) {
    return InvalidInput(instruction.name(), ": expected a size up to ", bound, ", found ", size);
  }
  Literal result = std::move(operands[0]);
  std::vector<int64_t> sizes = result.runtime_sizes();
  sizes[dimension] = size;
  result.ClearRuntimeSizes();
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (sizes[d] < DimensionsOf(result)[d] || instruction.shape().is_dynamic_dimension(d)) {
      result.SetRuntimeSize(d, sizes[d]);
    }
  }
  return result;
}

}  // namespace hlocts::reference
