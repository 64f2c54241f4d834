// SPDX-License-Identifier: Apache-2.0
// A case file as it is written: cases before their parameters are chosen, and the operations that
// they are made for. case.h has the resulting cases.
#ifndef HLOCTS_SUITES_CASE_TEMPLATE_H_
#define HLOCTS_SUITES_CASE_TEMPLATE_H_

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

// A case before its parameters are chosen: directives with their arguments and bodies.
struct Template {
  std::string name;
  CasePlace place;
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> parameters;
  std::map<std::string, std::string> arguments;  // directive -> rest of its line
  std::map<std::string, std::string> bodies;     // directive -> lines below it
  // @output NAME, the lines below it, and the rest of the @verdict that follows.
  struct Output {
    std::string name, body, verdict;
  };
  std::vector<Output> outputs;
  bool broken = false;  // a mistake in it is recorded
};

// One line below @for: the operation that all cases of the file are made for, with its columns.
struct OperationRow {
  std::string stem;  // of the addresses: "elementwise/STEM:case"
  Assignment columns;
};

// The column value of an operation without an entry; `@if ${column}` leaves the case out.
inline constexpr absl::string_view kNothing = "-";

// In CasePlace::blocks: a prefix of the names of directives above the first case.
inline constexpr absl::string_view kFilesOwn = "file's ";

struct CaseFile {
  std::map<std::string, std::string> arguments;  // directives above the first case
  std::vector<OperationRow> rows;                // one without columns where there is no @for
  std::vector<Template> templates;
};

// The cases of one file's text, as ParseCases. Records every mistake, with file and line, and
// leaves its case out.
std::vector<Case> ParseAllCases(absl::string_view text, const std::string& area,
                                const std::string& stem, const std::string& file,
                                std::vector<absl::Status>& mistakes);

// FILE:LINE of a directive of the case, else of the file's directive of that name, else of the
// case.
std::string PlaceOf(const CasePlace& place, const std::string& directive);

// `stem`: for a file without @for. Mistakes name file and line.
CaseFile ParseCaseFile(absl::string_view text, const std::string& stem, const std::string& file,
                       std::vector<absl::Status>& mistakes);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_CASE_TEMPLATE_H_
