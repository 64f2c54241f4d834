// SPDX-License-Identifier: Apache-2.0
#include "spec/files/literals_file.h"

#include "absl/strings/match.h"
#include "spec/files/file_io.h"
#include "spec/files/npz.h"
#include "spec/files/zip.h"

namespace hlocts {
namespace {

absl::StatusOr<LiteralsFile> ParseAny(absl::string_view content, bool named_npz,
                                      const std::optional<ExpectedLeaves>& expected) {
  if (IsZip(content)) {
    if (!expected) return InvalidInput("a .npz can be read only if the shapes are known");
    return ParseNpz(content, *expected);
  }
  if (named_npz) return InvalidInput("expected a zip archive, found other data");
  if (absl::StartsWith(content, "\x93NUMPY")) {
    return InvalidInput("expected a .npz with keys arg0..., found a single .npy array");
  }
  size_t zero = content.find('\0');
  if (zero != absl::string_view::npos) {
    return InvalidInput("expected literals as text or .npz, found binary data (byte 0 at offset ",
                        zero, ")");
  }
  return ParseLiterals(content, expected);
}

}  // namespace

absl::StatusOr<LiteralsFile> ReadLiterals(const std::string& path,
                                          const std::optional<ExpectedLeaves>& expected) {
  HLOCTS_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  absl::StatusOr<LiteralsFile> file = ParseAny(content, ExtensionOf(path) == "npz", expected);
  if (!file.ok()) return Annotate(file.status(), path == "-" ? "standard input" : path);
  return file;
}

absl::Status WriteLiterals(const LiteralsFile& file, LeafRole role, const std::string& path) {
  if (ExtensionOf(path) != "npz") return WriteFile(path, FormatLiterals(file));
  HLOCTS_ASSIGN_OR_RETURN(std::string archive, FormatNpz(file, role));
  return WriteFile(path, archive);
}

}  // namespace hlocts
