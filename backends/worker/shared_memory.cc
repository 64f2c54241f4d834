// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace hlocts::backends {

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Create() {
  // A memfd has no name to clean up after a crash; the worker opens it through /proc.
  int fd = memfd_create("hlocts-worker", MFD_CLOEXEC);
  if (fd < 0) return absl::InternalError(absl::StrCat("memfd_create: ", std::strerror(errno)));
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

}  // namespace hlocts::backends
