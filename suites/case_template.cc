// SPDX-License-Identifier: Apache-2.0
#include "suites/case_template.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace hlocts::suites {
namespace {

// Returns the element types for each list name that @param lines may use.
const std::map<std::string, std::string>& TypeLists() {
  static const auto* lists = new std::map<std::string, std::string>{
      {"@floats", "f16 bf16 f32 f64"},
      {"@f8", "f8e4m3fn f8e5m2 f8e4m3b11fnuz f8e4m3fnuz f8e5m2fnuz f8e4m3 f8e3m4"},
      {"@signed", "s4 s8 s16 s32 s64"},
      {"@unsigned", "u4 u8 u16 u32 u64"},
      {"@integers", "s8 s16 s32 s64 u8 u16 u32 u64"},
      {"@narrow_integers", "s2 u2 s4 u4"},
      {"@complex", "c64 c128"},
      {"@all", "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128"},
  };
  return *lists;
}

constexpr absl::string_view kCaseDirectives[] = {
    "clauses",  "tier",   "param",   "module", "inputs",  "infeed", "expect",
    "replicas", "reject", "control", "open",   "outfeed", "donate", "inconclusive",
    "if",       "output", "verdict", "facts",  "from"};
constexpr absl::string_view kFileDirectives[] = {"operation", "opcode", "clauses", "tier",
                                                 "for",       "facts",  "from"};
// The first columns of each line below @for.
constexpr absl::string_view kRowColumns[] = {"stem", "operation", "opcode"};

// Returns true if the text consists of characters that an address may contain.
bool IsName(absl::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return !text.empty();
}

class Parser {
 public:
  Parser(absl::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  void Parse(std::vector<absl::Status>& mistakes) {
    std::string* body = nullptr;
    std::string skipped;  // the rest of the line of an invalid directive
    const auto note = [&](const absl::Status& status) {
      if (status.ok()) return;
      mistakes.push_back(status);
      body = &skipped;
      block_.clear();
      if (!read_.templates.empty()) read_.templates.back().broken = true;
    };
    bool commented = false;
    for (absl::string_view line : absl::StrSplit(text_, '\n')) {
      ++line_;
      // Comments may also be between cases: no line of HLO text or of literals begins with '#'.
      if (absl::StartsWith(line, "#")) {
        commented = true;
        continue;
      }
      if (absl::StartsWith(line, "@")) {
        note(Directive(line.substr(1), body));
        commented = false;
      } else if (body) {
        absl::StrAppend(body, line, "\n");
        if (commented && !block_.empty()) read_.templates.back().place.blocks[block_] = 0;
      } else if (!absl::StripAsciiWhitespace(line).empty()) {
        const bool outside = columns_.empty() || !read_.templates.empty();
        note(outside ? Error("text outside a directive") : Row(line));
      }
    }
    if (!columns_.empty() && read_.rows.empty()) note(Error("no operation below @for"));
    if (read_.templates.empty() && mistakes.empty()) note(Error("no @case in this file"));
  }

  CaseFile Take() { return std::move(read_); }

 private:
  absl::Status Error(absl::string_view what) const {
    return InvalidInput(file_, ":", line_, ": ", what);
  }

  absl::Status Directive(absl::string_view text, std::string*& body) {
    std::pair<std::string, std::string> split =
        absl::StrSplit(absl::StripAsciiWhitespace(text), absl::MaxSplits(' ', 1));
    auto& [name, argument] = split;
    body = nullptr;
    if (name == "case") {
      read_.templates.push_back({argument, {file_, line_, file_lines_}, {}, {}, {}, {}});
      return IsName(argument)
                 ? absl::OkStatus()
                 : Error(absl::StrCat("expected @case NAME, of letters, digits and _, found \"",
                                      argument, "\""));
    }
    bool in_case = !read_.templates.empty();
    absl::Span<const absl::string_view> known =
        in_case ? absl::MakeConstSpan(kCaseDirectives) : absl::MakeConstSpan(kFileDirectives);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error(
          absl::StrCat("expected one of @", absl::StrJoin(known, ", @"), ", found @", name));
    }
    if (!in_case) return FileDirective(name, argument);
    Template& current = read_.templates.back();
    current.place.blocks[name] = line_;
    if (name == "param") return Parameter(argument, current);
    if (name == "if" && !absl::StartsWith(argument, "${")) return Operations(argument, current);
    if (name == "verdict") {
      if (current.outputs.empty() || !current.outputs.back().verdict.empty())
        return Error("@verdict PROFILE VERDICT, ... belongs below the lines of an @output");
      current.outputs.back().verdict = argument;
      current.outputs.back().verdict_line = line_;
      return absl::OkStatus();
    }
    if (name == "output") {
      current.outputs.push_back({argument, "", "", 0});
      body = &current.outputs.back().body;
      block_ = name;
      return absl::OkStatus();
    }
    if (!current.arguments.emplace(name, argument).second) {
      return Error(absl::StrCat("a second @", name, " in one case"));
    }
    body = &current.bodies[name];
    block_ = name;
    return absl::OkStatus();
  }

  absl::Status FileDirective(const std::string& name, const std::string& argument) {
    file_lines_[absl::StrCat(kFilesOwn, name)] = line_;
    if (name != "for") {
      read_.arguments[name] = argument;
      return absl::OkStatus();
    }
    columns_ = absl::StrSplit(argument, ' ', absl::SkipEmpty());
    if (columns_.size() < std::size(kRowColumns) ||
        !std::equal(std::begin(kRowColumns), std::end(kRowColumns), columns_.begin())) {
      return Error("expected @for stem operation opcode COLUMN...");
    }
    return absl::OkStatus();
  }

  // Reads one word per column. The last column is the rest of the line, which may be empty.
  absl::Status Row(absl::string_view line) {
    std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() + 1 < columns_.size()) {
      return Error(absl::StrCat("expected ", absl::StrJoin(columns_, " "), ", found ", line));
    }
    OperationRow row;
    const size_t last = columns_.size() - 1;
    for (size_t i = 0; i < last; ++i)
      row.columns.emplace_back(absl::StrCat("${", columns_[i], "}"), words[i]);
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(last));
    row.columns.emplace_back(absl::StrCat("${", columns_[last], "}"), absl::StrJoin(words, " "));
    row.stem = row.columns[0].second;
    if (!IsName(row.stem))
      return Error(absl::StrCat(
          "expected a stem of letters, digits and _ (a part of addresses), found ", row.stem));
    read_.rows.push_back(std::move(row));
    return absl::OkStatus();
  }

  absl::Status Operations(const std::string& argument, Template& current) {
    current.stems = absl::StrSplit(argument, ' ', absl::SkipEmpty());
    for (const std::string& stem : current.stems) {
      if (absl::c_none_of(read_.rows, [&](const auto& row) { return row.stem == stem; }))
        return Error(absl::StrCat("expected a stem or a column of @for after @if, found ", stem));
    }
    return absl::OkStatus();
  }

  // Parses "NAME VALUE... | TIER VALUE...": values after `| TIER` have at least this tier.
  absl::Status Parameter(const std::string& argument, Template& current) {
    std::vector<std::string> words = absl::StrSplit(argument, ' ', absl::SkipEmpty());
    std::vector<ParameterValue> values;
    Tier tier = Tier::kSmoke;
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "|") {
        const auto named = TierFromName(++i < words.size() ? words[i] : "");
        if (!named) return Error("expected a tier after |");
        tier = *named;
        continue;
      }
      auto list = TypeLists().find(words[i]);
      const std::string text = list == TypeLists().end() ? words[i] : list->second;
      for (absl::string_view value : absl::StrSplit(text, ' '))
        values.push_back({std::string(value), tier});
    }
    if (values.empty()) return Error("expected @param NAME VALUE...");
    current.parameters.emplace_back(words[0], std::move(values));
    return absl::OkStatus();
  }

  absl::string_view text_;
  std::string file_;
  int line_ = 0;
  std::string block_;  // the directive to whose body the next lines belong
  std::map<std::string, int> file_lines_;
  std::vector<std::string> columns_;
  CaseFile read_;
};

}  // namespace

CaseFile ParseCaseFile(absl::string_view text, const std::string& stem, const std::string& file,
                       std::vector<absl::Status>& mistakes) {
  Parser parser(text, file);
  parser.Parse(mistakes);
  CaseFile read = parser.Take();
  if (read.rows.empty()) read.rows.push_back({stem, {}});
  return read;
}

}  // namespace hlocts::suites
