// SPDX-License-Identifier: Apache-2.0
// Tests results of campaigns and measurements in the store.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "reports/run_record.h"
#include "reports/store/findings.h"
#include "reports/store/run_store.h"
#include "reports/verdict.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;

TEST(StoredFiguresTest, CampaignIdentityIncludesEngine) {
  const std::string folder = ::testing::TempDir() + "/stored_figures/";
  fs::remove_all(folder);
  for (const char* engine : {"a", "b"}) {
    fs::create_directories(folder + engine + "/findings/1");
    ASSERT_TRUE(WriteFile(folder + engine + "/state.json",
                          absl::StrCat(R"({"seed":7,"recipe":"all","next":100,"done":[102],)",
                                       R"("backends":[")", engine, R"("]})"))
                    .ok());
    ASSERT_TRUE(WriteFile(folder + engine + "/findings.jsonl",
                          absl::StrCat(R"({"backend":")", engine,
                                       R"(","bucket":"fail dot","origin":"generated:7:1",)",
                                       R"("folder":"elsewhere/1"})", "\n"))
                    .ok());
    ASSERT_TRUE(WriteFile(folder + engine + "/findings/1/module.hlo", "HloModule small\n").ok());
  }
  auto store = RunStore::OpenToWrite(folder + "s.db");
  ASSERT_TRUE((*store)->Import({folder + "a", folder + "b"}, {.night = "1"}).ok());
  ASSERT_TRUE((*store)->Import({folder + "b"}, {.night = "1"}).ok()) << "again is not once more";
  History history = *(*store)->Load(1);
  EXPECT_EQ(history.nights[0].campaign_modules, 202);
  ASSERT_EQ(history.buckets.size(), 2u);
  EXPECT_EQ(history.buckets[1].engine, "b");
  EXPECT_EQ(history.buckets[1].origin, "generated:7:1");
  EXPECT_EQ(history.buckets[1].module, "HloModule small\n");
}

// A failure that was stored unshrunk is listed twice: the later line says what became of it.
TEST(StoredFiguresTest, AFailureThatBecameKnownIsNoFinding) {
  const std::string folder = ::testing::TempDir() + "/lasting/";
  fs::create_directories(folder);
  const auto line = [](int module, const char* rest) {
    return absl::StrCat(R"({"backend":"a","bucket":"b","signature":"s","met_as":"s","module":)",
                        module, rest, "}\n");
  };
  const auto lasting = [&](const std::string& lines) {
    EXPECT_TRUE(WriteFile(folder + "findings.jsonl", lines).ok());
    return LastingFindings(folder + "findings.jsonl")->size();
  };
  const std::string waits = line(9, R"(,"to_shrink":9)");
  EXPECT_EQ(lasting(waits), 1u);
  EXPECT_EQ(lasting(waits + line(9, R"(,"known":true)")), 0u);
  EXPECT_EQ(lasting(waits + line(9, R"(,"cut":true)")), 0u);
  EXPECT_EQ(lasting(waits + line(9, R"(,"instructions":2)")), 1u);
  EXPECT_EQ(lasting(waits + line(8, R"(,"known":true)")), 1u) << "another module";
}

TEST(StoredFiguresTest, WorstUlpsAreComparedWithThoseOfACompleteRun) {
  const std::string folder = ::testing::TempDir() + "/stored_ulps/";
  fs::remove_all(folder);
  for (const char* day : {"2026-11-22", "2026-11-23", "2026-11-24"}) {
    RunRecord record;
    record.backends = {"xla"};
    record.started = record.finished = absl::StrCat(day, "T01:00:00Z");
    record.selection = {"a/tanh:1", "a/tanh:2"};
    std::string lines;
    for (const std::string& address : record.selection) {
      if (day[9] == '3' && address == "a/tanh:1") continue;  // the run was cut
      Verdict verdict;
      verdict.kind = Outcome::kPass;
      verdict.expected = true;
      verdict.backend = "xla";
      verdict.case_address = address;
      const double ulps = address == "a/tanh:1" ? 2.25 : 0.5;
      verdict.worst_ulps = {{"tanh", "f32", ulps, address, "0.46", "ulp(7)", 10}};
      absl::StrAppend(&lines, VerdictToRecord(verdict), "\n");
    }
    fs::create_directories(folder + day);
    ASSERT_TRUE(WriteRunRecord(record, folder + day).ok());
    ASSERT_TRUE(WriteFile(folder + day + "/verdicts.jsonl", lines).ok());
    auto store = RunStore::OpenToWrite(folder + "s.db");
    ASSERT_TRUE((*store)->Import({folder + day}, {.incomplete = true}).ok());
  }
  History history = *(*RunStore::OpenToRead(folder + "s.db"))->Load(10);
  ASSERT_EQ(history.ulps.size(), 3u) << "one a night, engine, function and type";
  EXPECT_EQ(history.ulps[1].worst.ulps, 0.5);
  EXPECT_TRUE(NewestChanges(history).less_precise.empty()) << "compared with the complete run";
  EXPECT_EQ(history.ulps[2].night, "2026-11-24");
  EXPECT_EQ(history.ulps[2].engine, "xla");
  EXPECT_EQ(history.ulps[2].worst.ulps, 2.25);
  EXPECT_EQ(history.ulps[2].worst.argument, "a/tanh:1");
  EXPECT_EQ(history.ulps[2].worst.rule, "ulp(7)");
  EXPECT_EQ(history.ulps[2].worst.elements, 20);
}

}  // namespace
}  // namespace hlocts::reports
