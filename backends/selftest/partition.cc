// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/partition.h"

#include <algorithm>
#include <cstring>

#include "backends/selftest/elements.h"
#include "reference/dynamic_sizes.h"
#include "reference/recognized.h"
#include "spec/ir/sharding.h"

namespace hlocts::backends {
namespace {

std::vector<Contracted> OfReduce(const Instruction& instruction,
                                 absl::Span<const Literal> operands) {
  std::vector<Contracted> all;
  if (operands.size() != 2) return all;  // several arrays have no elementwise combination
  for (int64_t d : instruction.IntList(Attr::kDimensions)) all.push_back({{0, d}});
  return all;
}

std::vector<Contracted> OfDot(const Instruction& instruction) {
  const std::vector<int64_t>& lhs = instruction.IntList(Attr::kLhsContractingDims);
  const std::vector<int64_t>& rhs = instruction.IntList(Attr::kRhsContractingDims);
  std::vector<Contracted> all;
  for (size_t i = 0; i < std::min(lhs.size(), rhs.size()); ++i) {
    all.push_back({{0, lhs[i]}, {1, rhs[i]}});
  }
  return all;
}

std::vector<Contracted> OfConvolution(const Instruction& instruction) {
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const bool grouped = instruction.IntOr(Attr::kFeatureGroupCount, 1) != 1 ||
                       instruction.IntOr(Attr::kBatchGroupCount, 1) != 1;
  if (numbers == nullptr || grouped) return {};
  return {{{0, numbers->input_feature}, {1, numbers->kernel_input_feature}}};
}

// Pairs the updates' dimensions that are not window dimensions with those of the indices, in order.
std::vector<Contracted> OfScatter(const Instruction& instruction,
                                  absl::Span<const Literal> operands) {
  const Computation* body = instruction.CalledComputation(Attr::kToApply);
  std::vector<Contracted> all;
  if (operands.size() != 3 || body == nullptr ||
      reference::Recognize(*body) != reference::RecognizedReducer::kAdd ||
      !instruction.IntList(Attr::kScatterIndicesBatchingDims).empty()) {
    return all;
  }
  const std::vector<int64_t>& windows = instruction.IntList(Attr::kUpdateWindowDims);
  const int64_t vector_dimension = instruction.IntOr(Attr::kIndexVectorDim, -1);
  int64_t index_dimension = 0;
  for (int64_t d = 0; d < operands[2].shape().rank(); ++d) {
    if (std::find(windows.begin(), windows.end(), d) != windows.end()) continue;
    index_dimension += index_dimension == vector_dimension;
    all.push_back({{1, index_dimension++}, {2, d}});
  }
  return all;
}

}  // namespace

Literal NeutralInit(const Literal& like) {
  Literal neutral(like.shape());
  if (!IsFloat(NumberType(neutral))) return neutral;
  for (int64_t i = 0; i < NumberCount(neutral); ++i) WriteNumber(neutral, i, -0.0);
  return neutral;
}

Literal RowsOf(const Literal& array, int64_t dimension, int64_t start, int64_t limit) {
  std::vector<int64_t> sizes = array.shape().dimensions();
  int64_t outer = 1, inner = StorageBytes(array.element_type());
  for (int64_t d = 0; d < array.shape().rank(); ++d) {
    if (d < dimension) outer *= sizes[d];
    if (d > dimension) inner *= sizes[d];
  }
  const int64_t rows = sizes[dimension];
  sizes[dimension] = limit - start;
  Literal part(Shape(array.element_type(), sizes));
  if (part.element_count() == 0) return part;
  uint8_t* out = part.mutable_raw_data();
  for (int64_t block = 0; block < outer; ++block) {
    std::memcpy(out + block * (limit - start) * inner,
                array.raw_data() + (block * rows + start) * inner, (limit - start) * inner);
  }
  return part;
}

std::vector<Contracted> ContractedDimensions(const Instruction& instruction,
                                             absl::Span<const Literal> operands) {
  std::vector<Contracted> all;
  if (instruction.opcode() == Opcode::kReduce) all = OfReduce(instruction, operands);
  if (instruction.opcode() == Opcode::kDot) all = OfDot(instruction);
  if (instruction.opcode() == Opcode::kConvolution) all = OfConvolution(instruction);
  if (instruction.opcode() == Opcode::kScatter) all = OfScatter(instruction, operands);
  std::erase_if(all, [&](const Contracted& cut) {
    const auto& [operand, dimension] = cut[0];
    return operands[operand].shape().dimension(dimension) < 2 ||
           operands[operand].element_count() == 0;  // no device has an element (ruling 0020)
  });
  return all;
}

int64_t AnnotatedTiles(const Instruction& instruction, const Contracted& cut) {
  for (const auto& [operand, dimension] : cut) {
    if (operand >= instruction.operands().size()) continue;
    const Instruction& given = instruction.operand(static_cast<int64_t>(operand));
    const Sharding* sharding = given.Get<Sharding>(Attr::kSharding);
    if (sharding == nullptr) continue;
    auto grid = TileGridOf(*sharding, given.shape().rank(), DeviceCountOf(*sharding));
    if (grid.ok() && grid->counts[dimension] > 1) return grid->counts[dimension];
  }
  return 1;
}

std::optional<std::vector<Literal>> OperandsOfPart(const Instruction& instruction,
                                                   absl::Span<const Literal> operands,
                                                   const Contracted& cut, int64_t tile,
                                                   int64_t tiles) {
  std::vector<Literal> own(operands.begin(), operands.end());
  for (const auto& [operand, dimension] : cut) {
    const int64_t size = own[operand].shape().dimension(dimension);
    const int64_t each = (size + tiles - 1) / tiles;
    const int64_t start = std::min(size, tile * each), limit = std::min(size, start + each);
    if (start == limit) return std::nullopt;
    own[operand] = RowsOf(own[operand], dimension, start, limit);
  }
  if (instruction.opcode() == Opcode::kScatter && tile > 0) own[0] = NeutralInit(own[0]);
  return own;
}

absl::StatusOr<Literal> CombineParts(reference::EvalContext& context,
                                     const Instruction& instruction, const Literal& a,
                                     const Literal& b) {
  std::vector<Literal> both = {a, b};
  Computation* body = instruction.CalledComputation(Attr::kToApply);
  Instruction left("left", Opcode::kParameter, a.shape());
  Instruction right("right", Opcode::kParameter, b.shape());
  Instruction combine("combine", body == nullptr ? Opcode::kAdd : Opcode::kMap, a.shape());
  combine.mutable_operands() = {&left, &right};
  if (body == nullptr) return reference::EvaluateElementwise(combine, absl::MakeSpan(both));
  combine.Set(Attr::kToApply, body);
  return reference::EvaluatorOf(Opcode::kMap)(context, combine, absl::MakeSpan(both));
}

}  // namespace hlocts::backends
