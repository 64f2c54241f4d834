// SPDX-License-Identifier: Apache-2.0
// Tests the run store and its page from outside: suite runs are imported, a nightly run is read,
// and a kill during an import loses nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class StoreCommandTest : public FolderTest {
 protected:
  std::string Store() const { return " --store=" + Path("s.db"); }
};

TEST_F(StoreCommandTest, TwoNightsBecomeASentenceAndAPage) {
  const std::string engines =
      " --backend=reference --backend=mine=exec:" HLOCTS_BINARY_DIR "/misbehaving_engine";
  for (const char* night : {"2026-01-01", "2026-01-02"}) {
    const std::string out = Path(night);
    RunHlocts(absl::StrCat("run movement/rev", engines, " --out=", out));
    Ran import = RunHlocts(absl::StrCat("store import ", out, " --night=", night, Store()));
    EXPECT_EQ(import.status, 0) << import.out;
  }
  Ran list = RunHlocts("store list --json" + Store());
  EXPECT_THAT(list.out, HasSubstr("\"night\":\"2026-01-02\""));
  EXPECT_EQ(RunHlocts("store case movement/rev" + Store()).status, 2) << "not a case's address";
  EXPECT_THAT(RunHlocts("store case movement/rev:layouts" + Store()).out,
              HasSubstr("2026-01-02  reference  pass\n"));
  Ran report = RunHlocts(absl::StrCat("report", Store(), " --json --html=", Path("p.html"),
                                      " --markdown=", Path("n.md"), " --badge=", Path("b.svg"),
                                      " --summary=", Path("n.json")));
  EXPECT_EQ(report.status, 0) << "the same again is no news\n" << report.out;
  auto said = ParseJson<nlohmann::json>(report.out);
  EXPECT_EQ(said["sentence"],
            "0 new, 0 fixed, 0 changed, 0 flaky, 0 not run since 2026-01-01; 4 still open since "
            "2026-01-01.");
  EXPECT_THAT(Read("p.html"), HasSubstr("\">0 new</a>, <a href=\"#list-fixed\">0 fixed</a>"));
  EXPECT_THAT(Read("p.html"), Not(HasSubstr(folder_))) << "a path of this machine";
  EXPECT_THAT(Read("n.md"), HasSubstr("**0 new"));
  EXPECT_THAT(Read("b.svg"), HasSubstr("hlocts: 0 new"));
  Ran first = RunHlocts(absl::StrCat("report", Store(), " --night=2026-01-01"));
  EXPECT_EQ(first.status, 1) << "all that fails is new to the first night\n" << first.out;
  EXPECT_EQ(RunHlocts("store check" + Store()).status, 0);
  EXPECT_EQ(RunHlocts("report --without=2026-1-1" + Store()).status, 2) << "no run has that name";
  EXPECT_THAT(RunHlocts("store prune --keep=1" + Store()).out,
              HasSubstr("removed 0 verdicts of older nightly runs; kept counts, what "
                        "comparisons need, and the newest 2 runs with a report"));
  EXPECT_THAT(RunHlocts("report" + Store()).out, HasSubstr("since 2026-01-01")) << "its base";
  RunHlocts(absl::StrCat("store import ", Path("2026-01-02"), " --night=2026-01-03", Store()));
  EXPECT_EQ(RunHlocts("store prune --keep=2" + Store()).status, 0);
  EXPECT_THAT(RunHlocts("store list" + Store()).out, HasSubstr("counts only"));
  EXPECT_THAT(RunHlocts("store --help").out, HasSubstr("counts only (pruned)"));
  Ran pruned = RunHlocts("report --night=2026-01-01 --not-repeated=1" + Store());
  EXPECT_EQ(pruned.status, 0) << "nothing is new in a run that has no verdicts";
  EXPECT_THAT(pruned.out, HasSubstr("(pruned, so only counts are kept): 4 of "));
}

TEST_F(StoreCommandTest, AKilledRunIsRefusedAndAKilledImportIsDoneAgain) {
  // The run must be killed before its end. A failing case runs three times. The engine hangs in the
  // second of these runs, in which the kill occurs.
  RunAndKill("run movement/pad --jobs=1 --timeout=600s --backend=exec:" HLOCTS_BINARY_DIR
             "/misbehaving_engine --out=" +
                 Path("run"),
             "MISBEHAVE_HANG_FROM=4", Path("run") + "/verdicts.jsonl", "\"case\"");
  Ran refused = RunHlocts("store import " + Path("run") + Store());
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("is unfinished"));
  EXPECT_FALSE(fs::exists(Path("s.db"))) << "an error creates no store";
  Ran taken = RunHlocts("store import --incomplete " + Path("run") + Store());
  EXPECT_EQ(taken.status, 0) << taken.out;
  EXPECT_THAT(taken.out, HasSubstr(": 1 run with "));
  Ran report = RunHlocts("report" + Store());
  EXPECT_EQ(report.status, 1);
  EXPECT_THAT(report.out, HasSubstr(" was cut after "));
  // There are so many records that the kill happens after some, but not all, have been read.
  fs::create_directories(Path("many"));
  fs::copy(Path("run") + "/run.json", Path("many") + "/run.json");
  std::ofstream records(Path("many") + "/verdicts.jsonl"),
      selection(Path("many") + "/selection.txt");
  std::string line = Read("run/verdicts.jsonl");
  line = line.substr(0, line.find('\n'));
  auto record = ParseJson<nlohmann::json>(line);
  for (int i = 0; i < 60000; ++i) {
    record["case"] = absl::StrCat("movement/many:", i);
    records << JsonText(record) << "\n";
    selection << record["case"].get<std::string>() << "\n";
  }
  records.close();
  selection.close();
  const std::string import =
      absl::StrCat("store import --incomplete --night=9 ", Path("many"), Store());
  RunHlocts(import +
            " >/dev/null & p=$!; n=0; until awk '/^rchar/{exit !($2 > 5000000)}' /proc/$p/io "
            "2>/dev/null || [ $n -ge 2400 ]; do n=$((n+1)); sleep 0.02; done; kill -9 $p; wait $p");
  EXPECT_THAT(RunHlocts("store list" + Store()).out, Not(HasSubstr("\n9 "))) << "half a night";
  Ran check = RunHlocts("store check" + Store());
  EXPECT_EQ(check.status, 0) << check.out;
  Ran again = RunHlocts(import);
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("60000 verdicts"));
}

TEST_F(StoreCommandTest, ViewAnswersLocalNamesOnlyWhatTheReportSays) {
  const std::string run = "run movement/rev --backend=reference --out=" + Path("r");
  RunHlocts(run);
  RunHlocts(absl::StrCat("store import ", Path("r"), " --night=2026-01-01", Store()));
  const Ran report = RunHlocts("report --json --note=short --not-repeated=3" + Store());
  EXPECT_THAT(report.out, HasSubstr("0 flaky (3 not repeated), 0 not run; no earlier run"));
  EXPECT_THAT(report.out, HasSubstr("\"notes\":[\"short\"]"));
  RunHlocts("run movement/rev --backend=cpu --out=" + Path("c"));
  EXPECT_THAT(RunHlocts("report r c", "cd " + folder_ + " &&").out,
              HasSubstr("c has other engines"));
  EXPECT_THAT(RunHlocts("report --junit=-" + Store()).out, HasSubstr("/suite/ENGINE --junit=FILE"));
  std::ofstream(Path("ask.py")) << R"py(
import socket, struct, subprocess, sys, urllib.error, urllib.request
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
address = next(line for line in server.stdout if line.startswith("http:")).strip()
for host in ("localhost", "127.0.0.1:80", "evil.example", "localhost.evil.example:80",
             "127.0.0.1:80@evil"):
    try:
        request = urllib.request.Request(address, headers={"Host": host})
        print(host, urllib.request.urlopen(request, timeout=60).status)
    except urllib.error.HTTPError as error:
        print(host, error.code)
with socket.create_connection(("127.0.0.1", int(address.split(":")[2].strip("/")))) as client:
    client.send(b"GET / HTTP/1.0\r\n")
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
port = f"--port={address.split(':')[2].strip('/')}"
second = [word.replace("--port=0", port) for word in sys.argv[1:]]
done = subprocess.run(second, capture_output=True, text=True)
print(done.returncode, done.stderr.replace(port, "--port"))
print(urllib.request.urlopen(address + "night.json").read().decode(), end="")
print(b"to see later imports, start `hlocts view` again" in urllib.request.urlopen(address).read())
server.send_signal(2)
print("ended", server.wait(), "Traceback" in server.stderr.read())
)py";
  Ran asked = RunHlocts("view --port=0" + Store(), "python3 " + Path("ask.py"));
  EXPECT_EQ(asked.out,
            "localhost 200\n127.0.0.1:80 200\nevil.example 403\nlocalhost.evil.example:80 403\n"
            "127.0.0.1:80@evil 403\n3 hlocts: view: --port: Address already in use\n\n" +
                report.out + "True\nended 130 False\n");
}

TEST_F(StoreCommandTest, WhatIsWrongIsOneSentence) {
  EXPECT_EQ(RunHlocts("store list" + Store()).status, 2);
  EXPECT_EQ(RunHlocts("store check" + Store()).status, 2);
  EXPECT_EQ(RunHlocts("store prune --keep=1" + Store()).status, 2);
  EXPECT_FALSE(std::filesystem::exists(Path("s.db"))) << "nothing is created";
  EXPECT_EQ(RunHlocts("store" + Store()).status, 2);
  EXPECT_EQ(RunHlocts("store import /nowhere" + Store()).status, 2);
  EXPECT_EQ(RunHlocts("view" + Store()).status, 2);
  std::ofstream(Path("s.db")) << std::string(5000, '#');
  Ran damaged = RunHlocts("store list" + Store());
  EXPECT_EQ(damaged.status, 3);
  EXPECT_THAT(damaged.out, HasSubstr("`hlocts store recover`"));
  EXPECT_EQ(RunHlocts("store check" + Store()).status, 1);
  Ran recovered = RunHlocts("store recover" + Store());
  EXPECT_EQ(recovered.status, 0) << recovered.out;
  EXPECT_EQ(RunHlocts("store list" + Store()).status, 0);
  ASSERT_TRUE(std::filesystem::exists(Path("s.db.damaged-1")));
  EXPECT_THAT(RunHlocts("store recover" + Store()).out, HasSubstr("nothing was changed"));
  EXPECT_FALSE(std::filesystem::exists(Path("s.db.damaged-2")));
}

}  // namespace
}  // namespace hlocts::tools
