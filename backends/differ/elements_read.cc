// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/elements_read.h"

#include "absl/algorithm/container.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/ir/tiles.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/groups.h"
#include "spec/text/sharding_calls.h"

namespace hlocts::backends {
namespace {

using Index = std::vector<int64_t>;
using Elements = std::optional<std::vector<int64_t>>;

Elements One(const Shape& shape, const Index& index) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape.dimensions()[d]) return std::vector<int64_t>();
  }
  return std::vector<int64_t>{LinearIndex(index, RowMajorStrides(shape.dimensions()))};
}

// Returns the elements of `shape` whose index equals `fixed`; -1 in `fixed` matches any index.
std::vector<int64_t> Along(const Shape& shape, const Index& fixed) {
  Index strides = RowMajorStrides(shape.dimensions()), free_sizes;
  Index free;
  int64_t base = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (fixed[d] >= 0) {
      base += fixed[d] * strides[d];
    } else {
      free.push_back(d);
      free_sizes.push_back(shape.dimension(d));
    }
  }
  std::vector<int64_t> elements;
  ForEachIndex(free_sizes, [&](absl::Span<const int64_t> at) {
    int64_t element = base;
    for (size_t i = 0; i < free.size(); ++i) element += at[i] * strides[free[i]];
    elements.push_back(element);
  });
  return elements;
}

Elements OfBroadcast(const Instruction& broadcast, const Shape& shape, const Index& index) {
  Index source;
  for (int64_t dimension : broadcast.IntList(Attr::kDimensions)) source.push_back(index[dimension]);
  return One(shape, source);
}

Elements OfTranspose(const Instruction& transpose, const Shape& shape, const Index& index) {
  const Index& permutation = transpose.IntList(Attr::kDimensions);
  Index source(index.size());
  for (size_t d = 0; d < permutation.size(); ++d) source[permutation[d]] = index[d];
  return One(shape, source);
}

Elements OfReverse(const Instruction& reverse, const Shape& shape, Index index) {
  for (int64_t d : reverse.IntList(Attr::kDimensions)) index[d] = shape.dimension(d) - 1 - index[d];
  return One(shape, index);
}

Elements OfSlice(const Instruction& slice, const Shape& shape, Index index) {
  const auto* ranges = slice.Get<SliceRanges>(Attr::kSlice);
  if (ranges == nullptr || ranges->dimensions.size() != index.size()) return std::nullopt;
  for (size_t d = 0; d < index.size(); ++d)
    index[d] = ranges->dimensions[d].start + index[d] * ranges->dimensions[d].stride;
  return One(shape, index);
}

Elements OfConcatenate(const Instruction& concatenate, size_t operand, Index index) {
  const Index& dimensions = concatenate.IntList(Attr::kDimensions);
  if (dimensions.size() != 1) return std::nullopt;
  for (size_t i = 0; i < operand; ++i)
    index[dimensions[0]] -= concatenate.operand(i).shape().dimension(dimensions[0]);
  return One(concatenate.operand(operand).shape(), index);
}

Elements OfPad(const Instruction& pad, size_t operand, Index index) {
  const auto* config = pad.Get<PaddingConfig>(Attr::kPadding);
  if (config == nullptr || config->dimensions.size() != index.size()) return std::nullopt;
  const Shape& shape = pad.operand(0).shape();
  bool inside = true;
  for (size_t d = 0; d < index.size(); ++d) {
    const PaddingDimension& padding = config->dimensions[d];
    int64_t at = index[d] - padding.low, step = padding.interior + 1;
    inside = inside && at >= 0 && at % step == 0 && at / step < shape.dimensions()[d];
    index[d] = at / step;
  }
  if (operand == 1) return inside ? std::vector<int64_t>() : std::vector<int64_t>{0};
  return inside ? One(shape, index) : std::vector<int64_t>();
}

Elements OfReduce(const Instruction& reduce, size_t operand, const Index& index) {
  const Shape& shape = reduce.operand(static_cast<int64_t>(operand)).shape();
  if (shape.rank() == 0) return std::vector<int64_t>{0};
  const Index& reduced = reduce.IntList(Attr::kDimensions);
  Index fixed(shape.rank(), -1);
  size_t next = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!absl::c_linear_search(reduced, d) && next < index.size()) fixed[d] = index[next++];
  }
  return next == index.size() ? Elements(Along(shape, fixed)) : std::nullopt;
}

Elements OfDot(const Instruction& dot, size_t operand, const Index& index) {
  if (operand > 1) return std::nullopt;
  const bool left = operand == 0;
  const Index& batch = dot.IntList(left ? Attr::kLhsBatchDims : Attr::kRhsBatchDims);
  const Index& contracted =
      dot.IntList(left ? Attr::kLhsContractingDims : Attr::kRhsContractingDims);
  const Shape& shape = dot.operand(left ? 0 : 1).shape();
  Index fixed(shape.rank(), -1);
  for (size_t b = 0; b < batch.size(); ++b) fixed[batch[b]] = index[b];
  // The result's dimensions are, in order: batch, free dimensions of lhs, free dimensions of rhs.
  int64_t free = shape.rank() - static_cast<int64_t>(batch.size() + contracted.size());
  int64_t at =
      left ? static_cast<int64_t>(batch.size()) : static_cast<int64_t>(index.size()) - free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracted, d))
      fixed[d] = index[at++];
  }
  return Along(shape, fixed);
}

Elements OfElementwise(const Instruction& instruction, const Shape& shape, const Index& index) {
  if (shape.rank() == 0) return std::vector<int64_t>{0};
  bool same = shape.dimensions() == instruction.shape().dimensions();
  return same ? One(shape, index) : std::nullopt;  // bitcast-convert may change the rank
}

Elements OfMovement(ops::Movement movement, const Instruction& instruction, size_t operand,
                    const Index& index) {
  const Shape& shape = instruction.operand(static_cast<int64_t>(operand)).shape();
  switch (movement) {
    case ops::Movement::kBroadcast:
      return OfBroadcast(instruction, shape, index);
    case ops::Movement::kTranspose:
      return OfTranspose(instruction, shape, index);
    case ops::Movement::kReverse:
      return OfReverse(instruction, shape, index);
    case ops::Movement::kSlice:
      return OfSlice(instruction, shape, index);
    case ops::Movement::kConcatenate:
      return OfConcatenate(instruction, operand, index);
    case ops::Movement::kPad:
      return OfPad(instruction, operand, index);
    case ops::Movement::kCopy:
      return One(shape, index);
    case ops::Movement::kReshape:
      return std::vector<int64_t>{
          LinearIndex(index, RowMajorStrides(instruction.shape().dimensions()))};
    case ops::Movement::kBitcast:
    case ops::Movement::kDynamicReshape:  // depends on run-time sizes
      return std::nullopt;
  }
  HLOCTS_UNREACHABLE();
}

// A transfer of an operand from one device to the result on another.
struct Transfer {
  const reference::DeviceGrid& devices;
  int64_t from, to;
};

// Returns the operand element that a call at the edge of a manual region reads for the result's
// element `index`. The operand is the whole array if the call enters the region (`entering`), and a
// tile if the call leaves it. The tile is that of the device inside the region.
Elements OfRegionEdge(const Instruction& call, bool entering, const Index& index,
                      const Transfer& between) {
  if (!call.shape().IsArray() || call.operands().size() != 1) return std::nullopt;
  const auto grids = GridsOfCall(call, between.devices.partitions);
  if (!grids.ok()) return std::nullopt;
  const Shape& whole = entering ? call.operand(0).shape() : call.shape();
  const int64_t device = (entering ? between.to : between.from) % between.devices.partitions;
  const int64_t wanted = LinearIndex(index, RowMajorStrides(call.shape().dimensions()));
  std::vector<int64_t> found;
  ForEachInTile(whole, ShardOf((*grids)[0], whole, device), [&](int64_t inside, int64_t outside) {
    if ((entering ? inside : outside) == wanted) found.push_back(entering ? outside : inside);
  });
  return found;
}

Elements OfTransfer(const Instruction& instruction, size_t operand, const Index& index,
                    const Transfer& between) {
  const Shape& shape = instruction.operand(static_cast<int64_t>(operand)).shape();
  if (const std::optional<ShardingCall> call = ShardingCallOf(instruction)) {
    if (*call != ShardingCall::kAnnotation)
      return OfRegionEdge(instruction, *call == ShardingCall::kFullToShard, index, between);
    return shape.IsArray() ? One(shape, index) : std::nullopt;
  }
  const bool same = instruction.opcode() == Opcode::kAllReduce && instruction.shape().IsArray();
  return same ? One(shape, index) : ElementsRead(instruction, operand, index);
}

std::vector<int64_t> DevicesRead(const Instruction& instruction,
                                 const reference::DeviceGrid& devices, int64_t device) {
  std::vector<int64_t> read;
  if (ShardingCallOf(instruction) == ShardingCall::kShardToFull) {
    const int64_t first = device - device % devices.partitions;
    for (int64_t p = 0; p < devices.partitions; ++p) read.push_back(first + p);
  } else if (reference::IsCollective(instruction.opcode())) {
    auto group = reference::GroupOf(instruction, devices, device);
    if (group.ok()) read = *std::move(group);
  }
  return read.empty() ? std::vector<int64_t>{device} : read;
}

}  // namespace

std::vector<OperandRead> ReadsOf(const DeviceElement& at, size_t operand,
                                 const reference::DeviceGrid& devices) {
  const Index index = MultiIndex(at.element, at.instruction->shape().dimensions());
  std::vector<OperandRead> reads;
  for (const int64_t from : DevicesRead(*at.instruction, devices, at.device))
    reads.push_back(
        {from, OfTransfer(*at.instruction, operand, index, {devices, from, at.device})});
  return reads;
}

std::optional<std::vector<int64_t>> ElementsRead(const Instruction& instruction, size_t operand,
                                                 const std::vector<int64_t>& index) {
  const Shape& shape = instruction.operand(static_cast<int64_t>(operand)).shape();
  if (!shape.IsArray()) return std::nullopt;
  const bool of_tuple = !instruction.shape().IsArray();
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kReduce) return OfReduce(instruction, operand, index);
  if (of_tuple || static_cast<int64_t>(index.size()) != instruction.shape().rank())
    return std::nullopt;
  if (const std::optional<ops::Movement> movement = ops::MovementOf(opcode))
    return OfMovement(*movement, instruction, operand, index);
  if (opcode == Opcode::kDot) return OfDot(instruction, operand, index);
  if (opcode == Opcode::kMap) return One(shape, index);
  if (ops::IsElementwiseFamily(opcode)) return OfElementwise(instruction, shape, index);
  return std::nullopt;
}

}  // namespace hlocts::backends
