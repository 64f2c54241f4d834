// SPDX-License-Identifier: Apache-2.0
#include "spec/files/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace hlocts {
namespace {

// Signatures and sizes of the records of the format (PKWARE's APPNOTE 6.3).
constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kEnd64Locator = 0x07064b50;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr size_t kLocalHeaderSize = 30;
constexpr size_t kCentralHeaderSize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kEnd64LocatorSize = 20;
constexpr size_t kEnd64Size = 56;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kSeeZip64 = 0xffffffff;

template <typename Int>
Int Load(absl::string_view bytes, size_t at) {
  Int value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i) {
    value |= static_cast<Int>(static_cast<Int>(static_cast<uint8_t>(bytes[at + i])) << (8 * i));
  }
  return value;
}

template <typename Int>
void Store(std::string* out, Int value) {
  for (size_t i = 0; i < sizeof(Int); ++i) {
    out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }
}

// Returns true if `size` bytes from `offset` on are inside the archive. Offsets are untrusted
// input: they come from the archive.
bool Inside(absl::string_view archive, uint64_t offset, uint64_t size) {
  return offset <= archive.size() && size <= archive.size() - offset;
}

absl::Status Broken(absl::string_view what) { return InvalidInput("broken zip archive: ", what); }

struct Directory {
  uint64_t count = 0;
  uint64_t offset = 0;
};

absl::StatusOr<Directory> FindDirectory(absl::string_view archive) {
  if (archive.size() < kEndSize) return Broken("expected an end record, found the end of the file");
  // The end record is the last record, but a comment of up to 64 KiB may follow it.
  size_t at = archive.size() - kEndSize;
  size_t lowest = at > 0xffff ? at - 0xffff : 0;
  while (Load<uint32_t>(archive, at) != kEnd) {
    if (at == lowest) return Broken("expected an end record, found none");
    --at;
  }
  Directory directory{Load<uint16_t>(archive, at + 10), Load<uint32_t>(archive, at + 16)};
  if (directory.count != 0xffff && directory.offset != kSeeZip64) return directory;
  if (at < kEnd64LocatorSize || Load<uint32_t>(archive, at - kEnd64LocatorSize) != kEnd64Locator) {
    return directory;  // exactly 65535 members without zip64
  }
  uint64_t end64 = Load<uint64_t>(archive, at - kEnd64LocatorSize + 8);
  if (!Inside(archive, end64, kEnd64Size) || Load<uint32_t>(archive, end64) != kEnd64) {
    return Broken("expected a zip64 end record, found none");
  }
  return Directory{Load<uint64_t>(archive, end64 + 32), Load<uint64_t>(archive, end64 + 48)};
}

// Reads the sizes and the offset from the zip64 extra field, which has them in this order.
void ReadZip64Extra(absl::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    size_t size = Load<uint16_t>(extra, 2);
    if (extra.size() < 4 + size) return;
    if (Load<uint16_t>(extra, 0) == kZip64Extra) {
      size_t at = 4;
      for (uint64_t* field : {&member.size, &member.stored_size, &member.header_offset}) {
        if (*field != kSeeZip64 || at + 8 > 4 + size) continue;
        *field = Load<uint64_t>(extra, at);
        at += 8;
      }
      return;
    }
    extra.remove_prefix(4 + size);
  }
}

absl::StatusOr<absl::string_view> StoredBytes(absl::string_view archive, const ZipMember& member) {
  if (!Inside(archive, member.header_offset, kLocalHeaderSize) ||
      Load<uint32_t>(archive, member.header_offset) != kLocalHeader) {
    return Broken("expected the local header of a member, found none");
  }
  uint64_t begin = member.header_offset + kLocalHeaderSize +
                   Load<uint16_t>(archive, member.header_offset + 26) +
                   Load<uint16_t>(archive, member.header_offset + 28);
  if (!Inside(archive, begin, member.stored_size)) return Broken("a member exceeds the file");
  return archive.substr(begin, member.stored_size);
}

absl::StatusOr<std::string> Inflate(absl::string_view stored, uint64_t wanted) {
  std::string content;
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Broken("zlib cannot start to decompress");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  uint64_t left = stored.size();
  int code = Z_OK;
  // Grows the buffer in steps, so that memory is proportional to the actual data and not to the
  // size in the header.
  while (content.size() < wanted && code == Z_OK) {
    constexpr uint64_t kStep = 1 << 20;
    size_t old_size = content.size();
    size_t step = std::min(kStep, wanted - old_size);
    content.resize(old_size + step);
    uInt chunk = static_cast<uInt>(std::min<uint64_t>(left, uint64_t{1} << 30));
    stream.avail_in = chunk;
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + old_size);
    stream.avail_out = static_cast<uInt>(step);
    code = inflate(&stream, Z_NO_FLUSH);
    left -= chunk - stream.avail_in;
    content.resize(old_size + step - stream.avail_out);
  }
  inflateEnd(&stream);
  if (content.size() != wanted) return Broken("deflated data is truncated or damaged");
  return content;
}

}  // namespace

bool IsZip(absl::string_view bytes) {
  return bytes.size() >= 4 &&
         (Load<uint32_t>(bytes, 0) == kLocalHeader || Load<uint32_t>(bytes, 0) == kEnd);
}

absl::StatusOr<std::vector<ZipMember>> ListZip(absl::string_view archive) {
  HLOCTS_ASSIGN_OR_RETURN(Directory directory, FindDirectory(archive));
  std::vector<ZipMember> members;
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (!Inside(archive, at, kCentralHeaderSize) || Load<uint32_t>(archive, at) != kCentralHeader) {
      return Broken(absl::StrCat("expected a directory entry for member ", i, ", found none"));
    }
    size_t name_size = Load<uint16_t>(archive, at + 28);
    size_t extra_size = Load<uint16_t>(archive, at + 30);
    size_t comment_size = Load<uint16_t>(archive, at + 32);
    uint64_t entry_size = kCentralHeaderSize + name_size + extra_size + comment_size;
    if (!Inside(archive, at, entry_size)) return Broken("an entry exceeds the file");
    ZipMember member;
    member.flags = Load<uint16_t>(archive, at + 8);
    member.method = Load<uint16_t>(archive, at + 10);
    member.crc = Load<uint32_t>(archive, at + 16);
    member.stored_size = Load<uint32_t>(archive, at + 20);
    member.size = Load<uint32_t>(archive, at + 24);
    member.header_offset = Load<uint32_t>(archive, at + 42);
    member.name = std::string(archive.substr(at + kCentralHeaderSize, name_size));
    ReadZip64Extra(archive.substr(at + kCentralHeaderSize + name_size, extra_size), member);
    members.push_back(std::move(member));
    at += entry_size;
  }
  return members;
}

absl::StatusOr<std::string> ReadZipMember(absl::string_view archive, const ZipMember& member,
                                          uint64_t limit) {
  if (member.flags & 1) return InvalidInput(member.name, " is encrypted");
  HLOCTS_ASSIGN_OR_RETURN(absl::string_view stored, StoredBytes(archive, member));
  uint64_t wanted = std::min(limit, member.size);
  std::string content;
  if (member.method == 0) {
    if (stored.size() != member.size) return Broken("a stored member has two sizes");
    content = std::string(stored.substr(0, wanted));
  } else if (member.method == 8) {
    HLOCTS_ASSIGN_OR_RETURN(content, Inflate(stored, wanted));
  } else {
    return InvalidInput(member.name, ": expected a stored or deflated member, found method ",
                        member.method);
  }
  if (wanted == member.size) {
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    if (crc != member.crc) return Broken(absl::StrCat("wrong checksum of ", member.name));
  }
  return content;
}

namespace {

// Returns the fields of local and central headers from "version needed" to the sizes of names.
std::string CommonHeader(const std::string& name, const std::string& content) {
  const uint32_t crc = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  std::string common;
  Store<uint16_t>(&common, 20);
  Store<uint16_t>(&common, 0);           // flags
  Store<uint16_t>(&common, 0);           // method: stored
  Store<uint32_t>(&common, 0x00210000);  // 1980-01-01, so that the bytes are reproducible
  Store<uint32_t>(&common, crc);
  Store<uint32_t>(&common, static_cast<uint32_t>(content.size()));
  Store<uint32_t>(&common, static_cast<uint32_t>(content.size()));
  Store<uint16_t>(&common, static_cast<uint16_t>(name.size()));
  Store<uint16_t>(&common, 0);  // no extra field
  return common;
}

}  // namespace

absl::StatusOr<std::string> WriteZip(
    const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    uint64_t offset = archive.size();
    if (offset + content.size() >= kSeeZip64 || members.size() >= 0xffff) {
      return InvalidInput("too large for a zip archive without zip64: ", offset + content.size(),
                          " bytes in ", members.size(), " members");
    }
    const std::string common = CommonHeader(name, content);
    Store<uint32_t>(&archive, kLocalHeader);
    archive += common + name + content;
    Store<uint32_t>(&directory, kCentralHeader);
    Store<uint16_t>(&directory, 20);  // made by
    directory += common;
    directory.append(10, '\0');  // comment size, disk, attributes
    Store<uint32_t>(&directory, static_cast<uint32_t>(offset));
    directory += name;
  }
  uint32_t directory_offset = static_cast<uint32_t>(archive.size());
  archive += directory;
  Store<uint32_t>(&archive, kEnd);
  Store<uint32_t>(&archive, 0);
  Store<uint16_t>(&archive, static_cast<uint16_t>(members.size()));
  Store<uint16_t>(&archive, static_cast<uint16_t>(members.size()));
  Store<uint32_t>(&archive, static_cast<uint32_t>(directory.size()));
  Store<uint32_t>(&archive, directory_offset);
  Store<uint16_t>(&archive, 0);
  return archive;
}

}  // namespace hlocts
