// SPDX-License-Identifier: Apache-2.0
#include "spec/files/literals_file.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/base/count_text.h"
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
  absl::ConsumePrefix(&content, "\xEF\xBB\xBF");  // a byte order mark, which some editors write
  return ParseLiterals(content, expected);
}

// Parses and prints the text form of a literals file: comments, blocks, one leaf per line.
class LiteralsParser {
 public:
  explicit LiteralsParser(const std::optional<ExpectedLeaves>& expected) : expected_(expected) {}

  absl::StatusOr<LiteralsFile> Parse(absl::string_view text) {
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++line_;
      line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      absl::Status status =
          absl::ConsumePrefix(&line, "replica ") ? OpenBlock(line) : AddLeaf(line);
      if (!status.ok()) return InvalidInput("line ", line_, ": ", status.message());
    }
    at_end_ = true;
    absl::Status complete = CloseBlock();
    if (!complete.ok()) return InvalidInput("line ", line_, ": ", complete.message());
    return std::move(file_);
  }

 private:
  absl::Status OpenBlock(absl::string_view header) {
    LiteralsBlock block;
    std::vector<absl::string_view> words =
        absl::StrSplit(header, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    bool partitioned = words.size() == 3 && words[1] == "partition";
    if ((words.size() != 1 && !partitioned) || !absl::SimpleAtoi(words[0], &block.replica) ||
        (partitioned && !absl::SimpleAtoi(words[2], &block.partition)) || block.replica < 0 ||
        (partitioned && block.partition < 0)) {
      return InvalidInput("expected 'replica R' or 'replica R partition P', found 'replica ",
                          header, "'");
    }
    if (!file_.blocks.empty() && file_.blocks.back().replica == kEvery) {
      return InvalidInput("expected every leaf under a 'replica' line, found one before the first");
    }
    if (!seen_.insert({block.replica, block.partition}).second) {
      return InvalidInput("expected one block for each device, found another for replica ", header);
    }
    HLOCTS_RETURN_IF_ERROR(CloseBlock());
    file_.blocks.push_back(std::move(block));
    return absl::OkStatus();
  }

  absl::Status AddLeaf(absl::string_view line) {
    if (file_.blocks.empty()) file_.blocks.emplace_back();
    std::vector<Literal>& leaves = file_.blocks.back().leaves;
    if (expected_ && leaves.size() == expected_->shapes.size()) {
      return InvalidInput("expected ", CountText(expected_->shapes.size(), "leaf", "leaves"),
                          ", found another: '", line.substr(0, 40), "'");
    }
    const Shape* shape = expected_ ? &expected_->shapes[leaves.size()] : nullptr;
    absl::StatusOr<Literal> leaf = ParseLeaf(line, shape);
    if (!leaf.ok()) return Annotate(leaf.status(), absl::StrCat("leaf ", leaves.size()));
    leaves.push_back(*std::move(leaf));
    return absl::OkStatus();
  }

  absl::Status CloseBlock() {
    if (file_.blocks.empty()) {
      bool missing = seen_.empty() && expected_ && !expected_->shapes.empty();
      return missing && at_end_ ? TooFew(0) : absl::OkStatus();
    }
    size_t found = file_.blocks.back().leaves.size();
    return expected_ && found < expected_->shapes.size() ? TooFew(found) : absl::OkStatus();
  }

  absl::Status TooFew(size_t found) const {
    return InvalidInput("expected ", CountText(expected_->shapes.size(), "leaf", "leaves"),
                        ", found ", found, "; the first missing one is ",
                        expected_->shapes[found].ToString(false));
  }

  const std::optional<ExpectedLeaves>& expected_;
  LiteralsFile file_;
  absl::flat_hash_set<std::pair<int64_t, int64_t>> seen_;
  int64_t line_ = 0;
  bool at_end_ = false;
};

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

const std::vector<Literal>* LiteralsFile::LeavesOf(int64_t replica, int64_t partition) const {
  const std::vector<Literal>* best = nullptr;
  for (const LiteralsBlock& block : blocks) {
    if (block.replica == replica && block.partition == partition) return &block.leaves;
    if (block.replica == replica && block.partition == kEvery) best = &block.leaves;
    if (block.replica == kEvery && !best) best = &block.leaves;
  }
  return best;
}

LiteralsFile FileOfDevices(const std::vector<std::vector<Literal>>& devices, int64_t partitions) {
  LiteralsFile file;
  for (size_t d = 0; d < devices.size(); ++d) {
    LiteralsBlock block;
    block.leaves = devices[d];
    if (devices.size() > 1) block.replica = static_cast<int64_t>(d) / partitions;
    if (partitions > 1) block.partition = static_cast<int64_t>(d) % partitions;
    file.blocks.push_back(std::move(block));
  }
  return file;
}

absl::StatusOr<std::vector<std::vector<Literal>>> LeavesOfDevices(const LiteralsFile& file,
                                                                  int64_t devices,
                                                                  int64_t partitions) {
  std::vector<std::vector<Literal>> result;
  for (const LiteralsBlock& block : file.blocks)
    if (block.replica >= devices / partitions || block.partition >= partitions)
      return InvalidInput("expected leaves for ", CountText(devices / partitions, "replica"),
                          " of ", CountText(partitions, "partition"), ", found a block of replica ",
                          block.replica);
  for (int64_t d = 0; d < devices; ++d) {
    const std::vector<Literal>* leaves = file.LeavesOf(d / partitions, d % partitions);
    if (!leaves) {
      return InvalidInput("no leaves for replica ", d / partitions, " partition ", d % partitions);
    }
    result.push_back(*leaves);
  }
  return result;
}

absl::StatusOr<LiteralsFile> ParseLiterals(absl::string_view text,
                                           const std::optional<ExpectedLeaves>& expected) {
  HLOCTS_ASSIGN_OR_RETURN(LiteralsFile file, LiteralsParser(expected).Parse(text));
  // An empty file is one empty block: the arguments of a module without parameters.
  if (file.blocks.empty()) file.blocks.emplace_back();
  return file;
}

std::string FormatLiterals(const LiteralsFile& file) {
  std::string out;
  for (const LiteralsBlock& block : file.blocks) {
    if (block.replica != kEvery) absl::StrAppend(&out, "replica ", block.replica);
    if (block.partition != kEvery) absl::StrAppend(&out, " partition ", block.partition);
    if (block.replica != kEvery) out += "\n";
    for (const Literal& leaf : block.leaves) absl::StrAppend(&out, FormatLeaf(leaf), "\n");
  }
  return out;
}

}  // namespace hlocts
