// The PJRT half of the border to XLA: Client, Executable and Buffer over xla::PjRtClient.
#include "backends/xla/xla_client.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "absl/log/globals.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/xla/xla_compiled_form.h"
#include "backends/xla/xla_flatten.h"
#include "backends/xla/xla_literal.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/plugin/xla_cpu/xla_cpu_pjrt_client.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

Status FromAbsl(const absl::Status& status) {
  return {static_cast<int>(status.code()), std::string(status.message())};
}

absl::Status ToAbsl(const Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), status.message);
}

#define HLOCTS_RETURN_IF_ERROR(expression)                       \
  do {                                                           \
    const absl::Status returned_status = (expression);           \
    if (!returned_status.ok()) return FromAbsl(returned_status); \
  } while (false)

// XLA logs a stack trace for every module it refuses, which a caller reads in the error anyway.
// What it says before it aborts stays. TF_CPP_MIN_LOG_LEVEL, when set, is left to do as it does.
const bool quiet = [] {
  if (getenv("TF_CPP_MIN_LOG_LEVEL") != nullptr) return false;
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kFatal);
  return true;
}();

class FutureEvent : public Event {
 public:
  explicit FutureEvent(xla::Future<> future) : future_(std::move(future)) {}
  bool IsReady() override { return future_.IsReady(); }
  Status Await() override { return FromAbsl(future_.Await()); }
  void OnReady(std::function<void(const Status&)> callback) override {
    future_.OnReady([callback](const absl::Status& status) { callback(FromAbsl(status)); });
  }

 private:
  xla::Future<> future_;
};

std::vector<Attribute> Attributes(
    const absl::flat_hash_map<std::string, xla::PjRtValueType>& attributes) {
  std::vector<Attribute> copies;
  for (const auto& [name, value] : attributes) {
    Attribute& copy = copies.emplace_back(name, false);
    std::visit([&](const auto& v) { copy.second = v; }, value);
  }
  std::sort(copies.begin(), copies.end(),
            [](const Attribute& a, const Attribute& b) { return a.first < b.first; });
  return copies;
}

// A PjRtClient with its devices and memories numbered. Buffers and executables share it, so that
// the order in which the C side destroys things does not matter.
struct Shared {
  std::unique_ptr<xla::PjRtClient> client;
  std::unordered_map<const xla::PjRtDevice*, int> device_index;
  std::unordered_map<const xla::PjRtMemorySpace*, int> memory_index;
  xla::PjRtDevice* device(int index) { return client->devices()[index]; }
  xla::PjRtMemorySpace* memory(int index) { return client->memory_spaces()[index]; }
};

xla::PrimitiveType Type(int element_type) { return static_cast<xla::PrimitiveType>(element_type); }

// An array shape, row-major unless a layout is given.
xla::Shape MakeShape(int element_type, const std::vector<int64_t>& dimensions,
                     const std::vector<int64_t>* minor_to_major) {
  if (element_type == xla::TOKEN) return xla::ShapeUtil::MakeTokenShape();
  xla::Shape shape = xla::ShapeUtil::MakeShape(Type(element_type), dimensions);
  if (minor_to_major != nullptr) {
    *shape.mutable_layout() = xla::LayoutUtil::MakeLayout(*minor_to_major);
  }
  return shape;
}

// ------------------------------------------ Buffers ------------------------------------------

class BufferImpl : public Buffer {
 public:
  BufferImpl(std::shared_ptr<Shared> shared, std::unique_ptr<xla::PjRtBuffer> buffer)
      : shared_(std::move(shared)), buffer_(std::move(buffer)) {}
  ~BufferImpl() override {
    references_.clear();
    buffer_.reset();
  }

  xla::PjRtBuffer* get() { return buffer_.get(); }
  int element_type() override { return buffer_->element_type(); }
  std::vector<int64_t> dimensions() override {
    const auto dimensions = buffer_->dimensions();
    return {dimensions.begin(), dimensions.end()};
  }
  std::vector<size_t> dynamic_dimensions() override;
  Status UnpaddedDimensions(std::vector<int64_t>* dimensions) override;
  Status Layout(LayoutSpec* layout) override;
  Status OnDeviceSize(size_t* bytes) override;
  int device() override { return shared_->device_index[buffer_->device()]; }
  int memory() override { return shared_->memory_index[buffer_->memory_space()]; }
  bool IsOnCpu() override { return buffer_->IsOnCpu(); }
  void Delete() override { buffer_->Delete(); }
  bool IsDeleted() override { return buffer_->IsDeleted(); }
  std::unique_ptr<Event> Ready() override;
  Status CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) override;
  Status HostSize(size_t* bytes) override;
  Status ToHost(const std::vector<int64_t>* minor_to_major, void* destination, size_t bytes,
                std::unique_ptr<Event>* done) override;
  Status CopyRawToHost(void* destination, int64_t offset, int64_t bytes,
                       std::unique_ptr<Event>* done) override;
  Status UnsafePointer(uintptr_t* pointer) override;
  Status AddExternalReference(void** data) override;
  Status DropExternalReference() override;

 private:
  Status HostShape(const std::vector<int64_t>* minor_to_major, xla::Shape* shape);
  Status CheckAlive() {
    if (!buffer_->IsDeleted()) return {};
    return {kInvalidArgument, "buffer: expected a live one, found one deleted or donated"};
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<xla::PjRtBuffer> buffer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<xla::PjRtBuffer::ExternalReference>> references_;
};

std::vector<size_t> BufferImpl::dynamic_dimensions() {
  std::vector<size_t> indices;
  if (!buffer_->on_device_shape().IsArray()) return indices;
  const auto dynamic = buffer_->is_dynamic_dimension();
  for (size_t i = 0; i < dynamic.size(); ++i) {
    if (dynamic[i]) indices.push_back(i);
  }
  return indices;
}

Status BufferImpl::UnpaddedDimensions(std::vector<int64_t>* dimensions) {
  if (!buffer_->on_device_shape().IsArray() || !buffer_->has_dynamic_dimensions()) {
    *dimensions = this->dimensions();
    return {};
  }
  auto logical = buffer_->logical_dimensions();
  HLOCTS_RETURN_IF_ERROR(logical.status());
  dimensions->assign(logical->begin(), logical->end());
  return {};
}

Status BufferImpl::Layout(LayoutSpec* layout) {
  *layout = {};
  if (!buffer_->on_device_shape().IsArray()) return {};
  const auto shared_layout = buffer_->layout();
  const xla::Layout& found = shared_layout->xla_layout();
  layout->minor_to_major.assign(found.minor_to_major().begin(), found.minor_to_major().end());
  for (const xla::Tile& tile : found.tiles()) {
    layout->tiles.emplace_back(tile.dimensions().begin(), tile.dimensions().end());
  }
  return {};
}

Status BufferImpl::OnDeviceSize(size_t* bytes) {
  auto size = buffer_->GetOnDeviceSizeInBytes();
  HLOCTS_RETURN_IF_ERROR(size.status());
  *bytes = *size;
  return {};
}

std::unique_ptr<Event> BufferImpl::Ready() {
  return std::make_unique<FutureEvent>(buffer_->GetReadyFuture());
}

Status BufferImpl::CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto copied = buffer_->CopyToMemorySpace(shared_->memory(memory));
  HLOCTS_RETURN_IF_ERROR(copied.status());
  *copy = std::make_unique<BufferImpl>(shared_, *std::move(copied));
  return {};
}

Status BufferImpl::HostShape(const std::vector<int64_t>* minor_to_major, xla::Shape* shape) {
  if (!buffer_->on_device_shape().IsArray()) {
    *shape = buffer_->on_device_shape();
    return {};
  }
  std::vector<int64_t> dimensions;
  if (Status status = UnpaddedDimensions(&dimensions); !status.ok()) return status;
  LayoutSpec own;
  if (minor_to_major == nullptr) {
    if (Status status = Layout(&own); !status.ok()) return status;
    minor_to_major = &own.minor_to_major;
  }
  *shape = MakeShape(element_type(), dimensions, minor_to_major);
  return {};
}

Status BufferImpl::HostSize(size_t* bytes) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  xla::Shape shape;
  if (Status status = HostShape(nullptr, &shape); !status.ok()) return status;
  *bytes = shape.IsArray() ? xla::ShapeUtil::ByteSizeOf(shape) : 0;
  return {};
}

Status BufferImpl::ToHost(const std::vector<int64_t>* minor_to_major, void* destination,
                          size_t bytes, std::unique_ptr<Event>* done) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  xla::Shape shape;
  if (Status status = HostShape(minor_to_major, &shape); !status.ok()) return status;
  if (!shape.IsArray()) {  // A token: nothing to copy, only to wait for.
    *done = Ready();
    return {};
  }
  const size_t needed = xla::ShapeUtil::ByteSizeOf(shape);
  if (bytes < needed) {
    return {kInvalidArgument, "dst_size: expected at least " + std::to_string(needed) +
                                  " bytes, found " + std::to_string(bytes)};
  }
  // XLA:CPU writes a literal row-major whatever its layout says, so that the relaying is ours.
  xla::Shape row_major = shape;
  xla::LayoutUtil::SetToDefaultLayout(&row_major);
  auto literal = std::make_shared<xla::Literal>(row_major);
  SettableEvent finished;
  buffer_->ToLiteral(literal.get())
      .OnReady([literal, finished, shape, destination, needed](const absl::Status& status) mutable {
        if (status.ok() && xla::LayoutUtil::LayoutsInShapesEqual(literal->shape(), shape)) {
          std::memcpy(destination, literal->untyped_data(), needed);
        } else if (status.ok()) {
          std::memcpy(destination, literal->Relayout(shape).untyped_data(), needed);
        }
        finished.Set(FromAbsl(status));
      });
  *done = std::make_unique<SettableEvent>(finished);
  return {};
}

Status BufferImpl::CopyRawToHost(void* destination, int64_t offset, int64_t bytes,
                                 std::unique_ptr<Event>* done) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  size_t size = 0;
  if (Status status = OnDeviceSize(&size); !status.ok()) return status;
  if (offset < 0 || bytes < 0 || static_cast<uint64_t>(offset) + bytes > size) {
    return {kInvalidArgument, "CopyRawToHost: expected a range within " + std::to_string(size) +
                                  " bytes, found offset " + std::to_string(offset) + " size " +
                                  std::to_string(bytes)};
  }
  *done = std::make_unique<FutureEvent>(buffer_->CopyRawToHost(destination, offset, bytes));
  return {};
}

Status BufferImpl::UnsafePointer(uintptr_t* pointer) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto found = shared_->client->UnsafeBufferPointer(buffer_.get());
  HLOCTS_RETURN_IF_ERROR(found.status());
  *pointer = *found;
  return {};
}

Status BufferImpl::AddExternalReference(void** data) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto reference = buffer_->AcquireExternalReference();
  HLOCTS_RETURN_IF_ERROR(reference.status());
  *data = (*reference)->OpaqueDeviceMemoryDataPointer();
  std::lock_guard<std::mutex> lock(mutex_);
  references_.push_back(*std::move(reference));
  return {};
}

Status BufferImpl::DropExternalReference() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (references_.empty()) {
    return {kInvalidArgument, "external references: expected at least one, found none"};
  }
  references_.pop_back();
  return {};
}

// A token argument. XLA:CPU has no token buffers, and the entry computation makes its own tokens
// (xla_flatten.h), so that this one stands for nothing but its place in the list.
class TokenBuffer : public Buffer {
 public:
  TokenBuffer(int device, int memory) : device_(device), memory_(memory) {}
  int element_type() override { return xla::TOKEN; }
  std::vector<int64_t> dimensions() override { return {}; }
  std::vector<size_t> dynamic_dimensions() override { return {}; }
  Status UnpaddedDimensions(std::vector<int64_t>* dimensions) override {
    dimensions->clear();
    return {};
  }
  Status Layout(LayoutSpec* layout) override {
    *layout = {};
    return {};
  }
  Status OnDeviceSize(size_t* bytes) override {
    *bytes = 0;
    return {};
  }
  int device() override { return device_; }
  int memory() override { return memory_; }
  bool IsOnCpu() override { return true; }
  void Delete() override { deleted_ = true; }
  bool IsDeleted() override { return deleted_; }
  std::unique_ptr<Event> Ready() override {
    auto ready = std::make_unique<SettableEvent>();
    ready->Set({});
    return ready;
  }
  Status CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) override {
    *copy = std::make_unique<TokenBuffer>(device_, memory);
    return {};
  }
  Status HostSize(size_t* bytes) override { return OnDeviceSize(bytes); }
  Status ToHost(const std::vector<int64_t>*, void*, size_t, std::unique_ptr<Event>* done) override {
    *done = Ready();
    return {};
  }
  Status CopyRawToHost(void*, int64_t, int64_t, std::unique_ptr<Event>*) override { return None(); }
  Status UnsafePointer(uintptr_t*) override { return None(); }
  Status AddExternalReference(void**) override { return None(); }
  Status DropExternalReference() override { return None(); }

 private:
  static Status None() { return {kUnimplemented, "a token has no memory"}; }
  const int device_, memory_;
  std::atomic<bool> deleted_{false};
};

// ---------------------------------------- Executables ----------------------------------------

class ExecutableImpl : public Executable {
 public:
  // `leaves` is empty when the module was compiled as it was given.
  ExecutableImpl(std::shared_ptr<Shared> shared,
                 std::unique_ptr<xla::PjRtLoadedExecutable> executable,
                 std::vector<ParameterLeaf> leaves)
      : shared_(std::move(shared)),
        executable_(std::move(executable)),
        leaves_(std::move(leaves)) {}
  ~ExecutableImpl() override { executable_.reset(); }

  std::string name() override { return std::string(executable_->name()); }
  int num_replicas() override { return executable_->num_replicas(); }
  int num_partitions() override { return executable_->num_partitions(); }
  std::vector<int> addressable_devices() override;
  Status Outputs(std::vector<int>* element_types,
                 std::vector<std::vector<int64_t>>* dimensions) override;
  Status OutputMemoryKinds(std::vector<std::string>* kinds) override;
  Status GeneratedCodeSize(int64_t* bytes) override;
  Status CostAnalysis(std::vector<Attribute>* properties) override;
  Status GetMemoryStats(MemoryStats* stats) override;
  Status Fingerprint(std::string* fingerprint) override;
  Status OptimizedProgram(std::string* module) override;
  Status Serialize(std::string* bytes) override;
  Status CompileOptions(std::string* proto) override;
  Status DeviceAssignment(std::string* proto) override;
  void Delete() override {
    deleted_ = true;
    executable_->Delete();
  }
  bool IsDeleted() override { return deleted_ || executable_->IsDeleted(); }
  Status Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options,
                 const int* device, std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                 std::vector<std::unique_ptr<Event>>* done) override;

 private:
  using Owned = std::vector<std::unique_ptr<xla::PjRtBuffer>>;
  std::vector<std::unique_ptr<Buffer>> Wrap(Owned buffers);
  // The new entry's arguments for a list of leaves; what had to be made for it goes to `made`.
  Status Handles(const std::vector<Buffer*>& leaves, xla::PjRtMemorySpace* memory,
                 std::vector<xla::PjRtBuffer*>* handles, Owned* made);
  Status DynamicHandles(const ParameterLeaf& leaf, const std::string& where, BufferImpl& given,
                        xla::PjRtMemorySpace* memory, Owned* made);
  Status ExecuteOn(xla::PjRtDevice* device, const std::vector<xla::PjRtBuffer*>& arguments,
                   const xla::ExecuteOptions& options,
                   std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                   std::vector<std::unique_ptr<Event>>* done);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<xla::PjRtLoadedExecutable> executable_;
  const std::vector<ParameterLeaf> leaves_;
  // XLA:CPU's own Delete does nothing, and the C API says that a deleted one does not run.
  std::atomic<bool> deleted_{false};
};

std::vector<int> ExecutableImpl::addressable_devices() {
  std::vector<int> indices;
  for (xla::PjRtDevice* device : executable_->addressable_devices()) {
    indices.push_back(shared_->device_index[device]);
  }
  return indices;
}

Status ExecutableImpl::Outputs(std::vector<int>* element_types,
                               std::vector<std::vector<int64_t>>* dimensions) {
  auto shapes = executable_->GetOutputShapes();
  HLOCTS_RETURN_IF_ERROR(shapes.status());
  element_types->clear();
  dimensions->clear();
  if (shapes->empty()) return {};
  const xla::Shape& result = shapes->front();
  auto add = [&](const xla::Shape& leaf) {
    element_types->push_back(leaf.element_type());
    dimensions->emplace_back();
    if (!leaf.IsArray()) return;
    dimensions->back().assign(leaf.dimensions().begin(), leaf.dimensions().end());
  };
  if (!result.IsTuple()) {
    add(result);
  } else {
    for (const xla::Shape& leaf : result.tuple_shapes()) add(leaf);
  }
  return {};
}

// XLA:CPU does not say, and has one answer: every output is in its device's default memory.
Status ExecutableImpl::OutputMemoryKinds(std::vector<std::string>* kinds) {
  std::vector<int> types;
  std::vector<std::vector<int64_t>> dimensions;
  if (Status status = Outputs(&types, &dimensions); !status.ok()) return status;
  auto memory = shared_->client->devices().front()->default_memory_space();
  HLOCTS_RETURN_IF_ERROR(memory.status());
  kinds->assign(types.size(), std::string((*memory)->kind()));
  return {};
}

Status ExecutableImpl::GeneratedCodeSize(int64_t* bytes) {
  *bytes = executable_->SizeOfGeneratedCodeInBytes();
  return {};
}

Status ExecutableImpl::CostAnalysis(std::vector<Attribute>* properties) {
  auto costs = executable_->GetCostAnalysis();
  HLOCTS_RETURN_IF_ERROR(costs.status());
  *properties = Attributes(*costs);
  return {};
}

Status ExecutableImpl::GetMemoryStats(MemoryStats* stats) {
  auto found = executable_->GetCompiledMemoryStats();
  HLOCTS_RETURN_IF_ERROR(found.status());
  stats->generated_code = found->generated_code_size_in_bytes;
  stats->argument = found->argument_size_in_bytes;
  stats->output = found->output_size_in_bytes;
  stats->alias = found->alias_size_in_bytes;
  stats->temp = found->temp_size_in_bytes;
  stats->peak = found->peak_memory_in_bytes;
  stats->total = found->total_size_in_bytes;
  stats->host_generated_code = found->host_generated_code_size_in_bytes;
  stats->host_argument = found->host_argument_size_in_bytes;
  stats->host_output = found->host_output_size_in_bytes;
  stats->host_alias = found->host_alias_size_in_bytes;
  stats->host_temp = found->host_temp_size_in_bytes;
  return {};
}

Status ExecutableImpl::Fingerprint(std::string* fingerprint) {
  auto found = executable_->FingerprintExecutable();
  HLOCTS_RETURN_IF_ERROR(found.status());
  *fingerprint = *std::move(found);
  return {};
}

Status ExecutableImpl::OptimizedProgram(std::string* module) {
  auto modules = executable_->GetHloModules();
  HLOCTS_RETURN_IF_ERROR(modules.status());
  if (modules->size() != 1) {
    return {kUnimplemented,
            "OptimizedProgram: expected one module, found " + std::to_string(modules->size())};
  }
  modules->front()->ToProto().SerializeToString(module);
  return {};
}

Status ExecutableImpl::Serialize(std::string* bytes) {
  auto found = executable_->SerializeExecutable();
  HLOCTS_RETURN_IF_ERROR(found.status());
  *bytes = *std::move(found);
  return {};
}

Status ExecutableImpl::CompileOptions(std::string* proto) {
  auto options = executable_->GetCompileOptions();
  HLOCTS_RETURN_IF_ERROR(options.status());
  auto found = options->ToProto();
  HLOCTS_RETURN_IF_ERROR(found.status());
  found->SerializeToString(proto);
  return {};
}

Status ExecutableImpl::DeviceAssignment(std::string* proto) {
  xla::DeviceAssignmentProto assignment;
  executable_->device_assignment().Serialize(&assignment);
  assignment.SerializeToString(proto);
  return {};
}

std::vector<std::unique_ptr<Buffer>> ExecutableImpl::Wrap(Owned buffers) {
  std::vector<std::unique_ptr<Buffer>> wrapped;
  for (auto& buffer : buffers) {
    wrapped.push_back(std::make_unique<BufferImpl>(shared_, std::move(buffer)));
  }
  return wrapped;
}

Status WrongArgument(const std::string& where, const std::string& expected,
                     const std::string& found) {
  return {kInvalidArgument, where + ": expected " + expected + ", found " + found};
}

// Pads an array to its bounds and adds its actual sizes.
Status ExecutableImpl::DynamicHandles(const ParameterLeaf& leaf, const std::string& where,
                                      BufferImpl& given, xla::PjRtMemorySpace* memory,
                                      Owned* made) {
  const xla::Shape& shape = leaf.shape;
  std::vector<int64_t> sizes;
  if (Status status = given.UnpaddedDimensions(&sizes); !status.ok()) return status;
  const xla::Shape found = MakeShape(given.element_type(), sizes, nullptr);
  bool fits =
      found.element_type() == shape.element_type() && sizes.size() == shape.dimensions().size();
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    fits = shape.is_dynamic_dimension(i) ? sizes[i] <= shape.dimensions(i)
                                         : sizes[i] == shape.dimensions(i);
  }
  if (!fits) {
    return WrongArgument(where, xla::ShapeUtil::HumanString(shape),
                         xla::ShapeUtil::HumanString(found));
  }
  xla::Literal exact(found);
  HLOCTS_RETURN_IF_ERROR(given.get()->ToLiteralSync(&exact));
  xla::Shape bounds = xla::ShapeUtil::MakeStaticShape(shape);
  xla::LayoutUtil::SetToDefaultLayout(&bounds);
  std::vector<xla::Literal> literals;
  literals.emplace_back(bounds);
  const std::vector<int64_t> zeros(sizes.size(), 0);
  HLOCTS_RETURN_IF_ERROR(literals[0].CopySliceFrom(exact, zeros, zeros, sizes));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!shape.is_dynamic_dimension(i)) continue;
    literals.push_back(xla::LiteralUtil::CreateR0<int32_t>(sizes[i]));
  }
  for (const xla::Literal& literal : literals) {
    auto buffer = shared_->client->BufferFromHostLiteral(literal, memory);
    HLOCTS_RETURN_IF_ERROR(buffer.status());
    // The literal goes away with this function.
    HLOCTS_RETURN_IF_ERROR((*buffer)->GetReadyFuture().Await());
    made->push_back(*std::move(buffer));
  }
  return {};
}

Status ExecutableImpl::Handles(const std::vector<Buffer*>& leaves, xla::PjRtMemorySpace* memory,
                               std::vector<xla::PjRtBuffer*>* handles, Owned* made) {
  if (!leaves_.empty() && leaves.size() != leaves_.size()) {
    return WrongArgument("arguments", std::to_string(leaves_.size()),
                         std::to_string(leaves.size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const std::string where = "argument " + std::to_string(i);
    const auto kind = leaves_.empty() ? ParameterLeaf::kArray : leaves_[i].kind;
    if ((leaves[i]->element_type() == xla::TOKEN) != (kind == ParameterLeaf::kToken)) {
      const bool token = kind == ParameterLeaf::kToken;
      return WrongArgument(where, token ? "a token" : "an array", token ? "an array" : "a token");
    }
    if (kind == ParameterLeaf::kToken) continue;
    auto* given = static_cast<BufferImpl*>(leaves[i]);
    if (kind == ParameterLeaf::kArray) {
      handles->push_back(given->get());
      continue;
    }
    const size_t before = made->size();
    Status status = DynamicHandles(leaves_[i], where, *given, memory, made);
    if (!status.ok()) return status;
    for (size_t k = before; k < made->size(); ++k) handles->push_back((*made)[k].get());
  }
  return {};
}

Status ExecutableImpl::ExecuteOn(xla::PjRtDevice* device,
                                 const std::vector<xla::PjRtBuffer*>& arguments,
                                 const xla::ExecuteOptions& options,
                                 std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                                 std::vector<std::unique_ptr<Event>>* done) {
  std::optional<xla::Future<>> future;
  auto results = executable_->num_replicas() * executable_->num_partitions() > 1
                     ? executable_->ExecuteSharded(arguments, device, options, future, true)
                     : executable_->ExecutePortable(arguments, device, options, future, true);
  HLOCTS_RETURN_IF_ERROR(results.status());
  outputs->push_back(Wrap(*std::move(results)));
  if (done != nullptr) done->push_back(std::make_unique<FutureEvent>(*std::move(future)));
  return {};
}

Status ExecutableImpl::Execute(const std::vector<std::vector<Buffer*>>& arguments,
                               const ExecuteOptions& options, const int* device,
                               std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                               std::vector<std::unique_ptr<Event>>* done) {
  if (IsDeleted()) return {kFailedPrecondition, "Execute: the executable was deleted"};
  xla::ExecuteOptions xla_options;
  xla_options.launch_id = options.launch_id;
  xla_options.call_location = options.call_location;
  for (int index : options.non_donatable_input_indices) {
    const bool moved = static_cast<size_t>(index) < leaves_.size();
    xla_options.non_donatable_input_indices.insert(moved ? leaves_[index].parameter : index);
  }
  std::vector<std::vector<xla::PjRtBuffer*>> handles;
  Owned made;  // The runtime holds what it still needs of these when this call returns.
  for (size_t i = 0; i < arguments.size(); ++i) {
    xla::PjRtDevice* target =
        device != nullptr ? shared_->device(*device) : executable_->addressable_devices()[i];
    auto memory = target->default_memory_space();
    HLOCTS_RETURN_IF_ERROR(memory.status());
    Status status = Handles(arguments[i], *memory, &handles.emplace_back(), &made);
    if (!status.ok()) return status;
  }
  outputs->clear();
  if (device != nullptr) {
    return ExecuteOn(shared_->device(*device), handles.front(), xla_options, outputs, done);
  }
  std::optional<std::vector<xla::Future<>>> futures;
  if (done != nullptr) futures.emplace();
  auto results = executable_->Execute(handles, xla_options, futures);
  HLOCTS_RETURN_IF_ERROR(results.status());
  for (auto& result : *results) outputs->push_back(Wrap(std::move(result)));
  if (done == nullptr) return {};
  for (auto& future : *futures) done->push_back(std::make_unique<FutureEvent>(std::move(future)));
  return {};
}

// ------------------------------------------- Client ------------------------------------------

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

// The options a program is compiled with: the caller's, and one default of the wheel put right.
Status ParseCompileOptions(std::string_view bytes, xla::CompileOptions* options) {
  xla::CompileOptionsProto proto;
  if (!proto.ParseFromArray(bytes.data(), bytes.size())) {
    return {kInvalidArgument, "compile options: expected a serialized CompileOptionsProto, found " +
                                  std::to_string(bytes.size()) + " bytes that are none"};
  }
  auto parsed = xla::CompileOptions::FromProto(proto);
  HLOCTS_RETURN_IF_ERROR(parsed.status());
  *options = *std::move(parsed);
  // TensorFlow's build turns fast min/max on (NaN operands are lost); XLA's own default is off.
  // Debug options that the caller spelt out stay as they are, and env_option_overrides win.
  if (!proto.executable_build_options().has_debug_options()) {
    options->executable_build_options.mutable_debug_options()->set_xla_cpu_enable_fast_min_max(
        false);
  }
  return {};
}

Status ReadModule(std::string_view format, std::string_view program, xla::HloModuleProto* module) {
  const std::string size = std::to_string(program.size());
  if (format == "hlo") {
    if (module->ParseFromArray(program.data(), program.size())) return {};
    return {kInvalidArgument, "program: expected a serialized HloModuleProto, found " + size +
                                  " bytes that are none"};
  }
  if (format == "hlo_with_config") {
    xla::HloModuleProtoWithConfig with_config;
    if (with_config.ParseFromArray(program.data(), program.size())) {
      module->Swap(with_config.mutable_hlo_module());
      return {};
    }
    return {kInvalidArgument, "program: expected a serialized HloModuleProtoWithConfig, found " +
                                  size + " bytes that are none"};
  }
  return {kUnimplemented, "program format: expected \"hlo\" or \"hlo_with_config\", found \"" +
                              std::string(format) + "\""};
}

Status ParseModule(std::string_view format, std::string_view program, xla::HloModuleProto* module) {
  Status status = ReadModule(format, program, module);
  if (!status.ok() || module->has_host_program_shape()) return status;
  return {kInvalidArgument, "program: expected a module with its host_program_shape, found none"};
}

Status ClientImpl::Compile(std::string_view format, std::string_view program,
                           std::string_view options, std::unique_ptr<Executable>* executable) {
  xla::HloModuleProto module;
  if (Status status = ParseModule(format, program, &module); !status.ok()) return status;
  xla::CompileOptions compile_options;
  if (Status status = ParseCompileOptions(options, &compile_options); !status.ok()) return status;
  UndoCompiledForm(&module);
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
