// SPDX-License-Identifier: Apache-2.0
// The structures behind the opaque pointers of the PJRT C API. A string or an array to which an
// entry returns a pointer is a member of the object that it describes.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/pjrt/buffer_types.h"
#include "spec/pjrt/table/engine.h"
#include "spec/pjrt/table/spread.h"
#include "spec/pjrt/table/stablehlo.h"

struct PJRT_Error {
  absl::Status status;
  std::string message;  // null-terminated, unlike the message of a status
};

struct PJRT_Event {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<absl::Status> status;  // none: pending
  std::vector<std::pair<PJRT_Event_OnReadyCallback, void*>> callbacks;
};

struct PJRT_ExecuteContext {};

struct PJRT_DeviceDescription {
  int id = 0;
  std::string kind, text;  // "cpu", "cpu:0"
};

// The memory of one device, with the same id.
struct PJRT_Memory {
  PJRT_Device* device = nullptr;
};

struct PJRT_Device {
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription* description = nullptr;
  PJRT_Memory memory;
  PJRT_Memory* memories[1] = {&memory};
  PJRT_Device* self[1] = {this};
};

struct PJRT_TopologyDescription {
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> owned;
  std::vector<PJRT_DeviceDescription*> descriptions;
  std::string platform, version;
};

struct PJRT_Client {
  hlocts::pjrt::Options options;  // options for creating the client
  PJRT_TopologyDescription topology;
  std::string words;
  std::unique_ptr<hlocts::pjrt::StablehloConverter> converter;
  std::vector<std::unique_ptr<PJRT_Device>> owned;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;
  std::mutex mutex;
  // Engines, keyed by their options. Executables keep their engines alive.
  std::map<std::string, std::shared_ptr<hlocts::pjrt::Engine>> engines;
};

struct PJRT_Buffer {
  PJRT_Device* device = nullptr;
  hlocts::Shape shape;  // without a layout
  std::vector<int64_t> minor_to_major;
  std::vector<size_t> dynamic_dimensions;
  std::vector<int64_t> unpadded_dimensions;
  std::mutex mutex;  // guards the fields below
  hlocts::Literal literal;
  absl::Status error;  // the error of an error buffer
  bool deleted = false;
  int references = 0;
};

namespace hlocts::pjrt {

// A compiled module, shared by a loaded executable and the executables that describe it.
struct Program {
  std::string name, module_bytes, options_bytes;
  int64_t replicas = 1, partitions = 1;
  std::vector<int> assignment;            // devices, replica by replica
  std::vector<Shape> arguments, outputs;  // leaves on one device
  std::optional<Spread> spread;           // none: the engine runs the module on each device
  std::vector<Donation> donations;
  std::shared_ptr<Engine> engine;
  std::unique_ptr<pjrt::Executable> executable;

  // Returns the FNV-1a hash of module and options, which the first call computes.
  const std::string& Fingerprint() const;

 private:
  mutable std::once_flag fingerprinted_;
  mutable std::string fingerprint_;
};

}  // namespace hlocts::pjrt

struct PJRT_Executable {
  std::shared_ptr<const hlocts::pjrt::Program> program;
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dimensions;  // dimensions of all outputs, concatenated
  std::vector<size_t> output_ranks;
  std::vector<const char*> memory_kinds;
  std::vector<size_t> memory_kind_sizes;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client = nullptr;
  std::shared_ptr<hlocts::pjrt::Program> program;
  std::vector<PJRT_Device*> devices;
  std::mutex mutex;  // guards the fields below
  bool deleted = false;
  std::vector<std::vector<hlocts::Literal>> infeed;  // leaves for the next run, by device
  std::vector<std::deque<hlocts::Literal>> outfeed;  // leaves from the last run
};

namespace hlocts::pjrt {

inline constexpr int64_t kDevicesMax = 1024;

// Returns null for success, as in the C API.
PJRT_Error* MakeError(const absl::Status& status);
PJRT_Event* MakeEvent(absl::Status status = absl::OkStatus());
PJRT_Buffer* MakeBuffer(PJRT_Device* device, Literal literal);
std::unique_ptr<PJRT_LoadedExecutable> Loaded(PJRT_Client* client,
                                              std::shared_ptr<Program> program);

// Returns kInvalidArgument if `pointer` is null.
absl::Status CheckPointer(const void* pointer, absl::string_view what);
// Returns kInvalidArgument if the buffer is deleted, or the error of an error buffer.
absl::Status CheckAlive(const PJRT_Buffer& buffer);

// Returns the minor_to_major of a tiled or strided layout of an array. Returns an error if it is
// not a permutation, if there are tiles, or if strides are not dense.
absl::StatusOr<std::vector<int64_t>> MinorToMajor(const PJRT_Buffer_MemoryLayout& layout,
                                                  const Shape& shape);
// Returns the minor_to_major that dense byte strides describe.
absl::StatusOr<std::vector<int64_t>> FromStrides(absl::Span<const int64_t> strides,
                                                 const Shape& shape);

// Reads the module and the options, and loads the module into an engine. `client` owns the engines
// and determines the number of devices.
absl::StatusOr<std::shared_ptr<Program>> CompileProgram(PJRT_Client& client,
                                                        absl::string_view format,
                                                        absl::string_view code,
                                                        absl::string_view options);
absl::StatusOr<std::shared_ptr<Program>> DeserializeProgram(PJRT_Client& client,
                                                            absl::string_view bytes,
                                                            absl::string_view options);
std::string SerializeProgram(const Program& program);
// Returns a serialized HloModuleProtoWithConfig of the compiled module, with its entry's shardings.
absl::StatusOr<std::string> OptimizedProgram(const Program& program);

}  // namespace hlocts::pjrt
