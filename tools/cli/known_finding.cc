// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/known_finding.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/failure_traits.h"
#include "nlohmann/json.hpp"
#include "spec/files/home_folder.h"
#include "suites/expectations.h"
#include "suites/expectations.pb.h"

namespace hlocts::tools {

std::string QuestionText(const findings::Finding& finding) {
  if (!finding.question()) return "";
  return absl::StrCat("a question, because the documents allow another reading. ",
                      finding.legal_reading(), " A report can ask which reading holds.");
}

std::string KnownFinding::ToText() const {
  if (!HasEntry() && is_minimal) return "no entry";
  if (!HasEntry())
    return "no entry for the whole module; a smaller one (hlocts shrink) may have one";
  std::string releases;
  if (!finding.first_bad().empty())
    releases =
        absl::StrCat("; its example fails from ", finding.first_bad(), " to ", finding.last_bad(),
                     finding.came_and_went() ? ", not in all releases between" : "");
  std::string text = same;
  if (!name.empty())
    absl::StrAppend(&text, same.empty() ? "" : " (", "finding ", name, ": ", finding.title(),
                    releases, same.empty() ? "" : ")");
  return absl::StrCat(text, finding.question() ? "; " : "", QuestionText(finding));
}

std::string KnownFinding::ToLine() const { return absl::StrCat("    known:    ", ToText()); }

void KnownFinding::AddTo(nlohmann::ordered_json& verdict) const {
  if (!HasEntry()) {
    verdict["no_entry"] = ToText();
  } else {
    verdict["known"] = {{"question", finding.question()}, {"text", ToText()}};
    if (!name.empty()) verdict["known"].update({{"finding", name}, {"title", finding.title()}});
  }
}

namespace {

// Returns true if a wrong value may be due to the defect of the entry's finding. Unless the entry
// is about operations that are wrong only together, the finding's module must have all operations
// that fail, and `module` must have all operations of the finding's module.
bool MayBeOf(const expectations::Expectation& entry, const reports::Verdict& verdict,
             const Module& module) {
  if (verdict.kind != Outcome::kFail || entry.link().empty()) return true;
  const auto bundle = fuzz::ReadBundle(absl::StrCat(HomeFolder(), "/", entry.link()));
  if (!bundle.ok()) return true;
  const std::set<std::string> of_finding = fuzz::OperationNamesOf(*bundle->sample.module);
  const auto includes = [](const std::set<std::string>& all, const std::set<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return absl::StrContains(entry.signature(), "(together)") ||
         (includes(of_finding, fuzz::FailingOperations(verdict, module)) &&
          includes(fuzz::OperationNamesOf(module), of_finding));
}

}  // namespace

std::optional<KnownFinding> KnownFindingOf(reports::Verdict verdict, const fuzz::Sample& sample,
                                           bool is_minimal) {
  verdict.backend = backends::ReleaseName(verdict.backend, verdict.backend_version);
  if (!IsFailure(verdict.kind)) return std::nullopt;
  const auto list = suites::ExpectationList::Load(suites::ExpectationsPath(verdict.backend));
  if (!list.ok() || list->size() == 0) return std::nullopt;
  const std::set<std::string> needs = fuzz::FailureTraitsOf(sample, {verdict}).needs;
  const std::string signature = fuzz::SignatureOf(verdict, *sample.module);
  const auto fits = [&](const auto& entry) { return MayBeOf(entry, verdict, *sample.module); };
  const expectations::Expectation* entry = list->Explaining(signature, verdict, &needs, fits);
  // A call is no cause: it runs its computation. JAX makes one of each function that it jits.
  const std::string inlined = absl::StrReplaceAll(
      signature, {{" call,", " "}, {",call,", ","}, {",call(", "("}, {",call ", " "}});
  if (entry == nullptr) entry = list->Explaining(inlined, verdict, &needs, fits);
  const bool is_wrong = verdict.kind == Outcome::kFail || verdict.kind == Outcome::kCrash;
  if (entry == nullptr)
    return is_wrong ? std::optional(KnownFinding{
                          .is_minimal = is_minimal || fuzz::CountInstructions(*sample.module) <= 1})
                    : std::nullopt;
  KnownFinding known{.same = std::string(absl::StripSuffix(entry->reason(), "."))};
  known.finding.set_question(entry->kind() == expectations::SPEC_QUESTION);
  absl::string_view name = entry->link();
  if (absl::ConsumePrefix(&name, "results/findings/")) {
    auto finding = reports::ReadFindingFile(absl::StrCat(HomeFolder(), "/", entry->link()));
    if (finding.ok()) known.name = std::string(name), known.finding = *std::move(finding);
  }
  return known;
}

}  // namespace hlocts::tools
