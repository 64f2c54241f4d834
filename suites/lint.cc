// SPDX-License-Identifier: Apache-2.0
#include "suites/lint.h"

#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "spec/base/nearest.h"
#include "spec/files/home_folder.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"
#include "spec/text/parser.h"
#include "suites/case_request.h"
#include "suites/case_template.h"
#include "suites/runner.h"

namespace hlocts::suites {
namespace {

constexpr const char* kAliases[] = {
#define HLOCTS_ALIAS(name, ...) name,
#include "spec/ops/aliases.def"
#undef HLOCTS_ALIAS
};

// Subjects of the documents other than operations.
constexpr const char* kSubjects[] = {"Copy", "Fusion", "InputOutputAlias", "Layout"};

constexpr Opcode kOpcodes[] = {
#define HLOCTS_OPCODE(Name, text) Opcode::k##Name,
#include "spec/ir/opcodes.def"
#undef HLOCTS_OPCODE
};

// Returns true if the verdict on an output agrees with the one in the case. An inconclusive verdict
// also agrees with a stated pass, and nan_bits with a stated fail.
bool Agrees(const reports::Verdict& verdict, Outcome stated) {
  const bool refused = verdict.kind == Outcome::kFail || verdict.kind == Outcome::kNanBits;
  if (stated == Outcome::kFail) return refused;
  if (stated == Outcome::kInconclusive) return IsInconclusive(verdict.kind);
  return verdict.kind == Outcome::kPass || IsInconclusive(verdict.kind);
}

absl::Status CheckAnswers(const Case& one, std::vector<std::string>& mistakes) {
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseModule(one.module_text));
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*module));
  backends::DiffOptions diff;
  diff.load = LoadOptionsOf(one, *module, diff.load);
  HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteRequest request,
                          MakeRequest(one, *module, diff.load));
  for (const CaseOutput& output : one.outputs) {
    HLOCTS_ASSIGN_OR_RETURN(const auto leaves, OutputLeaves(output, diff.load));
    for (const auto& [profile, stated] : output.verdicts) {
      diff.profile = profile;
      const reports::Verdict verdict =
          backends::Differ(*module, request, diff).JudgeOutputs(leaves, one.facts);
      if (Agrees(verdict, stated)) continue;
      mistakes.push_back(absl::StrCat(one.place.file, ":", output.verdict_line, ": ", one.address,
                                      ": the judge contradicts @verdict of @output",
                                      output.name.empty() ? "" : " ", output.name, ": ",
                                      ProfileName(profile), " ", OutcomeName(verdict.kind), ": ",
                                      reports::ReasonText(verdict)));
    }
  }
  return absl::OkStatus();
}

// Returns true for a module that only tests a shape rule (spec/infer/cases).
bool IsOfAShapeRule(const Case& one) {
  return one.clauses.empty() && one.outputs.empty() && one.expect_text.empty();
}

absl::Status CheckRule(const Case& one) {
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module, ParseModule(one.module_text));
  const absl::Status verified = VerifyModule(*module);
  if (RuleOf(verified) == one.reject_rule) return absl::OkStatus();
  return InvalidInput("expected ", one.reject_rule.empty() ? "a valid module" : one.reject_rule,
                      ", found ", FoundText(verified));
}

}  // namespace

absl::StatusOr<CaseNames> CaseNames::Load() {
  CaseNames names;
  HLOCTS_ASSIGN_OR_RETURN(names.registry_, ClauseRegistry::Load(HomeFolder() + "/spec/clauses"));
  for (const char* alias : kAliases) names.operations_.emplace_back(alias);
  for (const char* subject : kSubjects) names.operations_.emplace_back(subject);
  for (Opcode opcode : kOpcodes) {
    names.opcodes_.emplace_back(OpcodeName(opcode));
    const absl::string_view documented = RowOf(opcode).documented_as;
    names.operations_.emplace_back(documented.empty() ? OpcodeName(opcode) : documented);
  }
  return names;
}

std::vector<std::string> CaseNames::MistakesOf(const Case& one) const {
  std::vector<std::string> mistakes, ids;
  const auto note = [&](const std::string& directive, const std::string& what,
                        const std::string& name, const std::vector<std::string>& known) {
    mistakes.push_back(absl::StrCat(PlaceOf(one.place, directive), ": no ", what, " \"", name, "\"",
                                    DidYouMean(name, known)));
  };
  for (const std::string& id : one.clauses) {
    if (registry_.Find(id) != nullptr) continue;
    if (ids.empty()) {
      for (const Clause& clause : registry_.clauses()) ids.push_back(clause.id);
    }
    note("clauses", "clause", id, ids);
  }
  if (!one.operation.empty() && !absl::c_linear_search(operations_, one.operation))
    note("operation", "documented operation", one.operation, operations_);
  if (!one.opcode.empty() && !absl::c_linear_search(opcodes_, one.opcode))
    note("opcode", "opcode", one.opcode, opcodes_);
  return mistakes;
}

absl::StatusOr<std::vector<std::string>> LintCases(const std::string& path,
                                                   backends::Backend& reference,
                                                   const std::function<bool()>& stop) {
  HLOCTS_ASSIGN_OR_RETURN(CaseNames names, CaseNames::Load());
  std::vector<BadFile> bad;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Case> cases, LoadCases(path, &bad));
  std::vector<std::string> mistakes;
  for (const BadFile& file : bad) mistakes.emplace_back(file.error.message());
  for (std::string& taken : TakenAddresses(cases)) mistakes.push_back(std::move(taken));
  for (const Case& one : cases) {
    if (stop()) break;
    for (std::string& mistake : names.MistakesOf(one)) mistakes.push_back(std::move(mistake));
    if (!one.outputs.empty() || IsOfAShapeRule(one)) {
      const absl::Status judged =
          one.outputs.empty() ? CheckRule(one) : CheckAnswers(one, mistakes);
      if (!judged.ok())
        mistakes.push_back(absl::StrCat(PlaceOf(one.place, one.outputs.empty() ? "reject" : ""),
                                        ": ", one.address, ": ", judged.message()));
      if (one.expect_text.empty() || !judged.ok()) continue;
    }
    if (one.sweep || one.tier > Tier::kPresubmit) continue;  // these run for minutes
    reports::Verdict verdict = RunCase(one, reference, backends::DiffOptions());
    if (!IsFailure(verdict.kind) || IsInconclusive(verdict.kind)) {
      continue;
    }
    const bool contradicts = verdict.kind != Outcome::kError;
    mistakes.push_back(absl::StrCat(
        PlaceOf(one.place, one.reject_rule.empty() ? (contradicts ? "expect" : "") : "reject"),
        ": ", one.address, ": ", contradicts ? "the case contradicts the reference: " : "",
        verdict.reason.empty() ? reports::VerdictToText(verdict) : reports::ReasonText(verdict)));
  }
  std::set<std::string> seen;  // all cases of one template have the same mistake
  std::erase_if(mistakes, [&](const std::string& one) { return !seen.insert(one).second; });
  return mistakes;
}

}  // namespace hlocts::suites
