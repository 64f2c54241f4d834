// SPDX-License-Identifier: Apache-2.0
// Declares the verdict on one module and one engine: the record that every subcommand prints and
// every report reads (CONTRACT.md, "Verdict").
#pragma once

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
  // Statements for users, in the order of ReasonText; no program reads them.
  std::string reason;                 // from the judge, the harness or the engine
  std::vector<std::string> notes;     // further remarks
  EngineError error;                  // why an engine returned no values
  std::vector<std::string> freedoms;  // freedoms that widened the sets or the failing element's set
  // The first failure; if localisation.in_piece is set, the failure of the isolated piece.
  std::optional<VerdictFailure> first_failure;
  Localisation localisation;
  std::vector<std::string> departures;  // facts of the engine without which the outputs are wrong
  std::optional<Statistical> statistical;  // if the tests were made
  std::optional<OutputElement> nan;        // a NaN of an accepted output
  // The instruction with the widest set, if the verdict is inconclusive, probable or explained.
  struct Widest {
    std::string instruction, operation;  // name and opcode
    std::string type;                    // element type of its result; "" for a tuple
    std::string source;                  // FILE:LINE of the user's program
    bool open_reduction = false;         // any value, since no rule describes its computation
    std::vector<std::string> facts;      // that narrow its set and are not in force
    bool strict_narrows = false;         // the profile strict narrows its set
  } widest;
  std::string unusual;  // what is improbable about a pass, or ""; not part of the verdict
  double seconds = 0;   // time in the engine
};

// Returns one line of JSON, without a newline, with the fields of CONTRACT.md. The record of a run
// also has the bits that the sets checked (effective_bits).
std::string VerdictToJson(const Verdict& verdict);
std::string VerdictToRecord(const Verdict& verdict);
// Parses a line of VerdictToJson, or a record. Returns kInvalidArgument for other text.
absl::StatusOr<Verdict> VerdictFromJson(const std::string& line);
// Returns a line and below it the reason: "fail  cpu  pad.hlo", "output 0 [2,3] is 4.0 ...".
std::string VerdictToText(const Verdict& verdict);
// Returns the first line of VerdictToText.
std::string VerdictHeadline(const Verdict& verdict);
// Returns how much a pass checks: "4096 elements; 22.4 of 24 significant bits checked (median),
// fewer than 2 bits of 0.3% of the elements". The median is over floating-point elements. Checked
// bits are those by which an element's set distinguishes wrong values from correct ones.
std::string CheckedText(const Verdict& verdict);
// Returns all statements except the first failure: the result of cutting the module, the reason,
// the notes, and the expected verdicts. In one line they are the field `reason` of a record.
std::vector<std::string> StatementsOf(const Verdict& verdict);
std::string ReasonText(const Verdict& verdict);
// Returns the reason for users: the first line of an engine's message, without the prefix of crash
// handlers. The record has the full message.
std::string FoldedReason(const Verdict& verdict);
// Returns "1 crash, 9 pass" for Verdict::runs.
std::string RunCountsText(const std::map<std::string, int64_t>& runs);
// Returns the number of runs within which a failure that occurred in `failed` of `all` runs occurs
// again with probability 1 - `chance`.
int64_t RunsUntilSeen(int64_t failed, int64_t all, double chance = 0.01);
std::string FoldedError(const EngineError& error);
// Returns "wrong in isolation, on the inputs: log.1" or "wrong only when compiled together:
// {add.1, log.2}". Returns "" if the module was not cut.
std::string FindingText(const Localisation& localisation);
// Joins names: "log.1", "{add.1, log.2}". Lists at most twelve, then the number of names.
std::string NamesText(const std::vector<std::string>& names);
// Returns the finding and the piece that shows it, for --explain.
std::string ExplanationText(const Localisation& localisation);
// Returns the recorded expectation: "BUG (pad.4): ...", or "inconclusive by its case: ...".
std::string ExpectationText(const Verdict& verdict);
absl::string_view FirstLine(absl::string_view text);
// Returns the text or, if it is longer than `size_max`, its first words and " ...".
std::string CutAtWord(absl::string_view text, size_t size_max);

// Returns the sentence on the statistical tests, or "" if none were made.
std::string StatisticalText(const Verdict& verdict);

// Returns the exit status that CONTRACT.md defines: 0 for pass, nan_bits, unsupported or an
// expected verdict; 3 for kError; 4 for kSuspect; 1 otherwise.
int ExitStatusOf(const Verdict& verdict);

}  // namespace hlocts::reports
