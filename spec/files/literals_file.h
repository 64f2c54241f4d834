// SPDX-License-Identifier: Apache-2.0
// Literals files: the arguments of a module, or an engine's results, as text or as .npz.
//
// Text has one leaf per line: "f32[2,2]{1,0} { {1, 2.5}, {-inf, nan} }", "f32[] 1.5", "s32[<=4](3)
// {1, 2, 3}" (run-time size 3 of at most 4), "token[]". Tuples are flattened depth first. A layout
// is optional and never changes a value. '#' starts a comment; "replica R" or "replica R partition
// P" begins a block of leaves. A .npz has the keys arg0... or out0... (r0.p0.arg0... per replica),
// see npz.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace hlocts {

inline constexpr int64_t kEvery = -1;

// The leaves of one replica and partition. kEvery means all replicas or partitions that no other
// block names.
struct LiteralsBlock {
  int64_t replica = kEvery;
  int64_t partition = kEvery;
  std::vector<Literal> leaves;
};

struct LiteralsFile {
  std::vector<LiteralsBlock> blocks;

  // Returns the leaves of this replica and partition, or nullptr if the file has none.
  const std::vector<Literal>* LeavesOf(int64_t replica, int64_t partition = 0) const;
};

// Makes a file from `devices`, indexed [device][leaf]; devices are counted replica by replica. If
// there is one device, the file has no "replica" line; if there is one partition, its lines have no
// "partition".
LiteralsFile FileOfDevices(const std::vector<std::vector<Literal>>& devices, int64_t partitions);
// The inverse of FileOfDevices: returns the leaves, indexed [device][leaf]. Returns an error if a
// device has no leaves.
absl::StatusOr<std::vector<std::vector<Literal>>> LeavesOfDevices(const LiteralsFile& file,
                                                                  int64_t devices,
                                                                  int64_t partitions);

struct ExpectedLeaves {
  ExpectedLeaves(std::vector<Shape> leaves = {})
      : shapes(std::move(leaves)) {}  // NOLINT(*-explicit-*)
  ExpectedLeaves(std::initializer_list<Shape> leaves) : shapes(leaves) {}
  std::vector<Shape> shapes;       // depth first (LeafShapes of the entry's parameters or result)
  std::vector<std::string> names;  // of the parameters; a .npz may have them as keys
};

// Parses one leaf. The literal has the expected shape, layout included; if `expected` is null, it
// has the written shape without its layout. If a dynamic shape is expected, the written sizes may
// be static sizes within its bounds. Errors are invalid syntax, an unexpected type or dimensions, a
// value that its type cannot hold, and too few or too many elements.
absl::StatusOr<Literal> ParseLeaf(absl::string_view text, const Shape* expected = nullptr);
// Prints a leaf on one line; `literal` is an array or a token.
std::string FormatLeaf(const Literal& literal);

// Parses the text form. If `expected` is given, each block must have exactly these leaves. Errors
// begin with "line L: ".
absl::StatusOr<LiteralsFile> ParseLiterals(absl::string_view text,
                                           const std::optional<ExpectedLeaves>& expected);
std::string FormatLiterals(const LiteralsFile& file);

// Reads text or, detected by content, .npz; "-" is standard input. A .npz cannot name bf16, f8 and
// sub-byte types, so reading these types needs `expected`. Errors begin with the path.
absl::StatusOr<LiteralsFile> ReadLiterals(const std::string& path,
                                          const std::optional<ExpectedLeaves>& expected);
// Selects the prefix of the keys of a .npz: arg or out.
enum class LeafRole { kArgument, kOutput };
// Writes .npz if the path has that extension, else text; "-" is standard output.
absl::Status WriteLiterals(const LiteralsFile& file, LeafRole role, const std::string& path);

}  // namespace hlocts
