// SPDX-License-Identifier: Apache-2.0
// One letter for the result of a case on an engine; a history has one letter per case.
#ifndef HLOCTS_REPORTS_NIGHTS_MARKS_H_
#define HLOCTS_REPORTS_NIGHTS_MARKS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "reports/verdict_fwd.h"

namespace hlocts::reports {

// The first letter of the verdict, in upper case where no expectation names it: 'p' pass, 'u'
// unsupported, 'n' nan_bits, 'f' or 'F' fail, 'r' rejected, 'a' accepted, 'c' crash, 't' timeout,
// 'i' inconclusive, 's' suspect, 'e' error. Also: 'x' a flake, 'l' lost (asked for, without a
// verdict), '.' not asked for.
inline constexpr char kPassMark = 'p', kUnsupportedMark = 'u', kNanBitsMark = 'n', kFlakeMark = 'x',
                      kLostMark = 'l', kAbsentMark = '.';
char MarkOf(const Verdict& verdict);
// "pass", "fail", "flaky", "not run".
absl::string_view MarkName(char mark);
char WithoutExpectation(char mark);  // 'F' and 'f' are the same verdict
bool IsRun(char mark);               // has a verdict
bool IsBad(char mark);               // a verdict that a person, or an expectation, must explain
bool IsUnexpected(char mark);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_MARKS_H_
