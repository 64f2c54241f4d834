// SPDX-License-Identifier: Apache-2.0
// Tests results/findings: each finding has an expectation by which later campaigns recognise it,
// and the files to which expectations link exist. tools/certify/pages_test.py tests fields and
// pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "fuzz/triage/bundle.h"
#include "fuzz/triage/failure_signature.h"
#include "fuzz/triage/failure_traits.h"
#include "reports/finding_file.h"
#include "reports/verdict.h"
#include "spec/base/status.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/text/parser.h"
#include "suites/expectations.h"
#include "suites/expectations.pb.h"
#include "tools/cli/known_finding.h"

namespace hlocts::tools {
namespace {

using ::testing::HasSubstr;

const char kFindingsDirectory[] = HLOCTS_SOURCE_DIR "/results/findings";
const char kExpectations[] = HLOCTS_SOURCE_DIR "/suites/expectations";

std::vector<std::string> Folders() {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kFindingsDirectory))
    if (entry.is_directory()) folders.push_back(entry.path().filename());
  return folders;
}

absl::StatusOr<reports::Verdict> RecordOf(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(std::string text, reports::RecordedVerdict(folder));
  return reports::VerdictFromJson(text);
}

TEST(FindingsTest, EachIsKnownToTheNextCampaign) {
  for (const std::string& name : Folders()) {
    std::string folder = absl::StrCat(kFindingsDirectory, "/", name);
    auto verdict = RecordOf(folder);
    ASSERT_TRUE(verdict.ok()) << name << ": " << verdict.status();
    if (!IsFailure(verdict->kind)) continue;  // wrong NaN bits: no campaign reports them
    HLOCTS_ASSERT_OK_AND_ASSIGN(
        auto known,
        suites::ExpectationList::Load(absl::StrCat(
            kExpectations, "/", backends::EngineNameOf(verdict->backend), ".textproto")));
    HLOCTS_ASSERT_OK_AND_ASSIGN(fuzz::Bundle bundle, fuzz::ReadBundle(folder));
    std::string signature = fuzz::SignatureOf(*verdict, *bundle.sample.module);
    const fuzz::FailureTraits remains = fuzz::FailureTraitsOf(bundle.sample, {*verdict});
    EXPECT_TRUE(known.Explaining(signature, *verdict, &remains.needs)) << name << ": " << signature;
  }
}

// A rewriter of a jaxlib is its conversion to StableHLO and back. It gets no invalid module.
TEST(FindingsTest, ThoseOfAConversionAreKnownForItsRewriter) {
  const std::string list = absl::StrCat(kExpectations, "/rewriter.textproto");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto known, suites::ExpectationList::Load(list));
  int count = 0;
  for (const std::string& name : Folders()) {
    const std::string folder = absl::StrCat(kFindingsDirectory, "/", name);
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto finding, reports::ReadFindingFile(folder));
    if (!absl::StartsWith(finding.where(), "conversion of ") ||
        !absl::StartsWith(finding.engine(), "jaxlib ") || finding.met_by() == "an invalid module")
      continue;
    ++count;
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto verdict, RecordOf(folder));
    HLOCTS_ASSERT_OK_AND_ASSIGN(fuzz::Bundle bundle, fuzz::ReadBundle(folder));
    verdict.backend = "rewriter:" + verdict.backend;
    verdict.backend_version = "jaxlib@0.12.0.1 of jaxlib 0.12.0.1";
    const auto* entry =
        known.Explaining(fuzz::SignatureOf(verdict, *bundle.sample.module), verdict, nullptr);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->link(), "results/findings/" + name);
  }
  EXPECT_GT(count, 0);
}

// One rewrite gives wrong values of several classes and types, in every release that has it.
TEST(FindingsTest, OtherWrongValuesOfOneDefectAreKnown) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto verdict, RecordOf(absl::StrCat(kFindingsDirectory, "/xla-scatter-with-a-narrow-index")));
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto known, suites::ExpectationList::Load(absl::StrCat(kExpectations, "/xla.textproto")));
  for (const char* signature :
       {"fail scatter(batched)(s8) f32 value", "fail scatter(batched)(u8) s32 value",
        "fail divide(together) f32 value", "fail divide(together) f64 zero",
        "fail log,power(together) f64 value"}) {
    EXPECT_NE(known.Explaining(signature, verdict, nullptr), nullptr) << signature;
  }
}

// JAX makes a call of each function that it jits, such as jnp.pad.
TEST(FindingsTest, AFailureHasTheFindingOfAnEntryOrSaysThatThereIsNoEntry) {
  const std::string name = "xla-padded-element-and-a-padded-window";
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto verdict, RecordOf(absl::StrCat(kFindingsDirectory, "/", name)));
  verdict.backend = "jaxlib@0.11.0";
  const auto known = [&] {
    return KnownFindingOf(verdict, {*ParseModule(R"(HloModule m
      sum { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
      padded { a = s32[1,1] parameter(0)  z = s32[] constant(0)
               ROOT r = s32[1,5] pad(a, z), padding=0_0x2_2 }
      ENTRY main { p = s32[1,1] parameter(0)  z = s32[] constant(0)
                   q = s32[1,5] call(p), to_apply=padded
                   ROOT y = s32[1,5] reduce-window(q, z), window={size=1x3 pad=0_0x1_1}, to_apply=sum })"),
                                    {}});
  };
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->name, name);
  EXPECT_THAT(known()->ToText(), HasSubstr("; its example fails from "));
  verdict.localisation.instructions = {"q"};
  ASSERT_TRUE(known());
  EXPECT_EQ(
      known()->ToLine(),
      "    known:    no entry for the whole module; a smaller one (hlocts shrink) may have one");
  EXPECT_EQ(KnownFinding{.is_minimal = true}.ToText(), "no entry");
  KnownFinding between{.name = "f"};
  between.finding.set_first_bad("a");
  between.finding.set_came_and_went(true);
  EXPECT_THAT(between.ToText(), HasSubstr(", not in all releases between"));
  verdict.backend = "mine";
  EXPECT_FALSE(known()) << "this engine has no list";
}

// An entry with wildcards matches operations that are wrong only together, whose cause is another.
TEST(FindingsTest, AFailureOfSeveralOperationsHasNoEntryOfOne) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto verdict,
                              RecordOf(absl::StrCat(kFindingsDirectory, "/xla-power-of-integers")));
  const auto known = [&](const std::vector<std::string>& blamed) {
    verdict.localisation.kind = blamed.size() == 1 ? reports::Localisation::Kind::kAlone
                                                   : reports::Localisation::Kind::kTogether;
    verdict.localisation.instructions = blamed;
    return KnownFindingOf(verdict, {*ParseModule(R"(HloModule m
      ENTRY main { a = s32[2] parameter(0)  b = s32[2] parameter(1)
                   p = s32[2] power(a, b)  ROOT q = s32[2] divide(a, p) })"),
                                    {}});
  };
  ASSERT_TRUE(known({"p"}));
  EXPECT_EQ(known({"p"})->name, "xla-power-of-integers");
  ASSERT_TRUE(known({"p", "q"}));
  EXPECT_FALSE(known({"p", "q"})->HasEntry()) << known({"p", "q"})->ToText();
  // The entry of a case needs no signature, and may name no finding.
  verdict.case_address = "reduction/map:partial_dimensions";
  verdict.kind = Outcome::kAccepted;
  ASSERT_TRUE(known({}));
  EXPECT_EQ(known({})->name, "");
  EXPECT_THAT(known({})->ToText(), HasSubstr("; a question, because the documents allow"));
}

// A failing piece of a module that passes as a whole is no evidence for people outside the project.
TEST(FindingsTest, EachFailsByItsOwnOutputs) {
  for (const std::string& name : Folders()) {
    auto verdict = RecordOf(absl::StrCat(kFindingsDirectory, "/", name));
    ASSERT_TRUE(verdict.ok()) << name << ": " << verdict.status();
    if (verdict->kind != Outcome::kFail) continue;
    EXPECT_TRUE(verdict->first_failure.has_value()) << name << ": " << verdict->reason;
  }
}

// If the page of a finding asks a question, no expectation may call the finding a defect.
TEST(FindingsTest, QuestionsAreNoDefects) {
  ASSERT_FALSE(Folders().empty());
  for (const std::string& name : Folders()) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(
        auto finding, reports::ReadFindingFile(absl::StrCat(kFindingsDirectory, "/", name)));
    if (!finding.question()) continue;
    const std::string link = absl::StrCat("link: \"results/findings/", name, "\"");
    for (const auto& file : std::filesystem::directory_iterator(kExpectations)) {
      for (absl::string_view entry : absl::StrSplit(*ReadFile(file.path()), "\n}\n")) {
        const bool defect = absl::StrContains(entry, link) && absl::StrContains(entry, "kind: BUG");
        EXPECT_FALSE(defect) << entry;
      }
    }
  }
}

TEST(FindingsTest, WhatExpectationsLeadToIsThere) {
  for (const auto& entry : std::filesystem::directory_iterator(kExpectations)) {
    std::string text = *ReadFile(entry.path());
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      std::vector<std::string> words = absl::StrSplit(line, '"');
      if (words[0] != "  link: " || !absl::StartsWith(words[1], "results/")) continue;
      EXPECT_TRUE(std::filesystem::exists(absl::StrCat(HLOCTS_SOURCE_DIR, "/", words[1])))
          << words[1];
    }
  }
}

}  // namespace
}  // namespace hlocts::tools
