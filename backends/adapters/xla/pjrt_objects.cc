// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/pjrt_objects.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hlocts::xla_plugin {
namespace {

struct ElementTypeRow {
  PJRT_Buffer_Type pjrt;
  int primitive_type;  // Its number in xla_data.proto.
  int host_bytes;
};

constexpr ElementTypeRow kElementTypes[] = {
    {PJRT_Buffer_Type_PRED, 1, 1},        {PJRT_Buffer_Type_S8, 2, 1},
    {PJRT_Buffer_Type_S16, 3, 2},         {PJRT_Buffer_Type_S32, 4, 4},
    {PJRT_Buffer_Type_S64, 5, 8},         {PJRT_Buffer_Type_U8, 6, 1},
    {PJRT_Buffer_Type_U16, 7, 2},         {PJRT_Buffer_Type_U32, 8, 4},
    {PJRT_Buffer_Type_U64, 9, 8},         {PJRT_Buffer_Type_F16, 10, 2},
    {PJRT_Buffer_Type_F32, 11, 4},        {PJRT_Buffer_Type_F64, 12, 8},
    {PJRT_Buffer_Type_BF16, 16, 2},       {PJRT_Buffer_Type_C64, 15, 8},
    {PJRT_Buffer_Type_C128, 18, 16},      {PJRT_Buffer_Type_F8E5M2, 19, 1},
    {PJRT_Buffer_Type_F8E4M3FN, 20, 1},   {PJRT_Buffer_Type_F8E4M3B11FNUZ, 23, 1},
    {PJRT_Buffer_Type_F8E5M2FNUZ, 24, 1}, {PJRT_Buffer_Type_F8E4M3FNUZ, 25, 1},
    {PJRT_Buffer_Type_S4, 21, 1},         {PJRT_Buffer_Type_U4, 22, 1},
    {PJRT_Buffer_Type_TOKEN, 17, 0},      {PJRT_Buffer_Type_S2, 26, 1},
    {PJRT_Buffer_Type_U2, 27, 1},         {PJRT_Buffer_Type_F8E4M3, 28, 1},
    {PJRT_Buffer_Type_F8E3M4, 29, 1},     {PJRT_Buffer_Type_F8E8M0FNU, 33, 1},
    {PJRT_Buffer_Type_F4E2M1FN, 32, 1},
};

// The permutation that dense `byte_strides` describe: dimensions from the smallest stride up.
Status FromStrides(const std::vector<int64_t>& strides, const std::vector<int64_t>& dimensions,
                   int64_t element_bytes, std::vector<int64_t>* minor_to_major) {
  minor_to_major->resize(dimensions.size());
  std::iota(minor_to_major->rbegin(), minor_to_major->rend(), 0);  // Ties: row-major.
  std::stable_sort(minor_to_major->begin(), minor_to_major->end(),
                   [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t expected = element_bytes;
  for (int64_t dimension : *minor_to_major) {
    if (dimensions[dimension] != 1 && strides[dimension] != expected) {
      return {kUnimplemented, "layout: expected dense strides, found " +
                                  std::to_string(strides[dimension]) + " in dimension " +
                                  std::to_string(dimension) + " where a dense array has " +
                                  std::to_string(expected)};
    }
    expected *= dimensions[dimension];
  }
  return {};
}

Status CheckPermutation(const std::vector<int64_t>& minor_to_major, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t dimension : minor_to_major) {
    if (dimension < 0 || static_cast<size_t>(dimension) >= rank || seen[dimension]) {
      return {kInvalidArgument, "minor_to_major: expected a permutation of " +
                                    std::to_string(rank) + " dimensions, found dimension " +
                                    std::to_string(dimension) + " twice or out of range"};
    }
    seen[dimension] = true;
  }
  return {};
}

Status ParseOption(const PJRT_NamedValue& option, ClientOptions* parsed) {
  const std::string name(option.name, option.name_size);
  if (name == "cpu_device_count" && option.type == PJRT_NamedValue_kInt64) {
    if (option.int64_value < 1 || option.int64_value > 1024) {
      return {kInvalidArgument, "create option cpu_device_count: expected 1 to 1024, found " +
                                    std::to_string(option.int64_value)};
    }
    parsed->device_count = static_cast<int>(option.int64_value);
    return {};
  }
  if (name == "asynchronous" && option.type == PJRT_NamedValue_kBool) {
    parsed->asynchronous = option.bool_value;
    return {};
  }
  return {kInvalidArgument,
          "create option: expected cpu_device_count (int64) or asynchronous (bool), found " + name +
              " of type " + std::to_string(option.type)};
}

}  // namespace

PJRT_Error* MakeError(Status status) {
  if (status.ok()) return nullptr;
  return new PJRT_Error{std::move(status)};
}

PJRT_Event* MakeEvent(std::unique_ptr<Event> event) { return new PJRT_Event{std::move(event)}; }

PJRT_Buffer* MakeBuffer(PJRT_Client* client, std::unique_ptr<Buffer> buffer) {
  auto* made = new PJRT_Buffer;
  made->client = client;
  made->buffer = std::move(buffer);
  made->dimensions = made->buffer->dimensions();
  made->dynamic_dimensions = made->buffer->dynamic_dimensions();
  return made;
}

int ElementTypeFromPjrt(PJRT_Buffer_Type type) {
  for (const ElementTypeRow& row : kElementTypes) {
    if (row.pjrt == type) return row.primitive_type;
  }
  return 0;
}

PJRT_Buffer_Type ElementTypeToPjrt(int element_type) {
  for (const ElementTypeRow& row : kElementTypes) {
    if (row.primitive_type == element_type) return row.pjrt;
  }
  return PJRT_Buffer_Type_INVALID;
}

int64_t HostElementBytes(int element_type) {
  for (const ElementTypeRow& row : kElementTypes) {
    if (row.primitive_type == element_type) return row.host_bytes;
  }
  return 0;
}

Status MinorToMajor(const PJRT_Buffer_MemoryLayout& layout, const std::vector<int64_t>& dimensions,
                    int64_t element_bytes, std::vector<int64_t>* minor_to_major) {
  const size_t rank = dimensions.size();
  const bool tiled = layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled;
  const size_t found = tiled ? layout.tiled.minor_to_major_size : layout.strides.num_byte_strides;
  if (found != rank) {
    return {kInvalidArgument, "layout: expected " + std::to_string(rank) + " dimensions, found " +
                                  std::to_string(found)};
  }
  if (!tiled) {
    const int64_t* strides = layout.strides.byte_strides;
    return FromStrides({strides, strides + rank}, dimensions, element_bytes, minor_to_major);
  }
  if (layout.tiled.num_tiles != 0) {
    return {kUnimplemented,
            "layout: expected no tiles, found " + std::to_string(layout.tiled.num_tiles)};
  }
  minor_to_major->assign(layout.tiled.minor_to_major, layout.tiled.minor_to_major + rank);
  return CheckPermutation(*minor_to_major, rank);
}

Status CheckPointer(const void* pointer, std::string_view what) {
  if (pointer != nullptr) return {};
  return {kInvalidArgument, std::string(what) + ": expected a pointer, found null"};
}

Status ParseClientOptions(const PJRT_NamedValue* options, size_t num_options,
                          ClientOptions* parsed) {
  for (size_t i = 0; i < num_options; ++i) {
    if (Status status = ParseOption(options[i], parsed); !status.ok()) return status;
  }
  return {};
}

}  // namespace hlocts::xla_plugin

namespace {

PJRT_NamedValue View(const hlocts::xla_plugin::Attribute& attribute) {
  PJRT_NamedValue view = {};
  view.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  view.name = attribute.first.data();
  view.name_size = attribute.first.size();
  view.value_size = 1;
  if (const auto* text = std::get_if<std::string>(&attribute.second)) {
    view.type = PJRT_NamedValue_kString;
    view.string_value = text->data();
    view.value_size = text->size();
  } else if (const auto* number = std::get_if<int64_t>(&attribute.second)) {
    view.type = PJRT_NamedValue_kInt64;
    view.int64_value = *number;
  } else if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute.second)) {
    view.type = PJRT_NamedValue_kInt64List;
    view.int64_array_value = list->data();
    view.value_size = list->size();
  } else if (const auto* real = std::get_if<float>(&attribute.second)) {
    view.type = PJRT_NamedValue_kFloat;
    view.float_value = *real;
  } else {
    view.type = PJRT_NamedValue_kBool;
    view.bool_value = std::get<bool>(attribute.second);
  }
  return view;
}

}  // namespace

NamedValues::NamedValues(std::vector<hlocts::xla_plugin::Attribute> attributes)
    : attributes_(std::move(attributes)) {
  for (const auto& attribute : attributes_) view_.push_back(View(attribute));
}

PJRT_TopologyDescription::PJRT_TopologyDescription(std::shared_ptr<hlocts::xla_plugin::Client> of)
    : client(std::move(of)), attributes({}) {
  for (const auto& device : client->devices()) {
    owned.push_back(std::make_unique<PJRT_DeviceDescription>(device));
    descriptions.push_back(owned.back().get());
  }
}

PJRT_Client::PJRT_Client(std::shared_ptr<hlocts::xla_plugin::Client> of)
    : client(std::move(of)), topology(client) {
  for (size_t i = 0; i < client->devices().size(); ++i) {
    owned_devices.push_back(std::make_unique<PJRT_Device>());
    devices.push_back(owned_devices.back().get());
    devices.back()->client = this;
    devices.back()->index = static_cast<int>(i);
    devices.back()->description = topology.descriptions[i];
    if (client->devices()[i].addressable) addressable_devices.push_back(devices.back());
  }
  for (size_t i = 0; i < client->memories().size(); ++i) {
    owned_memories.push_back(std::make_unique<PJRT_Memory>());
    memories.push_back(owned_memories.back().get());
    memories.back()->client = this;
    memories.back()->index = static_cast<int>(i);
    memories.back()->info = client->memories()[i];
    for (int device : memories.back()->info.devices) {
      memories.back()->devices.push_back(devices[device]);
    }
  }
  for (PJRT_Device* device : devices) {
    for (int memory : device->description->info.memories) {
      device->memories.push_back(memories[memory]);
    }
  }
}

PJRT_Executable::PJRT_Executable(std::shared_ptr<hlocts::xla_plugin::Executable> of)
    : executable(std::move(of)), name(executable->name()) {}
