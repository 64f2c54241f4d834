// SPDX-License-Identifier: Apache-2.0
// The verdict on one module and one engine: the record every subcommand prints and every report
// reads (CONTRACT.md, "Verdict").
#ifndef HLOCTS_REPORTS_VERDICT_H_
#define HLOCTS_REPORTS_VERDICT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict_kind.h"
#include "reports/verdict_parts.h"
#include "spec/base/status.h"

namespace hlocts::reports {

// How the reason begins of a case whose module our parser refuses and the engine was not sent.
inline constexpr absl::string_view kNotSent = "a text that cannot be sent as a module: ";
// How the expectation of a case begins that says of itself that it cannot be judged.
inline constexpr absl::string_view kByNature = "@inconclusive: ";
inline constexpr size_t kEffectiveQuarters = 64 * 4 + 1;

struct Verdict {
  VerdictKind kind = VerdictKind::kError;
  std::string module;  // path or name
  std::string case_address;
  std::string backend, backend_version;
  std::string profile = "default";
  std::optional<uint64_t> seed;
  int64_t replica = 0;
  std::string reason;
  int64_t elements = 0;  // compared
  double bits_checked_mean = 0;
  // Effective significand bits (RULES 29) over floating-point elements; -1: none.
  double effective_bits_median = -1;
  double effective_bits_p5 = -1;
  double below_two_bits_share = -1;
  int64_t draws = 0;  // random draws: not among those elements, their predicate has no bits
  int64_t unspecified_floats = 0;  // of unspecified_elements, those counted with no effective bits
  // The same, elements by quarters of a bit (kEffectiveQuarters of them) for each precision: what a
  // report adds up.
  std::map<int, std::vector<int64_t>> effective_quarters;
  std::vector<WorstUlps> worst_ulps;  // asked for by DiffOptions::ulps
  bool exact_data = false;            // the arguments were exact by construction
  int64_t unspecified_elements = 0;
  std::vector<std::string> freedoms;  // names of what widened the sets, unless a value lies outside
  std::optional<VerdictFailure> first_failure;
  // The failure is of a piece of the module that ran by itself: `output` and `index` are the
  // piece's.
  bool failure_in_piece = false;
  std::string unusual;  // a pass: what is improbable about it, "" for nothing; advice, no verdict
  std::string blame;    // what is wrong, and the piece that shows it, for people (--explain)
  // The first line of it: "wrong by itself: log.1", "only wrong when compiled together: {...}".
  std::string finding;
  int64_t wrong_elements = 0;  // of the output that fails first
  // Of a suite run: the expectation that matched, and whether the verdict is as expected.
  std::string expectation;
  // Of a suite run: the case says that it cannot be judged, and why; and it was not. Not printed.
  std::string inconclusive_by_nature;
  // Of a reject case: the verdict is on the valid control, not on the invalid module. Not printed.
  bool of_control = false;
  bool expected = false;
  double seconds = 0;       // of the engine
  double case_seconds = 0;  // of a suite run: running and judging together. Not printed.
  // Not empty: run again, the engine gave other verdicts; all of them in order, "crash, pass,
  // pass". `kind` is the first one's. Reports count it as a flake and as nothing else.
  std::string flake;
};

// One line of JSON, without a newline: the fields of CONTRACT.md. The record of a run has besides
// how much the sets could say (effective_bits).
std::string VerdictToJson(const Verdict& verdict);
std::string VerdictToRecord(const Verdict& verdict);
// What such a line or record says; kInvalidArgument when it is none.
absl::StatusOr<Verdict> VerdictFromJson(const std::string& line);
// A line for people, and below it why: "fail  cpu  pad.hlo", "output 0 [2,3] is 4.0 ...".
std::string VerdictToText(const Verdict& verdict);
// The first line of it.
std::string VerdictHeadline(const Verdict& verdict);
// How much a pass says, in one number: "4096 elements; 22.4 of 24 significant bits checked
// (median), fewer than 2 in 0.3%". The median is over floating-point elements, each counted with
// how sharply its set could tell a wrong value from a right one.
std::string CheckedText(const Verdict& verdict);
// What a person reads of an engine's message: its first line, without the head that crash handlers
// put before it; the stack below is left to the record.
std::string FoldedReason(const std::string& reason);

// Exit status by the contract: 0 pass, nan_bits, unsupported, or as expected; 1 otherwise; 3 for
// kError.
int ExitStatusOf(const Verdict& verdict);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_H_
