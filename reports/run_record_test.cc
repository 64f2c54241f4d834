// SPDX-License-Identifier: Apache-2.0
#include "reports/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "spec/base/status_testing.h"

namespace hlocts::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Verdict Of(const std::string& address, Outcome kind = Outcome::kPass) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.case_address = address;
  verdict.backend = "engine";
  verdict.expected = kind == Outcome::kPass;
  verdict.reason = "because <of> it";
  return verdict;
}

LoadedRun Shard(int index, std::vector<Verdict> verdicts) {
  LoadedRun run;
  run.folder = "shard" + std::to_string(index);
  run.record.backends = {"engine"};
  run.record.tier = "smoke";
  run.record.shard_index = index;
  run.record.shard_count = 2;
  run.record.started = run.record.finished = "2026-01-31T12:00:00Z";
  run.record.selection = {"a/b:1", "a/b:2", "a/b:3"};
  run.verdicts = std::move(verdicts);
  return run;
}

TEST(RunRecord, AllShardsTogetherAreComplete) {
  MergedRun merged = MergeRuns({Shard(1, {Of("a/b:1")}), Shard(2, {Of("a/b:2"), Of("a/b:3")})});
  EXPECT_THAT(merged.problems, IsEmpty());
  EXPECT_EQ(merged.verdicts.size(), 3u);
}

TEST(RunRecord, WhatIsMissingTwiceOrForeignIsNamed) {
  EXPECT_THAT(MergeRuns({Shard(1, {Of("a/b:1")})}).problems,
              ElementsAre("shard 2 of 2 is missing", HasSubstr("2 cases missing:\n  a/b:2")));
  EXPECT_THAT(
      MergeRuns({Shard(1, {Of("a/b:1"), Of("a/b:2")}), Shard(2, {Of("a/b:2"), Of("a/b:3")})})
          .problems,
      ElementsAre(HasSubstr("1 case twice:\n  a/b:2")));
  EXPECT_THAT(
      MergeRuns({Shard(1, {Of("a/b:1"), Of("a/b:2")}), Shard(2, {Of("a/b:3"), Of("a/c:1")})})
          .problems,
      ElementsAre(HasSubstr("1 case not selected:\n  a/c:1")));
  LoadedRun cut = Shard(2, {Of("a/b:2"), Of("a/b:3")});
  cut.record.finished = "";
  EXPECT_THAT(MergeRuns({Shard(1, {Of("a/b:1")}), cut}).problems,
              ElementsAre("shard2 is unfinished"));
  LoadedRun other = Shard(2, {Of("a/b:2"), Of("a/b:3")});
  other.record.profile = "strict";
  EXPECT_THAT(MergeRuns({Shard(1, {Of("a/b:1")}), other}).problems,
              ElementsAre(HasSubstr("belongs to another run")));
}

TEST(RunRecord, IsReadBackAsWritten) {
  const std::string folder = ::testing::TempDir() + "/run_record_test";
  std::filesystem::create_directories(folder);
  LoadedRun run = Shard(1, {Of("a/b:1"), Of("a/b:2", Outcome::kFail)});
  run.verdicts[0].effective_bits_median = 23;
  run.verdicts[0].effective_quarters[24].resize(kEffectiveQuarters);
  run.verdicts[0].effective_quarters[24][92] = 5;
  run.verdicts[0].freedoms = {"order"};
  run.verdicts[1].first_failure = VerdictFailure{0, {2}, "4", "0x4", "{3}", "exact", "b.4", "r"};
  ASSERT_TRUE(WriteRunRecord(run.record, folder).ok());
  std::ofstream out(folder + "/verdicts.jsonl");
  for (const Verdict& verdict : run.verdicts) out << VerdictToRecord(verdict) << "\n";
  out << "{\"verdict\":\"pa";  // killed while writing
  out.close();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, LoadRun(folder));
  EXPECT_EQ(read.record.selection, run.record.selection);
  ASSERT_EQ(read.verdicts.size(), 2u);
  for (int i : {0, 1})
    EXPECT_EQ(VerdictToRecord(read.verdicts[i]), VerdictToRecord(run.verdicts[i]));
  std::ofstream(folder + "/verdicts.jsonl") << "nonsense\n"
                                            << VerdictToRecord(run.verdicts[0]) << "\n";
  EXPECT_THAT(std::string(LoadRun(folder).status().message()), HasSubstr("line 1"));
}

TEST(RunRecord, ChangesAgainstABaseline) {
  std::vector<Verdict> before = {Of("1"), Of("2", Outcome::kFail), Of("3", Outcome::kFail)};
  std::vector<Verdict> now = {Of("1", Outcome::kCrash), Of("2"), Of("3", Outcome::kTimeout),
                              Of("4")};
  RunChanges changes = CompareRuns(before, now);
  EXPECT_THAT(changes.worse, ElementsAre("1 on engine: crash, was pass"));
  EXPECT_THAT(changes.better, ElementsAre("2 on engine: pass, was fail"));
  EXPECT_THAT(changes.other, ElementsAre("3 on engine: timeout, was fail"));
}

}  // namespace
}  // namespace hlocts::reports
