// SPDX-License-Identifier: Apache-2.0
#include "spec/pjrt/table/objects.h"

#include <algorithm>
#include <numeric>

namespace hlocts::pjrt {

PJRT_Error* MakeError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new PJRT_Error{status, std::string(status.message())};
}

PJRT_Buffer* MakeBuffer(PJRT_Device* device, Literal literal) {
  auto* made = new PJRT_Buffer;
  made->device = device;
  made->shape = literal.shape().WithoutLayout();
  if (literal.shape().IsArray()) {
    made->minor_to_major = MajorToMinorOrder(made->shape.rank());
    made->unpadded_dimensions = literal.runtime_sizes();
  }
  for (int64_t d = 0; d < made->shape.rank(); ++d) {
    if (made->shape.is_dynamic_dimension(d))
      made->dynamic_dimensions.push_back(static_cast<size_t>(d));
  }
  made->literal = std::move(literal);
  return made;
}

std::unique_ptr<PJRT_LoadedExecutable> Loaded(PJRT_Client* client,
                                              std::shared_ptr<Program> program) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->client = client;
  loaded->program = std::move(program);
  for (const int device : loaded->program->assignment)
    loaded->devices.push_back(client->devices[static_cast<size_t>(device)]);
  loaded->infeed.resize(loaded->devices.size());
  loaded->outfeed.resize(loaded->devices.size());
  return loaded;
}

absl::Status CheckPointer(const void* pointer, absl::string_view what) {
  if (pointer != nullptr) return absl::OkStatus();
  return InvalidInput(what, ": expected a pointer, found null");
}

absl::Status CheckAlive(const PJRT_Buffer& buffer) {
  if (buffer.deleted) return InvalidInput("expected a live buffer, found one deleted or donated");
  return buffer.error;
}

absl::StatusOr<std::vector<int64_t>> FromStrides(absl::Span<const int64_t> strides,
                                                 const Shape& shape) {
  std::vector<int64_t> minor_to_major(strides.size());
  std::iota(minor_to_major.rbegin(), minor_to_major.rend(), 0);  // equal strides: row-major
  std::stable_sort(minor_to_major.begin(), minor_to_major.end(),
                   [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t expected = StorageBytes(shape.element_type());
  for (const int64_t dimension : minor_to_major) {
    if (shape.dimension(dimension) != 1 && strides[dimension] != expected) {
      return Unsupported("layout: expected dense strides, found ", strides[dimension],
                         " in dimension ", dimension, "; a dense array has ", expected);
    }
    expected *= shape.dimension(dimension);
  }
  return minor_to_major;
}

absl::StatusOr<std::vector<int64_t>> MinorToMajor(const PJRT_Buffer_MemoryLayout& layout,
                                                  const Shape& shape) {
  const bool tiled = layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled;
  const size_t found = tiled ? layout.tiled.minor_to_major_size : layout.strides.num_byte_strides;
  if (found != static_cast<size_t>(shape.rank()))
    return InvalidInput("layout: expected ", shape.rank(), " dimensions, found ", found);
  if (!tiled) return FromStrides({layout.strides.byte_strides, found}, shape);
  if (layout.tiled.num_tiles != 0)
    return Unsupported("layout: expected no tiles, found ", layout.tiled.num_tiles);
  const int64_t* given = layout.tiled.minor_to_major;
  std::vector<int64_t> order(given, given + found), sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < found; ++d) {
    if (sorted[d] != static_cast<int64_t>(d)) {
      return InvalidInput("minor_to_major: expected a permutation of ", found,
                          " dimensions, found one twice or out of range");
    }
  }
  return order;
}

}  // namespace hlocts::pjrt
