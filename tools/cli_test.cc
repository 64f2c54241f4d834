// SPDX-License-Identifier: Apache-2.0
// Tests the program from outside, as scripts of users do: exit statuses, messages and batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class CliTest : public FolderTest {
 protected:
  void SetUp() override {
    Write("add.hlo", R"(HloModule add
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT r = f32[3] add(x, y)
}
)");
    Write("add.txt", "f32[3] {1, 2, 3}\nf32[3] {0.5, 0.25, 4}\n");
    Write("tanh.hlo",
          "HloModule t\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] tanh(x)\n}\n");
    Write("tanh.txt", "f32[2] {0.5, -1.5}\n");
  }
  Ran JudgeAdd(const std::string& outputs, const std::string& flags = "") {
    Write("out.txt", outputs);
    return RunHlocts(absl::StrCat("judge ", Path("add.hlo"), " --inputs=", Path("add.txt"),
                                  " --outputs=", Path("out.txt"), " ", flags));
  }
};

TEST_F(CliTest, EvalPrintsALeafALine) {
  Ran ran = RunHlocts("eval " + Path("add.hlo") + " --inputs=" + Path("add.txt"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "f32[3]{0} {1.5, 2.25, 7}\n");
}

TEST_F(CliTest, EvalWithASeedIsRepeatable) {
  Ran a = RunHlocts("eval " + Path("add.hlo") + " --seed=3");
  EXPECT_EQ(a.status, 0) << a.out;
  EXPECT_EQ(a.out, RunHlocts("eval " + Path("add.hlo") + " --seed=3").out);
  EXPECT_NE(a.out, RunHlocts("eval " + Path("add.hlo") + " --seed=4").out);
}

TEST_F(CliTest, JudgeKnowsTwoUlpsOfAnAdd) {
  EXPECT_EQ(JudgeAdd("f32[3] {1.5, 2.25, 7}").status, 0);
  Ran off = JudgeAdd("f32[3] {1.5, 2.25, 7.000001}", "--json");
  EXPECT_EQ(off.status, 1);
  Json verdict = ParseJson<Json>(off.out);
  EXPECT_EQ(verdict["verdict"], "fail");
  EXPECT_EQ(verdict["first_failure"]["index"], Json::array({2}));
  EXPECT_EQ(verdict["elements"], 3);
}

TEST_F(CliTest, JudgeTakesAFewUlpsOfATanhAndNotTwenty) {
  // tanh(0.5) = 0.46211717 with an ulp of 3.0e-8; tanh(-1.5) = -0.90514827 with an ulp of 6.0e-8.
  auto judge = [&](const std::string& outputs) {
    Write("out.txt", outputs);
    return RunHlocts("judge " + Path("tanh.hlo") + " --inputs=" + Path("tanh.txt") +
                     " --outputs=" + Path("out.txt"));
  };
  EXPECT_EQ(judge("f32[2] {0.46211717, -0.9051482}").status, 0);
  EXPECT_EQ(judge("f32[2] {0.46211717, -0.9051470}").status, 1);
  Ran none = judge("f32[2] {nan, -0.9051482}");
  EXPECT_EQ(none.status, 1) << none.out;
}

TEST_F(CliTest, JudgeExplains) {
  Ran ran = JudgeAdd("f32[3] {1.5, 2.25, 8}", "--explain");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("fail"));
  EXPECT_THAT(ran.out, HasSubstr("accepted:    7\n"));
  EXPECT_THAT(ran.out, HasSubstr("elementwise_binary"));
}

TEST_F(CliTest, UnspecifiedIsInconclusiveNeverPass) {
  Write("rng.hlo", R"(HloModule r
ENTRY main {
  x = s32[2] parameter(0)
  z = s32[] constant(0)
  zb = s32[2] broadcast(z), dimensions={}
  ROOT d = s32[2] divide(x, zb)
}
)");
  Write("rng.txt", "s32[2] {1, 2}\n");
  Write("out.txt", "s32[2] {5, 6}\n");
  Ran ran = RunHlocts("judge " + Path("rng.hlo") + " --inputs=" + Path("rng.txt") +
                      " --outputs=" + Path("out.txt") + " --json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ParseJson<Json>(ran.out)["verdict"], "inconclusive") << ran.out;
}

TEST_F(CliTest, ValuesOutOfRangeAreRefused) {
  Write("s8.hlo", "HloModule m\nENTRY main {\n  ROOT x = s8[2] parameter(0)\n}\n");
  Write("s8.txt", "s8[2] {1, 300}\n");
  Ran ran = RunHlocts("eval " + Path("s8.hlo") + " --inputs=" + Path("s8.txt"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("300"));
}

TEST_F(CliTest, HugeShapesAreRefusedBeforeAllocating) {
  Write("huge.hlo", R"(HloModule m
ENTRY main {
  z = f32[] constant(0)
  ROOT r = f32[2147483648] broadcast(z), dimensions={}
}
)");
  Ran ran = RunHlocts("eval " + Path("huge.hlo") + " --memory=1G");
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("memory"));
}

// If a module has no result on these devices or for these sizes, rejecting it is an error.
TEST_F(CliTest, ARefusalWhereThereIsNoResultIsAnError) {
  Write("group.hlo",
        "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n"
        "  ROOT r = f32[8] all-gather(x), dimensions={0}\n}\n");
  Write("ids.hlo",
        "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n"
        "  ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={{0,1}}\n}\n");
  Write("sizes.hlo", R"(HloModule m
ENTRY main {
  x = f32[3] iota(), iota_dimension=0
  two = s32[] constant(2)
  three = s32[] constant(3)
  a = f32[<=3] set-dimension-size(x, two), dimensions={0}
  b = f32[<=3] set-dimension-size(x, three), dimensions={0}
  ROOT r = f32[<=3] add(a, b)
}
)");
  Write("three.hlo", R"(HloModule m
ENTRY main {
  x = f32[3] iota(), iota_dimension=0
  two = s32[] constant(2)
  a = f32[<=3] set-dimension-size(x, two), dimensions={0}
  ROOT r = f32[<=3] clamp(a, x, x)
}
)");
  Write("join.hlo", R"(HloModule m
ENTRY main {
  x = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
  two = s32[] constant(2)
  a = f32[2,<=3] set-dimension-size(x, two), dimensions={1}
  ROOT r = f32[4,<=3] concatenate(a, x), dimensions={0}
}
)");
  for (const char* name : {"group.hlo", "ids.hlo", "sizes.hlo", "three.hlo", "join.hlo"}) {
    const Ran ran = RunHlocts("diff " + Path(name) + " --seed=1 --replicas=1 --backend=reference");
    EXPECT_THAT(ran.out, ::testing::StartsWith("error  reference")) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("the reference has no result either")) << ran.out;
  }
}

TEST_F(CliTest, CollectivesOfAFragmentStateTheDevices) {
  Write("permute.hlo",
        "x = s32[] parameter(0)\n"
        "ROOT r = s32[] collective-permute(x), source_target_pairs={{0,1}}\n");
  Write("permute.txt", "replica 0\ns32[] 7\nreplica 1\ns32[] 8\n");
  const std::string eval =
      absl::StrCat("eval ", Path("permute.hlo"), " --inputs=", Path("permute.txt"));
  Ran ran = RunHlocts(eval);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("assumed replica_count=2, num_partitions=1"));
  ran = RunHlocts(absl::StrCat(eval, " --replicas=2"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("assumed")));
}

TEST_F(CliTest, EndlessLoopsAreATimeout) {
  Write("loop.hlo", R"(HloModule m
body { ROOT x = s32[] parameter(0) }
condition {
  x = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
ENTRY main {
  z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=condition, body=body
}
)");
  EXPECT_EQ(RunHlocts("eval " + Path("loop.hlo") + " --steps=1000").status, 1);
}

TEST_F(CliTest, AClosedStandardInputIsAnError) {
  for (const char* arguments : {"verify - <&-", "eval - <&-"})
    EXPECT_EQ(RunHlocts(arguments, "timeout -s KILL 30").status, 2) << arguments;
}

TEST_F(CliTest, LimitsOfTheSystemAreErrors) {
  std::string deep = "HloModule m\nENTRY e { a = f32[] parameter(0) b = ";
  for (int i = 0; i < 100000; ++i) deep += "f32[] negate(";
  Write("deep.hlo", deep);
  const Ran stack = RunHlocts("verify " + Path("deep.hlo"), "ulimit -s 200;");
  EXPECT_EQ(stack.status, 2) << stack.out;
  EXPECT_THAT(stack.out, HasSubstr("levels of nesting"));
  Write("add.txt", "HloModule m\nENTRY e { ROOT a = f32[] parameter(0) }\n");
  const Ran written =
      RunHlocts("convert " + Path("add.txt") + " --to=text -o " + Path("o"), "ulimit -f 0;");
  EXPECT_EQ(written.status, 2) << written.out;
  EXPECT_THAT(written.out, HasSubstr("File too large"));
  Write("devices.hlo",
        "HloModule m, replica_count=1000\nENTRY e { ROOT r = u32[] replica-id() }\n");
  const Ran threads = RunHlocts("eval " + Path("devices.hlo"), "ulimit -v 1000000;");
  EXPECT_EQ(threads.status, 2) << threads.out;
  EXPECT_THAT(threads.out, HasSubstr("cannot start 999 threads"));
}

TEST_F(CliTest, TimeLimitsHoldWhereCallsMultiply) {
  std::string text = "HloModule hang\nf0 { ROOT x = f32[] parameter(0) }\n";
  for (int i = 1; i < 50; ++i)
    absl::StrAppend(&text, "f", i, " { x = f32[] parameter(0)\n a = f32[] call(x), to_apply=f",
                    i - 1, "\n b = f32[] call(x), to_apply=f", i - 1,
                    "\n ROOT c = f32[] add(a, b) }\n");
  Write("calls.hlo", text +
                         "ENTRY e { x = f32[] parameter(0)\n ROOT a = f32[] call(x), "
                         "to_apply=f49 }\n");
  const std::string limits = " --seed=1 --timeout=300ms", wait = "timeout -s KILL 60";
  const Ran digits = RunHlocts("digits " + Path("calls.hlo") + limits, wait);
  EXPECT_EQ(digits.status, 1) << digits.out;
  EXPECT_THAT(digits.out, HasSubstr("time limit"));
  const Ran shrunk = RunHlocts(
      absl::StrCat("shrink ", Path("calls.hlo"), limits, " --time=300ms --backend=exec:", kMirror),
      wait);
  EXPECT_LE(shrunk.status, 2) << shrunk.out;
  const Ran canonical = RunHlocts("convert " + Path("calls.hlo") + " --to=canonical", wait);
  EXPECT_EQ(canonical.status, 2) << canonical.out;
  EXPECT_THAT(canonical.out, HasSubstr("--to=text"));
}

TEST_F(CliTest, ConvertsThereAndBack) {
  for (const std::string format : {"text", "short", "pb", "pbtxt", "canonical"}) {
    std::string extension = format == "pb" || format == "pbtxt" ? format : "hlo";
    std::string out = Path("converted." + extension);
    Ran ran = RunHlocts("convert " + Path("add.hlo") + " --to=" + format + " -o " + out);
    ASSERT_EQ(ran.status, 0) << format << ran.out;
    Ran eval = RunHlocts("eval " + out + " --inputs=" + Path("add.txt"));
    EXPECT_EQ(eval.out, "f32[3]{0} {1.5, 2.25, 7}\n") << format;
  }
}

TEST_F(CliTest, ElidedConstantsGetElements) {
  Write("elided.hlo",
        "a = s32[12] reshape(s32[4,3]{1,0:T(8,128)} constant({...}))\nb = f32[16] constant({...})\n"
        "t = (s32[12], pred[]) constant({...})\n"
        "ROOT r = (s32[12], f32[16], (s32[12], pred[])) tuple(a, b, t)\n");
  Ran ran = RunHlocts("eval " + Path("elided.hlo"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("hlocts convert --fill-elided"));
  const std::string fill = absl::StrCat("convert ", Path("elided.hlo"), " --fill-elided -o ");
  EXPECT_EQ(RunHlocts(fill + Path("full.hlo")).status, 0);
  EXPECT_EQ(RunHlocts(fill + Path("again.hlo")).status, 0);
  EXPECT_EQ(Read("full.hlo"), Read("again.hlo"));
  EXPECT_EQ(RunHlocts(fill + Path("other.hlo") + " --seed=2").status, 0);
  EXPECT_NE(Read("full.hlo"), Read("other.hlo"));
  ran = RunHlocts(absl::StrCat("diff ", Path("full.hlo"), " --backend=reference"));
  EXPECT_THAT(ran.out, ::testing::StartsWith("pass  reference")) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("41 elements"));
  Write("unsized.hlo", "HloModule m\nENTRY e {\n  ROOT a = constant({...})\n}\n");
  ran = RunHlocts("convert " + Path("unsized.hlo") + " --fill-elided --to=text");
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("before constant({...})"));
  Write("huge.hlo", "a = f32[1000000,1000] constant({...})\n");
  EXPECT_EQ(RunHlocts("convert " + Path("huge.hlo") + " --fill-elided --to=text").status, 2);
}

TEST_F(CliTest, BatchesAnswerEveryLineInOrder) {
  Write("batch.jsonl",
        absl::StrCat("{\"module\":\"", Path("add.hlo"), "\",\"inputs\":\"", Path("add.txt"),
                     "\",\"output\":\"", Path("b.txt"), "\",\"unused\":1}\n", "nonsense\n",
                     "{\"module\":\"", Path("missing.hlo"), "\"}\n", "{\"module\":\"",
                     Path("add.hlo"), "\",\"seed\":4}\n"));
  Ran ran = RunHlocts("eval --batch=" + Path("batch.jsonl"));
  EXPECT_EQ(ran.status, 2) << "one line was no job";
  std::vector<bool> ok;
  for (const Json& line : JsonLines(ran.out)) ok.push_back(line["ok"]);
  EXPECT_THAT(ok, ::testing::ElementsAre(true, false, false, true)) << ran.out;
  EXPECT_EQ(Read("b.txt"), "f32[3]{0} {1.5, 2.25, 7}\n");
}

TEST_F(CliTest, AFailedLineOfABatchHasTheKeysOfAGoodOne) {
  const std::string good = Write(
      "batch.jsonl", absl::StrCat("nonsense\n{\"module\":\"no.hlo\"}\n{\"module\":\"",
                                  Path("add.hlo"), "\",\"seed\":4,\"backend\":\"reference\"}\n"));
  for (const char* command : {"verify", "eval"}) {
    const auto lines = JsonLines(RunHlocts(absl::StrCat(command, " --batch=", good)).out);
    for (const Json& line : lines) {
      for (const auto& [key, value] : line.items()) EXPECT_TRUE(lines[2].contains(key)) << key;
      EXPECT_EQ(line.size(), lines[2].size()) << command << line;
    }
  }
  for (const Json& line : JsonLines(RunHlocts("diff --batch=" + good).out)) {
    for (const char* key : {"verdict", "module", "case", "backend", "reason", "first_failure"})
      EXPECT_TRUE(line.contains(key)) << key << line;
  }
}

TEST_F(CliTest, ABatchEndsWithTheStatusOfItsWorstEntry) {
  const std::string fine = R"({"module":"add.hlo","seed":1,"backend":"reference","output":"o.pb")";
  for (const std::string row :
       {R"(2 diff "profile":3)", R"(2 diff "profile":"nope")", R"(2 diff "backend":5)",
        R"(2 diff "backend":"nosuch")", R"(2 eval "backend":["reference"])",
        R"(2 eval "timeout":"xx")", R"(2 eval "module":"")", R"(2 verify "module":"no.hlo")",
        R"(2 convert "output":"")", R"(2 convert "no-metadata":"x")",
        R"(3 eval "backend":"exec:false")", R"(3 diff "backend":"exec:false")"}) {
    const std::vector<std::string> words = absl::StrSplit(row, ' ');
    Write("b.jsonl", absl::StrCat(fine, ",", words[2], "}\n", fine, "}\n"));
    const Ran ran = RunHlocts(words[1] + " --batch=b.jsonl", absl::StrCat("cd ", folder_, " &&"));
    EXPECT_EQ(std::to_string(ran.status), words[0]) << row << ran.out;
  }
}

TEST_F(CliTest, VerifyBatchNamesTheRule) {
  Write("bad.hlo",
        "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[3] negate(x)\n}\n");
  Write("batch.jsonl", "{\"module\":\"" + Path("bad.hlo") + "\"}\n");
  const Ran ran = RunHlocts("verify --batch=" + Path("batch.jsonl"));
  EXPECT_EQ(ran.status, 0) << "a result";
  Json json = ParseJson<Json>(ran.out);
  EXPECT_EQ(json["ok"], false);
  EXPECT_NE(json["rule"], "");
  EXPECT_NE(json["error"], "");
}

TEST_F(CliTest, DiffAgainstTheReferencePasses) {
  Ran ran = RunHlocts("diff " + Path("tanh.hlo") + " --seed=9 --backend=reference --json");
  EXPECT_EQ(ran.status, 0) << ran.out;
  Json verdict = ParseJson<Json>(ran.out);
  EXPECT_EQ(verdict["verdict"], "pass");
  EXPECT_EQ(verdict["seed"], 9);
  EXPECT_GT(verdict["bits_checked_mean"].get<double>(), 20);
}

TEST_F(CliTest, PiecesAreJudgedOnRequest) {
  Write("chain.hlo",
        "HloModule c\nENTRY main {\n  x = f32[2] parameter(0)\n  t = f32[2] tanh(x)\n"
        "  m = f32[2] multiply(t, x)\n  ROOT r = f32[2] add(m, t)\n}\n");
  std::string diff = absl::StrCat("diff ", Path("chain.hlo"), " --seed=1 --backend=reference ");
  EXPECT_THAT(RunHlocts(diff + "--cut=1").out, HasSubstr("3 pieces judged"));
  Ran explained = RunHlocts(diff + "--cut=2 --explain");
  EXPECT_EQ(explained.status, 0) << explained.out;
  EXPECT_THAT(explained.out, HasSubstr("2 pieces judged"));
  EXPECT_THAT(explained.out, HasSubstr("significant bits checked (median)"));
  EXPECT_EQ(RunHlocts(diff + "--cut=-1").status, 2);
  Ran json = RunHlocts(diff + "--cut=1 --json");
  EXPECT_EQ(ParseJson<Json>(json.out)["verdict"], "pass") << json.out;
}

TEST_F(CliTest, SeedsMakeDataOfAStyle) {
  std::string eval = absl::StrCat("eval ", Path("add.hlo"), " --seed=5 ");
  Ran exact = RunHlocts(eval + "--data=exact");
  EXPECT_EQ(exact.status, 0) << exact.out;
  EXPECT_EQ(exact.out.find('.'), std::string::npos) << exact.out;  // the data are small integers
  EXPECT_NE(exact.out, RunHlocts(eval + "--data=defined").out);
  EXPECT_EQ(RunHlocts(eval + "--data=special").out, RunHlocts(eval + "--data=edge").out);
  Ran unknown = RunHlocts(eval + "--data=nice");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.out, HasSubstr("--data: expected one of random, exact"));
}

TEST_F(CliTest, AnEngineThatDiesIsACrashAndTheNextModuleRuns) {
  Write("abort.hlo", "HloModule abort\nENTRY main {\n  ROOT x = f32[2] parameter(0)\n}\n");
  Write("fine.hlo", "HloModule fine\nENTRY main {\n  ROOT x = f32[2] parameter(0)\n}\n");
  Write("batch.jsonl", absl::StrCat("{\"module\":\"", Path("abort.hlo"), "\",\"seed\":1}\n",
                                    "{\"module\":\"", Path("fine.hlo"), "\",\"seed\":1}\n"));
  Ran ran = RunHlocts("diff --batch=" + Path("batch.jsonl") +
                      " --backend=exec:" HLOCTS_BINARY_DIR "/misbehaving_engine");
  const std::vector<Json> lines = JsonLines(ran.out);
  ASSERT_EQ(lines.size(), 2u) << ran.out;
  EXPECT_EQ(lines[0]["verdict"], "crash");
  EXPECT_EQ(lines[1]["verdict"], "pass") << lines[1];
}

TEST_F(CliTest, ShardsMakeTheWhole) {
  auto addresses = [](const std::string& flags) {
    std::set<std::string> result;
    Ran ran = RunHlocts("run movement/rev --backend=reference --json " + flags);
    for (const Json& verdict : JsonLines(ran.out)) {
      EXPECT_EQ(verdict["verdict"], "pass") << verdict;
      EXPECT_TRUE(result.insert(verdict["case"]).second) << verdict;
    }
    return result;
  };
  std::set<std::string> whole = addresses("--jobs=2"), merged;
  EXPECT_GT(whole.size(), 3u);
  for (const char* shard : {"--shard=1/3", "--shard=2/3", "--shard=3/3"}) {
    for (const std::string& address : addresses(shard)) {
      EXPECT_TRUE(merged.insert(address).second) << address << " twice";
    }
  }
  EXPECT_EQ(merged, whole);
}

// The engine returns its arguments: it fails most cases and accepts invalid modules.
TEST_F(CliTest, EveryFailingLineOfARunReplays) {
  std::string out = Path("replayed_run");
  Ran run = RunHlocts("run movement/pad --tier=presubmit --out=" + out +
                      " --backend=exec:" HLOCTS_BINARY_DIR "/misbehaving_engine");
  EXPECT_EQ(run.status, 1) << run.out;
  std::set<std::string> kinds;
  std::vector<std::string> lines =
      absl::StrSplit(Read("replayed_run/replay.txt"), '\n', absl::SkipEmpty());
  EXPECT_THAT(lines[0],
              HasSubstr("# Run these commands in this directory, with the path of a plugin"));
  lines.erase(lines.begin());
  for (const std::string& line : lines) {
    std::string arguments = line.substr(line.find(" diff ") + 1);
    std::string kind = arguments.substr(arguments.find("# ") + 2);
    EXPECT_THAT(line, HasSubstr("hlocts diff cases/"));
    const std::string words = absl::StrReplaceAll(
        arguments.substr(0, arguments.find("  #")),
        {{"cases/", out + "/cases/"}, {"exec:", "exec:" HLOCTS_BINARY_DIR "/"}});
    Ran replay = RunHlocts(words + " --json");
    EXPECT_EQ(replay.status, 1) << line << replay.out;
    EXPECT_THAT(replay.out, HasSubstr("\"verdict\":\"" + kind + "\"")) << line;
    kinds.insert(kind);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"accepted", "fail"}));
  // The directory contains no path of the user who wrote it; that user can replay it nevertheless.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = Read(entry.path().lexically_relative(Path("")).string());
    EXPECT_THAT(text, Not(HasSubstr(HLOCTS_BINARY_DIR))) << entry.path();
    EXPECT_THAT(text, Not(HasSubstr(out))) << entry.path();
  }
  EXPECT_THAT(RunHlocts("replay " + out + " movement/pad").out, HasSubstr("0 could not be"));
}

TEST_F(CliTest, TryShowsTheLastLineOfAPluginThatAborts) {
  const Ran ran =
      RunHlocts("try " HLOCTS_BINARY_DIR "/backends/adapters/pjrt/libshort_output_plugin.so",
                "HLOCTS_TEST_ABORTS=1");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("(Aborted); it last wrote: no device found (1 more line)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("ld.so")));
}

// The list of unexpected verdicts names the option.
TEST_F(CliTest, CommandsThatPrintAScorecardHaveVerbose) {
  for (const char* command : {"run", "try"})
    EXPECT_THAT(RunHlocts(absl::StrCat(command, " --help")).out, HasSubstr("--verbose"));
}

TEST_F(CliTest, ReplayAsksForAPluginThatIsGone) {
  const std::string plugin = Path("gone.so");
  std::filesystem::copy_file(HLOCTS_BINARY_DIR "/backends/adapters/pjrt/libshort_output_plugin.so",
                             plugin);
  const std::string out = Path("gone_run");
  RunHlocts("run movement/pad --out=" + out + " --backend=mine=pjrt:" + plugin);
  EXPECT_THAT(RunHlocts("replay " + out).out,
              HasSubstr("still fail or are inconclusive, 0 pass, 0 could not be"));
  std::filesystem::remove(plugin);
  const Ran ran = RunHlocts("replay " + out);
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("--backend=mine=pjrt:/path/to/plugin.so names another"));
}

TEST_F(CliTest, ClausesSayWhereTheyStand) {
  Ran ran = RunHlocts("clauses --json");
  ASSERT_EQ(ran.status, 0) << ran.out;
  int clauses = 0;
  for (const Json& clause : JsonLines(ran.out)) {
    const std::string address = clause["address"];
    EXPECT_EQ(address.rfind("https://", 0), 0u) << clause;
    EXPECT_NE(address.find('#'), std::string::npos) << clause;
    EXPECT_FALSE(clause["text"].empty() || clause["state"].empty()) << clause;
    EXPECT_TRUE(clause["cases"].is_array()) << clause;
    if (clause["id"] == "dot.9") {
      EXPECT_EQ(clause["source"], "Operation Semantics (TensorFlow, October 2018), Dot");
      EXPECT_THAT(address, HasSubstr("operation_semantics.md#dot"));
    }
    ++clauses;
  }
  EXPECT_GE(clauses, 1000);
}

TEST_F(CliTest, ShardsMergeAndAMissingOneIsSeen) {
  for (const char* shard : {"1", "2"}) {
    Ran ran = RunHlocts(absl::StrCat("run movement/rev --backend=reference --shard=", shard,
                                     "/2 --out=", Path(absl::StrCat("shard", shard))));
    EXPECT_EQ(ran.status, 0) << ran.out;
  }
  Ran both = RunHlocts("report " + Path("shard1") + " " + Path("shard2") +
                       " --html=" + Path("report.html") + " --baseline=" + Path("shard1"));
  EXPECT_EQ(both.status, 0) << both.out;
  EXPECT_THAT(both.out, HasSubstr("none missing, none duplicated\npage: " + Path("report.html")));
  std::string html = Read("report.html");
  EXPECT_THAT(html, HasSubstr("\"id\":\"rev.4\""));
  EXPECT_THAT(html, HasSubstr("\"movement/rev:dimensions\":[\"rev."));
  EXPECT_THAT(html, HasSubstr("(OpenXLA, September 2025; from a fork of openxla/xla)"));
  EXPECT_THAT(html, HasSubstr("\"id\":\"pad.4\"")) << "clauses that the run does not reach, too";
  Ran one = RunHlocts("report " + Path("shard1"));
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.out, HasSubstr("shard 2 of 2 is missing"));
  EXPECT_EQ(RunHlocts("report " + Path("no_such_folder")).status, 2);
}

// The engines of the runs have different names, as two releases do. The baseline is the later run.
TEST_F(CliTest, AReportComparesTheOnlyEngineOfEachRun) {
  const std::string now = "'" + Path("now") + "'", old = "'" + Path("old") + "'";
  RunHlocts("run elementwise/max --backend=canary:maximum.drops-nan --out=" + now);
  RunHlocts("run elementwise/max --backend=reference --out=" + old);
  const std::string both = " --baseline=" + old + " --markdown=" + Path("both.md");
  Ran ran = RunHlocts("report " + now + both);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("compared canary:"), HasSubstr(" with reference of "),
                             HasSubstr(" worse (passed before), 0 better (pass now), 0 changed"),
                             Not(HasSubstr(": 0 worse"))));
  EXPECT_THAT(
      Read("both.md"),
      AllOf(HasSubstr("since \"" + Path("old") + "\" of "), HasSubstr("\n- compared canary:"),
            HasSubstr("(pass now), 0 changed; \"new\""), Not(HasSubstr("no verdict"))));
  Write("old/verdicts.jsonl", absl::StrReplaceAll(Read("old/verdicts.jsonl"), {{"pass", "error"}}));
  EXPECT_THAT(RunHlocts("report " + now + both).out, HasSubstr("\nchanged since " + Path("old")));
  RunHlocts("run elementwise/max --backend=reference,legal-noise --out=" + Path("two"));
  ran = RunHlocts("report " + now + " --baseline=" + Path("two"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("the engines legal-noise, reference, and"));
}

TEST_F(CliTest, ExportWritesEveryFileThatItsManifestNames) {
  std::string out = Path("exported");
  Ran ran = RunHlocts("export movement/pad elementwise/tanh --out=" + out);
  EXPECT_EQ(ran.status, 0) << ran.out;
  std::set<std::string> kinds;
  for (const Json& one : JsonLines(Read("exported/manifest.jsonl"))) {
    kinds.insert(one["kind"]);
    for (const Json& name : one["files"]) {
      EXPECT_TRUE(std::filesystem::exists(out + "/" + std::string(one["folder"]) + "/" +
                                          std::string(name)));
    }
    if (one["kind"] == "run") {
      EXPECT_THAT(Read("exported/" + std::string(one["folder"]) + "/expected.jsonl"),
                  HasSubstr("\"shape\""));
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"reject", "run"}));
  EXPECT_EQ(RunHlocts("export movement/pad").status, 2);
  ran = RunHlocts("export elementwise/abs:accuracy --out=" + out);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("no case of tier smoke matches \"elementwise/abs:accuracy\"; "
                                 "--tier=presubmit has some"));
}

TEST_F(CliTest, DiffOfAnInvalidModuleNeedsOne) {
  Ran ran = RunHlocts("diff --invalid --backend=reference " + Path("add.hlo"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("the module is valid"));
  EXPECT_EQ(RunHlocts("diff --invalid --backend=reference " + Path("absent.hlo")).status, 2);
}

TEST_F(CliTest, ASnapshotTakesInputs) {
  const std::string to = "convert " + Path("add.hlo") + " --to=snapshot -o " + Path("s.snapshot");
  EXPECT_THAT(RunHlocts(to + " 2>&1").out, HasSubstr("the snapshot has no inputs"));
  EXPECT_EQ(RunHlocts("eval " + Path("s.snapshot")).status, 2);
  EXPECT_EQ(RunHlocts(to + " --seed=3").status, 0);
  EXPECT_EQ(RunHlocts("eval " + Path("s.snapshot")).out,
            RunHlocts("eval --seed=3 " + Path("add.hlo")).out);
  EXPECT_EQ(RunHlocts("convert " + Path("add.hlo") + " --to=text --inputs=x").status, 2);
}

TEST_F(CliTest, NoHolesAreReported) {
  EXPECT_EQ(RunHlocts("ops sort --holes").out, "every component supports it\n");
  EXPECT_THAT(RunHlocts("ops tanh dot --rules").out,
              AllOf(HasSubstr("tanh           default  ulp(7)             f32\n"),
                    HasSubstr("\n  sum                c sum|x| for n terms")));
}

// Command lines of all commands that have --json; $A is a module, $T the directory of the test.
constexpr char kWithJson[] =
    R"(run movement/rev --backend=legal-noise --expectations=$T/e --update-expectations --out=$T/r
try exec:false|eval $A --seed=1|judge --sets $A --seed=1|diff $A --seed=1 --backend=reference
compare $A $A --seed=1 --seeds=2|digits $A --seed=1|verify $A|list movement/rev|lint|clauses pad
ops add|backends|engines list|probe movement/rev --backend=reference|report $T/r|replay $T/r
report --causes $T/r|store import $T/r --store=$T/n|store list --store=$T/n|dumps $T
store check --store=$T/n|store migrate --store=$T/n|store recover --store=$T/n
store prune --keep=1 --store=$T/n|verify-claim $T/r|bench none|history $A --engine=none
shrink $A --seed=1 --backend=reference|blame $A --seed=1 --backend=reference
fuzz --modules=2 --backend=reference --out=$T/f|selfcheck --list --fault=reverse
selfcheck faults --fault=reverse --query=movement/rev|selfcheck variants --modules=1)";

TEST_F(CliTest, WithJsonStandardOutputHasOnlyJsonLines) {
  for (absl::string_view line : absl::StrSplit(kWithJson, absl::ByAnyChar("|\n"))) {
    const std::string words = absl::StrReplaceAll(line, {{"$A", Path("add.hlo")}, {"$T", folder_}});
    const Ran ran = RunShell(HLOCTS_BINARY_DIR "/hlocts " + words + " --json 2>/dev/null");
    EXPECT_TRUE(!JsonLines(ran.out).empty() || ran.status > 1 || line == "lint") << words;
  }
}

TEST_F(CliTest, EveryCommandHasHelp) {
#define HLOCTS_COMMAND(Name) Name##Command().name,
  for (const std::string& command : {
#include "tools/commands.def"
           std::string(), std::string("help"), std::string("completion"), std::string("man")}) {
#undef HLOCTS_COMMAND
    Ran ran = RunHlocts(absl::StrCat(command, " --help"));
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_THAT(ran.out, HasSubstr("Usage: hlocts")) << command;
    const std::string help = RunHlocts(absl::StrCat("help ", command)).out;
    EXPECT_TRUE(absl::StrContains(help, ran.out) || command == "engines") << command;  // a topic
    EXPECT_TRUE(!absl::StrContains(ran.out, "--json") || absl::StrContains(kWithJson, command));
  }
  EXPECT_THAT(RunHlocts("help checking").out, HasSubstr("# Checking a JAX program"));
  EXPECT_THAT(RunHlocts("help digits.md").out, HasSubstr("## Next steps"));
  EXPECT_EQ(RunHlocts("help digits").out,
            RunHlocts("digits --help").out + "\nGuide: hlocts help digits.md\n");
  const std::string all = RunHlocts("--help").out, topics = RunHlocts("help topics").out;
  EXPECT_THAT(all, HasSubstr("jax-users"));
  EXPECT_THAT(topics, ::testing::StartsWith("hlocts help TOPIC: engines, "));
  EXPECT_THAT(all, HasSubstr(topics));
  EXPECT_EQ(RunHlocts("help ../index").status, 2);
}

}  // namespace
}  // namespace hlocts::tools
