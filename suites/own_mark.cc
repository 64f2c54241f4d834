// SPDX-License-Identifier: Apache-2.0
#include "suites/own_mark.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "backends/engine_list.h"
#include "spec/files/file_io.h"
#include "suites/sha256.h"

namespace hlocts::suites {
namespace {

constexpr size_t kSecretBytes = 32;

// Returns the secret. If several processes create it concurrently, the first one links its file.
std::string Secret() {
  auto cache = backends::EngineCache();
  if (!cache.ok()) return "";
  std::error_code error;
  std::filesystem::create_directories(*cache, error);
  const std::string path = *cache + "/secret";
  if (!std::filesystem::exists(path, error)) {
    char bytes[kSecretBytes];
    const std::string own = absl::StrCat(path, ".", getpid());
    const int fd = open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return "";
    const bool written = getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes) &&
                         write(fd, bytes, sizeof(bytes)) == sizeof(bytes);
    close(fd);
    if (written) static_cast<void>(link(own.c_str(), path.c_str()) == 0);
    unlink(own.c_str());
  }
  auto secret = ReadFile(path);
  return secret.ok() && secret->size() == kSecretBytes ? *secret : "";
}

}  // namespace

std::string OwnershipTag(const std::string& text) {
  const std::string secret = Secret();
  return secret.empty() ? "" : Sha256(secret + Sha256(secret + text));
}

bool IsOwn(const std::string& text, const std::string& mark) {
  return !mark.empty() && mark == OwnershipTag(text);
}

}  // namespace hlocts::suites
