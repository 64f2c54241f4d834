// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/pjrt_client.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "spec/pjrt/buffer_types.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {

absl::StatusOr<PjrtUnloadedExecutable> PjrtSession::Unloaded(PJRT_LoadedExecutable* executable) {
  HLOCTS_PJRT_ASK(api_, LoadedExecutable_GetExecutable, get, loaded_executable, executable);
  return OwnUnloadedExecutable(api_, get.executable);
}

absl::StatusOr<std::string> PjrtSession::OptimizedModule(PJRT_LoadedExecutable* executable) {
  HLOCTS_ASSIGN_OR_RETURN(const PjrtUnloadedExecutable unloaded, Unloaded(executable));
  return OptimizedModuleOf(api_, unloaded.get());
}

absl::StatusOr<std::string> OptimizedModuleOf(const PjrtApi& api, PJRT_Executable* executable) {
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  auto args = HLOCTS_PJRT_ARGS(Executable_OptimizedProgram);
  args.executable = executable;
  args.program = &program;
  // The function is called twice: for the size, then for the bytes.
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api, PJRT_Executable_OptimizedProgram, &args));
  std::string bytes(program.code_size, '\0');
  program.code = bytes.data();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api, PJRT_Executable_OptimizedProgram, &args));
  bytes.resize(std::min(bytes.size(), program.code_size));
  const absl::string_view format(program.format ? program.format : "", program.format_size);
  if (format == "hlo") return bytes;
  if (format == "hlo_with_config") return ModuleWithoutConfig(bytes);
  return absl::UnimplementedError(
      absl::StrCat("expected the optimized program as hlo, found \"", format, "\""));
}

std::vector<PJRT_NamedValue> ToNamedValues(const PjrtOptions& options) {
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, text] : options) {
    PJRT_NamedValue value{};
    value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    value.name = name.c_str();
    value.name_size = name.size();
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      value.type = PJRT_NamedValue_kInt64;
      value.int64_value = number;
      value.value_size = 1;
    } else if (text == "true" || text == "false") {
      value.type = PJRT_NamedValue_kBool;
      value.bool_value = text == "true";
      value.value_size = 1;
    } else {
      value.type = PJRT_NamedValue_kString;
      value.string_value = text.c_str();
      value.value_size = text.size();
    }
    values.push_back(value);
  }
  return values;
}

PJRT_Program HloProgram(const std::string& module_proto) {
  static constexpr char kFormat[] = "hlo";
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(module_proto.data());
  program.code_size = module_proto.size();
  program.format = kFormat;
  program.format_size = sizeof(kFormat) - 1;
  return program;
}

PJRT_Buffer_MemoryLayout RowMajorLayout(const std::vector<int64_t>& minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

bool HasBufferType(PrimitiveType type) { return pjrt::IsPjrtType(pjrt::BufferTypeOf(type)); }

void AddMissingTypes(std::vector<std::string>& capabilities) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsArrayType(type) || HasBufferType(type)) continue;
    capabilities.push_back(absl::StrCat("without:", PrimitiveTypeName(type)));
  }
}

absl::StatusOr<PJRT_Buffer_Type> PjrtSession::BufferTypeOf(PrimitiveType type) const {
  const PJRT_Buffer_Type buffer_type = pjrt::BufferTypeOf(type);
  const bool ours = api_.extension() != nullptr && buffer_type != PJRT_Buffer_Type_INVALID;
  if (ours || (HasBufferType(type) && type != PrimitiveType::kToken)) return buffer_type;
  return absl::UnimplementedError(
      absl::StrCat("PJRT has no buffer of element type ", PrimitiveTypeName(type)));
}

absl::StatusOr<std::unique_ptr<PjrtSession>> PjrtSession::Create(const PjrtApi& api,
                                                                 const Options& client_options) {
  std::vector<PJRT_NamedValue> values = ToNamedValues(client_options);
  auto args = HLOCTS_PJRT_ARGS(Client_Create);
  args.create_options = values.data();
  args.num_options = values.size();
  HLOCTS_RETURN_IF_ERROR(
      Annotate(HLOCTS_PJRT_CALL(api, PJRT_Client_Create, &args), "creating the client"));
  auto session = std::unique_ptr<PjrtSession>(new PjrtSession(api, OwnClient(api, args.client)));
  HLOCTS_RETURN_IF_ERROR(session->ReadDevices());
  return session;
}

absl::Status PjrtSession::ReadDevices() {
  HLOCTS_PJRT_ASK(api_, Client_AddressableDevices, args, client, client_.get());
  devices_.assign(args.addressable_devices,
                  args.addressable_devices + args.num_addressable_devices);
  if (devices_.empty()) return absl::UnavailableError("the client has no addressable device");
  return absl::OkStatus();
}

std::string PjrtSession::PlatformVersion() const {
  auto args = HLOCTS_PJRT_ARGS(Client_PlatformVersion);
  args.client = client_.get();
  if (!HLOCTS_PJRT_CALL(api_, PJRT_Client_PlatformVersion, &args).ok()) return "";
  return std::string(args.platform_version, args.platform_version_size);
}

absl::StatusOr<PjrtLoadedExecutable> PjrtSession::Compile(const std::string& module_proto,
                                                          const PjrtCompileOptions& options) {
  PJRT_Program program = HloProgram(module_proto);
  std::string serialized = SerializeCompileOptions(options);
  auto args = HLOCTS_PJRT_ARGS(Client_Compile);
  args.client = client_.get();
  args.program = &program;
  args.compile_options = serialized.data();
  args.compile_options_size = serialized.size();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Client_Compile, &args));
  return OwnExecutable(api_, args.executable);
}

absl::StatusOr<PjrtBuffer> PjrtSession::ToDevice(const Literal& given, PJRT_Device* device) {
  if (api_.extension() == nullptr && (!given.shape().IsArray() || given.shape().is_dynamic())) {
    return absl::UnimplementedError(
        absl::StrCat("argument of shape ", given.shape().ToString(), " cannot be passed by PJRT"));
  }
  const Literal literal = pjrt::WithinSizes(given);
  auto args = HLOCTS_PJRT_ARGS(Client_BufferFromHostBuffer);
  HLOCTS_ASSIGN_OR_RETURN(args.type, BufferTypeOf(literal.element_type()));
  args.client = client_.get();
  static const char kNothing = 0;  // an empty array still needs an address
  args.data = literal.raw_size() > 0 ? static_cast<const void*>(literal.raw_data()) : &kNothing;
  args.dims = literal.shape().dimensions().data();
  args.num_dims = literal.shape().dimensions().size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Client_BufferFromHostBuffer, &args));
  PjrtBuffer buffer = OwnBuffer(api_, args.buffer);
  HLOCTS_RETURN_IF_ERROR(api_.Await(args.done_with_host_buffer));
  return buffer;
}

absl::Status PjrtSession::WaitFor(const std::vector<std::vector<PjrtBuffer>>& buffers) {
  for (const std::vector<PjrtBuffer>& of_device : buffers) {
    for (const PjrtBuffer& buffer : of_device) {
      auto args = HLOCTS_PJRT_ARGS(Buffer_ReadyEvent);
      args.buffer = buffer.get();
      const absl::Status called = HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ReadyEvent, &args);
      if (absl::IsUnimplemented(called)) return absl::OkStatus();
      HLOCTS_RETURN_IF_ERROR(called);
      HLOCTS_RETURN_IF_ERROR(api_.Await(args.event));
    }
  }
  return absl::OkStatus();
}

// Returns kDataLoss if the output does not have the module's shape. Such a plugin violates PJRT.
absl::StatusOr<Literal> PjrtSession::ToHost(PJRT_Buffer* buffer, const Shape& expected) {
  HLOCTS_ASSIGN_OR_RETURN(PJRT_Buffer_Type type, BufferTypeOf(expected.element_type()));
  HLOCTS_PJRT_ASK(api_, Buffer_ElementType, type_args, buffer, buffer);
  if (type_args.type != type) {
    return absl::DataLossError(absl::StrCat("output of buffer type ", type_args.type, ", expected ",
                                            type, " for ", expected.ToString()));
  }
  if (expected.IsToken()) return Literal(expected);
  Literal literal(expected.WithStaticDimensions().WithoutLayout());
  HLOCTS_RETURN_IF_ERROR(ReadRuntimeSizes(buffer, literal));
  // If no layout is given, PJRT returns the bytes in the device's layout.
  std::vector<int64_t> order = MajorToMinorOrder(expected.rank());
  PJRT_Buffer_MemoryLayout layout = RowMajorLayout(order);
  auto args = HLOCTS_PJRT_ARGS(Buffer_ToHostBuffer);
  args.src = buffer;
  args.host_layout = &layout;
  // Queries the size first, because an array of an unexpected shape could overrun the buffer.
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ToHostBuffer, &args));
  HLOCTS_RETURN_IF_ERROR(api_.Await(args.event));
  args.event = nullptr;
  if (args.dst_size == literal.raw_size() && args.dst_size > 0) {
    args.dst = literal.mutable_raw_data();
    HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ToHostBuffer, &args));
    HLOCTS_RETURN_IF_ERROR(api_.Await(args.event));
    pjrt::ExtendSubBytes(literal);
    return literal;
  }
  std::string bytes(args.dst_size + 1, '\0');
  args.dst = bytes.data();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ToHostBuffer, &args));
  HLOCTS_RETURN_IF_ERROR(api_.Await(args.event));
  // Some engines return only the elements within the run-time sizes.
  if (literal.has_runtime_sizes()) {
    Literal exact(Shape(literal.element_type(), literal.runtime_sizes()));
    if (args.dst_size == exact.raw_size()) {
      if (args.dst_size > 0) std::memcpy(exact.mutable_raw_data(), bytes.data(), args.dst_size);
      pjrt::ExtendSubBytes(exact);
      return pjrt::PaddedTo(literal.shape(), exact);
    }
  }
  if (args.dst_size < literal.raw_size()) {
    return absl::DataLossError(absl::StrCat("output of ", args.dst_size, " bytes, expected ",
                                            literal.raw_size(), " for ", expected.ToString()));
  }
  std::copy_n(bytes.data(), literal.raw_size(),
              reinterpret_cast<char*>(literal.mutable_raw_data()));
  pjrt::ExtendSubBytes(literal);
  return literal;
}

absl::Status PjrtSession::ReadRuntimeSizes(PJRT_Buffer* buffer, Literal& literal) {
  auto dynamic = HLOCTS_PJRT_ARGS(Buffer_DynamicDimensionIndices);
  dynamic.buffer = buffer;
  if (!HLOCTS_PJRT_CALL(api_, PJRT_Buffer_DynamicDimensionIndices, &dynamic).ok() ||
      dynamic.num_dynamic_dims == 0) {
    return absl::OkStatus();
  }
  HLOCTS_PJRT_ASK(api_, Buffer_UnpaddedDimensions, sizes, buffer, buffer);
  for (size_t i = 0; i < dynamic.num_dynamic_dims; ++i) {
    size_t d = dynamic.dynamic_dim_indices[i];
    if (d >= sizes.num_dims || static_cast<int64_t>(d) >= literal.shape().rank() ||
        sizes.unpadded_dims[d] < 0 ||
        sizes.unpadded_dims[d] > literal.shape().dimension(static_cast<int64_t>(d))) {
      return absl::DataLossError("output with impossible run-time sizes");
    }
    literal.SetRuntimeSize(static_cast<int64_t>(d), sizes.unpadded_dims[d]);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PjrtSession::IsDeleted(PJRT_Buffer* buffer) {
  HLOCTS_PJRT_ASK(api_, Buffer_IsDeleted, args, buffer, buffer);
  return args.is_deleted;
}

uintptr_t PjrtSession::Address(PJRT_Buffer* buffer) {
  auto args = HLOCTS_PJRT_ARGS(Buffer_UnsafePointer);
  args.buffer = buffer;
  return HLOCTS_PJRT_CALL(api_, PJRT_Buffer_UnsafePointer, &args).ok() ? args.buffer_pointer : 0;
}

absl::StatusOr<std::string> PjrtSession::Words() {
  Hlocts_Pjrt_Words_Args args{sizeof(args), client(), nullptr};
  HLOCTS_RETURN_IF_ERROR(api_.ToStatus(api_.extension()->words(&args)));
  return std::string(args.words);
}

absl::Status PjrtSession::Feed(PJRT_LoadedExecutable* executable, size_t device, PJRT_Device* on,
                               const std::vector<Literal>& items) {
  for (const Literal& item : items) {
    for (const Literal& leaf : FlattenLeaves(item)) {
      HLOCTS_ASSIGN_OR_RETURN(const PjrtBuffer buffer, ToDevice(leaf, on));
      Hlocts_Pjrt_Feed_Args args{sizeof(args), executable, device, buffer.get()};
      HLOCTS_RETURN_IF_ERROR(api_.ToStatus(api_.extension()->infeed(&args)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> PjrtSession::Drain(PJRT_LoadedExecutable* executable,
                                                        size_t device) {
  std::vector<Literal> leaves;
  while (true) {
    Hlocts_Pjrt_Feed_Args args{sizeof(args), executable, device, nullptr};
    HLOCTS_RETURN_IF_ERROR(api_.ToStatus(api_.extension()->outfeed(&args)));
    if (args.buffer == nullptr) return leaves;
    const PjrtBuffer buffer = OwnBuffer(api_, args.buffer);
    HLOCTS_PJRT_ASK(api_, Buffer_ElementType, type, buffer, args.buffer);
    HLOCTS_PJRT_ASK(api_, Buffer_Dimensions, sizes, buffer, args.buffer);
    const Shape shape(pjrt::ElementTypeOf(type.type), {sizes.dims, sizes.dims + sizes.num_dims});
    HLOCTS_ASSIGN_OR_RETURN(Literal leaf, ToHost(args.buffer, shape));
    leaves.push_back(std::move(leaf));
  }
}

}  // namespace hlocts::backends
