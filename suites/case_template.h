// SPDX-License-Identifier: Apache-2.0
// Declares case files before parameters are substituted, and the operations for which cases are
// made. case.h declares the resulting cases.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/case.h"

namespace hlocts::suites {

using Assignment = std::vector<std::pair<std::string, std::string>>;  // "${name}" -> value

// A value of a parameter, and its minimum tier.
struct ParameterValue {
  std::string text;
  Tier tier = Tier::kSmoke;
};

// A case before substitution: directives with their arguments and bodies.
struct Template {
  std::string name;
  CasePlace place;
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> parameters;
  std::map<std::string, std::string> arguments;  // directive -> rest of its line
  std::map<std::string, std::string> bodies;     // directive -> lines below it
  // An @output NAME, the lines below it, and the rest of its @verdict line.
  struct Output {
    std::string name, body, verdict;
  };
  std::vector<Output> outputs;
  std::vector<std::string> stems;  // of `@if STEM...`: only these operations have the case
  bool broken = false;             // a mistake was recorded
};

// A line below @for: one operation for which the file's cases are made, with its columns.
struct OperationRow {
  std::string stem;  // used in addresses: "elementwise/STEM:case"
  Assignment columns;
};

// The column value of an operation without an entry; `@if ${column}` omits the case.
inline constexpr absl::string_view kNothing = "-";

// The prefix, in CasePlace::blocks, of directives above the first case.
inline constexpr absl::string_view kFilesOwn = "file's ";

struct CaseFile {
  std::map<std::string, std::string> arguments;  // directives above the first case
  std::vector<OperationRow> rows;                // one without columns if there is no @for
  std::vector<Template> templates;
};

// Parses the text of one file like ParseCases, but records every mistake with file and line, and
// omits cases with mistakes.
std::vector<Case> ParseAllCases(absl::string_view text, const std::string& area,
                                const std::string& stem, const std::string& file,
                                std::vector<absl::Status>& mistakes);

// Returns FILE:LINE of a directive of the case, else of the file's directive, else of the case.
std::string PlaceOf(const CasePlace& place, const std::string& directive);

// Parses a case file. `stem` is for a file without @for. Mistakes name file and line.
CaseFile ParseCaseFile(absl::string_view text, const std::string& stem, const std::string& file,
                       std::vector<absl::Status>& mistakes);

}  // namespace hlocts::suites
