// SPDX-License-Identifier: Apache-2.0
#include "spec/files/npz.h"

#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "spec/files/zip.h"

namespace hlocts {
namespace {

// The maximum size of a .npy header. No more bytes are read before the shape has been checked.
constexpr uint64_t kHeaderBytesMax = 1 << 16;

struct Key {
  int64_t replica = kEvery;
  int64_t partition = kEvery;
  int64_t number = 0;
};

bool ConsumeNumber(absl::string_view* text, int64_t* number) {
  size_t end = 0;
  while (end < text->size() && (*text)[end] >= '0' && (*text)[end] <= '9') ++end;
  if (!absl::SimpleAtoi(text->substr(0, end), number)) return false;
  text->remove_prefix(end);
  return true;
}

// Parses "arg3.npy", "out0.npy", "r0.arg1.npy", "r0.p1.out2.npy"; "arr_3.npy" is numpy's name for
// an array that was saved without a name.
bool ParseKey(absl::string_view name, Key* key) {
  absl::ConsumeSuffix(&name, ".npy");
  if (absl::ConsumePrefix(&name, "r")) {
    if (!ConsumeNumber(&name, &key->replica) || !absl::ConsumePrefix(&name, ".")) return false;
    if (absl::ConsumePrefix(&name, "p") &&
        (!ConsumeNumber(&name, &key->partition) || !absl::ConsumePrefix(&name, "."))) {
      return false;
    }
  }
  bool known = false;
  for (absl::string_view word : {"arg", "out", "arr_"})
    known = known || absl::ConsumePrefix(&name, word);
  if (!known) return false;
  return ConsumeNumber(&name, &key->number) && name.empty();
}

std::string KeyPrefix(int64_t replica, int64_t partition) {
  std::string prefix;
  if (replica != kEvery) absl::StrAppend(&prefix, "r", replica, ".");
  if (partition != kEvery) absl::StrAppend(&prefix, "p", partition, ".");
  return prefix;
}

int64_t PlaceOf(const ZipMember& member, const std::vector<std::string>& names) {
  return absl::c_find(names, absl::StripSuffix(member.name, ".npy")) - names.begin();
}

// Returns true if the keys are the names of all leaves, and some are no numbered keys.
bool HasKeysOfNames(const std::vector<ZipMember>& all, const ExpectedLeaves& expected) {
  const auto size = static_cast<int64_t>(expected.shapes.size());
  const auto is_name = [&](const ZipMember& one) { return PlaceOf(one, expected.names) < size; };
  Key key;
  const auto is_number = [&](const ZipMember& one) { return ParseKey(one.name, &key); };
  return expected.names.size() == expected.shapes.size() && all.size() == expected.shapes.size() &&
         absl::c_all_of(all, is_name) && !absl::c_all_of(all, is_number);
}

using Members = std::map<int64_t, const ZipMember*>;

// Returns for each array leaf the number in its key. It is the position among all leaves if the
// archive has all these keys, else the position among the leaves that are not tokens.
std::vector<int64_t> KeyNumbers(const ExpectedLeaves& expected, const Members& members) {
  std::vector<int64_t> by_leaf, by_count;
  bool leaf_numbers_found = true;
  for (size_t i = 0; i < expected.shapes.size(); ++i) {
    if (!expected.shapes[i].IsArray()) continue;
    by_leaf.push_back(static_cast<int64_t>(i));
    by_count.push_back(static_cast<int64_t>(by_count.size()));
    leaf_numbers_found = leaf_numbers_found && members.count(by_leaf.back()) > 0;
  }
  return leaf_numbers_found ? by_leaf : by_count;
}

absl::StatusOr<Literal> ReadLeaf(absl::string_view archive, const ZipMember& member,
                                 const Shape& expected) {
  uint64_t bytes_max = static_cast<uint64_t>(expected.StorageSizeBytes()) + kHeaderBytesMax;
  if (member.size > bytes_max) {
    // The member is too large to be valid. Its header is enough for the error message.
    HLOCTS_ASSIGN_OR_RETURN(std::string head, ReadZipMember(archive, member, kHeaderBytesMax));
    absl::Status status = LiteralFromNpy(head, expected).status();
    return status.ok() ? InvalidInput("more elements than ", expected.ToString(false)) : status;
  }
  HLOCTS_ASSIGN_OR_RETURN(std::string content, ReadZipMember(archive, member, bytes_max));
  return LiteralFromNpy(content, expected);
}

absl::StatusOr<std::vector<Literal>> ReadLeaves(absl::string_view archive, const Members& members,
                                                const std::string& prefix,
                                                const ExpectedLeaves& expected) {
  std::vector<int64_t> numbers = KeyNumbers(expected, members);
  if (members.size() != numbers.size()) {
    return InvalidInput("expected ", numbers.size(), " arrays with the keys ", prefix,
                        "arg0... or ", prefix, "out0..., found ", members.size());
  }
  std::vector<Literal> leaves;
  size_t next = 0;
  for (const Shape& shape : expected.shapes) {
    if (!shape.IsArray()) {
      leaves.emplace_back(shape);
      continue;
    }
    auto found = members.find(numbers[next++]);
    if (found == members.end()) {
      return InvalidInput("expected a key ", prefix, "arg", numbers[next - 1], " or ", prefix,
                          "out", numbers[next - 1], ", found none");
    }
    absl::StatusOr<Literal> leaf = ReadLeaf(archive, *found->second, shape);
    if (!leaf.ok()) return Annotate(leaf.status(), found->second->name);
    leaves.push_back(*std::move(leaf));
  }
  return leaves;
}

}  // namespace

absl::StatusOr<LiteralsFile> ParseNpz(absl::string_view archive, const ExpectedLeaves& expected) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<ZipMember> all, ListZip(archive));
  std::map<std::pair<int64_t, int64_t>, Members> blocks;
  const bool by_names = HasKeysOfNames(all, expected);
  for (const ZipMember& member : all) {
    Key key;
    if (by_names) {
      key.number = PlaceOf(member, expected.names);
    } else if (!ParseKey(member.name, &key)) {
      return InvalidInput("expected keys such as arg0, out0, arr_0 or r0.p0.arg0",
                          expected.names.empty() ? "" : ", or the names of all parameters",
                          ", found '", member.name, "'");
    }
    if (!blocks[{key.replica, key.partition}].emplace(key.number, &member).second) {
      return InvalidInput("expected one array for each leaf number, found another: '", member.name,
                          "'");
    }
  }
  if (blocks.empty()) blocks[{kEvery, kEvery}];
  if (blocks.size() > 1 && blocks.count({kEvery, kEvery}) > 0) {
    return InvalidInput("expected a replica in every key or in none, found both");
  }
  LiteralsFile file;
  for (const auto& [place, members] : blocks) {
    LiteralsBlock block{.replica = place.first, .partition = place.second};
    std::string prefix = KeyPrefix(place.first, place.second);
    HLOCTS_ASSIGN_OR_RETURN(block.leaves, ReadLeaves(archive, members, prefix, expected));
    file.blocks.push_back(std::move(block));
  }
  return file;
}

absl::StatusOr<std::string> FormatNpz(const LiteralsFile& file, LeafRole role) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const LiteralsBlock& block : file.blocks) {
    std::string prefix = absl::StrCat(KeyPrefix(block.replica, block.partition),
                                      role == LeafRole::kArgument ? "arg" : "out");
    for (size_t i = 0; i < block.leaves.size(); ++i) {
      if (!block.leaves[i].shape().IsArray()) continue;
      members.emplace_back(absl::StrCat(prefix, i, ".npy"), NpyFromLiteral(block.leaves[i]));
    }
  }
  return WriteZip(members);
}

}  // namespace hlocts
