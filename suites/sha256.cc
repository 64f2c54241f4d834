// SPDX-License-Identifier: Apache-2.0
#include "suites/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/escaping.h"
#include "spec/files/file_io.h"

namespace hlocts::suites {

std::string Sha256(absl::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HLOCTS_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  return Sha256(content);
}

absl::StatusOr<std::string> HashesOfFolder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::recursive_directory_iterator files(folder, error), end;
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  for (; files != end; ++files) {
    if (!files->is_regular_file()) continue;
    names.push_back(std::filesystem::relative(files->path(), folder).generic_string());
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) {
    HLOCTS_ASSIGN_OR_RETURN(std::string hash, Sha256OfFile(absl::StrCat(folder, "/", name)));
    absl::StrAppend(&list, hash, "  ", name, "\n");
  }
  return list;
}

absl::StatusOr<std::string> Sha256OfFolder(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string list, HashesOfFolder(folder));
  return Sha256(list);
}

}  // namespace hlocts::suites
