// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/marks.h"

#include "absl/strings/ascii.h"
#include "reports/verdict.h"

namespace hlocts::reports {

char MarkOf(const Verdict& verdict) {
  if (!verdict.flake.empty()) return kFlakeMark;
  char mark = OutcomeName(verdict.kind)[0];
  return IsBad(mark) && !verdict.expected ? absl::ascii_toupper(static_cast<unsigned char>(mark))
                                          : mark;
}

char WithoutExpectation(char mark) { return absl::ascii_tolower(static_cast<unsigned char>(mark)); }

absl::string_view MarkName(char mark) {
  mark = WithoutExpectation(mark);
  if (mark == kFlakeMark) return "flaky";
  for (int kind = 0; kind <= static_cast<int>(kLastOutcome); ++kind) {
    absl::string_view name = OutcomeName(static_cast<Outcome>(kind));
    if (name[0] == mark) return name;
  }
  return "not run";
}

bool IsRun(char mark) { return mark != kMissingMark && mark != kAbsentMark; }

bool IsBad(char mark) {
  mark = WithoutExpectation(mark);
  return IsRun(mark) && mark != kPassMark && mark != kUnsupportedMark && mark != kNanBitsMark &&
         mark != kFlakeMark;
}

bool IsUnexpected(char mark) { return IsBad(mark) && mark != WithoutExpectation(mark); }

}  // namespace hlocts::reports
