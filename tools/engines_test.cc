// SPDX-License-Identifier: Apache-2.0
// Tests `hlocts engines` and its script without a network: the wheels are in a directory that the
// test creates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/base/status_testing.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class EnginesTest : public FolderTest {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/wheels");
    // pip reads only this directory, without a network.
    before_ = absl::StrCat("HLOCTS_CACHE=", folder_,
                           "/cache PIP_NO_INDEX=1 PIP_FIND_LINKS=", folder_, "/wheels");
  }
  Ran Engines(const std::string& arguments) { return RunHlocts("engines " + arguments, before_); }
  Ran Shell(const std::string& command) {
    return RunShell(absl::StrCat("( ", before_, " ", command, " ) 2>&1"));
  }
  // Creates a wheel with two files, and with `more` if that name is not empty. Returns its hash.
  std::string MakeWheel(const std::string& more = "''") {
    std::ofstream(folder_ + "/make.py") << R"(import hashlib, sys, zipfile
path = sys.argv[1] + "/toy-1.0-py3-none-any.whl"
with zipfile.ZipFile(path, "w") as wheel:
    wheel.writestr("toy/a.so", "a")
    wheel.writestr("toy/b.py", "b")
    wheel.writestr("toy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    wheel.writestr("toy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("toy-1.0.dist-info/RECORD", "")
    if sys.argv[2]:
        wheel.writestr(sys.argv[2], "c")
print(hashlib.sha256(open(path, "rb").read()).hexdigest(), end="")
)";
    return Shell(absl::StrCat("python3 ", folder_, "/make.py ", folder_, "/wheels ", more)).out;
  }
  Ran Fetch(const std::string& hash, const std::string& member, const std::string& before = "") {
    return Shell(absl::StrCat(before, HLOCTS_SOURCE_DIR "/ci/fetch-engine --target=", folder_,
                              "/cache/engines/toy --stamp=s --package=toy --version=1.0 --mb=1",
                              " --sha256=", hash, " --member='", member, "'"));
  }
  std::set<std::string> Cached() {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ + "/cache/engines"))
      names.insert(entry.path().filename());
    return names;
  }
  std::string before_;
};

TEST_F(EnginesTest, ListSaysNameStateSizeAndLicence) {
  Ran ran = Engines("list --json");
  ASSERT_EQ(ran.status, 0) << ran.out;
  std::set<std::string> names;
  for (const Json& json : JsonLines(ran.out)) {
    EXPECT_TRUE(names.insert(json["name"]).second);
    // An engine that is used through another release has no wheel.
    const size_t expected = json["wheel_mb"].get<double>() > 0 ? 64 : 0;
    EXPECT_EQ(json["sha256"].get<std::string>().size(), expected) << json;
    // The cache is empty, so no engine with a wheel is installed.
    if (expected != 0) {
      EXPECT_NE(json["state"], "installed") << json;
    }
  }
  EXPECT_TRUE(names.count("xla@0.11.2"));
  EXPECT_THAT(Engines("list").out, HasSubstr("none stated"));
}

TEST_F(EnginesTest, WrongWordsAreUsageErrors) {
  EXPECT_EQ(Engines("install nonesuch").status, 2);
  EXPECT_EQ(Engines("install").status, 2);
  EXPECT_EQ(Engines("eat xla").status, 2);
  EXPECT_EQ(Engines("remove xla@2026.03").status, 2);  // it is part of a build
}

TEST_F(EnginesTest, OwnEnginesNeedNoCache) {
  constexpr char kNoHome[] = "HLOCTS_CACHE= XDG_CACHE_HOME= HOME=";
  if (!OurEngineIsBuilt()) GTEST_SKIP() << "cpu is not built";
  EXPECT_THAT(RunHlocts("engines list --json", kNoHome).out,
              HasSubstr("{\"name\":\"cpu\",\"state\":\"installed\""));
  EXPECT_THAT(RunHlocts("engines", kNoHome).out, HasSubstr("/libhlocts_cpu.so\n"));
}

TEST_F(EnginesTest, NoNetworkIsReported) {
  Ran ran = Engines("install xla@2025.11");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("64 MB to download"));
  EXPECT_THAT(ran.out, HasSubstr("licence not stated by the wheel"));
  EXPECT_THAT(ran.out, HasSubstr("is the network up"));
  EXPECT_TRUE(Cached().empty());
}

TEST_F(EnginesTest, TheScriptTakesTheMembersThatAreNamed) {
  for (const char* members : {"toy/*.so", "toy/*' '--member=!*.py"}) {
    fs::remove_all(folder_ + "/cache/engines/toy");
    Ran ran = Fetch(MakeWheel(), members);
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(fs::exists(folder_ + "/cache/engines/toy/toy/a.so"));
    EXPECT_FALSE(fs::exists(folder_ + "/cache/engines/toy/toy/b.py"));
    EXPECT_THAT(Fetch("unread", members).out, HasSubstr("already installed"));
  }
}

TEST_F(EnginesTest, TheScriptImportsNothingOfTheWorkingDirectory) {
  const std::string hash = MakeWheel();
  for (const char* name : {"pip", "fnmatch", "zipfile"})
    Write(absl::StrCat("here/", name, ".py"), "open('owned', 'w')\n");
  const Ran ran = Fetch(hash, "toy/*.so", "env -C " + Path("here") + " ");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_FALSE(fs::exists(Path("here/owned")));
}

TEST_F(EnginesTest, AWrongHashOrAMissingMemberLeavesNothing) {
  EXPECT_THAT(Fetch(MakeWheel(), "toy/*.dll").out, HasSubstr("the wheel has no toy/*.dll"));
  const Ran ran = Fetch(std::string(64, '0'), "toy/*.so");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("wrong hash"));
  EXPECT_TRUE(Cached().empty());
}

TEST_F(EnginesTest, AMemberOutsideOfTheWheelLeavesNothing) {
  for (const std::string name : {"toy/../../../escaped.so", "/tmp/hlocts_escaped.so", ".."}) {
    Ran ran = Fetch(MakeWheel(name), "*");
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("outside of its own folder: " + name));
    EXPECT_TRUE(Cached().empty());
  }
  EXPECT_FALSE(fs::exists(folder_ + "/cache/escaped.so"));
  EXPECT_FALSE(fs::exists("/tmp/hlocts_escaped.so"));
}

// Changes one byte of a wheel with a known hash.
TEST_F(EnginesTest, ATamperedWheelLeavesNothing) {
  const std::string hash = MakeWheel(), wheel = folder_ + "/wheels/toy-1.0-py3-none-any.whl";
  std::fstream file(wheel, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(wheel)) - 1);
  file.put('x');  // in the length of the comment, which many unzip programs ignore
  file.close();
  EXPECT_EQ(Fetch(hash, "*").status, 1);
  EXPECT_TRUE(Cached().empty());
}

// A CI system that cancels a step kills only hlocts; the child processes must then end too.
TEST_F(EnginesTest, AnInstallationThatIsEndedInstallsNothing) {
  fs::create_directories(folder_ + "/bin");
  std::ofstream(folder_ + "/bin/python3")
      << "#!/bin/sh\ncase \"$*\" in *download*) touch " << folder_ << "/began; sleep 3; touch "
      << folder_ << "/went_on;; esac\n";
  fs::permissions(folder_ + "/bin/python3", fs::perms::all);
  before_ += absl::StrCat(" PATH=", folder_, "/bin:$PATH");
  Ran ran = Shell(absl::StrCat(HLOCTS_BINARY_DIR
                               "/hlocts engines install xla@2025.11 & p=$!; until [ -e ",
                               folder_, "/began ]; do sleep 0.05; done; kill -TERM $p; wait $p"));
  EXPECT_EQ(ran.status, 143) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("nothing was changed"));
  Shell("sleep 4");
  EXPECT_FALSE(fs::exists(folder_ + "/went_on"));
  EXPECT_TRUE(Cached().empty()) << "no half an engine";
}

TEST_F(EnginesTest, AStampWithoutItsPluginIsNoInstallation) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto list, backends::LoadEngineList());
  const std::string folder = folder_ + "/cache/engines/xla@2025.11";
  fs::create_directories(folder);
  std::ofstream(folder + "/.stamp")
      << backends::EngineStamp(*backends::FindEngine(list, "xla@2025.11")) << "\n";
  const fs::path library = folder + "/" + backends::FindEngine(list, "xla@2025.11")->library();
  fs::create_directories(library.parent_path());
  std::ofstream(library) << "\177ELF";
  EXPECT_THAT(Engines("list").out,
              testing::ContainsRegex("\nxla@2025.11 +installed(.|\n)*\nxla@2026.03 "));
  fs::remove(library);
  EXPECT_THAT(Engines("install xla@2025.11").out, HasSubstr("xla@2025.11: downloading"))
      << "not: is already installed";
}

TEST_F(EnginesTest, PruneTakesWhatNoEntryCallsItsOwn) {
  // A killed installation leaves such a directory.
  fs::create_directories(folder_ + "/cache/engines/.toy.Abc123");
  fs::create_directories(folder_ + "/cache/engines/left@1");
  fs::create_directories(folder_ + "/cache/engines/xla@2025.11");  // has no stamp
  EXPECT_EQ(Engines("prune").status, 0);
  EXPECT_TRUE(Cached().empty());
}

TEST_F(EnginesTest, TheHistoryOfACompilersFindingIsThatOfItsReleases) {
  const Ran ran = RunHlocts(
      "history --json " HLOCTS_SOURCE_DIR "/results/findings/tpu-acosh-is-refused", before_);
  const Json history = ParseJson<Json>(ran.out);
  ASSERT_TRUE(history.is_object()) << ran.out;
  ASSERT_GE(history["releases"].size(), 6);
  for (const Json& release : history["releases"]) {
    EXPECT_THAT(release.value("name", ""), ::testing::StartsWith("tpu@"));
    EXPECT_EQ(release.value("mark", ""), "-");  // not installed
  }
}

TEST_F(EnginesTest, AHistoryTakesNamesWithOptions) {
  const std::string history = "history --json " HLOCTS_SOURCE_DIR
                              "/results/findings/xla-logarithm-of-a-power --engine='xla@0.11.2?a";
  const Json row = ParseJson<Json>(RunHlocts(history + "=1'", before_).out);
  ASSERT_TRUE(row.is_object());
  EXPECT_EQ(row["releases"][0]["name"], "xla@0.11.2?a=1");
  EXPECT_EQ(row["compile_options"]["xla_cpu_enable_fast_min_max"], "false");
  EXPECT_THAT(RunHlocts(history + "'", before_).out, HasSubstr("expected name=value"));
}

}  // namespace
}  // namespace hlocts::tools
