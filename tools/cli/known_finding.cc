// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/known_finding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "backends/backend_list.h"
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
  if (name.empty() && is_minimal) return "no entry";
  if (name.empty())
    return "no entry for the whole module; a smaller one (hlocts shrink) may have one";
  std::string releases;
  if (!finding.first_bad().empty())
    releases =
        absl::StrCat("; its example fails from ", finding.first_bad(), " to ", finding.last_bad(),
                     finding.came_and_went() ? ", not in all releases between" : "");
  return absl::StrCat(same, " (finding ", name, ": ", finding.title(), releases, ")",
                      finding.question() ? "; " : "", QuestionText(finding));
}

std::string KnownFinding::ToLine() const { return absl::StrCat("    known:    ", ToText()); }

void KnownFinding::AddTo(nlohmann::ordered_json& verdict) const {
  if (name.empty()) {
    verdict["no_entry"] = ToText();
  } else {
    verdict["known"] = {{"finding", name},
                        {"title", finding.title()},
                        {"question", finding.question()},
                        {"text", ToText()}};
  }
}

std::optional<KnownFinding> KnownFindingOf(reports::Verdict verdict, const fuzz::Sample& sample,
                                           bool is_minimal) {
  verdict.backend = backends::ReleaseName(verdict.backend, verdict.backend_version);
  if (!IsFailure(verdict.kind)) return std::nullopt;
  verdict.case_address = verdict.module;  // an address, if the module is that of a case
  const auto list = suites::ExpectationList::Load(suites::ExpectationsPath(verdict.backend));
  if (!list.ok() || list->size() == 0) return std::nullopt;
  const std::set<std::string> needs = fuzz::FailureTraitsOf(sample, {verdict}).needs;
  const std::string signature = fuzz::SignatureOf(verdict, *sample.module);
  const expectations::Expectation* entry = list->Explaining(signature, verdict, &needs);
  // A call is no cause: it runs its computation. JAX makes one of each function that it jits.
  const std::string inlined = absl::StrReplaceAll(
      signature, {{" call,", " "}, {",call,", ","}, {",call(", "("}, {",call ", " "}});
  if (entry == nullptr) entry = list->Explaining(inlined, verdict, &needs);
  const bool is_wrong = verdict.kind == Outcome::kFail || verdict.kind == Outcome::kCrash;
  if (entry == nullptr)
    return is_wrong ? std::optional(KnownFinding{.is_minimal = is_minimal}) : std::nullopt;
  absl::string_view name = entry->link();
  if (!absl::ConsumePrefix(&name, "results/findings/")) return std::nullopt;
  auto finding = reports::ReadFindingFile(absl::StrCat(HomeFolder(), "/", entry->link()));
  if (!finding.ok()) return std::nullopt;
  return KnownFinding{std::string(name), *std::move(finding),
                      std::string(absl::StripSuffix(entry->reason(), "."))};
}

}  // namespace hlocts::tools
