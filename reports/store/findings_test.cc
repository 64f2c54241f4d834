// SPDX-License-Identifier: Apache-2.0
#include "reports/store/findings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "reports/store/run_store.h"
#include "reports/verdict.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;

// Tests results recorded by `blame` and `history --keep`; results of a nightly run override them.
TEST(FindingsTest, FindingHasPassAndReleases) {
  const std::string root = ::testing::TempDir() + "/store_findings";
  fs::remove_all(root);
  auto Path = [&](const std::string& name) { return root + "/" + name; };
  const std::string folder = Path("findings/log-of-exp");
  for (const std::string& made : {folder, Path("night")}) fs::create_directories(made);
  ASSERT_TRUE(WriteFile(folder + "/finding.textproto",
                        "title: \"log(exp(x)) is x\"\nclause: \"elementwise_unary.18\"\n"
                        "where: \"algsimp, confirmed\"\n")
                  .ok());
  ASSERT_TRUE(WriteFile(folder + "/module.hlo", "HloModule m\n").ok());
  ASSERT_TRUE(
      WriteFile(
          folder + "/history.json",
          R"({"releases":[{"name":"xla@1","mark":"X","verdict":"fail"},)"
          R"({"name":"xla@2","mark":"o","verdict":"pass"},{"name":"xla@3","mark":"?","verdict":"pass"},)"
          R"({"name":"xla@4","mark":"/","verdict":"unsupported"},{"name":"xla@5","mark":"-","verdict":""}]})")
          .ok());
  Verdict verdict;
  verdict.kind = Outcome::kCrash;
  verdict.module = folder;
  verdict.backend = "xla@2";
  const std::string record = VerdictToJson(verdict);
  ASSERT_TRUE(WriteFile(Path("night/history.jsonl"), record + "\n").ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto store, RunStore::OpenToWrite(Path("s.db")));
  for (const std::string& one : {Path("night"), folder})
    ASSERT_TRUE(store->Import({one}, {.night = "2026-11-24"}).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto loaded, store->Load(10));
  History& history = loaded;
  const Finding& finding = history.findings["log-of-exp"];
  EXPECT_EQ(finding.title, "log(exp(x)) is x");
  EXPECT_EQ(finding.clause, "elementwise_unary.18");
  EXPECT_EQ(finding.failing_phase, "algsimp, confirmed");
  EXPECT_EQ(finding.module, "HloModule m\n");
  const auto& marks = history.nights.back().findings["log-of-exp"];
  EXPECT_EQ(marks, (std::map<std::string, char>{{"xla@1", 'f'}, {"xla@2", 'c'}, {"xla@4", 'u'}}));
}

// A run names a finding of the program by a path relative to its own directory.
TEST(FindingsTest, AFindingOfTheProgramIsReadFromEveryDirectory) {
  const std::string root = ::testing::TempDir() + "/store_elsewhere";
  fs::remove_all(root);
  fs::create_directories(root + "/night");
  Verdict verdict;
  verdict.kind = Outcome::kFail;
  verdict.module = "results/findings/xla-power-of-integers";
  verdict.backend = "xla@2";
  ASSERT_TRUE(WriteFile(root + "/night/history.jsonl", VerdictToJson(verdict) + "\n").ok());
  const fs::path before = fs::current_path();
  fs::current_path(root);
  auto store = RunStore::OpenToWrite("s.db");
  const auto imported = (*store)->Import({"night"}, {.night = "2026-11-24"});
  fs::current_path(before);
  ASSERT_TRUE(imported.ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(History history, (*store)->Load(10));
  EXPECT_NE(history.findings["xla-power-of-integers"].title, "");
  EXPECT_NE(history.findings["xla-power-of-integers"].module, "");
}

}  // namespace
}  // namespace hlocts::reports
