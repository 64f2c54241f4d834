// SPDX-License-Identifier: Apache-2.0
// The outcomes of a module: for the judge, a run and a verdict.
#ifndef HLOCTS_SPEC_BASE_OUTCOME_H_
#define HLOCTS_SPEC_BASE_OUTCOME_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hlocts {

enum class Outcome : uint8_t {
  kPass,
  kFail,
  kUnsupported,  // the engine reports that it does not support this
  kRejected,     // a valid module is refused because of the module itself
  kAccepted,     // an invalid module is accepted
  kCrash,
  kTimeout,
  kInconclusive,  // the sets are too wide for a verdict; never a pass
  kNanBits,       // a pass but for payload or sign of moved NaNs; in strict a fail (ruling 0071)
  kError,         // a harness error; zero comparisons is one
  kSuspect,       // acceptable or open values that are improbable for a correct engine (RULES 44)
};
inline constexpr Outcome kLastOutcome = Outcome::kSuspect;
absl::string_view OutcomeName(Outcome outcome);  // "pass", "nan_bits", ...
std::optional<Outcome> OutcomeFromName(absl::string_view name);
// Neither a pass nor left undone: a person or an expectation has to explain it.
inline bool IsFailure(Outcome outcome) {
  return outcome != Outcome::kPass && outcome != Outcome::kUnsupported &&
         outcome != Outcome::kNanBits;
}

// The class of a value that is not accepted.
enum class WrongValue : uint8_t {
  kNumber,
  kZero,  // zero bits in a type that has no zero: no bit is set, as if nothing was written
  kInfinity,
  kNan,  // a complex number: a NaN part where none is accepted
};

absl::string_view WrongValueName(WrongValue value);  // "value", "zero", "inf", "nan"
std::optional<WrongValue> WrongValueFromName(absl::string_view name);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_OUTCOME_H_
