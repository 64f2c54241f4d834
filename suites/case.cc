// SPDX-License-Identifier: Apache-2.0
#include "suites/case.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace hlocts::suites {
namespace {

constexpr absl::string_view kTierNames[] = {"smoke", "presubmit", "nightly", "exhaustive"};

// Names for lists of element types in @param lines.
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

// A case before its parameters are chosen: directives with their arguments and bodies.
struct Template {
  std::string name;
  CasePlace place;
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
  std::map<std::string, std::string> arguments;  // directive -> rest of its line
  std::map<std::string, std::string> bodies;     // directive -> lines below it
};

constexpr absl::string_view kCaseDirectives[] = {
    "clauses",  "tier",   "param",   "module", "inputs",  "infeed", "expect",
    "replicas", "reject", "control", "open",   "outfeed", "donate", "inconclusive"};
constexpr absl::string_view kFileDirectives[] = {"operation", "opcode", "clauses", "tier"};

// Part of an address.
bool IsName(absl::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return !text.empty();
}

class Parser {
 public:
  Parser(absl::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  absl::Status Parse() {
    std::string* body = nullptr;
    for (absl::string_view line : absl::StrSplit(text_, '\n')) {
      ++line_;
      // A comment, also between cases; no line of HLO text or of literals begins so.
      if (absl::StartsWith(line, "#")) continue;
      if (absl::StartsWith(line, "@")) {
        HLOCTS_RETURN_IF_ERROR(Directive(line.substr(1), body));
      } else if (body) {
        absl::StrAppend(body, line, "\n");
      } else if (!absl::StripAsciiWhitespace(line).empty()) {
        return Error("text outside a directive");
      }
    }
    return templates_.empty() ? Error("no @case in this file") : absl::OkStatus();
  }

  const std::vector<Template>& templates() const { return templates_; }
  std::string FileArgument(const std::string& name) const {
    auto found = file_arguments_.find(name);
    return found == file_arguments_.end() ? "" : found->second;
  }

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
      templates_.push_back({argument, {file_, line_}, {}, {}, {}});
      return IsName(argument)
                 ? absl::OkStatus()
                 : Error(absl::StrCat("expected @case NAME, of letters, digits and _, found \"",
                                      argument, "\""));
    }
    bool in_case = !templates_.empty();
    absl::Span<const absl::string_view> known =
        in_case ? absl::MakeConstSpan(kCaseDirectives) : absl::MakeConstSpan(kFileDirectives);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error(
          absl::StrCat("expected one of @", absl::StrJoin(known, ", @"), ", found @", name));
    }
    if (!in_case) {
      file_arguments_[name] = argument;
      return absl::OkStatus();
    }
    Template& current = templates_.back();
    if (name == "param") return Parameter(argument, current);
    if (!current.arguments.emplace(name, argument).second) {
      return Error(absl::StrCat("a second @", name, " in one case"));
    }
    body = &current.bodies[name];
    return absl::OkStatus();
  }

  absl::Status Parameter(const std::string& argument, Template& current) {
    std::vector<std::string> words = absl::StrSplit(argument, ' ', absl::SkipEmpty());
    if (words.size() < 2) return Error("expected @param NAME VALUE...");
    std::vector<std::string> values;
    for (size_t i = 1; i < words.size(); ++i) {
      auto list = TypeLists().find(words[i]);
      if (list == TypeLists().end()) {
        values.push_back(words[i]);
        continue;
      }
      for (absl::string_view type : absl::StrSplit(list->second, ' ')) values.emplace_back(type);
    }
    current.parameters.emplace_back(words[0], std::move(values));
    return absl::OkStatus();
  }

  absl::string_view text_;
  std::string file_;
  int line_ = 0;
  std::map<std::string, std::string> file_arguments_;
  std::vector<Template> templates_;
};

using Assignment = std::vector<std::pair<std::string, std::string>>;  // "${name}" -> value

std::string Substitute(const std::string& text, const Assignment& assignment) {
  return absl::StrReplaceAll(text, assignment);
}

std::string Field(const std::map<std::string, std::string>& fields, const std::string& name,
                  const Assignment& assignment) {
  auto found = fields.find(name);
  return found == fields.end() ? "" : Substitute(found->second, assignment);
}

absl::Status SetInputs(const Template& from, const Assignment& assignment, Case& result) {
  std::string argument = Field(from.arguments, "inputs", assignment);
  result.inputs_text = Field(from.bodies, "inputs", assignment);
  for (absl::string_view word : absl::StrSplit(argument, ' ', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&word, "seed=")) {
      if (!absl::SimpleAtoi(word, &result.seed)) {
        return InvalidInput(from.place.file, ":", from.place.line, ": seed=", word);
      }
    } else if (word == "sweep") {
      result.sweep = true;
      result.style = generators::ArgumentStyle::kSpecial;  // for whoever wants one run
    } else {
      result.style = generators::ArgumentStyleFromName(word);
      if (!result.style) {
        return InvalidInput(
            from.place.file, ":", from.place.line,
            ": expected random, exact, special, all_bits, wide, defined or sweep, found ", word);
      }
    }
  }
  return absl::OkStatus();
}

// What may be left out.
void SetTexts(const Template& from, const Assignment& assignment, Case& result) {
  result.infeed_text = Field(from.bodies, "infeed", assignment);
  result.outfeed_text = Field(from.bodies, "outfeed", assignment);
  result.expect_text = Field(from.bodies, "expect", assignment);
  result.reject_rule = Field(from.arguments, "reject", assignment);
  result.control_text = Field(from.bodies, "control", assignment);
  result.open_ruling = Field(from.arguments, "open", assignment);
}

bool ReadLeaves(absl::string_view text, std::vector<int64_t>& leaves) {
  for (absl::string_view leaf : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!absl::SimpleAtoi(leaf, &leaves.emplace_back())) return false;
  }
  return true;
}

absl::StatusOr<Case> Instantiate(const Template& from, const Parser& file,
                                 const std::string& prefix, const Assignment& assignment,
                                 const std::string& suffix) {
  Case result;
  result.address = absl::StrCat(prefix, ":", from.name, suffix);
  result.operation = file.FileArgument("operation");
  result.opcode = file.FileArgument("opcode");
  result.place = from.place;
  auto error = [&](absl::string_view what) {
    return InvalidInput(from.place.file, ":", from.place.line, ": @case ", from.name, ": ", what);
  };
  // The case's own word, else the file's.
  const auto stated = [&](const std::string& name) {
    const std::string own = Field(from.arguments, name, assignment);
    return own.empty() ? std::string(file.FileArgument(name)) : own;
  };
  result.clauses = absl::StrSplit(stated("clauses"), ' ', absl::SkipEmpty());
  if (result.clauses.empty()) return error("no @clauses");
  const std::string tier = stated("tier");
  auto parsed = TierFromName(tier.empty() ? "smoke" : tier);
  if (!parsed) return error(absl::StrCat("tier ", tier));
  result.tier = *parsed;
  result.module_text = Field(from.bodies, "module", assignment);
  if (result.module_text.empty()) return error("no @module");
  HLOCTS_RETURN_IF_ERROR(SetInputs(from, assignment, result));
  SetTexts(from, assignment, result);
  if (!ReadLeaves(Field(from.arguments, "donate", assignment), result.donated)) {
    return error("@donate wants numbers of argument leaves");
  }
  const auto nature = from.arguments.find("inconclusive");
  if (nature != from.arguments.end()) {
    if (nature->second.empty()) return error("@inconclusive wants a reason");
    result.inconclusive = InconclusiveReason(nature->second, suffix);
  }
  std::string replicas = Field(from.arguments, "replicas", assignment);
  if (!replicas.empty() && !absl::SimpleAtoi(replicas, &result.replicas)) {
    return error("@replicas wants a number");
  }
  return result;
}

// A parameter of several values that no line uses makes equal cases under several names.
absl::Status CheckParametersUsed(const Template& from) {
  for (const auto& [name, values] : from.parameters) {
    const std::string use = absl::StrCat("${", name, "}");
    bool used = values.size() < 2;
    for (const auto& [directive, text] : from.arguments)
      used = used || absl::StrContains(text, use);
    for (const auto& [directive, text] : from.bodies) used = used || absl::StrContains(text, use);
    if (used) continue;
    return InvalidInput(from.place.file, ":", from.place.line, ": @case ", from.name, ": @param ",
                        name, " has ", values.size(), " values and no line uses ", use);
  }
  return absl::OkStatus();
}

// All combinations of the parameters' values, in order.
std::vector<std::pair<Assignment, std::string>> Combinations(const Template& from) {
  std::vector<std::pair<Assignment, std::string>> combinations = {{{}, ""}};
  for (const auto& [name, values] : from.parameters) {
    std::vector<std::pair<Assignment, std::string>> extended;
    for (const auto& [assignment, suffix] : combinations) {
      for (const std::string& value : values) {
        Assignment longer = assignment;
        longer.emplace_back(absl::StrCat("${", name, "}"), value);
        extended.emplace_back(std::move(longer),
                              absl::StrCat(suffix, suffix.empty() ? ":" : ",", name, "=", value));
      }
    }
    combinations = std::move(extended);
  }
  return combinations;
}

}  // namespace

absl::string_view TierName(Tier tier) { return kTierNames[static_cast<size_t>(tier)]; }

std::optional<Tier> TierFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kTierNames); ++i) {
    if (kTierNames[i] == name) return static_cast<Tier>(i);
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file) {
  Parser parser(text, file);
  HLOCTS_RETURN_IF_ERROR(parser.Parse());
  std::vector<Case> cases;
  for (const Template& from : parser.templates()) {
    HLOCTS_RETURN_IF_ERROR(CheckParametersUsed(from));
    for (const auto& [assignment, suffix] : Combinations(from)) {
      HLOCTS_ASSIGN_OR_RETURN(
          Case one, Instantiate(from, parser, absl::StrCat(area, "/", stem), assignment, suffix));
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

}  // namespace hlocts::suites
