// SPDX-License-Identifier: Apache-2.0
// The kinds of a verdict, and the names of its parts for headers that only pass them on.
#ifndef HLOCTS_REPORTS_VERDICT_KIND_H_
#define HLOCTS_REPORTS_VERDICT_KIND_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hlocts::reports {

struct FailureOperand;  // reports/verdict_parts.h
struct VerdictFailure;
struct WorstUlps;
struct Verdict;  // reports/verdict.h

enum class VerdictKind : uint8_t {
  kPass,
  kFail,
  kUnsupported,  // the engine says that it cannot
  kRejected,     // a valid module refused
  kAccepted,     // an invalid module taken
  kCrash,
  kTimeout,
  kInconclusive,  // the sets were too wide to say anything; never a pass
  kNanBits,  // but for payload or sign of NaNs that moved a pass; in strict a fail (ruling 0071)
  kError,    // the harness; zero comparisons is one
};
absl::string_view VerdictName(VerdictKind kind);
// Neither passed nor left undone: something that a person, or an expectation, has to explain.
inline bool IsFailure(VerdictKind kind) {
  return kind != VerdictKind::kPass && kind != VerdictKind::kUnsupported &&
         kind != VerdictKind::kNanBits;
}
std::optional<VerdictKind> VerdictFromName(absl::string_view name);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_KIND_H_
