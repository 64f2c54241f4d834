// SPDX-License-Identifier: Apache-2.0
// Tests which claims are intact and conformant, and the reasons for the others (CONFORMANCE.md).
#include "suites/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "suites/conformance.h"
#include "suites/run_folder.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ClaimTest : public FolderTest {
 protected:
  const std::string folder = Path("claim");
};

TEST_F(ClaimTest, DetectsModifiedClaim) {
  // Cases that the suite declares inconclusive need no expectations.
  Ran made =
      RunHlocts("run movement/rev random/rng_uniform --backend=reference --claim --out=" + folder);
  EXPECT_EQ(made.status, 0) << made.out;
  EXPECT_THAT(made.out, HasSubstr("a part of a tier has no conformance level"));
  EXPECT_THAT(made.out,
              HasSubstr("exit status 0, as all is as expected, but NOT conformant: only"));
  EXPECT_THAT(Read("claim/claim.json"), HasSubstr("\"movement/rev\",\n  \"random/rng_uniform\""))
      << "a query is no path";
  Ran part = RunHlocts("verify-claim " + folder);
  EXPECT_EQ(part.status, 1) << "two operations are no level";
  EXPECT_THAT(part.out, HasSubstr("1 inconclusive"));
  EXPECT_THAT(part.out, HasSubstr("NOT conformant: only movement/rev random/rng_uniform was run"));
  EXPECT_THAT(part.out, HasSubstr("the package is intact"));
  std::filesystem::create_directories(Path("home/suites/cases"));
  std::filesystem::create_directory_symlink(HLOCTS_SOURCE_DIR "/spec", Path("home/spec"));
  Ran other = RunHlocts("verify-claim " + folder, "HLOCTS_HOME=" + Path("home"));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.out, AllOf(HasSubstr("your suite's directory suites/cases"),
                               HasSubstr("the "
                                         "package is not checked"),
                               Not(HasSubstr("NOT what was claimed"))));
  const std::string verdicts = Read("claim/verdicts.jsonl");
  std::ofstream(folder + "/verdicts.jsonl") << absl::StrReplaceAll(
      verdicts, {{"a draw from an empty interval", "a draw from an empty Interval"}});
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("the case does not declare"));
  std::ofstream(folder + "/verdicts.jsonl")
      << absl::StrReplaceAll(verdicts, {{"\"expected\":true", "\"expected\":false"}});
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("says \"not as expected\""));
  std::ofstream(folder + "/verdicts.jsonl") << verdicts.substr(verdicts.find('\n') + 1);
  Ran tampered = RunHlocts("verify-claim " + folder);
  EXPECT_EQ(tampered.status, 2) << "1 is an intact package that is not conformant";
  Ran json = RunHlocts("verify-claim --json " + folder);
  EXPECT_THAT(json.out, HasSubstr("\"holds\":false,\"conformant\":false"));
  for (const char* problem : {"file verdicts.jsonl differs from the claim", "1 case missing",
                              "counts", "NOT what was claimed"}) {
    EXPECT_THAT(tampered.out, HasSubstr(problem));
  }
  EXPECT_EQ(RunHlocts("verify-claim " + folder + "-none").status, 2);
  for (const char* file : {"/claim.json", "/SHA256SUMS"}) std::filesystem::remove(folder + file);
  const std::string run = Read("claim/run.json");
  std::ofstream(folder + "/run.json") << absl::StrReplaceAll(run, {{"\"finished\"", "\"other\""}});
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("the run is not finished"));
}

// Changes one byte in each file of the directory, and removes one file.
TEST_F(ClaimTest, OneChangedByteIsNoticed) {
  RunHlocts("run movement/rev --backend=reference --claim --out=" + folder);
  ASSERT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("the package is intact"));
  const auto is_noticed = [&](const std::string& path, size_t at) {
    const std::string text = TextOf(path);
    std::string changed = text;
    changed[at] ^= 1;
    std::ofstream(path) << changed;
    const Ran ran = RunHlocts("verify-claim " + folder);
    std::ofstream(path) << text;
    return ran.status == 2 && absl::StrContains(ran.out, "NOT what was claimed");
  };
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.file_size() == 0) continue;
    EXPECT_TRUE(is_noticed(entry.path(), entry.file_size() / 2)) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 6);
  std::filesystem::rename(folder + "/selection.txt", folder + ".selection");
  const Ran missing = RunHlocts("verify-claim " + folder);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.out, HasSubstr("file selection.txt is missing"));
  std::filesystem::rename(folder + ".selection", folder + "/selection.txt");
  const std::string more = folder + "/expectations/more.textproto";
  std::ofstream(more) << "\n";
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out,
              HasSubstr("expectations/more.textproto is not listed"));
  std::filesystem::remove(more);
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("the package is intact"));
}

// A new claim keeps no signature of an earlier one, and never deletes the list of the user.
TEST_F(ClaimTest, ANewClaimKeepsTheUsersListAndNoSignature) {
  const std::string claim = "run movement/rev --backend=reference --claim --out=" + folder;
  EXPECT_EQ(RunHlocts(claim + " --expectations=/dev/null").status, 0);
  std::ofstream(folder + "/SHA256SUMS.asc") << "a signature";
  const std::string list = folder + "/expectations/reference.textproto";
  ASSERT_TRUE(std::filesystem::exists(list));
  const Ran refused = RunHlocts(absl::StrCat(claim, " --expectations=", list));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.out, HasSubstr("expected a list outside of"));
  EXPECT_TRUE(std::filesystem::exists(list));
  EXPECT_EQ(RunHlocts(claim).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder + "/SHA256SUMS.asc"));
  EXPECT_EQ(RunHlocts("verify-claim " + folder).status, 1) << "intact, and not conformant";
}

TEST_F(ClaimTest, ABrokenRunIsOneSentence) {
  RunHlocts("run movement/rev --backend=reference --claim --out=" + folder);
  std::ofstream(folder + "/run.json") << "{\"backends\": 1}";
  const Ran ran = RunHlocts("verify-claim " + folder);
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("expected the fields of a run"));
  EXPECT_THAT(ran.out, Not(HasSubstr("json.exception")));
}

// SHA256SUMS must list each file once. A directory without claim.json and SHA256SUMS is no claim.
TEST_F(ClaimTest, AnIncompleteListIsNoticed) {
  RunHlocts("run movement/rev --backend=reference --claim --out=" + folder);
  const std::string path = folder + "/SHA256SUMS";
  const std::string sums = Read("claim/SHA256SUMS");
  const std::string first = sums.substr(0, sums.find('\n') + 1);
  const auto is_noticed = [&](const std::string& why) {
    const Ran ran = RunHlocts("verify-claim " + folder);
    EXPECT_EQ(ran.status, 2) << why << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("NOT what was claimed")) << why;
    EXPECT_THAT(ran.out, HasSubstr(why));
  };
  std::ofstream(path) << sums.substr(first.size());
  is_noticed("is not listed in SHA256SUMS");
  std::ofstream(path) << first << sums;
  is_noticed("is listed twice");
  std::ofstream(path) << sums << "\n";
  is_noticed("expected a line for each file");
  std::ofstream(path) << sums << "none\n";
  is_noticed("found \"none\"");
  std::filesystem::remove(path);
  is_noticed("SHA256SUMS");
  std::ofstream(path) << sums;
  std::ofstream(path + ".asc") << "a signature";
  EXPECT_THAT(RunHlocts("verify-claim " + folder).out, HasSubstr("the package is intact"));
  std::ofstream(folder + "/claim.json") << "{\"format\": \"2\"}";
  is_noticed("expected a claim of format 2");
  std::filesystem::remove(folder + "/claim.json");
  is_noticed("file claim.json is missing");
  std::filesystem::remove(path);
  EXPECT_EQ(RunHlocts("verify-claim " + folder).status, 2);
}

// A claim names the plugin with which the run started; a run has only one plugin per engine.
TEST_F(ClaimTest, APluginThatChangesHasNoClaim) {
  const std::string plugin = folder + ".so";
  RunHlocts("run movement/rev --backend=reference --out=" + folder);
  suites::ClaimOptions claim;
  claim.engines = {{"reference", "pjrt:" + plugin}};
  std::ofstream(plugin) << "one";
  EXPECT_THAT(suites::WriteClaim(claim, folder).message(), HasSubstr("changed during the run"))
      << "the run recorded no hash";
  auto record = reports::ReadRunRecord(folder);
  ASSERT_TRUE(record.ok()) << record.status();
  record->plugins = suites::PluginHashes(claim.engines);
  ASSERT_TRUE(reports::WriteRunRecord(*record, folder).ok());
  EXPECT_TRUE(suites::WriteClaim(claim, folder).ok());
  const auto resumed = [&] {
    return suites::RunFolder(folder, {}, *record, claim.engines)
        .Open(/*resume=*/true, [](const auto&) { return true; })
        .status();
  };
  record->started = "2999-01-01T00:00:00Z";
  EXPECT_TRUE(resumed().ok()) << resumed();
  EXPECT_LT(reports::ReadRunRecord(folder)->started, record->started) << "a run began once";
  std::ofstream(plugin) << "two";
  EXPECT_THAT(resumed().message(), HasSubstr("another file of reference"));
  EXPECT_THAT(suites::WriteClaim(claim, folder).message(), HasSubstr("changed during the run"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/claim.json"));
  std::filesystem::remove(plugin);
  EXPECT_THAT(suites::WriteClaim(claim, folder).message(), HasSubstr("cannot be read"));
}

// The records of a complete presubmit run of one engine on ten cases.
struct WholeRun {
  reports::RunRecord record;
  std::vector<reports::Verdict> verdicts;
  WholeRun() {
    record.backends = {"mine"};
    record.tier = "presubmit";
    record.profile = "default";
    record.finished = "2026-01-31T12:00:00Z";
    for (int i = 0; i < 10; ++i) {
      reports::Verdict verdict;
      verdict.kind = Outcome::kPass;
      verdict.backend = "mine";
      verdict.backend_version = "1.0";
      verdict.case_address = absl::StrCat("a/b:", i);
      verdict.expected = true;
      record.selection.push_back(verdict.case_address);
      verdicts.push_back(verdict);
    }
  }
  suites::Conformance Of() const { return suites::ConformanceOf(record, verdicts)[0]; }
};

TEST(ConformanceTest, AWholeRunWithoutFailuresHasItsTiersLevel) {
  WholeRun run;
  EXPECT_EQ(run.Of().level, 2);
  EXPECT_EQ(run.Of().ToText(),
            "mine 1.0: presubmit tier, default profile: 10 pass: conformant, level 2");
  EXPECT_THAT(run.Of().ToSvg(), HasSubstr("level 2"));
  WholeRun declared;
  declared.record.facts["mine"] = {"compare.flush"};
  EXPECT_THAT(declared.Of().ToText(), HasSubstr(": conformant, level 2, with the declared facts"));
  run.verdicts[0].kind = Outcome::kInconclusive;
  EXPECT_EQ(
      run.Of().ToText(),
      "mine 1.0: presubmit tier, default profile: 1 inconclusive, 9 pass: conformant, level 2")
      << "no known failure";
  run.verdicts[0].kind = Outcome::kUnsupported;
  EXPECT_EQ(run.Of().level, 2) << "one in ten";
  run.verdicts[1].kind = Outcome::kUnsupported;
  EXPECT_EQ(run.Of().level, 0);
  EXPECT_THAT(run.Of().ToText(), HasSubstr("fewer than 90% of the cases are supported"));
}

TEST(ConformanceTest, AKnownFailureIsAFailure) {
  WholeRun run;
  run.verdicts[3].kind = Outcome::kFail;
  EXPECT_EQ(run.Of().level, 0);
  EXPECT_EQ(run.Of().ToText(),
            "mine 1.0: presubmit tier, default profile: 1 fail, 9 pass, 1 of these is a known "
            "failure (listed in expectations/, or declared by its case): NOT conformant: 1 fail");
  EXPECT_THAT(run.Of().ToSvg(), HasSubstr("not conformant"));
}

TEST(ConformanceTest, AStatusThatDiffersFromTheClaimHasAReason) {
  WholeRun run;
  EXPECT_EQ(suites::WhyClaimDiffers(0, {run.Of()}), "");
  EXPECT_THAT(suites::WhyClaimDiffers(1, {run.Of()}),
              HasSubstr("exit status 1, but conformant: a level"));
  run.verdicts[3].kind = Outcome::kFail;
  EXPECT_EQ(suites::WhyClaimDiffers(1, {run.Of()}), "");
  EXPECT_THAT(suites::WhyClaimDiffers(0, {run.Of()}), HasSubstr("but NOT conformant: 1 fail\n"));
}

TEST(ConformanceTest, APartOfATierIsNoLevel) {
  WholeRun queried, cut, missing, relaxed;
  queried.record.queries = {"a/b"};
  cut.record.finished.clear();
  missing.verdicts.pop_back();
  relaxed.record.profile = "relaxed";
  for (const WholeRun* run : {&queried, &cut, &missing, &relaxed}) EXPECT_EQ(run->Of().level, 0);
}

}  // namespace
}  // namespace hlocts::tools
