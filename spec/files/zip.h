// SPDX-License-Identifier: Apache-2.0
// Reads and writes zip archives like numpy: members stored or deflated, and zip64 if necessary.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

struct ZipMember {
  std::string name;
  uint64_t size = 0;         // size of the content
  uint64_t stored_size = 0;  // size in the archive
  uint64_t header_offset = 0;
  uint32_t crc = 0;
  uint16_t method = 0;  // 0 stored, 8 deflated
  uint16_t flags = 0;
};

// Returns true if the bytes start with the signature of a zip archive.
bool IsZip(absl::string_view bytes);
absl::StatusOr<std::vector<ZipMember>> ListZip(absl::string_view archive);
// Returns the first `limit` bytes of the content. Verifies the checksum if that is all the content.
absl::StatusOr<std::string> ReadZipMember(absl::string_view archive, const ZipMember& member,
                                          uint64_t limit);
// Makes an archive of stored members. The archive must be smaller than 4 GiB.
absl::StatusOr<std::string> WriteZip(
    const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace hlocts
