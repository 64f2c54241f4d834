// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

using Factory = absl::StatusOr<StepDraft> (*)(const OpContext& context);

struct FactoryTable {
  Factory factories[kOpcodeCount] = {};
  FactoryTable() {
#define HLOCTS_CUDA_OP(Name, function) factories[static_cast<int>(Opcode::k##Name)] = function;
#include "backends/engine/cuda/compile/ops.def"
#undef HLOCTS_CUDA_OP
  }
};

}  // namespace

absl::StatusOr<StepDraft> MakeStep(const OpContext& context) {
  static const FactoryTable* table = new FactoryTable();
  const Factory factory = table->factories[static_cast<int>(context.node.opcode)];
  if (factory != nullptr) return factory(context);
  return Unsupported(context.name(), ": ", OpcodeName(context.node.opcode),
                     " is not implemented by this engine");
}

std::vector<int64_t> Strides(absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> strides(dimensions.size());
  int64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(dimensions[d], 1);
  }
  return strides;
}

absl::Status CheckRank(const OpContext& context, size_t rank) {
  if (rank <= hl::kRankMax) return absl::OkStatus();
  return Unsupported(context.name(), ": expected at most ", hl::kRankMax, " dimensions, found ",
                     rank);
}
absl::Status CheckPlaces(const OpContext& context, size_t arrays) {
  if (arrays <= hl::kPlacesMax) return absl::OkStatus();
  return Unsupported(context.name(), ": expected at most ", hl::kPlacesMax, " operands, found ",
                     arrays);
}

absl::StatusOr<hl::View> CoordinateView(absl::Span<const int64_t> result,
                                        absl::Span<const Coordinate> coordinates) {
  plan::View view;
  for (int64_t size : result) view.dimensions.push_back({size, 0});
  for (const Coordinate& c : coordinates) view.dimensions[c.dimension].stride += c.stride;
  return DeviceView(view);
}

absl::StatusOr<std::vector<uint8_t>> ToHost(Run& run, const void* data, int64_t bytes) {
  std::vector<uint8_t> copy(static_cast<size_t>(bytes) + 1);
  HLOCTS_RETURN_IF_ERROR(run.device().Download(copy.data(), data, bytes));
  return copy;
}

}  // namespace hlocts::cuda
