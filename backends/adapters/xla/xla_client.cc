// SPDX-License-Identifier: Apache-2.0
// The PJRT half of the border to XLA: Client over xla::PjRtClient.
#include "backends/adapters/xla/xla_client.h"

#include <cstdlib>
#include <optional>

#include "absl/log/globals.h"
#include "absl/status/statusor.h"
#include "backends/adapters/xla/xla_buffer.h"
#include "backends/adapters/xla/xla_executable.h"
#include "backends/adapters/xla/xla_flatten.h"
#include "backends/adapters/xla/xla_fusions.h"
#include "backends/adapters/xla/xla_literal.h"
#include "backends/adapters/xla/xla_program.h"
#include "backends/adapters/xla/xla_shared.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

// XLA logs a stack trace for every module it refuses, which a caller reads in the error anyway.
// What it says before it aborts stays. TF_CPP_MIN_LOG_LEVEL, when set, is left to do as it does.
const bool quiet = [] {
  if (getenv("TF_CPP_MIN_LOG_LEVEL") != nullptr) return false;
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kFatal);
  return true;
}();

class ClientImpl : public Client {
 public:
  explicit ClientImpl(std::unique_ptr<xla::PjRtClient> client);

  const std::string& platform_name() override { return platform_name_; }
  const std::string& platform_version() override { return platform_version_; }
  int process_index() override { return shared_->client->process_index(); }
  const std::vector<DeviceInfo>& devices() override { return devices_; }
  const std::vector<MemoryInfo>& memories() override { return memories_; }
  Status DefaultDeviceAssignment(int replicas, int partitions,
                                 std::vector<int>* device_ids) override;
  Status Compile(std::string_view format, std::string_view program, std::string_view options,
                 std::unique_ptr<Executable>* executable) override;
  Status Deserialize(std::string_view bytes, std::string_view options,
                     std::unique_ptr<Executable>* executable) override;
  Status BufferFromHost(const HostArray& array, int memory,
                        const std::vector<int64_t>* device_minor_to_major,
                        std::unique_ptr<Event>* done, std::unique_ptr<Buffer>* buffer) override;
  Status UninitializedBuffer(int element_type, const std::vector<int64_t>& dimensions,
                             const std::vector<int64_t>* minor_to_major, int memory,
                             std::unique_ptr<Buffer>* buffer) override;
  Status ErrorBuffer(const Status& error, int element_type, const std::vector<int64_t>& dimensions,
                     int memory, std::unique_ptr<Buffer>* buffer) override;
  Status ViewOfDeviceBuffer(void* data, int element_type, const std::vector<int64_t>& dimensions,
                            const std::vector<int64_t>* minor_to_major, int memory,
                            std::function<void()> on_delete,
                            std::unique_ptr<Buffer>* buffer) override;
  Status TransferToInfeed(int device, std::string_view literal) override;
  Status TransferFromOutfeed(int device, std::string_view shape, std::string* literal) override;

 private:
  DeviceInfo Describe(xla::PjRtDevice* device);
  MemoryInfo Describe(xla::PjRtMemorySpace* memory);
  Status Wrap(absl::StatusOr<std::unique_ptr<xla::PjRtBuffer>> made,
              std::unique_ptr<Buffer>* buffer);

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::string platform_name_, platform_version_;
  std::vector<DeviceInfo> devices_;
  std::vector<MemoryInfo> memories_;
};

ClientImpl::ClientImpl(std::unique_ptr<xla::PjRtClient> client) {
  shared_->client = std::move(client);
  for (xla::PjRtDevice* device : shared_->client->devices()) {
    shared_->device_index.emplace(device, shared_->device_index.size());
  }
  for (xla::PjRtMemorySpace* memory : shared_->client->memory_spaces()) {
    shared_->memory_index.emplace(memory, shared_->memory_index.size());
  }
  platform_name_ = std::string(shared_->client->platform_name());
  platform_version_ = std::string(shared_->client->platform_version());
  for (xla::PjRtDevice* device : shared_->client->devices()) devices_.push_back(Describe(device));
  for (xla::PjRtMemorySpace* memory : shared_->client->memory_spaces()) {
    memories_.push_back(Describe(memory));
  }
}

DeviceInfo ClientImpl::Describe(xla::PjRtDevice* device) {
  DeviceInfo info;
  info.id = device->global_device_id().value();
  info.process_index = device->process_index();
  info.local_hardware_id = device->local_hardware_id().value();
  info.addressable = device->IsAddressable();
  info.kind = std::string(device->device_kind());
  info.debug_string = std::string(device->DebugString());
  info.to_string = std::string(device->ToString());
  info.attributes = Attributes(device->Attributes());
  for (xla::PjRtMemorySpace* memory : device->memory_spaces()) {
    info.memories.push_back(shared_->memory_index[memory]);
  }
  if (auto memory = device->default_memory_space(); memory.ok()) {
    info.default_memory = shared_->memory_index[*memory];
  }
  return info;
}

MemoryInfo ClientImpl::Describe(xla::PjRtMemorySpace* memory) {
  MemoryInfo info;
  info.id = memory->id();
  info.kind_id = memory->kind_id();
  info.kind = std::string(memory->kind());
  info.debug_string = std::string(memory->DebugString());
  info.to_string = std::string(memory->ToString());
  for (xla::PjRtDevice* device : memory->devices()) {
    info.devices.push_back(shared_->device_index[device]);
  }
  return info;
}

Status ClientImpl::Wrap(absl::StatusOr<std::unique_ptr<xla::PjRtBuffer>> made,
                        std::unique_ptr<Buffer>* buffer) {
  HLOCTS_RETURN_IF_ERROR(made.status());
  *buffer = std::make_unique<BufferImpl>(shared_, *std::move(made));
  return {};
}

Status ClientImpl::DefaultDeviceAssignment(int replicas, int partitions,
                                           std::vector<int>* device_ids) {
  auto assignment = shared_->client->GetDefaultDeviceAssignment(replicas, partitions);
  HLOCTS_RETURN_IF_ERROR(assignment.status());
  for (int replica = 0; replica < replicas; ++replica) {
    for (int partition = 0; partition < partitions; ++partition) {
      device_ids->push_back((*assignment)(replica, partition));
    }
  }
  return {};
}

Status ClientImpl::Compile(std::string_view format, std::string_view program,
                           std::string_view options, std::unique_ptr<Executable>* executable) {
  xla::HloModuleProto module;
  if (Status status = ParseModule(format, program, &module); !status.ok()) return status;
  xla::CompileOptions compile_options;
  if (Status status = ParseCompileOptions(options, &compile_options); !status.ok()) return status;
  UndoFusions(&module);
  std::vector<ParameterLeaf> leaves;
  if (NeedsFlattening(module)) {
    auto flat = FlattenEntry(module);
    HLOCTS_RETURN_IF_ERROR(flat.status());
    module.Swap(&flat->module);
    leaves = std::move(flat->leaves);
    compile_options.parameter_is_tupled_arguments = false;
  }
  auto loaded = shared_->client->CompileAndLoad(xla::XlaComputation(std::move(module)),
                                                std::move(compile_options));
  HLOCTS_RETURN_IF_ERROR(loaded.status());
  *executable = std::make_unique<ExecutableImpl>(shared_, *std::move(loaded), std::move(leaves));
  return {};
}

Status ClientImpl::Deserialize(std::string_view bytes, std::string_view options,
                               std::unique_ptr<Executable>* executable) {
  std::optional<xla::CompileOptions> overrides;
  if (!options.empty()) {
    overrides.emplace();
    if (Status status = ParseCompileOptions(options, &*overrides); !status.ok()) return status;
  }
  auto loaded = shared_->client->LoadSerializedExecutable(bytes, overrides, xla::LoadOptions());
  HLOCTS_RETURN_IF_ERROR(loaded.status());
  *executable =
      std::make_unique<ExecutableImpl>(shared_, *std::move(loaded), std::vector<ParameterLeaf>());
  return {};
}

Status ClientImpl::BufferFromHost(const HostArray& array, int memory,
                                  const std::vector<int64_t>* device_minor_to_major,
                                  std::unique_ptr<Event>* done, std::unique_ptr<Buffer>* buffer) {
  SettableEvent released;
  if (array.element_type == xla::TOKEN) {
    released.Set({});
    *done = std::make_unique<SettableEvent>(released);
    *buffer = std::make_unique<TokenBuffer>(memories_[memory].devices.front(), memory);
    return {};
  }
  std::optional<absl::Span<const int64_t>> strides;
  if (array.byte_strides.has_value()) strides = absl::MakeConstSpan(*array.byte_strides);
  std::optional<xla::Layout> layout;
  if (device_minor_to_major != nullptr) {
    layout = xla::LayoutUtil::MakeLayout(*device_minor_to_major);
  }
  Status made = Wrap(shared_->client->BufferFromHostBuffer(
                         array.data, Type(array.element_type), array.dimensions, strides,
                         static_cast<xla::PjRtClient::HostBufferSemantics>(array.semantics),
                         [released]() mutable { released.Set({}); }, shared_->memory(memory),
                         layout.has_value() ? &*layout : nullptr),
                     buffer);
  if (made.ok()) *done = std::make_unique<SettableEvent>(released);
  return made;
}

Status ClientImpl::UninitializedBuffer(int element_type, const std::vector<int64_t>& dimensions,
                                       const std::vector<int64_t>* minor_to_major, int memory,
                                       std::unique_ptr<Buffer>* buffer) {
  return Wrap(shared_->client->CreateUninitializedBuffer(
                  MakeShape(element_type, dimensions, minor_to_major), shared_->memory(memory)),
              buffer);
}

Status ClientImpl::ErrorBuffer(const Status& error, int element_type,
                               const std::vector<int64_t>& dimensions, int memory,
                               std::unique_ptr<Buffer>* buffer) {
  return Wrap(
      shared_->client->CreateErrorBuffer(
          ToAbsl(error), MakeShape(element_type, dimensions, nullptr), shared_->memory(memory)),
      buffer);
}

Status ClientImpl::ViewOfDeviceBuffer(void* data, int element_type,
                                      const std::vector<int64_t>& dimensions,
                                      const std::vector<int64_t>* minor_to_major, int memory,
                                      std::function<void()> on_delete,
                                      std::unique_ptr<Buffer>* buffer) {
  return Wrap(shared_->client->CreateViewOfDeviceBuffer(
                  data, MakeShape(element_type, dimensions, minor_to_major),
                  shared_->memory(memory), std::move(on_delete)),
              buffer);
}

Status ClientImpl::TransferToInfeed(int device, std::string_view literal) {
  auto value = ParseLiteral({literal.data(), literal.size()});
  HLOCTS_RETURN_IF_ERROR(value.status());
  return FromAbsl(shared_->device(device)->TransferToInfeed(*value));
}

Status ClientImpl::TransferFromOutfeed(int device, std::string_view shape, std::string* literal) {
  xla::ShapeProto proto;
  if (!proto.ParseFromArray(shape.data(), shape.size())) {
    return {kInvalidArgument, "outfeed: expected a serialized ShapeProto"};
  }
  auto value_shape = xla::Shape::FromProto(proto);
  HLOCTS_RETURN_IF_ERROR(value_shape.status());
  if (!xla::LayoutUtil::HasLayout(*value_shape)) {
    xla::LayoutUtil::SetToDefaultLayout(&*value_shape);
  }
  xla::Literal value(*value_shape);
  HLOCTS_RETURN_IF_ERROR(shared_->device(device)->TransferFromOutfeed(&value));
  *literal = SerializeLiteral(value);
  return {};
}

}  // namespace

Status Client::Create(const ClientOptions& options, std::unique_ptr<Client>* client) {
  xla::CpuClientOptions cpu_options;
  cpu_options.cpu_device_count = options.device_count;
  cpu_options.asynchronous = options.asynchronous;
  auto made = xla::GetXlaPjrtCpuClient(std::move(cpu_options));
  HLOCTS_RETURN_IF_ERROR(made.status());
  *client = std::make_unique<ClientImpl>(*std::move(made));
  return {};
}

}  // namespace hlocts::xla_plugin
