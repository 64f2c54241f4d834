// SPDX-License-Identifier: Apache-2.0
#include "backends/engine_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "backends/backend_list.h"
#include "backends/installed_backend.h"
#include "spec/targets/targets.h"

namespace hlocts::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kEntry[] = R"(engine {
  name: "toy@1" package: "toy" version: "1" wheel_mb: 1 disk_mb: 1 reach: PJRT library: "toy.so"
  sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
})";

std::string With(const std::string& before, const std::string& after) {
  std::string text = kEntry;
  text.replace(text.find(before), before.size(), after);
  return text;
}

std::string Complaint(const std::string& text) {
  return std::string(ParseEngineList(text, "list").status().message());
}

TEST(EngineListTest, EveryEntryIsWellFormed) {
  auto list = LoadEngineList();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_GE(list->engine_size(), 4);
  std::set<std::string> hashes;
  for (const engines::Engine& engine : list->engine()) {
    if (!engine.sha256().empty()) {
      EXPECT_TRUE(hashes.insert(engine.sha256()).second) << engine.name() << ": a hash twice";
    }
    EXPECT_TRUE(FactsOfWords(engine.target()).ok()) << engine.name();
    auto name = ParseBackendName(engine.name());
    ASSERT_TRUE(name.ok()) << name.status();
    EXPECT_EQ(name->name, engine.name());
  }
}

TEST(EngineListTest, NamesBeginWithTheNewestThatRunsHere) {
  const std::string later = With("toy@1", "toy@2\" date: \"2026-09") + With("toy@1", "toy@3");
  const std::string python =
      With("PJRT library: \"toy.so\"", "PYTHON worker: \"w.py\" python: \"0.1\" date: \"2026-10\"");
  auto list = ParseEngineList(absl::StrCat(python, later), "list");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(EngineNames(*list), ::testing::ElementsAre("toy@2", "toy@3", "toy@1"));
}

TEST(EngineListTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(Complaint(kEntry), "");
  EXPECT_THAT(Complaint(With("0123456789abcdef\"", "0123456789abcde\"")), HasSubstr("64 hex"));
  EXPECT_THAT(Complaint(With("0123456789abcdef\"", "0123456789abcdeG\"")), HasSubstr("64 hex"));
  EXPECT_THAT(Complaint(With("toy@1", "../toy")), HasSubstr("name: expected"));
  EXPECT_THAT(Complaint(With("library: \"toy.so\"", "")), HasSubstr("library: expected"));
  EXPECT_THAT(Complaint(With("wheel_mb: 1", "wheel_mb: 0")), HasSubstr("sizes above 0"));
  EXPECT_THAT(Complaint(std::string(kEntry) + kEntry), HasSubstr("expected one entry, found two"));
  EXPECT_THAT(
      Complaint(absl::StrCat(kEntry, With("name: \"toy@1\"", "name: \"b\" alias: \"toy@1\""))),
      HasSubstr("found two of toy@1"));
  EXPECT_THAT(Complaint("engine { nam: 1 }"), HasSubstr("list:1:"));
}

TEST(EngineListTest, ALibraryByItsPathGetsTheVariablesOfItsReleases) {
  SetVariablesOf("/somewhere/libtpu.so");
  EXPECT_STREQ(std::getenv("TPU_LOG_DIR"), "disabled");
}

TEST(EngineListTest, XlaIsTheNewestPluginOfXla) {
  auto list = LoadEngineList();
  ASSERT_TRUE(list.ok());
  const engines::Engine* xla = FindEngine(*list, "xla");
  ASSERT_NE(xla, nullptr);
  for (const engines::Engine& engine : list->engine()) {
    if (engine.reach() == engines::PJRT && engine.family() == xla->family()) {
      EXPECT_FALSE(IsLater(engine, *xla)) << engine.name();
    }
  }
}

// ci/fetch-xla, which a build runs, and the entry of the list must pin the same wheel.
TEST(EngineListTest, TheBuildsXlaIsTheOneThatIsFetched) {
  std::ifstream in(HLOCTS_SOURCE_DIR "/ci/fetch-xla");
  std::stringstream script;
  script << in.rdbuf();
  auto list = LoadEngineList();
  ASSERT_TRUE(list.ok());
  const engines::Engine* xla = FindEngine(*list, "xla@2026.03");
  ASSERT_NE(xla, nullptr);
  EXPECT_THAT(script.str(), HasSubstr("sha256=" + xla->sha256()));
  EXPECT_THAT(script.str(), HasSubstr("package=" + xla->package() + " version=" + xla->version()));
}

class InstalledTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cache_ = ::testing::TempDir() + "/hlocts_engine_list_test";
    std::filesystem::remove_all(cache_);
    setenv("HLOCTS_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override { unsetenv("HLOCTS_CACHE"); }
  std::string cache_;
};

TEST_F(InstalledTest, AStampOfAnotherEntryIsNoInstallation) {
  engines::Engine engine = ParseEngineList(kEntry, "list")->engine(0);
  EXPECT_FALSE(IsInstalled(engine));
  EXPECT_THAT(std::string(CheckUsable(engine).message()),
              HasSubstr("is not installed: hlocts engines install toy@1"));
  std::filesystem::create_directories(cache_ + "/engines/toy@1");
  std::ofstream(cache_ + "/engines/toy@1/.stamp") << EngineStamp(engine) << "\n";
  EXPECT_FALSE(IsInstalled(engine)) << "a stamp without its library";
  std::ofstream(absl::StrCat(cache_, "/engines/toy@1/", engine.library())) << "\x7f"
                                                                              "ELF";
  EXPECT_TRUE(IsInstalled(engine));
  EXPECT_TRUE(CheckUsable(engine).ok());
  engine.add_member("more/*");
  EXPECT_FALSE(IsInstalled(engine));
}

TEST_F(InstalledTest, AReleaseThatIsNotThereSaysHowToGetIt) {
  auto backend = MakeBackend("xla@2025.11?x=1");
  EXPECT_EQ(backend.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(backend.status().message(),
            "engine xla@2025.11 is not installed: hlocts engines install xla@2025.11"
            ", or set HLOCTS_CACHE to the cache that has it");
  EXPECT_THAT(std::string(MakeBackend("xla").status().message()),
              HasSubstr("engine xla@0.11.2 is not installed: hlocts engines install xla, or "));
  EXPECT_EQ(MakeBackend("xla@0.0").status().code(), absl::StatusCode::kNotFound);
}

TEST(LabelTest, ALabelStandsForAPath) {
  auto name = ParseBackendName("mine=pjrt:/lib/a=b.so?level=0");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name->label, "mine");
  EXPECT_EQ(name->name, "pjrt");
  EXPECT_EQ(name->argument, "/lib/a=b.so");
  EXPECT_EQ(RecordedName("mine=pjrt:/lib/a=b.so?level=0"), "mine?level=0");
  EXPECT_EQ(RecordedName("mine=exec:run --a?b"), "mine");
  EXPECT_EQ(RecordedName("xla?a=b"), "xla?a=b");
  EXPECT_EQ(RecordedName("exec:run --a=b"), "exec:run --a=b");
  EXPECT_EQ(RecordedName("pjrt:/a/b/mine.so?level=0"), "pjrt:mine.so?level=0");
  EXPECT_EQ(RecordedName("pjrt:../mine.so"), "pjrt:mine.so");
  EXPECT_EQ(RecordedName("exec:/a/python3 -B ./a/worker.py --out=/b/x"),
            "exec:python3 -B worker.py --out=x");
  EXPECT_EQ(RecordedName("mine=pjrt:/p.so?dump=/a/d"), "mine?dump=d");
  EXPECT_EQ(RedactedArgument("--backend=mine=pjrt:/p.so"), "--backend=mine");
  EXPECT_EQ(RedactedArgument("--out=/a/out"), "--out=out");
  EXPECT_EQ(EngineNameOf("xla@0.11.2?a=b"), "xla");
  EXPECT_EQ(ParseBackendName("xla?a=b")->label, "");
}

TEST(CompileOptionsTest, ThoseOfTheNameAndOfTheEntry) {
  EXPECT_EQ(CompileOptionsText("xla"), "xla_cpu_enable_fast_min_max=false");
  EXPECT_EQ(CompileOptionsText("this-jax"), CompileOptionsText("jax"));
  EXPECT_EQ(CompileOptionsText("xla?xla_cpu_enable_fast_min_max=true&partitioner=shardy"),
            "xla_cpu_enable_fast_min_max=true");
  EXPECT_EQ(CompileOptionsText("mine?a=1&client.b=2&c=d&facts=x"), "a=1, c=d");
  EXPECT_THAT(CompileOptionsOf("pjrt:p.so"), IsEmpty());
  EXPECT_EQ(OptionsInEffect("tpu?facts=x").front().first, "topology");
}

TEST(ForeignTest, ReleasesPluginsAndProgramsAreNotOurs) {
  for (const char* name : {"xla", "hlo-evaluator", "litert", "xla@0.11.2?a=b", "pjrt:/p.so",
                           "exec:run", "mine=exec:run"})
    EXPECT_TRUE(IsThirdParty(name)) << name;
  for (const char* name : {"cpu", "cpu?isolation=none", "cuda-host", "reference"})
    EXPECT_FALSE(IsThirdParty(name)) << name;
}

TEST(ForeignTest, OnlyHarmlessOptionsOfAnEngineNeedNoConsent) {
  for (const char* name :
       {"xla", "xla?partitioner=shardy&isolation=none", "xla?xla_cpu_enable_fast_min_max=true",
        "iree@3.13.0?target=vmvx", "xla_gpu?client.preallocate=false&facts=xla_gpu",
        "tpu?topology=v5e:2x2", "canary:dot.drops-nan", "cpu?threads=2&disable=all"})
    EXPECT_FALSE(MayRunUserCode(name)) << name;
  for (const char* name :
       {"exec:run", "pjrt:p.so", "x=exec:run", "rewriter:exec:run", "xla?xla_dump_to=owned",
        "xla?xla_cpu_enable_fast_min_max=owned", "iree@3.13.0?iree-hal-dump=owned",
        "xla?topology=../owned", "cpu?threads=2&mine=owned"})
    EXPECT_TRUE(MayRunUserCode(name)) << name;
}

TEST(LabelTest, ALabelTakesNoEnginesPlace) {
  EXPECT_FALSE(ParseBackendName("xla=pjrt:/p.so").ok());
  EXPECT_FALSE(ParseBackendName("exec=pjrt:/p.so").ok());
  EXPECT_FALSE(ParseBackendName("xla@0.11.2=pjrt:/p.so").ok());
  EXPECT_FALSE(ParseBackendName("a/b=pjrt:/p.so").ok());
}

TEST(LabelTest, NoPathInWhatAnEngineSaysOfItself) {
  auto backend = MakeBackend("mine=exec:/bin/false /some/path");
  ASSERT_TRUE(backend.ok());
  EXPECT_EQ((*backend)->info().name, "mine");
  EXPECT_THAT((*backend)->info().error.Text(), Not(HasSubstr("/some/path")));
}

}  // namespace
}  // namespace hlocts::backends
