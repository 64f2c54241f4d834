// SPDX-License-Identifier: Apache-2.0
// What the PJRT table needs of XLA, in our own words: no XLA, protobuf or Abseil type appears here.
//
// XLA's client headers cost half a minute to compile, so that only the files behind this interface
// include them (client_sources in CMakeLists.txt, compiled as one); the table files (pjrt_*.cc) see
// nothing else.
// Devices and memories are named by their index in Client::devices() / Client::memories().
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_CLIENT_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_CLIENT_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hlocts::xla_plugin {

// `code` is a canonical status code, which is what PJRT_Error_Code and absl::StatusCode both are.
struct Status {
  int code = 0;
  std::string message;
  bool ok() const { return code == 0; }
};

inline constexpr int kInvalidArgument = 3;
inline constexpr int kNotFound = 5;
inline constexpr int kFailedPrecondition = 9;
inline constexpr int kUnimplemented = 12;

using Attribute =
    std::pair<std::string, std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>>;

// Something that becomes ready once, well or with an error.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool IsReady() = 0;
  // Blocks until ready.
  virtual Status Await() = 0;
  // Calls `callback` once when ready: at once on this thread, or later on any.
  virtual void OnReady(std::function<void(const Status&)> callback) = 0;
};

// An event that its owner sets. Copies share one state, so that a setter may outlive its event.
class SettableEvent : public Event {
 public:
  SettableEvent() : state_(std::make_shared<State>()) {}
  // The first call wins; returns whether this was it.
  bool Set(const Status& status);
  bool IsReady() override;
  Status Await() override;
  void OnReady(std::function<void(const Status&)> callback) override;

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Status> status;
    std::vector<std::function<void(const Status&)>> callbacks;
  };
  std::shared_ptr<State> state_;
};

struct DeviceInfo {
  int id = 0;
  int process_index = 0;
  int local_hardware_id = 0;
  bool addressable = true;
  std::string kind, debug_string, to_string;
  std::vector<Attribute> attributes;
  std::vector<int> memories;
  int default_memory = 0;
};

struct MemoryInfo {
  int id = 0;
  int kind_id = 0;
  std::string kind, debug_string, to_string;
  std::vector<int> devices;
};

// A dense layout: minor_to_major, and tiles (dimension sizes of each) when there are any.
struct LayoutSpec {
  std::vector<int64_t> minor_to_major;
  std::vector<std::vector<int64_t>> tiles;
};

// Element types are numbers of XLA's PrimitiveType, sizes are bytes, dimensions major to minor as
// written in HLO.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual int element_type() = 0;
  virtual std::vector<int64_t> dimensions() = 0;
  virtual std::vector<size_t> dynamic_dimensions() = 0;
  // Sizes as they really are; blocks when a dimension is dynamic.
  virtual Status UnpaddedDimensions(std::vector<int64_t>* dimensions) = 0;
  virtual Status Layout(LayoutSpec* layout) = 0;
  virtual Status OnDeviceSize(size_t* bytes) = 0;
  virtual int device() = 0;
  virtual int memory() = 0;
  virtual bool IsOnCpu() = 0;
  virtual void Delete() = 0;
  virtual bool IsDeleted() = 0;
  virtual std::unique_ptr<Event> Ready() = 0;
  virtual Status CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) = 0;
  // Bytes ToHost writes: one element each, also for sub-byte types (one byte per element).
  virtual Status HostSize(size_t* bytes) = 0;
  // `minor_to_major` null: the layout of the buffer. `bytes` must be at least HostSize().
  virtual Status ToHost(const std::vector<int64_t>* minor_to_major, void* destination, size_t bytes,
                        std::unique_ptr<Event>* done) = 0;
  virtual Status CopyRawToHost(void* destination, int64_t offset, int64_t bytes,
                               std::unique_ptr<Event>* done) = 0;
  virtual Status UnsafePointer(uintptr_t* pointer) = 0;
  // While at least one external reference is held, the memory stays where it is.
  virtual Status AddExternalReference(void** data) = 0;
  virtual Status DropExternalReference() = 0;
};

struct MemoryStats {
  int64_t generated_code = 0, argument = 0, output = 0, alias = 0, temp = 0, peak = 0, total = 0;
  int64_t host_generated_code = 0, host_argument = 0, host_output = 0, host_alias = 0,
          host_temp = 0;
};

struct ExecuteOptions {
  int launch_id = 0;
  std::vector<int> non_donatable_input_indices;
  std::string call_location;
};

// A loaded executable.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual std::string name() = 0;
  virtual int num_replicas() = 0;
  virtual int num_partitions() = 0;
  virtual std::vector<int> addressable_devices() = 0;
  virtual Status Outputs(std::vector<int>* element_types,
                         std::vector<std::vector<int64_t>>* dimensions) = 0;
  virtual Status OutputMemoryKinds(std::vector<std::string>* kinds) = 0;
  virtual Status GeneratedCodeSize(int64_t* bytes) = 0;
  virtual Status CostAnalysis(std::vector<Attribute>* properties) = 0;
  virtual Status GetMemoryStats(MemoryStats* stats) = 0;
  virtual Status Fingerprint(std::string* fingerprint) = 0;
  // Serialized HloModuleProto after XLA:CPU's passes.
  virtual Status OptimizedProgram(std::string* module) = 0;
  virtual Status Serialize(std::string* bytes) = 0;
  virtual Status CompileOptions(std::string* proto) = 0;
  virtual Status DeviceAssignment(std::string* proto) = 0;
  virtual void Delete() = 0;
  virtual bool IsDeleted() = 0;
  // arguments[device][leaf] -> outputs[device][leaf]. `device` null: one list per addressable
  // device of the executable; otherwise one list, run on that device only.
  virtual Status Execute(const std::vector<std::vector<Buffer*>>& arguments,
                         const ExecuteOptions& options, const int* device,
                         std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                         std::vector<std::unique_ptr<Event>>* done) = 0;
};

// The four ways in which PJRT lets host memory be used, numbered as PJRT_HostBufferSemantics.
enum class HostBuffer { kOnlyDuringCall, kUntilTransferCompletes, kZeroCopy, kMutableZeroCopy };

struct HostArray {
  const void* data = nullptr;
  int element_type = 0;
  std::vector<int64_t> dimensions;
  std::optional<std::vector<int64_t>> byte_strides;
  HostBuffer semantics = HostBuffer::kOnlyDuringCall;
};

struct ClientOptions {
  int device_count = 1;
  bool asynchronous = true;
};

class Client {
 public:
  static Status Create(const ClientOptions& options, std::unique_ptr<Client>* client);
  virtual ~Client() = default;
  virtual const std::string& platform_name() = 0;
  virtual const std::string& platform_version() = 0;
  virtual int process_index() = 0;
  virtual const std::vector<DeviceInfo>& devices() = 0;
  virtual const std::vector<MemoryInfo>& memories() = 0;
  virtual Status DefaultDeviceAssignment(int replicas, int partitions,
                                         std::vector<int>* device_ids) = 0;
  // `format` is "hlo" or "hlo_with_config"; `options` a serialized CompileOptionsProto.
  virtual Status Compile(std::string_view format, std::string_view program,
                         std::string_view options, std::unique_ptr<Executable>* executable) = 0;
  // What Executable::Serialize gave; `options` empty: those it was compiled with.
  virtual Status Deserialize(std::string_view bytes, std::string_view options,
                             std::unique_ptr<Executable>* executable) = 0;
  // `device_minor_to_major` null: row-major. `done`: the host memory may be changed again.
  virtual Status BufferFromHost(const HostArray& array, int memory,
                                const std::vector<int64_t>* device_minor_to_major,
                                std::unique_ptr<Event>* done, std::unique_ptr<Buffer>* buffer) = 0;
  virtual Status UninitializedBuffer(int element_type, const std::vector<int64_t>& dimensions,
                                     const std::vector<int64_t>* minor_to_major, int memory,
                                     std::unique_ptr<Buffer>* buffer) = 0;
  virtual Status ErrorBuffer(const Status& error, int element_type,
                             const std::vector<int64_t>& dimensions, int memory,
                             std::unique_ptr<Buffer>* buffer) = 0;
  virtual Status ViewOfDeviceBuffer(void* data, int element_type,
                                    const std::vector<int64_t>& dimensions,
                                    const std::vector<int64_t>* minor_to_major, int memory,
                                    std::function<void()> on_delete,
                                    std::unique_ptr<Buffer>* buffer) = 0;
  // One infeed / outfeed literal of a device, as a serialized LiteralProto. Both block: infeed
  // until the device took it, outfeed until the device sent it.
  virtual Status TransferToInfeed(int device, std::string_view literal) = 0;
  virtual Status TransferFromOutfeed(int device, std::string_view shape, std::string* literal) = 0;
};

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_CLIENT_H_
