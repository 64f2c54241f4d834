// SPDX-License-Identifier: Apache-2.0
// What stands behind the opaque pointers of the PJRT C API, and the shape of a table entry.
//
// An entry is `Status Name(PJRT_..._Args& args)`: it is called with a checked struct_size, fills
// the out fields and returns what went wrong. pjrt_table.cc wraps it into the C function. Strings
// and arrays handed out as pointers live in the object they describe.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_OBJECTS_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_OBJECTS_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/adapters/xla/xla_client.h"
#include "xla/pjrt/c/pjrt_c_api.h"

struct PJRT_Error {
  hlocts::xla_plugin::Status status;
};

struct PJRT_Event {
  std::unique_ptr<hlocts::xla_plugin::Event> event;
};

// Attributes with the C view of them. Not copied or moved once built: the view points inside.
class NamedValues {
 public:
  explicit NamedValues(std::vector<hlocts::xla_plugin::Attribute> attributes);
  NamedValues(const NamedValues&) = delete;
  NamedValues& operator=(const NamedValues&) = delete;
  const PJRT_NamedValue* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }

 private:
  std::vector<hlocts::xla_plugin::Attribute> attributes_;
  std::vector<PJRT_NamedValue> view_;
};

struct PJRT_DeviceDescription {
  explicit PJRT_DeviceDescription(const hlocts::xla_plugin::DeviceInfo& device)
      : info(device), attributes(device.attributes) {}
  hlocts::xla_plugin::DeviceInfo info;
  NamedValues attributes;
};

struct PJRT_Device {
  PJRT_Client* client = nullptr;
  int index = 0;  // In Client::devices().
  PJRT_DeviceDescription* description = nullptr;
  std::vector<PJRT_Memory*> memories;
};

struct PJRT_Memory {
  PJRT_Client* client = nullptr;
  int index = 0;  // In Client::memories().
  hlocts::xla_plugin::MemoryInfo info;
  std::vector<PJRT_Device*> devices;
};

struct PJRT_TopologyDescription {
  explicit PJRT_TopologyDescription(std::shared_ptr<hlocts::xla_plugin::Client> of);
  std::shared_ptr<hlocts::xla_plugin::Client> client;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> owned;
  std::vector<PJRT_DeviceDescription*> descriptions;
  NamedValues attributes;
};

struct PJRT_Client {
  explicit PJRT_Client(std::shared_ptr<hlocts::xla_plugin::Client> of);
  std::shared_ptr<hlocts::xla_plugin::Client> client;
  PJRT_TopologyDescription topology;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<std::unique_ptr<PJRT_Memory>> owned_memories;
  std::vector<PJRT_Device*> devices, addressable_devices;
  std::vector<PJRT_Memory*> memories;
};

struct PJRT_Buffer {
  PJRT_Client* client = nullptr;
  std::unique_ptr<hlocts::xla_plugin::Buffer> buffer;
  std::mutex mutex;  // Guards what is computed on first demand, below.
  std::vector<int64_t> dimensions, unpadded_dimensions;
  std::vector<size_t> dynamic_dimensions;
  hlocts::xla_plugin::LayoutSpec layout;
  std::vector<int64_t> tile_dimensions;
  std::vector<size_t> tile_sizes;
};

struct PJRT_Executable {
  explicit PJRT_Executable(std::shared_ptr<hlocts::xla_plugin::Executable> of);
  std::shared_ptr<hlocts::xla_plugin::Executable> executable;
  std::string name;
  std::mutex mutex;  // Guards what is computed on first demand, below.
  std::string fingerprint, program;
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dimensions;  // Of all outputs, one after the other.
  std::vector<size_t> output_ranks;
  std::vector<std::string> memory_kinds;
  std::vector<const char*> memory_kind_data;
  std::vector<size_t> memory_kind_sizes;
  std::unique_ptr<NamedValues> costs;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client = nullptr;
  std::shared_ptr<hlocts::xla_plugin::Executable> executable;
  std::vector<PJRT_Device*> devices;
  std::string fingerprint;
  size_t num_outputs = 0;
};

struct PJRT_ExecuteContext {};

namespace hlocts::xla_plugin {

// Null for success, as the C API has it.
PJRT_Error* MakeError(Status status);
PJRT_Event* MakeEvent(std::unique_ptr<Event> event);
PJRT_Buffer* MakeBuffer(PJRT_Client* client, std::unique_ptr<Buffer> buffer);

// XLA's PrimitiveType number of a PJRT element type, and back; 0 (invalid) when there is none.
int ElementTypeFromPjrt(PJRT_Buffer_Type type);
PJRT_Buffer_Type ElementTypeToPjrt(int element_type);

// The minor_to_major of a tiled or strided layout of an array, checked: a permutation, no tiles,
// and strides that are dense. `element_bytes` is the size of one element on the host.
Status MinorToMajor(const PJRT_Buffer_MemoryLayout& layout, const std::vector<int64_t>& dimensions,
                    int64_t element_bytes, std::vector<int64_t>* minor_to_major);
// Bytes of one element in host memory: sub-byte types take one each.
int64_t HostElementBytes(int element_type);

// `what` when `pointer` is null.
Status CheckPointer(const void* pointer, std::string_view what);
// Reads the client options this plugin knows; any other name is an error.
Status ParseClientOptions(const PJRT_NamedValue* options, size_t num_options,
                          ClientOptions* parsed);

// Shared by the entries that hand out a string which a deleter of theirs frees.
template <typename Holder>
void DeleteHeldString(Holder* holder) {
  delete reinterpret_cast<std::string*>(holder);
}

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_OBJECTS_H_
