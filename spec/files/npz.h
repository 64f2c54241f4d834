// SPDX-License-Identifier: Apache-2.0
// Converts literals to and from numpy's .npz. Keys are arg0, arg1, ... or out0, out1, ..., numbered
// by leaf. If there are replicas or partitions, "r0.p0." and so on precedes the key. A token has a
// number but no key. Archives in which tokens have no number, and archives with numpy's keys arr_0,
// ..., or with the names of all leaves, are read as well. bf16, f8 and f4 are raw unsigned integers
// of the storage width; integers of 1, 2 and 4 bits are 8-bit values; dynamic arrays are cut to
// their run-time sizes.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "spec/files/literals_file.h"

namespace hlocts {

// The header of a .npy member.
struct NpyHeader {
  char kind = 0;  // numpy's kind: one of b i u f c V
  int bytes = 0;  // size of one element
  bool fortran_order = false;
  std::vector<int64_t> dimensions;
  size_t data_offset = 0;
};
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view content);

// Converts a .npy member to a literal of the expected shape. If a dimension is dynamic, a smaller
// size becomes its run-time size.
absl::StatusOr<Literal> LiteralFromNpy(absl::string_view content, const Shape& expected);
std::string NpyFromLiteral(const Literal& array);

absl::StatusOr<LiteralsFile> ParseNpz(absl::string_view archive, const ExpectedLeaves& expected);
absl::StatusOr<std::string> FormatNpz(const LiteralsFile& file, LeafRole role);

}  // namespace hlocts
