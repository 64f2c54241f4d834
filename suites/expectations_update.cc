// SPDX-License-Identifier: Apache-2.0
#include "suites/expectations_update.h"

#include <google/protobuf/text_format.h>

#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "reports/causes.h"
#include "reports/sentences.h"
#include "reports/verdict.h"
#include "spec/files/file_io.h"
#include "suites/expectations.h"
#include "suites/expectations.pb.h"

namespace hlocts::suites {
namespace {

constexpr size_t kReasonMax = 200;                                 // of a message of an engine
constexpr absl::string_view kUnexplained = "Not explained yet: ";  // begins a generated reason

// A part of the file: an entry ("expectation {" to "}", both at the start of a line) or other text.
struct Piece {
  std::string text;
  expectations::Expectation entry;  // has a query if this part is an entry
};

void ReadEntry(Piece& piece) {
  expectations::Expectations list;
  google::protobuf::TextFormat::Parser parser;
  if (parser.ParseFromString(piece.text, &list) && list.expectation_size() == 1) {
    piece.entry = list.expectation(0);
  }
}

std::vector<Piece> Split(const std::string& text) {
  std::vector<Piece> pieces(1);
  bool inside = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "expectation {")) {
      pieces.emplace_back();
      inside = true;
    }
    absl::StrAppend(&pieces.back().text, line, "\n");
    if (inside && line == "}") {
      ReadEntry(pieces.back());
      pieces.emplace_back();
      inside = false;
    }
  }
  pieces.back().text.pop_back();  // StrSplit returns an empty last line
  return pieces;
}

// Returns the verdict's name in an entry.
absl::string_view WordFor(const reports::Verdict& verdict) {
  return verdict.flake.empty() ? OutcomeName(verdict.kind) : "flake";
}

std::string ClauseOf(const reports::Verdict& verdict, const std::vector<Case>& cases) {
  if (verdict.first_failure) {
    if (const auto quoted = reports::SentencesOf(verdict); !quoted.empty()) return quoted[0].id;
    if (!verdict.first_failure->clause.empty()) return verdict.first_failure->clause;
  }
  for (const Case& one : cases) {
    if (one.address == verdict.case_address && !one.clauses.empty()) return one.clauses[0];
  }
  return kUnknownClause;
}

std::string NewEntry(const reports::Verdict& verdict, const std::vector<Case>& cases) {
  const char* kind = verdict.kind == Outcome::kRejected       ? "UNIMPLEMENTED"
                     : verdict.kind == Outcome::kInconclusive ? "SPEC_QUESTION"
                                                              : "BUG";
  std::string reason =
      reports::CutAtWord(reports::FirstLine(reports::FoldedReason(verdict)), kReasonMax);
  if (reason.empty() && verdict.first_failure) {
    reason =
        absl::StrCat(verdict.first_failure->actual, " is not in ", verdict.first_failure->accepted);
  }
  // The entry names no version: an entry for one version would not apply to the next build.
  return absl::StrCat(
      "\nexpectation {\n  query: \"", verdict.case_address, "\"\n  verdict: \"", WordFor(verdict),
      "\"\n  kind: ", kind, "  # a guess: check the kind, and state the reason", "\n  clause: \"",
      ClauseOf(verdict, cases),
      "\"\n  # cause: ", absl::StrReplaceAll(reports::CauseOf(verdict), {{"\n", " "}}),
      "\n  reason: \"", kUnexplained, absl::CEscape(reason), "\"\n}\n");
}

}  // namespace

std::string UpdatedExpectations(const std::string& text,
                                const std::vector<reports::Verdict>& verdicts,
                                const std::vector<Case>& cases, std::string* done) {
  std::map<std::string, const reports::Verdict*> surprises;  // unexpected verdicts by address
  for (const reports::Verdict& verdict : verdicts) {
    if (!verdict.expected) surprises[verdict.case_address] = &verdict;
  }
  int out = 0, changed = 0, added = 0;
  std::string updated;
  for (Piece& piece : Split(text)) {
    auto surprise = surprises.find(piece.entry.query());
    // Keeps other text, entries without an unexpected verdict, and entries for other releases.
    if (piece.entry.query().empty() || surprise == surprises.end() ||
        !ConditionHolds(piece.entry, *surprise->second)) {
      updated += piece.text;
      continue;
    }
    const reports::Verdict& verdict = *surprise->second;
    surprises.erase(surprise);
    if (!IsFailure(verdict.kind)) {
      ++out;
      while (absl::EndsWith(updated, "\n\n")) updated.pop_back();
      continue;
    }
    ++changed;
    const std::string old = absl::StrCat("verdict: \"", piece.entry.verdict(), "\"");
    size_t at = piece.text.find(old);
    if (absl::StartsWith(piece.entry.reason(), kUnexplained) && !piece.entry.has_condition()) {
      piece.text =
          NewEntry(verdict, cases).substr(1);  // the generated reason is of the old verdict
    } else if (at != std::string::npos) {
      piece.text.replace(at, old.size(), absl::StrCat("verdict: \"", WordFor(verdict), "\""));
    }
    updated += piece.text;
  }
  for (const auto& [address, verdict] : surprises) {
    if (!IsFailure(verdict->kind)) continue;  // listed as failing by a query for several cases
    ++added;
    updated += NewEntry(*verdict, cases);
  }
  *done = absl::StrCat(added, " added, ", changed, " changed, ", out, " removed");
  return updated;
}

absl::StatusOr<std::string> UpdateExpectationsFile(const std::string& path,
                                                   const std::vector<reports::Verdict>& verdicts,
                                                   const std::vector<Case>& cases) {
  auto text = ReadFile(path);
  std::string start = text.ok() ? *text : "";
  if (start.empty()) {
    start =
        "# proto-file: suites/expectations.proto\n# proto-message: "
        "hlocts.expectations.Expectations\n";
  }
  std::string done, updated = UpdatedExpectations(start, verdicts, cases, &done);
  if (text.ok() && updated == *text) return std::string("nothing to change");
  HLOCTS_RETURN_IF_ERROR(WriteFile(path, updated));
  return done;
}

}  // namespace hlocts::suites
