// SPDX-License-Identifier: Apache-2.0
// Case files before parameters are replaced, and the operations for which cases are made. case.h
// declares the cases that result.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suites/case.h"

namespace hlocts::suites {

using Assignment = std::vector<std::pair<std::string, std::string>>;  // e.g. "${name}" -> value

// A value of a parameter, and the smallest tier that runs it.
struct ParameterValue {
  std::string text;
  Tier tier = Tier::kSmoke;
};

// A case before its parameters are replaced: directives with arguments and bodies.
struct Template {
  std::string name;
  CasePlace place;
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> parameters;
  std::map<std::string, std::string> arguments;  // directive -> rest of its line
  std::map<std::string, std::string> bodies;     // directive -> lines below it
  // An @output NAME, the lines below it, and the rest of its @verdict line.
  struct Output {
    std::string name, body, verdict;
    int verdict_line = 0;
  };
  std::vector<Output> outputs;
  std::vector<std::string> stems;  // if there is `@if STEM...`: the only operations with this case
  bool broken = false;             // true: a mistake was recorded
};

// A line below @for: one operation for which the cases of the file are made, and its columns.
struct OperationRow {
  std::string stem;  // used in addresses, e.g. "elementwise/STEM:case"
  Assignment columns;
};

// The value of a column for which an operation has none; `@if ${column}` then omits the case.
inline constexpr absl::string_view kNothing = "-";

// The prefix in CasePlace::blocks of directives before the first case.
inline constexpr absl::string_view kFilesOwn = "file's ";

struct CaseFile {
  std::map<std::string, std::string> arguments;  // of directives before the first case
  std::vector<OperationRow> rows;                // if there is no @for: one row without columns
  std::vector<Template> templates;
};

// Like ParseCases, but records every mistake with file and line, and omits cases with mistakes.
std::vector<Case> ParseAllCases(absl::string_view text, const std::string& area,
                                const std::string& stem, const std::string& file,
                                std::vector<absl::Status>& mistakes);

// Returns FILE:LINE of the directive in the case, else in the file, else of the case itself.
std::string PlaceOf(const CasePlace& place, const std::string& directive);

// Parses a case file. `stem` is used if there is no @for. Mistakes contain file and line.
CaseFile ParseCaseFile(absl::string_view text, const std::string& stem, const std::string& file,
                       std::vector<absl::Status>& mistakes);

}  // namespace hlocts::suites
