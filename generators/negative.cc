#include "generators/negative.h"

#include <vector>

namespace hlocts {
namespace {

using Sizes = std::vector<int64_t>;

// Changes the instruction so that it breaks the rule; false where it cannot.
using Break = bool (*)(Instruction& instruction);

struct BreakRow {
  Opcode opcode;
  const char* rule;
  Break apply;
};

int64_t OperandRank(const Instruction& instruction) { return instruction.operand(0).shape().rank(); }

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

bool NegativeDimension(Instruction& instruction) { return SetDimensions(instruction, {-1}); }

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
  change(ranges.dimensions[0], instruction.operand(0).shape().dimension(0));
  instruction.Set(Attr::kSlice, ranges);
  return true;
}

bool LimitBeyondTheSize(Instruction& instruction) {
  return ChangeSlice(instruction, [](SliceRange& range, int64_t size) { range.limit = size + 1; });
}
bool StrideOfZero(Instruction& instruction) {
  return ChangeSlice(instruction, [](SliceRange& range, int64_t) { range.stride = 0; });
}
bool NegativeStart(Instruction& instruction) {
  return ChangeSlice(instruction, [](SliceRange& range, int64_t) { range.start = -1; });
}

bool NegativeInterior(Instruction& instruction) {
  PaddingConfig padding = *instruction.Get<PaddingConfig>(Attr::kPadding);
  if (padding.dimensions.empty()) return false;
  padding.dimensions[0].interior = -1;
  instruction.Set(Attr::kPadding, padding);
  return true;
}

bool OneElementMore(Instruction& instruction) {
  if (instruction.shape().rank() == 0) return false;
  for (int64_t d = 1; d < instruction.shape().rank(); ++d) {
    if (instruction.shape().dimension(d) == 0) return false;
  }
  instruction.mutable_shape().set_dimension(0, instruction.shape().dimension(0) + 1);
  return true;
}

bool LargerThanTheOperand(Instruction& instruction) {
  Sizes sizes = instruction.IntList(Attr::kDynamicSliceSizes);
  if (sizes.empty()) return false;
  sizes[0] = instruction.operand(0).shape().dimension(0) + 1;
  instruction.Set(Attr::kDynamicSliceSizes, sizes);
  return true;
}

bool IotaBeyondTheLast(Instruction& instruction) {
  instruction.Set(Attr::kIotaDimension, instruction.shape().rank());
  return true;
}

bool ElementBeyondTheLast(Instruction& instruction) {
  instruction.Set(Attr::kIndex, static_cast<int64_t>(instruction.operand(0).shape().tuple_shapes().size()));
  return true;
}

bool MoreThanThereAre(Instruction& instruction) {
  instruction.Set(Attr::kK, instruction.operand(0).shape().dimension(-1) + 1);
  return true;
}

bool NoWindow(Instruction& instruction) {
  Window window = *instruction.Get<Window>(Attr::kWindow);
  if (window.dimensions.empty()) return false;
  window.dimensions[0].stride = 0;
  instruction.Set(Attr::kWindow, window);
  return true;
}

bool NoExponent(Instruction& instruction) {
  instruction.Set(Attr::kExponentBits, int64_t{0});
  return true;
}

constexpr BreakRow kBreaks[] = {
    {Opcode::kTranspose, "transpose.5", RepeatDimension},
    {Opcode::kReverse, "rev.3", RepeatDimension},
    {Opcode::kReduce, "reduce.7", RepeatDimension},
    {Opcode::kReduce, "reduce.7", DimensionBeyondTheLast},
    {Opcode::kConcatenate, "concatenate.7", DimensionBeyondTheLast},
    {Opcode::kConcatenate, "concatenate.7", NegativeDimension},
    {Opcode::kSort, "sort.4", DimensionBeyondTheLast},
    {Opcode::kBroadcast, "broadcast_in_dim.8", BroadcastBeyondTheResult},
    {Opcode::kSlice, "slice.11", LimitBeyondTheSize},
    {Opcode::kSlice, "slice.13", StrideOfZero},
    {Opcode::kSlice, "slice.8", NegativeStart},
    {Opcode::kPad, "pad.12", NegativeInterior},
    {Opcode::kReshape, "reshape.9", OneElementMore},
    {Opcode::kDynamicSlice, "dynamic_slice.12", LargerThanTheOperand},
    {Opcode::kIota, "iota.9", IotaBeyondTheLast},
    {Opcode::kGetTupleElement, "get_tuple_element.5", ElementBeyondTheLast},
    {Opcode::kTopk, "top_k.4", MoreThanThereAre},
    {Opcode::kReduceWindow, "reduce_window.11", NoWindow},
    {Opcode::kConvolution, "conv_with_general_padding.19", NoWindow},
    {Opcode::kReducePrecision, "reduce_precision.13", NoExponent},
};

struct Place {
  const BreakRow* row;
  Instruction* instruction;
};

std::vector<Place> PlacesIn(Module& module) {
  std::vector<Place> places;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const BreakRow& row : kBreaks) {
        if (row.opcode == instruction->opcode()) places.push_back({&row, instruction.get()});
      }
    }
  }
  return places;
}

}  // namespace

std::string BreakOneRule(ChoiceSource& choose, Module& module) {
  std::vector<Place> places = PlacesIn(module);
  size_t first = choose.Below(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[(first + i) % places.size()];
    if (place.row->apply(*place.instruction)) return place.row->rule;
  }
  return "";
}

}  // namespace hlocts
