// SPDX-License-Identifier: Apache-2.0
// Tests that earlier results are kept, that lost output is a failure, and that a directory that
// other users wrote runs no code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "spec/files/file_io.h"
#include "spec/files/literals_file.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class NothingLostTest : public FolderTest {};

TEST_F(NothingLostTest, ShrinkWritesToAFolderOfItsOwn) {
  Write("notes/README.md", "precious");
  Write("m.hlo",
        "HloModule m\nENTRY e { x = f32[] constant(200) y = f32[] exponential(x) ROOT r = f32[] "
        "log(y), metadata={source_file=\"/nowhere/ann/u.py\" source_line=7} }");
  const std::string shrink =
      "shrink " + Path("m.hlo") + " --seed=1 --backend=canary:log.of-exponential-is-argument -o ";
  std::string said = RunHlocts(shrink + Path("s")).out;
  said += Read("s/verdict.json");
  EXPECT_THAT(said, AllOf(HasSubstr("\"u.py:7\""), Not(HasSubstr("/nowhere/ann"))));
  Ran refused = RunHlocts(shrink + Path("notes"));
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("expected a new directory"));
  EXPECT_EQ(Read("notes/README.md"), "precious");
}

TEST_F(NothingLostTest, AnInterruptedShrinkLeavesABundleOrNothing) {
  Write("m.hlo",
        "HloModule m\nENTRY e { p = f32[300000] parameter(0) c = f32[] constant(200) b = "
        "f32[300000] broadcast(c), dimensions={} x = f32[300000] maximum(p, b) y = f32[300000] "
        "exponential(x) z = f32[300000] log(y) ROOT r = f32[300000] negate(z) }");
  for (const char* seconds : {"0.3", "1.5", "4"}) {
    const Ran ran = RunHlocts("shrink " + Path("m.hlo") + " --seed=1 -o " + Path("s") +
                                  " --backend=canary:log.of-exponential-is-argument",
                              absl::StrCat("timeout ", seconds));
    if (ran.status == 0) break;
    const bool kept = fs::exists(Path("s"));
    EXPECT_THAT(ran.out, HasSubstr(Path("s") + (kept ? " has the smallest module so far"
                                                     : ": nothing is written")));
    EXPECT_EQ(RunHlocts("replay " + Path("s")).status, kept ? 1 : 2);
    fs::remove_all(Path("s"));
  }
}

TEST_F(NothingLostTest, ShrinkReplacesNoBundleOfAnotherOrigin) {
  const std::string end = " y = f32[2] exponential(x) ROOT r = f32[2] log(y) }",
                    into = " --backend=canary:log.of-exponential-is-argument -o " + Path("s");
  const std::string other =
      Write("b.hlo", "HloModule m\nENTRY e { x = f32[2] constant({200, 0})" + end);
  // hlocts.check leaves such a directory.
  Write("job/module.hlo", "HloModule m\nENTRY e { x = f32[2] parameter(0)" + end);
  const auto inputs = ParseLiterals("f32[2]{0} {200, 0}\n", std::nullopt);
  ASSERT_TRUE(WriteLiterals(*inputs, LeafRole::kArgument, Path("job/inputs.npz")).ok());
  for (const char* same : {"job", "job", "s"})
    EXPECT_EQ(RunHlocts("shrink " + Path(same) + into).status, 0);
  EXPECT_THAT(Read("s/README.md"), HasSubstr("\nFound: output 0 at "));
  const std::string verdict = Read("s/verdict.json");
  for (const std::string& refused :
       {other + into, Path("job") + " --backend=canary:reverse -o " + Path("s")})
    EXPECT_THAT(RunHlocts("shrink " + refused).out, HasSubstr("of the same module and engine"));
  EXPECT_EQ(Read("s/verdict.json"), verdict);
}

TEST_F(NothingLostTest, ARunThatDoesNotStartKeepsTheEarlierOne) {
  const std::string run = absl::StrCat("run movement/rev --out=", Path("r"), " --backend=");
  ASSERT_EQ(RunHlocts(run + "reference").status, 0);
  const std::string before = Read("r/verdicts.jsonl"), record = Read("r/run.json");
  struct {
    const char* engine;
    int status;
  } slips[] = {{"xlaa", 2},          {"rewriter:nope", 2},   {"canary:nope", 2},  {"exec:exit", 3},
               {"pjrt:/nope.so", 3}, {"'reference?x=1'", 2}, {"legal-noise?a", 2}};
  for (const auto& slip : slips) {
    Ran ran = RunHlocts(run + slip.engine);
    EXPECT_EQ(ran.status, slip.status) << slip.engine << ran.out;
    EXPECT_EQ(Read("r/verdicts.jsonl"), before) << slip.engine;
    EXPECT_EQ(Read("r/run.json"), record) << slip.engine;
    const std::string again = absl::StrCat("run movement/rev --out=", Path("new"), " --backend=");
    RunHlocts(again + slip.engine);
    EXPECT_EQ(fs::exists(Path("new")), slip.status == 3) << slip.engine;
    EXPECT_EQ(RunHlocts(again + "reference").status, 0) << "after a run without verdicts";
    fs::remove_all(Path("new"));
  }
}

TEST_F(NothingLostTest, ASelfcheckEndsWithTheGoals) {
  const Ran ran =
      RunHlocts("selfcheck faults noise --query=movement/rev --fault=reverse --seeds=1");
  EXPECT_THAT(ran.out, ContainsRegex("\nseeded faults: [1-9]+ of [0-9]+ detected \\(goal: .*\n"
                                     "legal noise: 0 failures \\(goal: 0\\)\n$"));
  EXPECT_THAT(RunHlocts("selfcheck --query=movement/rev --fault=reverse --json").out,
              AllOf(HasSubstr("\"reverse"), Not(HasSubstr("\"part\""))));
}

TEST_F(NothingLostTest, AnUnknownFactOfTheNoiseIsAnError) {
  Ran refused = RunHlocts("selfcheck noise --facts=dot.f32=bf16");
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("dot.f32=bf16 is not a fact"));
}

TEST_F(NothingLostTest, ARunOfAnotherRequestIsKept) {
  const std::string out = " --out=" + Path("r");
  const std::string run = "run movement/rev --backend=reference" + out;
  ASSERT_EQ(RunHlocts(run).status, 0);
  EXPECT_EQ(RunHlocts(run).status, 0) << "the same request again replaces its own run";
  const std::string before = Read("r/verdicts.jsonl");
  for (const char* other :
       {"run movement/rev --backend=legal-noise", "run movement/rev --backend=x=reference",
        "run movement/rev --backend=reference --tier=presubmit", "run --backend=reference -k rev",
        "run movement/rev --backend=reference --profile=strict",
        "run movement/rev --backend=reference --shard=1/2",
        "run movement/rev --backend=reference --timeout=1ms",
        "run movement/rev --backend=reference --memory=1G --resume"}) {
    Ran refused = RunHlocts(other + out);
    EXPECT_EQ(refused.status, 2) << other << refused.out;
    EXPECT_THAT(refused.out, HasSubstr("expected another directory")) << other;
    EXPECT_EQ(Read("r/verdicts.jsonl"), before) << other;
  }
  Write("r/run.json", "cut off");
  EXPECT_EQ(RunHlocts(run).status, 2) << "nothing says whose run it is";
  EXPECT_EQ(Read("r/verdicts.jsonl"), before);
}

TEST_F(NothingLostTest, OneProcessAtATimeWritesAFolder) {
  fs::create_directories(Path("busy"));
  const std::string busy = "flock " + Path("busy");
  for (const char* command :
       {"run movement/rev", "fuzz --modules=1", "fuzz --modules=1 --resume"}) {
    Ran ran = RunHlocts(absl::StrCat(command, " --backend=reference --out=", Path("busy")), busy);
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("another process writes this directory"));
  }
  EXPECT_TRUE(fs::is_empty(Path("busy")));
}

TEST_F(NothingLostTest, OutputThatDoesNotArriveIsAFailure) {
  Write("m.hlo", "HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1, 2})\n}\n");
  for (const char* command :
       {"list movement/rev", "clauses rev", "ops", "man", "completion bash", "engines list",
        "diff $T/m.hlo --backend=reference", "verify $T/m.hlo", "judge $T/m.hlo --sets",
        "eval $T/m.hlo", "eval $T/m.hlo --json", "convert $T/m.hlo --to=text", "help", "help run",
        "--help", "--version", "run movement/rev --backend=reference",
        "verify --batch=$T/batch.jsonl"}) {
    Write("batch.jsonl", absl::StrCat("{\"module\": \"", Path("m.hlo"), "\"}\n"));
    const std::string full =
        absl::StrCat(absl::StrReplaceAll(command, {{"$T", folder_}}), " >/dev/full");
    EXPECT_NE(RunHlocts(full).status, 0) << command;
  }
  Ran said = RunHlocts("list movement/rev 2>&1 >/dev/full");
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(RunHlocts("list movement | head -1; true").out, HasSubstr("movement/"));
}

// A small disk becomes full while records are written.
TEST_F(NothingLostTest, ARunWhoseRecordsAreLostEnds) {
  const std::string run =
      absl::StrCat("run movement/rev --backend='exec:", kMirror, "' --out=", Path("r@1"));
  EXPECT_EQ(RunHlocts(run).status, 1);
  Write("r@1/verdicts.jsonl", "");
  fs::remove(Path("r@1/failing.txt"));
  fs::create_symlink("/dev/full", Path("r@1/failing.txt"));
  Ran ran = RunHlocts(run + " --resume");
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("No space left on device"));
  EXPECT_THAT(ran.out, HasSubstr("the record is incomplete (continue with "));
  EXPECT_THAT(ran.out, HasSubstr(absl::StrCat("'--out=", Path("r@1"), "' --resume)")));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("as expected\n")));
  ran = RunHlocts("run movement/rev --backend=reference --out=" + Path("s"));
  ASSERT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("all as expected\n"));
  fs::remove(Path("s/scorecard.txt"));
  fs::create_symlink("/dev/full", Path("s/scorecard.txt"));
  const std::string again = "run movement/rev --backend=reference --resume --out=" + Path("s");
  ran = RunHlocts(again);
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("as expected\n")));
  fs::remove(Path("s/scorecard.txt"));
  fs::resize_file(Path("s/verdicts.jsonl"), fs::file_size(Path("s/verdicts.jsonl")) - 100);
  EXPECT_EQ(RunHlocts(again).status, 0);
  EXPECT_EQ(RunHlocts(again).status, 0) << "every line is whole";
}

TEST_F(NothingLostTest, ARequestThatCannotBeMetKeepsTheEarlierRun) {
  const std::string run = "run movement/rev --backend=reference --out=" + Path("r");
  ASSERT_EQ(RunHlocts(run).status, 0);
  const std::string records = Read("r/verdicts.jsonl");
  const std::string missing = Path("no/such");
  for (const std::string& option : std::vector<std::string>{
           "--junit=" + missing, "--custom-calls=" + missing, "--infeed=" + missing,
           "--update-expectations --expectations=" + missing}) {
    EXPECT_EQ(RunHlocts(run + " " + option).status, 2) << option;
    EXPECT_EQ(Read("r/verdicts.jsonl"), records) << option;
  }
  for (const char* other : {"--rng-seed=5", "--cut=1", "--steps=9", "--suspect=look"}) {
    EXPECT_THAT(RunHlocts(run + " --resume " + other).out, HasSubstr("another")) << other;
    EXPECT_EQ(Read("r/verdicts.jsonl"), records) << other;
  }
}

TEST_F(NothingLostTest, ARunWhoseRecordCannotBeWrittenIsResumed) {
  fs::create_directories(Path("r/selection.txt"));  // no file can replace a directory
  const std::string run = "run movement/rev --backend=reference --resume --out=" + Path("r");
  EXPECT_EQ(RunHlocts(run).status, 2);
  fs::remove(Path("r/selection.txt"));
  EXPECT_EQ(RunHlocts(run).status, 0);
}

TEST_F(NothingLostTest, AResumedRunSumsUpAllItsVerdicts) {
  fs::create_directories(Path("r"));
  const std::string run = absl::StrCat("run movement/rev 'sharding/*' --backend='m=exec:", kMirror,
                                       "' --out=", Path("r"), " --update-expectations ");
  RunHlocts(run + "--expectations=" + Path("whole.textproto"));
  std::string first;  // records of the part with the unsupported operations
  for (const auto& line : absl::StrSplit(Read("r/verdicts.jsonl"), '\n'))
    if (absl::StrContains(line, "sharding/")) absl::StrAppend(&first, line, "\n");
  Write("r/verdicts.jsonl", first);
  const Ran rest = RunHlocts(run + "--resume --expectations=" + Path("rest.textproto"));
  EXPECT_EQ(rest.status, 0) << rest.out;
  EXPECT_EQ(Read("rest.textproto"), Read("whole.textproto"));
  for (const char* operation : {"sharding/custom_call", "sharding/manual"})
    EXPECT_THAT(rest.out, HasSubstr(absl::StrCat("\n  ", operation, ": all  (")));
  EXPECT_THAT(rest.out, HasSubstr("\n  1 other rows of operation and type"));
}

// If a disk was full, a failing case may lack its files.
TEST_F(NothingLostTest, ResumeWritesTheFilesOfAFailingCaseAgain) {
  const std::string run =
      absl::StrCat("run movement/rev --backend='m=exec:", kMirror, "' --out=", Path("r"));
  ASSERT_EQ(RunHlocts(run).status, 1);
  const auto lines = [&](const std::string& name) {
    std::vector<std::string> all = absl::StrSplit(Read(name), '\n');
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto records = lines("r/verdicts.jsonl"), failing = lines("r/failing.txt"),
             replays = lines("r/replay.txt");
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(Path("r/cases")))
    folders.push_back(entry.path().filename().string());
  ASSERT_GE(folders.size(), 2u);
  const auto replay_of = [&](const std::string& name) {
    const std::string json = Read("r/cases/" + name + "/replay.json");
    const size_t at = json.find("movement/");
    return absl::StrCat("replay ", Path("r"), " '", json.substr(at, json.find('"', at) - at), "'");
  };
  const std::string one = "r/cases/" + folders[0];
  fs::remove(Path(one + "/replay.json"));
  fs::remove(Path(one + "/verdict.txt"));
  Ran other = RunHlocts(replay_of(folders[1]));
  EXPECT_EQ(other.status, 1) << "the other case replays: " << other.out;
  EXPECT_EQ(RunHlocts(run + " --resume").status, 1);
  EXPECT_TRUE(fs::exists(Path(one + "/verdict.txt")));
  EXPECT_EQ(RunHlocts(replay_of(folders[0])).status, 1);
  EXPECT_EQ(lines("r/failing.txt"), failing);
  EXPECT_EQ(lines("r/replay.txt"), replays);
  EXPECT_EQ(lines("r/verdicts.jsonl").size(), records.size());
}

TEST_F(NothingLostTest, AResumedRunHasTheMarksOfTheGivenList) {
  const std::string list = Path("known.textproto");
  const std::string run = absl::StrCat("run movement/rev --backend='m=exec:", kMirror,
                                       "' --out=", Path("r"), " --expectations=", list);
  const Ran updated = RunHlocts(run + " --update-expectations");
  ASSERT_EQ(updated.status, 0);
  EXPECT_THAT(updated.out, HasSubstr("; it now has the cases that are not as expected above"));
  EXPECT_EQ(RunHlocts(run + " --resume").status, 0) << "all failures are in the list";
  EXPECT_THAT(Read("r/failing.txt"), Not(HasSubstr("NOT EXPECTED")));
  Write("known.textproto", "");
  EXPECT_EQ(RunHlocts(run + " --resume").status, 1) << "no failure is in the list";
  EXPECT_THAT(Read("r/failing.txt"), Not(HasSubstr("known: ")));
}

TEST_F(NothingLostTest, ACaseWithoutOneEngineRunsAgainOnAllOnce) {
  const std::string run =
      "run movement/rev --backend=reference --backend=legal-noise --out=" + Path("r");
  ASSERT_EQ(RunHlocts(run).status, 0);
  const std::string records = Read("r/verdicts.jsonl");
  Write("r/verdicts.jsonl", records.substr(records.find('\n') + 1));
  EXPECT_EQ(RunHlocts(run + " --resume").status, 0);
  EXPECT_THAT(RunHlocts("report " + Path("r")).out, HasSubstr("none missing, none duplicated"));
}

TEST_F(NothingLostTest, AnswersOfReleasesThatAreNotInstalledStay) {
  const std::string finding = HLOCTS_SOURCE_DIR "/results/findings/xla-log-of-rsqrt";
  fs::copy(finding, Path("b"));
  Write(
      "b/history.json",
      R"({"module":"b","releases":[)"
      R"({"name":"jaxlib@0.4.30","date":"2024-06-18","mark":"X","verdict":"fail","version":"v","reason":"r"},)"
      R"({"name":"gone@1","date":"2024-07-01","mark":"o","verdict":"pass","version":"v","reason":""}]})");
  const std::string nothing = absl::StrCat("HLOCTS_CACHE=", Path("empty"));
  Ran ran = RunHlocts("history --keep --all " + Path("b"), nothing);
  EXPECT_EQ(ran.status, 0) << ran.out;
  const std::string kept = Read("b/history.json");
  EXPECT_THAT(kept, HasSubstr("\"first_bad\":\"jaxlib@0.4.30\""));
  EXPECT_THAT(kept, HasSubstr("\"first_good_after\":\"gone@1\""));
  Write("b/history.json", "garbage");
  EXPECT_EQ(RunHlocts("history --keep " + Path("b"), nothing).status, 2);
  EXPECT_EQ(Read("b/history.json"), "garbage");
}

// Results that an interrupted probe has finished are not computed again.
TEST_F(NothingLostTest, AnInterruptedProbeContinues) {
  const std::string cache = "HLOCTS_CACHE=" + Path("probe_cache");
  const std::string probe = "probe movement/pad movement/slice --backend=reference";
  const Ran whole = RunHlocts(probe, cache);
  ASSERT_EQ(whole.status, 0) << whole.out;
  const fs::path kept = fs::directory_iterator(Path("probe_cache/probe"))->path();
  const std::string lines = *ReadFile(kept.string());
  std::ofstream(kept) << lines.substr(lines.find('\n') + 1);  // one case is not finished
  EXPECT_EQ(RunHlocts(probe, cache).out, whole.out);
  const std::string again = *ReadFile(kept.string());
  EXPECT_EQ(absl::c_count(again, '\n'), absl::c_count(lines, '\n'));
}

TEST_F(NothingLostTest, ConfigOfWorkingDirectoryCannotRunCode) {
  const std::string here = absl::StrCat("cd ", folder_, " &&");
  for (const char* line :
       {"engine = \"exec:touch pwned\"", "engine = \"x=exec:touch pwned\"",
        "engine = \"rewriter:exec:touch pwned\"", "engine = \"pjrt:./evil.so\"",
        "engine = \"xla?xla_dump_to=/tmp/x\"", "engine = \"xla?xla_dump_to=pwned\"",
        "engine = \"reference\"\ncustom_calls = \"evil.so\"",
        "engine = \"reference\"\njunit = \"pwned\"", "engine = \"reference\"\nout = \"pwned\"",
        "engine = \"reference\"\nexpectations = \"../up\"",
        "engine = \"reference\"\nupdate_costs = true"}) {
    Write("hlocts.toml", line);
    Ran ran = RunHlocts("run movement/rev", here);
    EXPECT_EQ(ran.status, 2) << line << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("HLOCTS_CONFIG=hlocts.toml if you trust the directory")) << line;
    EXPECT_FALSE(fs::exists(Path("pwned"))) << line;
    EXPECT_EQ(RunHlocts("list movement/rev", here).status, 0) << "it has no such option";
    EXPECT_EQ(RunHlocts("run --help", here).status, 0) << "it runs nothing";
  }
  Write("hlocts.toml", "engine = \"exec:touch pwned\"\n[run]\ntier = \"smoke\"\n");
  EXPECT_EQ(RunHlocts("run movement/rev --backend=reference", here).status, 0);
  RunHlocts("run movement/rev", here + " HLOCTS_CONFIG=hlocts.toml");
  EXPECT_TRUE(fs::exists(Path("pwned"))) << "the user's word";
  fs::remove(Path("pwned"));
  Write("s.hlo", "HloModule s\nENTRY e { ROOT x = f32[2] parameter(0) }\n");
  for (const char* name : {"exec:touch pwned", "x=exec:touch pwned", "pjrt:./evil.so"}) {
    Write("hlocts.toml", absl::StrCat("facts-of = \"", name, "\"\n"));
    EXPECT_EQ(RunHlocts("judge s.hlo --seed=1 --sets", here).status, 2) << name;
    EXPECT_FALSE(fs::exists(Path("pwned"))) << name;
  }
  Write("hlocts.toml", "facts-of = \"xla_cpu\"\n");
  EXPECT_EQ(RunHlocts("judge s.hlo --seed=1 --sets", here).status, 0);
  Write("hlocts.toml", "engine = \"reference\"\n[run]\ntier = \"smoke\"\njobs = 1\n");
  EXPECT_EQ(RunHlocts("run movement/rev", here).status, 0);
}

TEST_F(NothingLostTest, ACaseOfAnotherUsersRunRunsNoCode) {
  const std::string own = absl::StrCat("HLOCTS_CACHE=", Path("own"));
  RunHlocts(absl::StrCat("run movement/rev --backend='exec:", kMirror, "' --out=", Path("r")), own);
  std::string one;
  for (const auto& entry : fs::directory_iterator(Path("r/cases"))) one = entry.path().string();
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(RunHlocts("replay " + one, own).status, 1) << "the same user's run replays";
  const std::string other = absl::StrCat("HLOCTS_CACHE=", Path("other"));
  Ran refused = RunHlocts("replay " + one, other);
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("may be written by others"));
  EXPECT_EQ(
      RunHlocts(absl::StrCat("replay ", one, " --backend='exec:", kMirror, "'"), other).status, 1);
  const std::string name = fs::path(one).filename().string();
  Write("r/cases/" + name + "/replay.json",
        absl::StrCat("{\"case\":\"a/b:c\",\"arguments\":[\"run\",\"--junit=", Path("pwned"),
                     "\",\"--backend=reference\",\"movement/rev\"]}"));
  EXPECT_EQ(RunHlocts("replay " + one, own).status, 2);
  EXPECT_FALSE(fs::exists(Path("pwned")));
}

}  // namespace
}  // namespace hlocts::tools
