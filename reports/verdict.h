// SPDX-License-Identifier: Apache-2.0
// The verdict on one module and one engine: the record every subcommand prints and every report
// reads (CONTRACT.md, "Verdict").
#ifndef HLOCTS_REPORTS_VERDICT_H_
#define HLOCTS_REPORTS_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict_fwd.h"
#include "reports/verdict_parts.h"
#include "spec/base/engine_error.h"
#include "spec/base/status.h"

namespace hlocts::reports {

inline constexpr size_t kEffectiveQuarters = 64 * 4 + 1;

struct Verdict : VerdictStatistics, SuiteContext {
  Outcome kind = Outcome::kError;
  std::string module;  // path or name
  std::string backend, backend_version;
  std::string profile = "default";
  std::optional<uint64_t> seed;
  int64_t replica = 0;
  // Statements for people, in the order of ReasonText; no program reads them.
  std::string reason;                 // the judge's, the harness's or the engine's
  std::vector<std::string> notes;     // further remarks
  EngineError error;                  // of an engine that returned no values
  std::vector<std::string> freedoms;  // that widened the sets, by name, unless a value is outside
  // The failure of the piece that ran by itself, where localisation.in_piece.
  std::optional<VerdictFailure> first_failure;
  Localisation localisation;
  std::optional<Statistical> statistical;  // where the tests were made
  std::string unusual;  // a pass: what is improbable about it, "" for nothing; advice, no verdict
  double seconds = 0;   // of the engine
};

// One line of JSON, without a newline: the fields of CONTRACT.md. The record of a run also has the
// bits that the sets checked (effective_bits).
std::string VerdictToJson(const Verdict& verdict);
std::string VerdictToRecord(const Verdict& verdict);
// Parses such a line or record; kInvalidArgument for other text.
absl::StatusOr<Verdict> VerdictFromJson(const std::string& line);
// A line for people, and below it the reason: "fail  cpu  pad.hlo", "output 0 [2,3] is 4.0 ...".
std::string VerdictToText(const Verdict& verdict);
// The first line of VerdictToText.
std::string VerdictHeadline(const Verdict& verdict);
// How much a pass checks, in one number: "4096 elements; 22.4 of 24 significant bits checked
// (median), fewer than 2 in 0.3%". The median is over floating-point elements, each counted with
// the bits by which its set distinguishes wrong values from right ones.
std::string CheckedText(const Verdict& verdict);
// All statements other than the first failure: the result of cutting, the reason, the notes, and
// the expected verdicts. The field `reason` of a record.
std::string ReasonText(const Verdict& verdict);
// The reason for people: the first line of an engine's message, without the prefix of crash
// handlers. The stack is in the record.
std::string FoldedReason(const Verdict& verdict);
std::string FoldedError(const EngineError& error);
// "" without cutting: "wrong by itself, on the engine's own operand values: log.1", "only wrong
// when compiled together: {add.1, log.2}".
std::string FindingText(const Localisation& localisation);
// Joined names: "log.1", "{add.1, log.2}"; of many the first twelve and their number.
std::string NamesText(const std::vector<std::string>& names);
// The finding and the piece that shows it, for --explain.
std::string ExplanationText(const Localisation& localisation);
// The expectation as it is recorded: "BUG (pad.4): ...", "@inconclusive: ..." for a case's own.
std::string ExpectationText(const Verdict& verdict);
absl::string_view FirstLine(absl::string_view text);

// The sentence on the statistical tests; "" without them.
std::string StatisticalText(const Verdict& verdict);

// Exit status by the contract: 0 pass, nan_bits, unsupported, or as expected; 3 for kError; 4 for
// kSuspect; 1 otherwise.
int ExitStatusOf(const Verdict& verdict);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_H_
