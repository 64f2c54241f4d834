// SPDX-License-Identifier: Apache-2.0
#include "suites/case.h"

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "suites/case_template.h"

namespace hlocts::suites {
namespace {

constexpr absl::string_view kTierNames[] = {"smoke", "presubmit", "nightly", "exhaustive"};

std::string Substitute(const std::string& text, const Assignment& assignment) {
  return absl::StrReplaceAll(text, assignment);
}

std::string Field(const std::map<std::string, std::string>& fields, const std::string& name,
                  const Assignment& assignment) {
  auto found = fields.find(name);
  return found == fields.end() ? "" : Substitute(found->second, assignment);
}

// Returns the argument of a directive before the first case, or "".
std::string Of(const CaseFile& file, const std::string& name) {
  auto found = file.arguments.find(name);
  return found == file.arguments.end() ? "" : found->second;
}

absl::Status SetInputs(const Template& from, const Assignment& assignment, Case& result) {
  std::string argument = Field(from.arguments, "inputs", assignment);
  result.inputs_text = Field(from.bodies, "inputs", assignment);
  for (absl::string_view word : absl::StrSplit(argument, ' ', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&word, "seed=")) {
      if (!absl::SimpleAtoi(word, &result.seed)) {
        return InvalidInput("expected seed=N, found seed=", word);
      }
    } else if (word == "sweep") {
      result.sweep = true;
      result.style = generators::ArgumentStyle::kSpecial;  // for callers that run a sweep case once
    } else {
      result.style = generators::ArgumentStyleFromName(word);
      if (!result.style) {
        return InvalidInput(
            "expected random, exact, special, all_bits, wide, defined or sweep, found ", word);
      }
    }
  }
  return absl::OkStatus();
}

// Sets the texts of optional directives.
void SetTexts(const Template& from, const Assignment& assignment, Case& result) {
  result.infeed_text = Field(from.bodies, "infeed", assignment);
  result.outfeed_text = Field(from.bodies, "outfeed", assignment);
  result.expect_text = Field(from.bodies, "expect", assignment);
  result.reject_rule = Field(from.arguments, "reject", assignment);
  result.control_text = Field(from.bodies, "control", assignment);
  result.open_ruling = Field(from.arguments, "open", assignment);
}

// Parses verdicts of the form "strict fail, default pass".
absl::Status ReadVerdicts(const std::string& text, CaseOutput& output) {
  for (absl::string_view one : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> words = absl::StrSplit(one, ' ', absl::SkipEmpty());
    const auto profile = ProfileFromName(words[0]);
    const auto outcome = OutcomeFromName(words.back());
    const bool judged =
        outcome == Outcome::kPass || outcome == Outcome::kFail || outcome == Outcome::kInconclusive;
    if (words.size() != 2 || !profile || !judged) {
      return InvalidInput(
          "@verdict: expected a profile (strict, default or relaxed) and a verdict (pass, fail or "
          "inconclusive), found \"",
          one, "\"");
    }
    output.verdicts.emplace_back(*profile, *outcome);
  }
  if (output.verdicts.empty()) return InvalidInput("expected a @verdict for each @output");
  return absl::OkStatus();
}

// Accepts "lemma 9", "ruling 0071", "legal", "wrong", "recorded" and an empty text.
absl::Status CheckFrom(const std::string& from) {
  const std::vector<absl::string_view> words = absl::StrSplit(from, ' ', absl::SkipEmpty());
  int number = 0;
  const bool numbered = words.size() == 2 && (words[0] == "lemma" || words[0] == "ruling") &&
                        absl::SimpleAtoi(words[1], &number);
  if (from.empty() || numbered || from == "legal" || from == "wrong" || from == "recorded")
    return absl::OkStatus();
  return InvalidInput("@from: expected legal, wrong, recorded, ruling NNNN or lemma N, found \"",
                      from, "\"");
}

absl::Status SetOutputs(const Template& from, const Assignment& assignment, Case& result) {
  HLOCTS_RETURN_IF_ERROR(CheckFrom(result.from));
  for (const Template::Output& one : from.outputs) {
    CaseOutput output{one.name, Substitute(one.body, assignment), {}, one.verdict_line};
    HLOCTS_RETURN_IF_ERROR(ReadVerdicts(Substitute(one.verdict, assignment), output));
    result.outputs.push_back(std::move(output));
  }
  return absl::OkStatus();
}

bool ReadLeaves(absl::string_view text, std::vector<int64_t>& leaves) {
  for (absl::string_view leaf : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!absl::SimpleAtoi(leaf, &leaves.emplace_back())) return false;
  }
  return true;
}

// One choice of parameter values for a case. `assignment` also has the columns of OperationRow.
struct Choice {
  Assignment assignment;
  std::string suffix;  // suffix of the address
  Tier tier = Tier::kSmoke;
};

// Sets the reasons why the case is inconclusive in the default and relaxed profiles.
absl::Status SetInconclusiveReasons(const Template& from, const Choice& choice, Case& result) {
  const auto nature = from.arguments.find("inconclusive");
  if (nature == from.arguments.end()) return absl::OkStatus();
  if (nature->second.empty()) return InvalidInput("expected a reason, found none");
  const std::string facts = absl::StrCat(choice.suffix, ",opcode=", result.opcode);
  result.inconclusive = InconclusiveReason(nature->second, facts);
  result.inconclusive_in_relaxed =
      InconclusiveReason(nature->second, absl::StrCat(facts, ",profile=relaxed"));
  return absl::OkStatus();
}

// Instantiates a case. Appends all its mistakes to `mistakes`.
Case Instantiate(const Template& from, const CaseFile& file, const std::string& prefix,
                 const Choice& choice, std::vector<absl::Status>& mistakes) {
  const Assignment& assignment = choice.assignment;
  Case result;
  result.address = absl::StrCat(prefix, ":", from.name, choice.suffix);
  const bool in_rows = !file.rows[0].columns.empty();
  result.operation = in_rows ? Substitute("${operation}", assignment) : Of(file, "operation");
  result.opcode = in_rows ? Substitute("${opcode}", assignment) : Of(file, "opcode");
  result.place = from.place;
  const auto note = [&](const std::string& directive, const absl::Status& status) {
    if (status.ok()) return;
    mistakes.push_back(InvalidInput(PlaceOf(from.place, directive), ": @case ", from.name, ": @",
                                    directive, ": ", status.message()));
  };
  // Returns the directive of the case, or that of the file if the case has none.
  const auto stated = [&](const std::string& name) {
    const std::string own = Field(from.arguments, name, assignment);
    return own.empty() ? Of(file, name) : own;
  };
  result.clauses = absl::StrSplit(stated("clauses"), ' ', absl::SkipEmpty());
  result.from = stated("from");
  result.facts = absl::StrSplit(stated("facts"), ' ', absl::SkipEmpty());
  note("output", SetOutputs(from, assignment, result));
  if (result.clauses.empty() && result.from.empty()) note("clauses", InvalidInput("none"));
  const std::string tier = stated("tier");
  const auto parsed = TierFromName(tier.empty() ? "smoke" : tier);
  if (!parsed) note("tier", InvalidInput("expected a tier, found ", tier));
  result.tier = std::max(parsed.value_or(Tier::kSmoke), choice.tier);
  result.module_text = Field(from.bodies, "module", assignment);
  if (result.module_text.empty()) note("module", InvalidInput("none"));
  note("inputs", SetInputs(from, assignment, result));
  SetTexts(from, assignment, result);
  if (!ReadLeaves(Field(from.arguments, "donate", assignment), result.donated))
    note("donate", InvalidInput("expected numbers of argument leaves"));
  note("inconclusive", SetInconclusiveReasons(from, choice, result));
  const std::string replicas = Field(from.arguments, "replicas", assignment);
  if (!replicas.empty() && !absl::SimpleAtoi(replicas, &result.replicas))
    note("replicas", InvalidInput("expected a number"));
  return result;
}

// Rejects an unused parameter: its values would yield equal cases with different names.
absl::Status CheckParametersUsed(const Template& from) {
  for (const auto& [name, values] : from.parameters) {
    const std::string use = absl::StrCat("${", name, "}");
    bool used = values.size() < 2;
    for (const auto& [directive, text] : from.arguments)
      used = used || absl::StrContains(text, use);
    for (const auto& [directive, text] : from.bodies) used = used || absl::StrContains(text, use);
    if (used) continue;
    return InvalidInput(PlaceOf(from.place, "param"), ": @case ", from.name, ": @param ", name,
                        " has ", values.size(), " values and no line uses ", use);
  }
  return absl::OkStatus();
}

// Returns all combinations of the parameters' values, in order, for one operation.
std::vector<Choice> ChoicesOf(const Template& from, const OperationRow& row) {
  std::vector<Choice> choices = {{row.columns, "", Tier::kSmoke}};
  for (const auto& [name, values] : from.parameters) {
    std::vector<Choice> extended;
    for (const Choice& choice : choices) {
      for (const ParameterValue& value : values) {
        Choice longer = choice;
        longer.assignment.emplace_back(absl::StrCat("${", name, "}"), value.text);
        absl::StrAppend(&longer.suffix, choice.suffix.empty() ? ":" : ",", name, "=", value.text);
        longer.tier = std::max(choice.tier, value.tier);
        extended.push_back(std::move(longer));
      }
    }
    choices = std::move(extended);
  }
  return choices;
}

// Adds the cases of one template for one operation.
void AddCases(const Template& from, const CaseFile& read, const OperationRow& row,
              const std::string& area, std::vector<Case>& cases,
              std::vector<absl::Status>& mistakes) {
  const std::string wanted = Field(from.arguments, "if", row.columns);
  if (absl::StrContains(wanted, "${")) {
    mistakes.push_back(InvalidInput(PlaceOf(from.place, "if"), ": @case ", from.name,
                                    ": expected a column of @for after @if, found ", wanted));
  }
  if (wanted == kNothing) return;
  if (!from.stems.empty() && !absl::c_linear_search(from.stems, row.stem)) return;
  const size_t before = mistakes.size();
  for (const Choice& choice : ChoicesOf(from, row)) {
    Case one = Instantiate(from, read, absl::StrCat(area, "/", row.stem), choice, mistakes);
    if (mistakes.size() > before) return;  // other values have the same mistakes
    cases.push_back(std::move(one));
  }
}

}  // namespace

absl::string_view TierName(Tier tier) { return kTierNames[static_cast<size_t>(tier)]; }

std::optional<Tier> TierFromName(absl::string_view name) {
  const auto* found = absl::c_find(kTierNames, name);
  if (found == std::end(kTierNames)) return std::nullopt;
  return static_cast<Tier>(found - std::begin(kTierNames));
}

std::string PlaceOf(const CasePlace& place, const std::string& directive) {
  for (const std::string& name : {directive, absl::StrCat(kFilesOwn, directive)}) {
    const auto line = place.blocks.find(name);
    if (line != place.blocks.end() && line->second > 0)
      return absl::StrCat(place.file, ":", line->second);
  }
  return absl::StrCat(place.file, ":", place.line);
}

std::vector<Case> ParseAllCases(absl::string_view text, const std::string& area,
                                const std::string& stem, const std::string& file,
                                std::vector<absl::Status>& mistakes) {
  const CaseFile read = ParseCaseFile(text, stem, file, mistakes);
  std::vector<Case> cases;
  for (const Template& from : read.templates) {
    if (from.broken) continue;
    if (absl::Status used = CheckParametersUsed(from); !used.ok()) {
      mistakes.push_back(used);
      continue;
    }
    for (const OperationRow& row : read.rows) AddCases(from, read, row, area, cases, mistakes);
  }
  return cases;
}

absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file) {
  std::vector<absl::Status> mistakes;
  std::vector<Case> cases = ParseAllCases(text, area, stem, file, mistakes);
  if (!mistakes.empty()) return mistakes[0];
  return cases;
}

}  // namespace hlocts::suites
