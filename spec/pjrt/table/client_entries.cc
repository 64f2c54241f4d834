// SPDX-License-Identifier: Apache-2.0
// Entries for clients: creation, devices, compilation, and creation of buffers.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "spec/base/version.h"
#include "spec/ir/index_util.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

absl::StatusOr<Options> ReadOptions(const PJRT_NamedValue* values, size_t count) {
  Options options;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& value = values[i];
    std::string text;
    if (value.type == PJRT_NamedValue_kString) {
      text.assign(value.string_value, value.value_size);
    } else if (value.type == PJRT_NamedValue_kInt64) {
      text = absl::StrCat(value.int64_value);
    } else if (value.type == PJRT_NamedValue_kBool) {
      text = value.bool_value ? "true" : "false";
    } else {
      return InvalidInput("create option ", absl::string_view(value.name, value.name_size),
                          ": expected a string, an integer or a bool");
    }
    options.Add(std::string(value.name, value.name_size), std::move(text));
  }
  return options;
}

// Options of the table itself, which engines do not see.
constexpr char kDevicesOption[] = "cpu_device_count";  // overrides HLOCTS_DEVICES
struct ClientOptions {
  int64_t devices = 1;
  std::string platform;   // frameworks select their lowering by this name
  std::string converter;  // see stablehlo.h
};

absl::StatusOr<ClientOptions> TakeClientOptions(Options& options) {
  ClientOptions taken;
  const char* variable = getenv("HLOCTS_DEVICES");
  if (variable != nullptr && *variable != '\0') {
    const Options given = std::exchange(options, Options());
    options.Add(kDevicesOption, variable);
    options.Append(given);
  }
  HLOCTS_ASSIGN_OR_RETURN(taken.devices, options.TakeInt(kDevicesOption, 1, 1));
  if (taken.devices > kDevicesMax)
    return InvalidInput("option ", kDevicesOption, ": expected 1 to ", kDevicesMax, ", found ",
                        taken.devices);
  taken.platform = options.Take("platform_name");
  if (taken.platform.empty()) taken.platform = CurrentPlugin().platform;
  taken.converter = options.Take(kConverterOption);
  return taken;
}

std::unique_ptr<PJRT_Client> MakeClient(Options options, std::shared_ptr<Engine> engine,
                                        const ClientOptions& own) {
  auto client = std::make_unique<PJRT_Client>();
  client->converter = std::make_unique<StablehloConverter>(own.converter);
  client->topology.platform = own.platform;
  client->topology.version = engine->Version();
  client->words = absl::StrCat(engine->Words(), " partitions");  // a table feature (spread.h)
  client->engines.emplace(options.Key(), std::move(engine));
  client->options = std::move(options);
  for (int64_t i = 0; i < own.devices; ++i) {
    auto description = std::make_unique<PJRT_DeviceDescription>();
    *description = {static_cast<int>(i), own.platform, absl::StrCat(own.platform, ":", i)};
    auto device = std::make_unique<PJRT_Device>();
    device->client = client.get();
    device->description = description.get();
    device->memory.device = device.get();
    client->devices.push_back(device.get());
    client->memories.push_back(&device->memory);
    client->owned.push_back(std::move(device));
    client->topology.descriptions.push_back(description.get());
    client->topology.owned.push_back(std::move(description));
  }
  return client;
}

// Returns the device for a new buffer: the device of `memory` if given, else `device`.
absl::StatusOr<PJRT_Device*> PickDevice(PJRT_Device* device, const PJRT_Memory* memory) {
  if (memory != nullptr) return memory->device;
  HLOCTS_RETURN_IF_ERROR(CheckPointer(device, "device or memory"));
  return device;
}

absl::StatusOr<Shape> DescribeArray(PJRT_Buffer_Type type, const int64_t* dims, size_t count) {
  const PrimitiveType element_type = ElementTypeOf(type);
  if (element_type == PrimitiveType::kInvalid) {
    return InvalidInput("element type: expected a PJRT_Buffer_Type of this version, found ",
                        static_cast<int>(type));
  }
  if (element_type == PrimitiveType::kToken) return Shape::Token();
  Shape shape(element_type, {dims, dims + count});
  for (const int64_t size : shape.dimensions()) {
    if (size < 0) return InvalidInput("dims: expected sizes >= 0, found ", size);
  }
  if (shape.StorageSizeBytes() == INT64_MAX)
    return absl::ResourceExhaustedError(absl::StrCat(shape.ToString(), " does not fit in memory"));
  return shape;
}

absl::StatusOr<PJRT_Buffer*> NewBuffer(PJRT_Device* device, Literal literal,
                                       const PJRT_Buffer_MemoryLayout* layout) {
  std::vector<int64_t> order = MajorToMinorOrder(literal.shape().rank());
  if (layout != nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(order, MinorToMajor(*layout, literal.shape()));
  }
  PJRT_Buffer* buffer = MakeBuffer(device, std::move(literal));
  buffer->minor_to_major = std::move(order);
  return buffer;
}

// Returns a literal of the elements in memory, whose layout is `minor_to_major`.
absl::StatusOr<Literal> LiteralOf(const void* data, const Shape& shape,
                                  std::vector<int64_t> minor_to_major) {
  if (!shape.IsArray()) return Literal(shape);
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  if (!layout.IsMajorToMinor()) {
    const auto size = static_cast<size_t>(shape.StorageSizeBytes());
    HLOCTS_ASSIGN_OR_RETURN(
        Literal literal,
        Literal::FromBytesInLayout(shape, layout, {static_cast<const char*>(data), size}));
    ExtendSubBytes(literal);
    return literal;
  }
  Literal literal = Literal::Uninitialized(shape);
  if (literal.raw_size() > 0) {
    HLOCTS_RETURN_IF_ERROR(CheckPointer(data, "data"));
    std::memcpy(literal.mutable_raw_data(), data, literal.raw_size());
  }
  ExtendSubBytes(literal);
  return literal;
}

// Returns a literal of elements with any strides, e.g. negative strides, or 0 for repetition.
Literal StridedLiteral(const void* data, const Shape& shape, absl::Span<const int64_t> strides) {
  Literal literal = Literal::Uninitialized(shape);
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
  uint8_t* to = literal.mutable_raw_data();
  ForEachIndex(shape.dimensions(), [&](absl::Span<const int64_t> index) {
    std::memcpy(to, static_cast<const uint8_t*>(data) + LinearIndex(index, strides), width);
    to += width;
  });
  ExtendSubBytes(literal);
  return literal;
}

// Returns a literal of elements in host memory. Empty `strides` means row-major.
absl::StatusOr<Literal> LiteralOfHost(const void* data, const Shape& shape,
                                      absl::Span<const int64_t> strides) {
  if (!strides.empty() && strides.size() != static_cast<size_t>(shape.rank())) {
    return InvalidInput("byte_strides: expected ", shape.rank(), " of them or none, found ",
                        strides.size());
  }
  if (strides.empty() || shape.StorageSizeBytes() == 0)
    return LiteralOf(data, shape, MajorToMinorOrder(shape.rank()));
  absl::StatusOr<std::vector<int64_t>> order = FromStrides(strides, shape);
  if (order.ok()) return LiteralOf(data, shape, *std::move(order));
  HLOCTS_RETURN_IF_ERROR(CheckPointer(data, "data"));
  return StridedLiteral(data, shape, strides);
}

// Returns FailedPrecondition if libhlocts_spec.so numbers opcodes in another way, because it is not
// of the plugin's release. With other layouts of the library's types, the plugin would crash.
absl::Status CheckOpcodes() {
  Opcode next{};
  for (absl::string_view name : {
#define HLOCTS_OPCODE(Name, text) absl::string_view(text),
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
       }) {
    if (OpcodeFromName(name) != next) {
      return absl::FailedPreconditionError(
          absl::StrCat("the plugin was built with another list of opcodes than libhlocts_spec.so, "
                       "which differs at ",
                       name, "; `ci/engines` rebuilds the engines"));
    }
    next = static_cast<Opcode>(static_cast<int>(next) + 1);
  }
  return absl::OkStatus();
}

}  // namespace

std::string Engine::Version() { return kVersion; }

absl::Status Entry(PJRT_Client_Create_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckOpcodes());
  HLOCTS_ASSIGN_OR_RETURN(Options options, ReadOptions(args.create_options, args.num_options));
  HLOCTS_ASSIGN_OR_RETURN(const ClientOptions own, TakeClientOptions(options));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, CurrentPlugin().make(options));
  args.client = MakeClient(std::move(options), std::move(engine), own).release();
  return absl::OkStatus();
}

void Entry(PJRT_Client_Destroy_Args& args) { delete args.client; }

void Entry(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = args.client->topology.platform.data();
  args.platform_name_size = args.client->topology.platform.size();
}

void Entry(PJRT_Client_ProcessIndex_Args& args) { args.process_index = 0; }

void Entry(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = args.client->topology.version.data();
  args.platform_version_size = args.client->topology.version.size();
}

void Entry(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
}

void Entry(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices.data();
  args.num_addressable_devices = args.client->devices.size();
}

absl::Status Entry(PJRT_Client_LookupDevice_Args& args) {
  if (args.id < 0 || static_cast<size_t>(args.id) >= args.client->devices.size()) {
    return InvalidInput("device id: expected one of this client's ", args.client->devices.size(),
                        " devices, found ", args.id);
  }
  args.device = args.client->devices[static_cast<size_t>(args.id)];
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Client_LookupAddressableDevice_Args& args) {
  PJRT_Client_LookupDevice_Args lookup = {};
  lookup.client = args.client;
  lookup.id = args.local_hardware_id;
  HLOCTS_RETURN_IF_ERROR(Entry(lookup));
  args.addressable_device = lookup.device;
  return absl::OkStatus();
}

void Entry(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories.data();
  args.num_addressable_memories = args.client->memories.size();
}

void Entry(PJRT_Client_TopologyDescription_Args& args) { args.topology = &args.client->topology; }

absl::Status Entry(PJRT_Client_Compile_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.program, "program"));
  HLOCTS_ASSIGN_OR_RETURN(
      std::shared_ptr<Program> program,
      CompileProgram(*args.client, {args.program->format, args.program->format_size},
                     {args.program->code, args.program->code_size},
                     {args.compile_options, args.compile_options_size}));
  args.executable = Loaded(args.client, std::move(program)).release();
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Executable_DeserializeAndLoad_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(
      std::shared_ptr<Program> program,
      DeserializeProgram(*args.client,
                         {args.serialized_executable, args.serialized_executable_size},
                         {args.overridden_serialized_compile_options,
                          args.overridden_serialized_compile_options_size}));
  args.loaded_executable = Loaded(args.client, std::move(program)).release();
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  if (args.num_replicas < 1 || args.num_partitions < 1)
    return InvalidInput("num_replicas and num_partitions: expected at least 1");
  const int64_t count = int64_t{args.num_replicas} * args.num_partitions;
  if (count > static_cast<int64_t>(args.client->devices.size())) {
    return InvalidInput("expected at most ", args.client->devices.size(), " devices, found ",
                        count);
  }
  if (static_cast<int64_t>(args.default_assignment_size) < count) {
    return absl::FailedPreconditionError(absl::StrCat("default_assignment_size: expected at least ",
                                                      count, ", found ",
                                                      args.default_assignment_size));
  }
  for (int64_t i = 0; i < count; ++i) args.default_assignment[i] = static_cast<int>(i);
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Client_BufferFromHostBuffer_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(PJRT_Device* const device, PickDevice(args.device, args.memory));
  HLOCTS_ASSIGN_OR_RETURN(const Shape shape, DescribeArray(args.type, args.dims, args.num_dims));
  HLOCTS_ASSIGN_OR_RETURN(
      Literal literal, LiteralOfHost(args.data, shape, {args.byte_strides, args.num_byte_strides}));
  HLOCTS_ASSIGN_OR_RETURN(args.buffer, NewBuffer(device, std::move(literal), args.device_layout));
  args.done_with_host_buffer = MakeEvent();
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(PJRT_Device* const device, PickDevice(args.device, args.memory));
  HLOCTS_ASSIGN_OR_RETURN(const Shape shape, DescribeArray(args.shape_element_type, args.shape_dims,
                                                           args.shape_num_dims));
  HLOCTS_ASSIGN_OR_RETURN(args.buffer, NewBuffer(device, Literal(shape), args.shape_layout));
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Client_CreateErrorBuffer_Args& args) {
  if (args.error_code == PJRT_Error_Code_OK)
    return InvalidInput("error_code: expected an error, found OK");
  HLOCTS_ASSIGN_OR_RETURN(PJRT_Device* const device, PickDevice(nullptr, args.memory));
  HLOCTS_ASSIGN_OR_RETURN(const Shape shape, DescribeArray(args.shape_element_type, args.shape_dims,
                                                           args.shape_num_dims));
  HLOCTS_ASSIGN_OR_RETURN(args.buffer, NewBuffer(device, Literal(shape), args.shape_layout));
  args.buffer->error = absl::Status(static_cast<absl::StatusCode>(args.error_code),
                                    absl::string_view(args.error_message, args.error_message_size));
  return absl::OkStatus();
}

// Copies the memory, so its owner may release it immediately.
absl::Status Entry(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(PJRT_Device* const device, PickDevice(args.device, args.memory));
  HLOCTS_ASSIGN_OR_RETURN(const Shape shape,
                          DescribeArray(args.element_type, args.dims, args.num_dims));
  std::vector<int64_t> order = MajorToMinorOrder(shape.rank());
  if (args.layout != nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(order, MinorToMajor(*args.layout, shape));
  }
  HLOCTS_ASSIGN_OR_RETURN(Literal literal,
                          LiteralOf(args.device_buffer_ptr, shape, std::move(order)));
  HLOCTS_ASSIGN_OR_RETURN(args.buffer, NewBuffer(device, std::move(literal), args.layout));
  if (args.on_delete_callback != nullptr)
    args.on_delete_callback(args.device_buffer_ptr, args.on_delete_callback_arg);
  return absl::OkStatus();
}

}  // namespace hlocts::pjrt
