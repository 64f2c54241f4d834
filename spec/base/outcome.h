// SPDX-License-Identifier: Apache-2.0
// The one list of what may come of a module: of the judge, of a run and of a verdict.
#ifndef HLOCTS_SPEC_BASE_OUTCOME_H_
#define HLOCTS_SPEC_BASE_OUTCOME_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hlocts {

enum class Outcome : uint8_t {
  kPass,
  kFail,
  kUnsupported,  // the engine says that it cannot
  kRejected,     // a valid module refused for its own sake
  kAccepted,     // an invalid module taken
  kCrash,
  kTimeout,
  kInconclusive,  // the sets were too wide to say anything; never a pass
  kNanBits,  // but for payload or sign of NaNs that moved a pass; in strict a fail (ruling 0071)
  kError,    // the harness; zero comparisons is one
  kSuspect,  // within the sets, or they say nothing, but improbable of a right engine (RULES 44)
};
inline constexpr Outcome kLastOutcome = Outcome::kSuspect;
absl::string_view OutcomeName(Outcome outcome);  // "pass", "nan_bits", ...
std::optional<Outcome> OutcomeFromName(absl::string_view name);
// Neither passed nor left undone: something that a person, or an expectation, has to explain.
inline bool IsFailure(Outcome outcome) {
  return outcome != Outcome::kPass && outcome != Outcome::kUnsupported &&
         outcome != Outcome::kNanBits;
}

// The value that an element has instead of an accepted one.
enum class WrongValue : uint8_t {
  kNumber,
  kZero,  // the bits of a type that has no zero: none is set, as where nothing was written
  kInfinity,
  kNan,  // of a complex number: where no part may be NaN
};

absl::string_view WrongValueName(WrongValue value);  // "value", "zero", "inf", "nan"
std::optional<WrongValue> WrongValueFromName(absl::string_view name);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_OUTCOME_H_
