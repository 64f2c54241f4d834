// SPDX-License-Identifier: Apache-2.0
// How much a conforming engine may deviate from the exact result: the three profiles, and the facts
// that an engine may declare about itself to be judged more tightly (or differently) than the
// documents demand.
#ifndef HLOCTS_SPEC_ACCURACY_PROFILE_H_
#define HLOCTS_SPEC_ACCURACY_PROFILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

enum class Profile : uint8_t {
  kStrict,   // IEEE 754 to the letter, functions faithful
  kDefault,  // what a serious CPU or GPU compiler may do
  kRelaxed,  // TF32, fast math
};
inline constexpr Profile kAllProfiles[] = {Profile::kStrict, Profile::kDefault, Profile::kRelaxed};

absl::string_view ProfileName(Profile profile);  // "strict", "default", "relaxed"
std::optional<Profile> ProfileFromName(absl::string_view name);

// Facts an engine states about itself. Each narrows a freedom (or, for tf32 and the like, says that
// one is used); the profile without facts is the widest that the profile allows.
struct TargetFacts {
  // reduce.height: the longest chain of additions a reduction of n terms makes, instead of n-1.
  std::optional<int64_t> reduce_height;
  // convert.saturate: float -> integer out of range saturates, NaN gives 0.
  bool convert_saturate = false;
  // integer.division: x/0 = -1 (all ones), x%0 = x, INT_MIN/-1 = INT_MIN, INT_MIN%-1 = 0.
  bool integer_division = false;
  // shift.saturate: a shift by the width or more gives 0, or the sign in arithmetic shifts.
  bool shift_saturate = false;
  // rng.xla_layout: rng-bit-generator numbers its lanes and steps its state as XLA does.
  bool rng_xla_layout = false;
  // dot.tf32: f32 contractions round those operands to TF32 whose precision is not HIGHEST.
  bool dot_tf32 = false;
  // convolution.fast: convolutions by Winograd's or a Fourier transform, whose error follows the
  // norms of the whole image and kernel. Without it only relaxed allows for them.
  bool convolution_fast = false;
  // Departures from a sentence, which relaxed allows and strict does not (spec/rulings/README.md):
  // barrier.crossed: products reach adds behind an opt-barrier unrounded (ruling 0070).
  bool barrier_crossed = false;
  // compare.flush: comparisons read subnormal operands as zeros (ruling 0060).
  bool compare_flush = false;
};

// Reads one "name" or "name=value" of the names above. InvalidArgument: unknown name or value.
absl::Status SetTargetFact(absl::string_view fact, TargetFacts& facts);
// "reduce.height=5 convert.saturate": what is set, in the order above; "" if nothing is.
std::string TargetFactsText(const TargetFacts& facts);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_ACCURACY_PROFILE_H_
