// SPDX-License-Identifier: Apache-2.0
// Facts that an engine declares about itself (spec/targets). A narrowing fact removes a freedom in
// every profile. A granting fact adds one freedom of `relaxed` to `default` and none to `strict`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The way in which an f32 contraction reads operands of precision DEFAULT. The value determines
// HIGH too (three passes of bf16; kTf32: one of TF32), and HIGHEST (six passes of bf16; kTf32:
// f32).
enum class DotPasses : uint8_t { kFull, kTf32, kBf16x3, kBf16x1 };

// A fact that replaces a number of a rule, such as "ulps.exponential.f32=116".
struct RowFact {
  enum class Field : uint8_t {
    kUlps,      // replaces the rule's ulps (FFT, Cholesky, TriangularSolve: its factor)
    kAbsolute,  // accepts values within this distance of the exact value
    kBackward,  // complex functions: ulps of the argument
    kOverflow,  // results of at least 2^value may be infinite
  };
  Field field;
  Opcode opcode;
  PrimitiveType type;
  double value;
};

struct TargetFacts {
  // Narrowing facts.
  std::optional<int64_t> reduce_height;  // the longest chain of additions of a reduction
  std::optional<int64_t> dot_height;     // the longest chain of additions of a contraction
  bool convert_saturate = false;
  bool integer_division = false;
  bool shift_saturate = false;
  bool rng_xla_layout = false;
  bool values_once = false;
  bool dot_f32_sums = false;
  // Granting facts.
  bool dot_tf32 = false;
  bool convolution_fast = false;
  bool excess_16bit = false;
  bool excess_32bit = false;
  bool nan_dropped = false;
  bool convert_s64_twice = false;
  bool remainder_quotient = false;
  bool rng_end = false;
  bool barrier_crossed = false;
  bool compare_flush = false;
  DotPasses dot_f32 = DotPasses::kFull;
  bool reduce_f32_sums = false;         // a narrowing fact
  std::optional<int64_t> dot_partials;  // 16-bit operands: number of partial sums in their type
  std::vector<RowFact> rows;            // narrowing or granting
};

// The description of a fact, for code that parses or prints facts.
struct FactRow {
  absl::string_view name;   // as written, up to the '='
  absl::string_view value;  // after the '=': "N", "tf32|bf16x3|bf16x1", or ""
  bool grants;              // false for a narrowing fact
  absl::string_view says;
};
absl::Span<const FactRow> AllFacts();
// Returns the description of "name" or "name=value" (for "ulps.exponential.f32=116", that of
// "ulps.OP.TYPE"); null if the fact is unknown.
const FactRow* FindFact(absl::string_view fact);

// Parses and sets the fact "name" or "name=value". InvalidArgument: unknown name or value.
absl::Status SetTargetFact(absl::string_view fact, TargetFacts& facts);

}  // namespace hlocts
