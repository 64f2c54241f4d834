// SPDX-License-Identifier: Apache-2.0
// Defines marks: one letter for the result of a case on an engine. A history has one per case.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "reports/verdict_fwd.h"

namespace hlocts::reports {

// Returns the first letter of the verdict, in upper case if no expectation covers it: 'p' pass, 'u'
// unsupported, 'n' nan_bits, 'f' or 'F' fail, 'r' rejected, 'a' accepted, 'c' crash, 't' timeout,
// 'i' inconclusive, 's' suspect, 'e' error. Other marks: 'x' a flake, 'l' lost (requested, without
// a verdict), '.' not requested.
inline constexpr char kPassMark = 'p', kUnsupportedMark = 'u', kNanBitsMark = 'n', kFlakeMark = 'x',
                      kMissingMark = 'l', kAbsentMark = '.';
char MarkOf(const Verdict& verdict);
// Returns "pass", "fail", "flaky", "not run" and so on.
absl::string_view MarkName(char mark);
char WithoutExpectation(char mark);  // maps 'F' to 'f' and so on
bool IsRun(char mark);               // the case has a verdict
bool IsBad(char mark);               // a person or an expectation must explain the verdict
bool IsUnexpected(char mark);

}  // namespace hlocts::reports
