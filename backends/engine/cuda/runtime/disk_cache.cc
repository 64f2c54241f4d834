// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/disk_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace hlocts::cuda {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMebibytes = 1024;
// Looking at the whole folder costs more than one file: every so many.
constexpr int kWritesBetweenLooks = 64;

fs::path Folder() {
  std::error_code error;
  fs::path folder;
  if (const char* given = std::getenv("HLOCTS_CUDA_CACHE")) {
    folder = given;
  } else if (const char* home = std::getenv("HOME")) {
    folder = fs::path(home) / ".cache/hlocts/cuda";
  }
  if (!folder.empty()) fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}

uintmax_t BytesMax() {
  const char* given = std::getenv("HLOCTS_CUDA_CACHE_MIB");
  return (given != nullptr ? std::strtoull(given, nullptr, 10) : kMebibytes) << 20;
}

struct Kept {
  fs::file_time_type time;
  uintmax_t bytes;
  fs::path path;
};

// Down to half, so that not every write after this one has to look again.
void RemoveOldest(const fs::path& folder) {
  std::vector<Kept> files;
  uintmax_t total = 0;
  std::error_code error;  // other processes write and remove as well
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const Kept kept = {at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    files.push_back(kept);
    total += kept.bytes;
  }
  if (total <= BytesMax()) return;
  std::sort(files.begin(), files.end(),
            [](const Kept& a, const Kept& b) { return a.time < b.time; });
  for (const Kept& kept : files) {
    if (total <= BytesMax() / 2) return;
    std::error_code gone;
    if (fs::remove(kept.path, gone)) total -= kept.bytes;
  }
}

}  // namespace

// FNV-1a, twice with different starts.
std::string HashName(const std::string& text) {
  char name[40];
  uint64_t hashes[2] = {0xcbf29ce484222325ull, 0x84222325cbf29ce4ull};
  for (uint64_t& hash : hashes) {
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  }
  std::snprintf(name, sizeof(name), "%016llx%016llx", static_cast<unsigned long long>(hashes[0]),
                static_cast<unsigned long long>(hashes[1]));
  return name;
}

std::string ReadCached(const std::string& name) {
  const fs::path folder = Folder();
  if (folder.empty()) return "";
  std::ifstream in(folder / (name + ".cubin"), std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return in.good() ? bytes.str() : "";
}

// Written beside, then renamed: nobody reads half a file.
void WriteCached(const std::string& name, const std::string& bytes) {
  static std::atomic<int> writes{0};
  const fs::path folder = Folder();
  if (folder.empty()) return;
  const fs::path path = folder / (name + ".cubin");
  const fs::path draft = path.string() + "." + std::to_string(getpid());
  std::ofstream out(draft, std::ios::binary);
  out << bytes;
  out.close();
  std::error_code error;
  if (out.good()) fs::rename(draft, path, error);
  if (!out.good() || error) fs::remove(draft, error);
  if (writes++ % kWritesBetweenLooks == 0) RemoveOldest(folder);
}

}  // namespace hlocts::cuda
