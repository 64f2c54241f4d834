// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "backends/worker/last_words.h"
#include "spec/base/engine_error.h"
#include "spec/base/json_text.h"

namespace hlocts::backends {

absl::Status LeafToWire(const Literal& leaf, SharedMemory* memory, worker::Value* value) {
  value->set_element_type(std::string(PrimitiveTypeName(leaf.element_type())));
  if (!leaf.shape().IsArray()) return absl::OkStatus();
  for (int64_t d = 0; d < leaf.shape().rank(); ++d) {
    value->add_dimensions(leaf.shape().dimension(d));
  }
  if (leaf.shape().is_dynamic()) {
    for (int64_t d = 0; d < leaf.shape().rank(); ++d) {
      value->add_runtime_sizes(leaf.shape().is_dynamic_dimension(d) ? leaf.runtime_size(d) : -1);
    }
  }
  absl::string_view bytes(reinterpret_cast<const char*>(leaf.raw_data()), leaf.raw_size());
  if (!memory || bytes.size() < kSharedMemoryThreshold) {
    value->set_data(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(uint64_t offset, memory->Append(bytes));
  value->set_in_shared_memory(true);
  value->set_data_offset(offset);
  value->set_data_size(bytes.size());
  return absl::OkStatus();
}

namespace {

absl::StatusOr<Shape> ShapeFromWire(const worker::Value& value) {
  auto type = PrimitiveTypeFromName(value.element_type());
  if (!type || (!IsArrayType(*type) && *type != PrimitiveType::kToken)) {
    return absl::DataLossError(
        absl::StrCat("expected an element type, found \"", value.element_type(), "\""));
  }
  for (int64_t size : value.dimensions()) {
    if (size < 0) return absl::DataLossError(absl::StrCat("expected sizes >= 0, found ", size));
  }
  return Shape(*type, {value.dimensions().begin(), value.dimensions().end()});
}

absl::Status ApplyRuntimeSizes(const worker::Value& value, Literal& literal) {
  if (value.runtime_sizes_size() == 0) return absl::OkStatus();
  if (value.runtime_sizes_size() != literal.shape().rank()) {
    return absl::DataLossError("expected a run-time size for each dimension");
  }
  for (int64_t d = 0; d < literal.shape().rank(); ++d) {
    int64_t size = value.runtime_sizes(static_cast<int>(d));
    if (size == -1) continue;
    if (size < 0 || size > literal.shape().dimension(d)) {
      return absl::DataLossError(absl::StrCat("expected a run-time size from 0 to ",
                                              literal.shape().dimension(d), ", found ", size));
    }
    literal.SetRuntimeSize(d, size);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Create() {
  // A memfd has no name to clean up after a crash; the worker opens it through /proc.
  int fd = memfd_create("hlocts-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return absl::InternalError(absl::StrCat("memfd_create: ", std::strerror(errno)));
  // If a worker cut the file while it is mapped here, the next access would end this process.
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return absl::InternalError(absl::StrCat("F_ADD_SEALS: ", std::strerror(errno)));
  return std::unique_ptr<SharedMemory>(
      new SharedMemory(fd, absl::StrCat("/proc/", getpid(), "/fd/", fd)));
}

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Open(const std::string& path) {
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return absl::InternalError(absl::StrCat(path, ": ", std::strerror(errno)));
  return std::unique_ptr<SharedMemory>(new SharedMemory(fd, path));
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, mapped_);
  close(fd_);
}

absl::Status SharedMemory::Map(uint64_t size) {
  if (size <= mapped_) return absl::OkStatus();
  if (data_) munmap(data_, mapped_);
  data_ = nullptr;
  mapped_ = 0;
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (data == MAP_FAILED) return absl::ResourceExhaustedError("cannot map shared memory");
  data_ = static_cast<char*>(data);
  mapped_ = size;
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> SharedMemory::Append(absl::string_view bytes) {
  uint64_t offset = (used_ + 63) / 64 * 64;
  uint64_t end = offset + bytes.size();
  struct stat info;
  if (fstat(fd_, &info) != 0) return absl::InternalError("cannot read the size of shared memory");
  if (static_cast<uint64_t>(info.st_size) < end) {
    uint64_t grown = std::max<uint64_t>(end, 2 * static_cast<uint64_t>(info.st_size));
    if (ftruncate(fd_, static_cast<off_t>(grown)) != 0) {
      return absl::ResourceExhaustedError(absl::StrCat("cannot grow shared memory to ", grown));
    }
    info.st_size = static_cast<off_t>(grown);
  }
  HLOCTS_RETURN_IF_ERROR(Map(static_cast<uint64_t>(info.st_size)));
  if (!bytes.empty()) std::memcpy(data_ + offset, bytes.data(), bytes.size());
  used_ = end;
  return offset;
}

absl::StatusOr<absl::string_view> SharedMemory::View(uint64_t offset, uint64_t size) {
  struct stat info;
  if (fstat(fd_, &info) != 0) return absl::InternalError("cannot read the size of shared memory");
  uint64_t file = static_cast<uint64_t>(info.st_size);
  if (offset > file || size > file - offset) {
    return absl::DataLossError(absl::StrCat("a value of ", size, " bytes at offset ", offset,
                                            " exceeds the ", file, " bytes of shared memory"));
  }
  HLOCTS_RETURN_IF_ERROR(Map(file));
  return absl::string_view(data_ + offset, size);
}

absl::StatusOr<Literal> LeafFromWire(const worker::Value& value, SharedMemory* memory) {
  HLOCTS_ASSIGN_OR_RETURN(Shape shape, ShapeFromWire(value));
  if (!shape.IsArray()) return Literal(shape);
  absl::string_view bytes(value.data());
  if (value.in_shared_memory()) {
    if (!memory) return absl::DataLossError("a value is in shared memory, which was not offered");
    HLOCTS_ASSIGN_OR_RETURN(bytes, memory->View(value.data_offset(), value.data_size()));
  }
  if (static_cast<int64_t>(bytes.size()) != shape.StorageSizeBytes()) {
    return absl::DataLossError(absl::StrCat("expected ", shape.StorageSizeBytes(),
                                            " bytes of data for ", shape.ToString(), ", found ",
                                            bytes.size()));
  }
  Literal literal = Literal::Uninitialized(shape);
  if (!bytes.empty()) std::memcpy(literal.mutable_raw_data(), bytes.data(), bytes.size());
  HLOCTS_RETURN_IF_ERROR(ApplyRuntimeSizes(value, literal));
  return literal;
}

absl::Status DevicesToWire(const std::vector<std::vector<Literal>>& devices, SharedMemory* memory,
                           DeviceValuesField* field) {
  for (const std::vector<Literal>& leaves : devices) {
    worker::DeviceValues* device = field->Add();
    for (const Literal& leaf : leaves) {
      HLOCTS_RETURN_IF_ERROR(LeafToWire(leaf, memory, device->add_leaves()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::vector<Literal>>> DevicesFromWire(const DeviceValuesField& field,
                                                                  SharedMemory* memory) {
  std::vector<std::vector<Literal>> devices;
  for (const worker::DeviceValues& device : field) {
    devices.emplace_back();
    for (const worker::Value& value : device.leaves()) {
      HLOCTS_ASSIGN_OR_RETURN(Literal leaf, LeafFromWire(value, memory));
      devices.back().push_back(std::move(leaf));
    }
  }
  return devices;
}

std::string Visible(absl::string_view text) {
  std::string result;
  const std::string utf8 = AsUtf8(text);
  for (size_t i = 0; i < utf8.size(); ++i) {
    auto c = static_cast<unsigned char>(utf8[i]);
    // U+0080 to U+009F are two bytes in UTF-8; terminals take U+009B for an escape.
    const bool is_c1 = c == 0xc2 && static_cast<unsigned char>(utf8[i + 1]) < 0xa0;
    if (is_c1) c = static_cast<unsigned char>(utf8[++i]);
    if (is_c1 || c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
      absl::StrAppend(&result, "\\x", absl::Hex(c, absl::kZeroPad2));
    else
      result.push_back(static_cast<char>(c));
  }
  return result;
}

void StatusToWire(const absl::Status& status, worker::Error* error) {
  const EngineError cause = ErrorOf(status);
  error->set_code(static_cast<int>(status.code()));
  error->set_message(AsUtf8(status.message()));
  if (cause.kind != ErrorKind::kOther) error->set_kind(std::string(ErrorKindName(cause.kind)));
  error->set_devices(cause.devices);
  error->set_target(AsUtf8(cause.target));
}

absl::Status StatusFromWire(const worker::Error& error) {
  auto code = static_cast<absl::StatusCode>(error.code());
  if (error.code() <= 0 || error.code() > 16) code = absl::StatusCode::kUnknown;
  EngineError cause;
  cause.kind = ErrorKindFromName(error.kind()).value_or(ErrorKind::kOther);
  cause.message = error.message();
  cause.devices = error.devices();
  cause.target = error.target();
  ReadAssertion(cause);
  return EngineStatus(code, cause);
}

}  // namespace hlocts::backends
