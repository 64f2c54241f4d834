// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/known_finding.h"

#include "absl/strings/str_cat.h"
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
  return absl::StrCat(same, " (finding ", name, ": ", finding.title(), ")",
                      finding.question() ? "; " : "", QuestionText(finding));
}

std::string KnownFinding::ToLine() const { return absl::StrCat("    known:    ", ToText()); }

nlohmann::ordered_json KnownFinding::ToJson() const {
  return {{"finding", name},
          {"title", finding.title()},
          {"question", finding.question()},
          {"text", ToText()}};
}

std::optional<KnownFinding> KnownFindingOf(reports::Verdict verdict, const fuzz::Sample& sample) {
  verdict.backend = backends::ReleaseName(verdict.backend, verdict.backend_version);
  if (!IsFailure(verdict.kind)) return std::nullopt;
  verdict.case_address = verdict.module;  // an address, if the module is that of a case
  const auto list = suites::ExpectationList::Load(suites::ExpectationsPath(verdict.backend));
  if (!list.ok()) return std::nullopt;
  const std::set<std::string> needs = fuzz::FailureTraitsOf(sample, {verdict}).needs;
  const expectations::Expectation* entry =
      list->Explaining(fuzz::SignatureOf(verdict, *sample.module), verdict, &needs);
  if (entry == nullptr) return std::nullopt;
  absl::string_view name = entry->link();
  if (!absl::ConsumePrefix(&name, "results/findings/")) return std::nullopt;
  auto finding = reports::ReadFindingFile(absl::StrCat(HomeFolder(), "/", entry->link()));
  if (!finding.ok()) return std::nullopt;
  return KnownFinding{std::string(name), *std::move(finding),
                      std::string(absl::StripSuffix(entry->reason(), "."))};
}

}  // namespace hlocts::tools
