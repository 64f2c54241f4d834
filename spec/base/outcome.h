// SPDX-License-Identifier: Apache-2.0
// The outcomes of a module, which the judge, runs and verdicts use.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hlocts {

enum class Outcome : uint8_t {
  kPass,
  kFail,
  kUnsupported,  // the engine reports that it does not support the module
  kRejected,     // the engine rejects a valid module because of the module itself
  kAccepted,     // the engine accepts an invalid module
  kCrash,
  kTimeout,
  kInconclusive,  // the acceptable sets are too wide for a verdict; never a pass
  kNanBits,       // a pass except for payload or sign of moved NaNs; fails in strict (ruling 0071)
  kError,         // an error of the harness, such as a run without comparisons
  kSuspect,       // not refuted, but improbable for a correct engine (lemma 44)
  kProbable,      // inconclusive, but tests that would detect most faults pass (lemma 44)
};
inline constexpr Outcome kLastOutcome = Outcome::kProbable;
absl::string_view OutcomeName(Outcome outcome);  // "pass", "nan_bits", ...
std::optional<Outcome> OutcomeFromName(absl::string_view name);
// Returns true for all outcomes but kPass, kNanBits and kUnsupported. A person or an expectation
// has to explain them.
inline bool IsFailure(Outcome outcome) {
  return outcome != Outcome::kPass && outcome != Outcome::kUnsupported &&
         outcome != Outcome::kNanBits;
}
// Returns true if the acceptance sets do not decide the outcome.
inline bool IsInconclusive(Outcome outcome) {
  return outcome == Outcome::kInconclusive || outcome == Outcome::kProbable;
}

// The class of a value that is not accepted.
enum class WrongValue : uint8_t {
  kNumber,
  kZero,  // all bits clear in a type without zero, as if nothing was written
  kInfinity,
  kNan,  // in a complex number: a NaN part where none is accepted
};

absl::string_view WrongValueName(WrongValue value);  // "value", "zero", "inf", "nan"
std::optional<WrongValue> WrongValueFromName(absl::string_view name);

}  // namespace hlocts
