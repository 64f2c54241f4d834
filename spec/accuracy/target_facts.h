// SPDX-License-Identifier: Apache-2.0
// Facts that an engine states about itself (spec/targets). A narrowing fact removes a freedom in
// every profile. A granting fact gives one engine one freedom of `relaxed` in `default`; in strict
// it grants nothing.
#ifndef HLOCTS_SPEC_ACCURACY_TARGET_FACTS_H_
#define HLOCTS_SPEC_ACCURACY_TARGET_FACTS_H_

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

// How an f32 contraction reads operands whose precision is DEFAULT. With precision HIGH it makes
// three passes of bf16 (TF32 if declared), with HIGHEST six (f32 if TF32 is declared).
enum class DotPasses : uint8_t { kFull, kTf32, kBf16x3, kBf16x1 };

// "ulps.exponential.f32=116": a number of one row of the rule table.
struct RowFact {
  enum class Field : uint8_t {
    kUlps,      // instead of the row's ulps (FFT, Cholesky, TriangularSolve: its factor)
    kAbsolute,  // or within this distance of the exact value
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
  std::optional<int64_t> dot_height;     // the same of a contraction
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
  std::optional<int64_t> dot_partials;  // 16-bit operands: sums kept in that type, added last
  std::vector<RowFact> rows;            // narrowing or granting
};

// The description of a fact, for readers and writers of facts.
struct FactRow {
  absl::string_view name;   // as written, up to the '='
  absl::string_view value;  // what follows: "N", "tf32|bf16x3|bf16x1", ""
  bool grants;              // false: it narrows
  absl::string_view says;
};
absl::Span<const FactRow> AllFacts();

// Reads one "name" or "name=value" of the table. InvalidArgument: unknown name or value.
absl::Status SetTargetFact(absl::string_view fact, TargetFacts& facts);
// "reduce.height=5 convert.saturate": the facts that are set, in the order of the table; "" if
// none.
std::string TargetFactsText(const TargetFacts& facts);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_ACCURACY_TARGET_FACTS_H_
