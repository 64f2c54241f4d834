// SPDX-License-Identifier: Apache-2.0
#include "reports/store/run_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/nights/summary.h"
#include "reports/run_record.h"
#include "reports/store/schema.h"
#include "reports/verdict.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class RunStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(::testing::TempDir(), "/store_",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  // Writes a run on cases a/b:0, ... with these marks of one engine; 'l' omits the verdict.
  // Verdicts other than 'p' and 'u' are not expected ('P': an unexpected pass).
  std::string Run(const std::string& name, const std::string& started, const std::string& marks,
                  const std::string& reason = "because") {
    RunRecord record{.backends = {"engine"},
                     .tier = "smoke",
                     .profile = "default",
                     .started = started,
                     .finished = started,
                     .suite = "suite"};
    SetMachine(record);
    fs::create_directories(Path(name) + "/cases/a.b:1");
    std::ofstream out(Path(name) + "/verdicts.jsonl");
    for (size_t i = 0; i < marks.size(); ++i) {
      record.selection.push_back(absl::StrCat("a/b:", i));
      if (marks[i] == 'l') continue;
      Verdict verdict;
      for (Outcome kind : {Outcome::kPass, Outcome::kUnsupported, Outcome::kCrash, Outcome::kFail})
        if (OutcomeName(kind)[0] == WithoutExpectation(marks[i])) verdict.kind = kind;
      verdict.expected = marks[i] == 'p' || marks[i] == 'u';
      verdict.case_address = record.selection.back();
      verdict.backend = "engine";
      verdict.backend_version = "1.0";
      verdict.seed = 7;
      if (marks[i] != 'p') verdict.reason = reason;
      out << VerdictToRecord(verdict) << "\n";
    }
    EXPECT_TRUE(WriteRunRecord(record, Path(name)).ok());
    EXPECT_TRUE(WriteFile(Path(name) + "/cases/a.b:1/module.hlo", "HloModule m\n").ok());
    return Path(name);
  }
  absl::Status Import(const std::string& run, bool incomplete = false) {
    auto store = RunStore::OpenToWrite(Path("s.db"));
    if (!store.ok()) return store.status();
    return (*store)->Import({run}, {.incomplete = incomplete}).status();
  }
  History Load() {
    auto store = RunStore::OpenToRead(Path("s.db"));
    EXPECT_TRUE(store.ok()) << store.status();
    auto history = (*store)->Load(10);
    EXPECT_TRUE(history.ok()) << history.status();
    return *std::move(history);
  }
  // Returns the offset of a table's first page, after all pages are written to the file.
  int64_t Place(const std::string& table) {
    auto database = Database::Open(Path("s.db"), Database::Mode::kWrite);
    EXPECT_TRUE((*database)->Run("PRAGMA wal_checkpoint(TRUNCATE)").ok());
    return *(*database)->Integer("SELECT rootpage * 4096 - 4096 FROM sqlite_master WHERE name = '" +
                                 table + "'");
  }
  void Damage(std::streamoff place, const std::string& bytes) const {
    std::fstream file(Path("s.db"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(place);
    file << bytes;
  }
  std::string folder_;
};

TEST_F(RunStoreTest, RoundTrip) {
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", "ppfp")).ok());
  ASSERT_TRUE(Import(Run("two", "2026-11-23T01:00:00Z", "pfpp")).ok());
  ASSERT_TRUE(Import(Path("two")).ok()) << "a second time is no second run";
  History history = Load();
  ASSERT_EQ(history.nights.size(), 2u);
  EXPECT_EQ(history.nights[0].engines["engine"].marks, "ppFp");
  EXPECT_EQ(history.nights[1].engines["engine"].marks, "pFpp");
  EXPECT_EQ(history.nights[1].label, "2026-11-23");
  EXPECT_TRUE(history.earlier.empty());
  EXPECT_EQ((*RunStore::OpenToRead(Path("s.db")))->Load(1)->earlier["engine"].marks, "ppFp");
  EXPECT_EQ(history.nights[1].engines["engine"].version, "1.0");
  EXPECT_GT(history.nights[1].cores, 0);
  EXPECT_EQ(NightlySummaryLine(history, NewestChanges(history)),
            "1 new, 1 fixed, 0 changed, 0 flaky, 0 not run since 2026-11-22.");
  ASSERT_EQ(history.failures.size(), 2u);
  EXPECT_EQ(history.failures[1].address, "a/b:1");
  EXPECT_EQ(history.failures[1].module, "HloModule m\n");
  EXPECT_THAT(history.failures[1].record, HasSubstr("\"seed\":7"));
}

TEST_F(RunStoreTest, AnUnexpectedPassIsAPassInTheList) {
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", "PpfPul"), /*incomplete=*/true).ok());
  const auto runs = (*RunStore::OpenToRead(Path("s.db")))->List();
  EXPECT_EQ(runs->at(0).verdicts, 5);
  EXPECT_EQ(runs->at(0).bad, 1);
}

TEST_F(RunStoreTest, ANightlyRunWithoutReportIsNoBase) {
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", "pppp")).ok());
  ASSERT_TRUE(Import(Run("died", "2026-11-23T01:00:00Z", "pfpp")).ok());
  const std::string run = Run("two", "2026-11-24T01:00:00Z", "pfpl");
  RunRecord record = *ReadRunRecord(run);
  record.finished.clear();
  ASSERT_TRUE(WriteRunRecord(record, run).ok());
  ASSERT_TRUE(Import(run, /*incomplete=*/true).ok());
  const auto says = [&](int nights) {
    auto store = RunStore::OpenToWrite(Path("s.db"));
    EXPECT_TRUE((*store)->RecordReport("", {"a note"}, 7, {"2026-11-23"}).ok());
    auto history = (*store)->Load(nights);
    EXPECT_TRUE(history.ok()) << history.status();
    return NightlySummaryLine(*history, NewestChanges(*history));
  };
  EXPECT_EQ(says(10),
            "1 new, 0 fixed, 0 changed, 0 flaky (7 not repeated), 1 not run since 2026-11-22; "
            "engine was cut after "
            "3 of 4 cases.");
  EXPECT_THAT(says(1), HasSubstr(", 1 not run")) << "nor are its earlier verdicts read";
  auto store = RunStore::OpenToWrite(Path("s.db"));
  EXPECT_EQ((*store)->Load(1)->earlier["engine"].marks, "pppp");
  EXPECT_EQ(absl::StrJoin((*store)->Load(9)->nights.back().notes, "|"),
            "not compared with 2026-11-23: no complete report|a note");
  EXPECT_EQ(NewestChanges(*(*store)->Load(9, "2026-11-23")).since, "2026-11-22") << "it is shown";
  EXPECT_THAT((*store)->RecordReport("", {}, -1, {"yesterday"}).message(),
              HasSubstr("(newest: 2026-11-24, 2026-11-23, 2026-11-22), found \"yesterday\""));
  EXPECT_EQ(*(*store)->Prune(1), 4) << "two with a report are kept";
  EXPECT_EQ((*store)->Load(9)->nights.front().engines["engine"].marks, "pppp");
}

TEST_F(RunStoreTest, ARunThatIsNotCompleteCountsOnlyWhenAskedTo) {
  std::string run = Run("one", "2026-11-22T01:00:00Z", "plp");
  absl::Status refused = Import(run);
  EXPECT_THAT(refused.message(), HasSubstr("1 case missing:\n  a/b:1 on engine"));
  EXPECT_TRUE(Load().nights.empty()) << "nothing of it stays";
  ASSERT_TRUE(Import(run, /*incomplete=*/true).ok());
  History history = Load();
  EXPECT_EQ(history.nights[0].engines["engine"].marks, "plp");
  EXPECT_EQ(history.nights[0].problems.size(), 1u);
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", "plpp"), /*incomplete=*/true).ok());
  EXPECT_EQ(Load().nights[0].engines["engine"].marks, "plpp") << "the state after it was resumed";
  ASSERT_TRUE(Import(Run("two", "2026-11-23T01:00:00Z", "fPll"), /*incomplete=*/true).ok());
  ASSERT_TRUE(Import(Run("again", "2026-11-23T02:00:00Z", "lfpl"), /*incomplete=*/true).ok());
  std::string marks;
  for (const char* address : {"a/b:0", "a/b:1", "a/b:2", "a/b:3"}) {
    const auto all = (*RunStore::OpenToRead(Path("s.db")))->VerdictsOf(address);
    for (const StoredVerdict& one : *all) marks += one.mark;
  }
  EXPECT_EQ(marks, "pFlFpppl") << "a run that lost a case does not override its verdict";
}

TEST_F(RunStoreTest, ShardsCountTogetherAndOneThatIsLostIsRunAgain) {
  std::vector<std::string> shards;
  for (int i = 1; i <= 2; ++i) {
    std::string run = Run(absl::StrCat("shard", i), "2026-11-22T01:00:00Z", i == 1 ? "pl" : "lp");
    RunRecord record = *ReadRunRecord(run);
    record.shard_index = i;
    record.shard_count = 2;
    if (i == 2) record.finished = "";
    ASSERT_TRUE(WriteRunRecord(record, run).ok());
    shards.push_back(run);
  }
  auto store = RunStore::OpenToWrite(Path("s.db"));
  ASSERT_TRUE(store.ok());
  EXPECT_THAT((*store)->Import(shards, {}).status().message(), HasSubstr("shard2 is unfinished"));
  ASSERT_TRUE((*store)->Import(shards, {"", true}).ok());
  RunRecord record = *ReadRunRecord(shards[1]);
  record.finished = record.started;
  ASSERT_TRUE(WriteRunRecord(record, shards[1]).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, (*store)->Import(shards, {}));
  EXPECT_EQ(again.runs, 1) << "the whole run takes the place of the one that was cut short";
  EXPECT_EQ((*store)->List()->size(), 1u);
  EXPECT_EQ((*store)->Load(1)->nights[0].engines["engine"].marks, "pp");
}

TEST_F(RunStoreTest, AKilledImportLeavesWhatWasThere) {
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", "pp")).ok());
  pid_t child = fork();
  if (child == 0) {
    auto database = Database::Open(Path("s.db"), Database::Mode::kWrite);
    auto transaction = Transaction::Begin(**database);
    (void)(*database)->Run("DELETE FROM verdict; DELETE FROM run_engine");
    // Write the log to disk while the transaction is open.
    (void)(*database)->Run("PRAGMA cache_spill = 1");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Load().nights[0].engines["engine"].marks, "pp");
  EXPECT_TRUE(Import(Run("two", "2026-11-23T01:00:00Z", "pf")).ok());
}

// Tests a disk that is a few pages too small.
TEST_F(RunStoreTest, AFullDiskIsOneSentenceAndCostsThatImportAlone) {
  std::string small = Run("small", "2026-11-22T01:00:00Z", "pf");
  std::string large = Run("large", "2026-11-23T01:00:00Z", std::string(40000, 'f'));
  pid_t child = fork();
  if (child == 0) {
    const std::string disk = Path("disk");
    fs::create_directories(disk);
    if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0) _exit(77);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(77);
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) _exit(77);
    auto store = RunStore::OpenToWrite(disk + "/s.db");
    if (!store.ok() || !(*store)->Import({small}, {}).ok()) _exit(1);
    absl::Status full = (*store)->Import({large}, {}).status();
    if (full.message().find("no space left on the disk") == std::string_view::npos) _exit(2);
    store->reset();
    auto again = RunStore::OpenToWrite(disk + "/s.db");
    if (!again.ok()) _exit(3);
    auto history = (*again)->Load(5);
    if (!history.ok() || history->nights.size() != 1) _exit(4);
    _exit(history->nights[0].engines["engine"].marks == "pF" ? 0 : 5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no disk can be made here";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

TEST_F(RunStoreTest, WritersWaitForEachOther) {
  constexpr int kWriters = 4;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) {
    std::string run =
        Run(absl::StrCat("run", i), absl::StrCat("2026-11-2", i, "T01:00:00Z"), "pfp");
    pid_t child = fork();
    if (child == 0) _exit(Import(run).ok() ? 0 : 1);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Load().nights.size(), static_cast<size_t>(kWriters));
}

TEST_F(RunStoreTest, StoreContainsNoHostName) {
  const std::string kHome = absl::StrCat("/ho", "me/alice");
  std::string run = Run("one", "2026-11-22T01:00:00Z", "pf",
                        absl::StrCat("crashed in ", kHome, "/xla/service.cc:12 (\"", kHome, "\")"));
  ASSERT_TRUE(WriteFile(run + "/cases/a.b:1/module.hlo",
                        absl::StrCat("HloModule m // source_file=\"", kHome, "/train.py\"\n"))
                  .ok());
  ASSERT_TRUE(Import(run).ok());
  ASSERT_TRUE((*RunStore::OpenToWrite(Path("s.db")))->Check().ok());
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  for (const char* name : {"s.db", "s.db-wal", "s.db.backup"}) {
    auto bytes = ReadFile(Path(name));
    if (!bytes.ok()) continue;
    EXPECT_THAT(*bytes, Not(HasSubstr("alice"))) << name;
    EXPECT_THAT(*bytes, Not(HasSubstr(kHome))) << name;
    EXPECT_THAT(*bytes, Not(HasSubstr(folder_))) << name;
    EXPECT_TRUE(std::string(host).size() < 5 || bytes->find(host) == std::string::npos) << name;
  }
}

TEST_F(RunStoreTest, AnOldStoreIsMigratedAndANewerOneIsLeftAlone) {
  {
    auto database = Database::Open(Path("s.db"), Database::Mode::kWrite);
    ASSERT_TRUE(Migrate(**database, 1).ok());
    ASSERT_TRUE((*database)->Run("INSERT INTO night(label) VALUES('2026-01-01')").ok());
  }
  EXPECT_THAT(RunStore::OpenToRead(Path("s.db")).status().message(),
              HasSubstr("`hlocts store migrate`"));
  ASSERT_TRUE(RunStore::OpenToWrite(Path("s.db")).ok());
  EXPECT_EQ(Load().nights[0].label, "2026-01-01");
  {
    auto database = Database::Open(Path("s.db"), Database::Mode::kWrite);
    ASSERT_TRUE((*database)->Run("PRAGMA user_version = 99").ok());
  }
  EXPECT_THAT(RunStore::OpenToWrite(Path("s.db")).status().message(),
              HasSubstr("found version 99 of a newer hlocts"));
  {
    auto database = Database::Open(Path("other.db"), Database::Mode::kWrite);
    ASSERT_TRUE((*database)->Run("CREATE TABLE t(x)").ok());
  }
  EXPECT_THAT(RunStore::OpenToWrite(Path("other.db")).status().message(),
              HasSubstr("the SQLite file of another program"));
}

TEST_F(RunStoreTest, ADamagedStoreIsSetAsideAndReadBack) {
  ASSERT_TRUE(Import(Run("one", "2026-11-22T01:00:00Z", std::string(3000, 'p') + "ff")).ok());
  ASSERT_TRUE((*RunStore::OpenToWrite(Path("s.db")))->Check().ok());
  ASSERT_TRUE(Import(Run("two", "2026-11-23T01:00:00Z", "pf")).ok());
  ASSERT_GT(Place("verdict"), 0);  // writes the log to the file
  Damage(static_cast<std::streamoff>(fs::file_size(Path("s.db")) / 2), std::string(16384, '#'));
  absl::Status damaged = (*RunStore::OpenToWrite(Path("s.db")))->Check();
  EXPECT_THAT(damaged.message(), HasSubstr("is damaged"));
  EXPECT_THAT(damaged.message(), HasSubstr("hlocts store recover"));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto said, RecoverStore(Path("s.db")));
  EXPECT_THAT(said, HasSubstr("s.db.damaged-1"));
  EXPECT_TRUE(fs::exists(Path("s.db.damaged-1")));
  History history = Load();
  ASSERT_EQ(history.nights.size(), 2u);
  EXPECT_EQ(CountVerdicts(history.nights[0].engines["engine"])["pass"], 3000);
  EXPECT_EQ(CountVerdicts(history.nights[0].engines["engine"])["fail"], 2);
  EXPECT_TRUE((*RunStore::OpenToWrite(Path("s.db")))->Check().ok());
  EXPECT_TRUE(Import(Run("three", "2026-11-24T01:00:00Z", "pp")).ok());
}

TEST_F(RunStoreTest, ARunThatLostRowsIsIncompleteAndCanBeImportedAgain) {
  const std::string one = Run("one", "2026-11-22T01:00:00Z", "ppp");
  const std::string two = Run("two", "2026-11-23T01:00:00Z", "ppf");
  for (const char* table : {"engine", "test_case", "verdict", "tally", "run_engine"}) {
    for (const auto& file : fs::directory_iterator(folder_))
      if (file.is_regular_file()) fs::remove(file);
    ASSERT_TRUE(Import(one).ok());
    ASSERT_TRUE(Import(two).ok());
    Damage(Place(table), std::string(4096, '\xff'));
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto said, RecoverStore(Path("s.db")));
    EXPECT_THAT(said, HasSubstr(absl::StrCat(" lost of ", table))) << table;
    EXPECT_THAT(said, HasSubstr("incomplete in `hlocts store list`: 2 runs")) << table;
    History history = Load();
    const NightlyRunDiff changes = NewestChanges(history);
    EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kRed) << table;
    EXPECT_THAT(ToSummaryJson(history, changes), HasSubstr("\"engines\":{")) << table;
    EXPECT_THAT(history.nights[1].problems[0], HasSubstr("rows of this run are lost")) << table;
    EXPECT_FALSE((*(*RunStore::OpenToRead(Path("s.db")))->List())[1].pruned) << table;
    ASSERT_TRUE(Import(one).ok());
    ASSERT_TRUE(Import(two).ok());
    history = Load();
    EXPECT_EQ(history.nights[1].problems.size(), 0u) << table;
    EXPECT_EQ(NightlySummaryLine(history, NewestChanges(history)).substr(0, 6), "1 new,") << table;
  }
}

TEST_F(RunStoreTest, AFileThatIsNoStoreIsOneSentence) {
  ASSERT_TRUE(WriteFile(Path("s.db"), std::string(4096, 'x')).ok());
  EXPECT_THAT(RunStore::OpenToWrite(Path("s.db")).status().message(), HasSubstr("is damaged"));
  EXPECT_THAT(RunStore::OpenToRead(Path("absent.db")).status().message(),
              HasSubstr("a finished nightly run makes it"));
}

TEST_F(RunStoreTest, PruningChangesNoComparison) {
  auto store = RunStore::OpenToWrite(Path("s.db"));
  const auto lists = [&](int nights) {
    const History history = *(*store)->Load(nights);
    return ToSummaryJson(history, NewestChanges(history));
  };
  // The engine is dead in run 3, and the budget cuts run 4.
  for (const std::string marks : {"1pfpfppcpppp", "2pfpfuffpppp", "3ccccccccccc", "4pllllllllll",
                                  "5pfupuflpppc", "6pfupuflpppc", "7pfupufcpppc"}) {
    const std::string run = Run(marks, "2026", marks.substr(1)), night = marks.substr(0, 1);
    ASSERT_TRUE((*store)->Import({run}, {.night = night, .incomplete = true}).ok());
    if (night < "5") continue;
    const std::string of_nine = lists(9), of_two = lists(2);
    if (night == "5") {
      EXPECT_THAT(of_nine,
                  HasSubstr("2 new, 1 fixed, 0 changed, 0 flaky, 1 not run since 4 (incomplete); 2 "
                            "still open since 1; 1 with support lost since 2"));
      EXPECT_THAT(of_two, HasSubstr(R"("pass","before_night":"2","now":"unsupported")"));
    }
    EXPECT_GT(*(*store)->Prune(2), 0);
    EXPECT_EQ(lists(9), of_nine);
    EXPECT_EQ(lists(2), of_two);
  }
  RunRecord repeated = *ReadRunRecord(Path("2pfpfuffpppp"));
  repeated.tier = "exhaustive";
  ASSERT_TRUE(WriteRunRecord(repeated, Path("2pfpfuffpppp")).ok());
  ASSERT_TRUE((*store)->Import({Path("2pfpfuffpppp")}, {.night = "2"}).ok());
  EXPECT_EQ(*(*store)->Prune(2), 10) << "of the repetition";
  History history = *(*store)->Load(10);
  EXPECT_TRUE(IsPruned(history.nights[1]));
  EXPECT_EQ(history.nights[1].engines["engine"].tally['F'], 4) << "counts are kept";
  EXPECT_EQ(history.failures.size(), 7u);
  EXPECT_TRUE((*store)->List()->front().pruned);
  EXPECT_EQ((*store)->List()->at(4).verdicts, 1) << "missing verdicts do not count";
}

}  // namespace
}  // namespace hlocts::reports
