// SPDX-License-Identifier: Apache-2.0
// Tests campaigns from outside: if the process of a module is killed, hangs or exhausts memory,
// only the current batch is affected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class FuzzRunTest : public FolderTest {};

// Returns the last status line of a campaign with --json.
json LastStatus(const Ran& ran) {
  std::vector<json> lines = JsonLines(ran.out, /*among_others=*/true);
  EXPECT_FALSE(lines.empty()) << ran.out;
  return lines.empty() ? json() : lines.back();
}

std::set<std::string> Signatures(const std::string& folder) {
  std::set<std::string> signatures;
  for (const json& line : JsonLines(TextOf(folder + "/findings.jsonl"), /*among_others=*/true))
    signatures.insert(line["signature"]);
  return signatures;
}

const std::string kMisbehaving =
    absl::StrCat("--backend=exec:", HLOCTS_BINARY_DIR, "/misbehaving_engine");

TEST_F(FuzzRunTest, AHangingEngineDoesNotOverrunAndLeftoversAreShrunkLater) {
  std::string out = Path("time");
  std::string fuzz =
      absl::StrCat("fuzz ", kMisbehaving, " --jobs=1 --stream=exact --json --out=", out);
  auto start = std::chrono::steady_clock::now();
  Ran ran = RunHlocts(fuzz + " --time=4s", "MISBEHAVE_HANG_FROM=3");
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 40) << "one execution hangs for a minute";
  EXPECT_GT(LastStatus(ran)["not_shrunk"], 0) << ran.out;
  json found = JsonLines(TextOf(out + "/findings.jsonl")).back();
  ASSERT_TRUE(found["to_shrink"].is_number_integer()) << found;
  std::string readme = TextOf(absl::StrCat(out, "/", std::string(found["folder"]), "/README.md"));
  EXPECT_THAT(readme,
              AllOf(HasSubstr("not shrunk"), HasSubstr("`hlocts shrink <this directory> ")));

  int64_t done = ParseJson<json>(TextOf(out + "/state.json"))["next"];
  ran = RunHlocts(absl::StrCat(fuzz, " --resume --modules=", done));
  json status = LastStatus(ran);
  EXPECT_FALSE(status.contains("not_shrunk")) << ran.out;
  EXPECT_EQ(status["modules"], 0);  // shrinking does not add to the modules
  const std::vector<json> lines = JsonLines(TextOf(out + "/findings.jsonl"));
  ASSERT_GE(lines.size(), 3);
  EXPECT_EQ(lines.back()["met_as"], found["met_as"]);
  EXPECT_EQ(lines.back().value("cut", false), true);
  const json shrunk = lines[lines.size() - 2];  // a part of the module
  EXPECT_EQ(shrunk["module"], found["module"]);
  EXPECT_LT(shrunk["instructions"], found["instructions"]);
  readme = TextOf(absl::StrCat(out, "/", std::string(shrunk["folder"]), "/README.md"));
  EXPECT_THAT(readme, Not(ContainsRegex("not shrunk|hlocts shrink")));
}

TEST_F(FuzzRunTest, AKilledCampaignGoesOnWithTheSameStream) {
  const std::string fuzz =
      "fuzz --backend=canary:maximum.drops-nan?isolation=none --no-shrink --seed=3 --jobs=2 --json "
      "--out=";
  std::string killed = Path("killed"), whole = Path("whole");
  RunAndKill(fuzz + killed, "", killed + "/state.json", "\"next\": *[1-9]");
  json state = ParseJson<json>(TextOf(killed + "/state.json"));
  int64_t next = state["next"];
  ASSERT_GT(next, 0);
  // The first 4000 modules of this seed contain failures. How many modules ran before the campaign
  // was killed depends on the machine.
  int64_t end = std::max<int64_t>(next + 300, 4000);
  json status = LastStatus(RunHlocts(absl::StrCat(fuzz, killed, " --resume --modules=", end)));
  // No number is skipped, and no number that was recorded as done runs again.
  EXPECT_EQ(status["modules"], end - next - static_cast<int64_t>(state["done"].size()));
  state = ParseJson<json>(TextOf(killed + "/state.json"));
  EXPECT_EQ(state["next"], end);
  EXPECT_TRUE(state["done"].empty());
  RunHlocts(absl::StrCat(fuzz, whole, " --modules=", end));
  EXPECT_FALSE(Signatures(whole).empty());
  // The killed campaign may have run beyond its last recorded position.
  EXPECT_THAT(Signatures(killed), IsSupersetOf(Signatures(whole)));
}

TEST_F(FuzzRunTest, ModulesFirstThenWhatFailedIsMadeSmall) {
  const std::string out = Path("last");
  const std::string fuzz =
      "fuzz --backend=canary:maximum.drops-nan?isolation=none --seed=3 --jobs=2 --json --out=" +
      out;
  json status = LastStatus(RunHlocts(fuzz + " --shrink-last --modules=4000"));
  EXPECT_EQ(status["modules"], 4000);
  const json verdicts = status["verdicts"];
  const std::vector<json> undecided = JsonLines(TextOf(out + "/undecided.jsonl"));
  EXPECT_EQ(undecided.size(), verdicts.value("inconclusive", 0) + verdicts.value("nan_bits", 0));
  ASSERT_FALSE(undecided.empty());
  EXPECT_THAT(undecided[0]["origin"], testing::StartsWith("seed 3, module "));
  EXPECT_FALSE(status.contains("not_shrunk")) << status;
  EXPECT_GT(status["engine_seconds"], 0);
  EXPECT_GT(status["failure_seconds"], 0);
  std::vector<json> lines = JsonLines(TextOf(out + "/findings.jsonl"));
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.front().contains("to_shrink")) << "was made small before the other modules";
  EXPECT_FALSE(lines.back().contains("to_shrink"));
  EXPECT_LE(lines.back()["instructions"], 3);
  EXPECT_GE(status["buckets"], 1);
  const json failures = status["failures"];
  EXPECT_EQ(failures["new"].get<int>() + failures["repeated"].get<int>(),
            verdicts["fail"].get<int>() + verdicts.value("crash", 0));
}

TEST_F(FuzzRunTest, OtherModulesAreNotResumed) {
  std::string out = Path("other");
  const std::string fuzz = "fuzz --backend=reference --modules=5 --out=";
  ASSERT_EQ(RunHlocts(fuzz + out).status, 0);
  EXPECT_THAT(
      RunHlocts(fuzz + out + " --resume").out,
      AllOf(HasSubstr("0 modules in this run, 0 new findings in all runs, 0 known in this "),
            HasSubstr(" modules/s; ")));
  Ran ran = RunHlocts(fuzz + out + " --resume --stream=edge");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("stream edge"));
}

TEST_F(FuzzRunTest, AnOldNameOfVariantsIsResumed) {
  const std::string out = Path("old_name");
  const std::string fuzz = "fuzz --backend=reference --modules=";
  ASSERT_EQ(RunHlocts(absl::StrCat(fuzz, "5 --out=", out)).status, 0);
  json state = ParseJson<json>(TextOf(out + "/state.json"));
  const std::string recipe = state["recipe"];
  ASSERT_THAT(recipe, HasSubstr(", variants 0"));
  state["recipe"] = absl::StrReplaceAll(recipe, {{", variants ", ", twins "}});
  std::ofstream(out + "/state.json") << JsonText(state) << "\n";
  EXPECT_EQ(RunHlocts(absl::StrCat(fuzz, "7 --resume --out=", out)).status, 0);
  state = ParseJson<json>(TextOf(out + "/state.json"));
  EXPECT_EQ(state["next"], 7);
  EXPECT_EQ(state["recipe"], recipe);
}

TEST_F(FuzzRunTest, KilledWorkersAreStartedAgain) {
  std::string out = Path("workers");
  // Kills the campaign's child three times, each time after eight ticks of processor time: the
  // child has then started, whatever the load of the machine is.
  std::string script =
      absl::StrCat(HLOCTS_BINARY_DIR,
                   "/hlocts fuzz --backend=legal-noise --modules=1500 --jobs=1 --json --out=", out,
                   " & p=$!; n=0; while [ $n -lt 3 ] && [ -d /proc/$p/task ]; do ",
                   "for c in $(cat /proc/$p/task/*/children); do ",
                   "u=$(awk '{print $14 + $15}' /proc/$c/stat 2>/dev/null); ",
                   "if [ ${u:-0} -ge 8 ]; then kill -9 $c && echo struck; n=$((n+1)); fi; done; ",
                   "sleep 0.02; done; wait $p");
  Ran ran = RunShell(script);
  EXPECT_THAT(ran.out, HasSubstr("struck"));
  Ran calm = RunHlocts(absl::StrCat(
      "fuzz --backend=legal-noise --modules=1500 --jobs=1 --json --out=", out, "/calm"));
  EXPECT_EQ(ran.status, calm.status) << ran.out;
  json last = LastStatus(ran);
  EXPECT_EQ(last["modules"], 1500);
  EXPECT_EQ(last["verdicts"], LastStatus(calm)["verdicts"]);
  EXPECT_EQ(last["buckets"], 0);
}

// Simulates a busy machine: the first process of the engine starts, the second does not.
TEST_F(FuzzRunTest, AJobThatDoesNotStartIsLeftOut) {
  const std::string out = Path("jobs");
  Ran ran = RunHlocts(absl::StrCat("fuzz --backend='one=exec:mkdir ", out, ".begun && exec ",
                                   HLOCTS_BINARY_DIR,
                                   "/misbehaving_engine' --no-shrink --stream=exact --modules=4 "
                                   "--jobs=2 --json --out=",
                                   out));
  EXPECT_THAT(ran.out, HasSubstr("job 2 of 2 is omitted"));
  EXPECT_EQ(LastStatus(ran)["modules"], 4);
  EXPECT_EQ(LastStatus(ran)["jobs"], 1);
}

TEST_F(FuzzRunTest, AnEngineThatWantsAllMemoryIsAFindingAndTheRestRuns) {
  std::string out = Path("memory");
  Ran ran = RunHlocts(
      absl::StrCat(
          "fuzz ", kMisbehaving,
          " --no-shrink --stream=exact --modules=6 --jobs=1 --memory=150000000 --json --out=", out),
      "MISBEHAVE_MEMORY_EVERY=2");
  json last = LastStatus(ran);
  EXPECT_EQ(last["modules"], 6);
  EXPECT_GE(last["verdicts"].value("crash", 0), 1) << last;
  EXPECT_THAT(TextOf(out + "/findings.jsonl"), HasSubstr("memory"));
}

// The engine's process crashes in its fifth execution: the same module passes afterwards.
TEST_F(FuzzRunTest, AFlakyFindingSaysHowOftenItWasSeen) {
  const std::string out = Path("once");
  const Ran ran =
      RunHlocts(absl::StrCat("fuzz ", kMisbehaving,
                             " --stream=exact --modules=5 --cut=0 --jobs=1 --out=", out),
                "MISBEHAVE_ABORT_EVERY=5");
  bool seen = false;
  for (const auto& entry : std::filesystem::directory_iterator(out + "/findings")) {
    if (!absl::StrContains(entry.path().filename().string(), ".flaky.")) continue;
    seen = true;
    const json verdict = ParseJson<json>(TextOf(entry.path().string() + "/verdict.json"));
    EXPECT_THAT(verdict.value("flake", ""), HasSubstr(" crash, "));
    EXPECT_THAT(RunHlocts("report-bug " + entry.path().string()).out,
                AllOf(::testing::ContainsRegex("^# crash: .*seen .* runs"),
                      HasSubstr("Not deterministic: seen ")));
    const std::string replay = absl::StrCat("replay ", entry.path().string(), " ");
    const Ran passes = RunHlocts(replay + "--backend=reference");
    EXPECT_EQ(passes.status, 0);
    EXPECT_THAT(passes.out, AllOf(HasSubstr(verdict.value("flake", "") + "): 13 runs"),
                                  ::testing::ContainsRegex("[0-9] of 10 runs.; the failure was")));
    EXPECT_EQ(ParseJson<json>(RunHlocts(replay + "--backend=reference --json").out)["runs"],
              json({{"pass", 13}}));
    const Ran again = RunHlocts(replay + kMisbehaving, "MISBEHAVE_ABORT_EVERY=5");
    EXPECT_EQ(again.status, 1);
    EXPECT_THAT(again.out, ::testing::Not(HasSubstr("was not seen")));
  }
  EXPECT_TRUE(seen) << ran.out;
}

TEST_F(FuzzRunTest, AFlakyFailureIsKnownByItsOwnSignature) {
  const std::string out = Path("known_flake"), list = Path("known_flake.textproto");
  std::ofstream(list)
      << "expectation { signature: \"crash *\" needs: \"narrow\" verdict: \"crash\" "
         "kind: BUG clause: \"clamp.1\" reason: \"seeded\" }\n";
  const Ran ran =
      RunHlocts(absl::StrCat("fuzz ", kMisbehaving, " --expectations=", list,
                             " --stream=exact --modules=5 --cut=0 --jobs=1 --out=", out),
                "MISBEHAVE_ABORT_EVERY=5");
  EXPECT_THAT(TextOf(out + "/known.jsonl"), HasSubstr("\"signature\":\"flaky crash ")) << ran.out;
}

TEST_F(FuzzRunTest, FurtherFindingsAreCounted) {
  const std::string out = Path("further");
  const Ran ran = RunHlocts(
      "fuzz --backend=canary:maximum.drops-nan?isolation=none --no-shrink"
      " --seed=3 --jobs=2 --modules=4000 --out=" +
      out);
  const auto found = std::distance(std::filesystem::directory_iterator(out + "/findings"), {});
  ASSERT_GT(found, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr(absl::StrCat("   (", found - 1, " further finding")));
  for (const char* folder : {"", "/", "/findings"}) {
    const Ran replay = RunHlocts("replay " + out + folder);
    EXPECT_EQ(replay.status, 2);
    EXPECT_THAT(replay.out, HasSubstr("expected a bundle; the bundles are " + out + "/findings/*"));
  }
}

TEST_F(FuzzRunTest, KnownFailuresAreNamed) {
  const std::string out = Path("known"), list = Path("known.textproto");
  std::filesystem::remove_all(out);
  std::ofstream(list) << "expectation { signature: \"fail *\" verdict: \"fail\" kind: BUG clause: "
                         "\"clamp.1\" reason: \"seeded\" memory: true }\n";
  Ran ran = RunHlocts(
      "fuzz --backend=canary:maximum.drops-nan?isolation=none --no-shrink --seed=3 "
      "--jobs=2 --modules=4000 --expectations=" +
      list + " --out=" + out);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("known failures: " + out + "/known.jsonl"),
                             HasSubstr("--only=MODULE --expectations=/dev/null --out=DIR")));
  EXPECT_THAT(TextOf(out + "/known.jsonl"),
              AllOf(HasSubstr("\"origin\":\"seed 3, module "),
                    HasSubstr("\"clause\":\"clamp.1\",\"reason\":\"seeded\",\"memory\":\"the "
                              "engine leaves its buffers; the failure may not occur again\"")));
}

}  // namespace
}  // namespace hlocts::tools
