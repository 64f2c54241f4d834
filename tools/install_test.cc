// SPDX-License-Identifier: Apache-2.0
// An installed program runs on other machines: no symbol of a newer system than promised, no path
// of this one.
#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

std::string OutputOf(const std::string& command) {
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  char chunk[4096];
  while (size_t n = std::fread(chunk, 1, sizeof(chunk), pipe)) out.append(chunk, n);
  pclose(pipe);
  return out;
}

// "2.36" of "GLIBC_2.36": numbers, so that 2.4 is less than 2.36.
std::vector<int> VersionOf(absl::string_view text) {
  std::vector<int> numbers;
  for (absl::string_view part : absl::StrSplit(text, '.'))
    numbers.push_back(std::atoi(std::string(part).c_str()));
  return numbers;
}

struct Promise {
  const char* prefix;
  std::vector<int> most;
};

TEST(InstallTest, NeedsNoNewerSystemThanPromised) {
  const std::string symbols = OutputOf("objdump -T " HLOCTS_BINARY_DIR "/hlocts 2>/dev/null");
  if (symbols.empty()) GTEST_SKIP() << "no objdump here";
  const Promise promises[] = {
      {"GLIBC_", {2, 36}}, {"GLIBCXX_", {3, 4, 30}}, {"CXXABI_", {1, 3, 14}}};
  std::set<std::string> seen;
  for (absl::string_view word :
       absl::StrSplit(symbols, absl::ByAnyChar(" \n()"), absl::SkipEmpty())) {
    for (const Promise& promise : promises) {
      if (!absl::StartsWith(word, promise.prefix)) continue;
      seen.insert(promise.prefix);
      std::vector<int> version = VersionOf(word.substr(std::string(promise.prefix).size()));
      EXPECT_LE(version, promise.most) << word;
    }
  }
  EXPECT_TRUE(seen.count("GLIBC_") && seen.count("GLIBCXX_")) << "symbols of both were looked at";
}

// `cmake --install` puts libraries that not every Linux has next to the program, which finds them
// there.
TEST(InstallTest, LibrariesComeAlongAndAreFoundFromWhereItIs) {
  const std::string root = ::testing::TempDir() + "/hlocts_moved";
  OutputOf("rm -rf " + root + " " + root +
           ".made; cmake --install " HLOCTS_BINARY_DIR " --prefix=" + root + ".made; mv " + root +
           ".made " + root);
  const std::string needs = OutputOf("ldd " + root + "/bin/hlocts 2>&1");
  const std::regex system("linux-vdso|ld-linux|lib(c|m|gcc_s|stdc[+][+])[.]so|lib(asan|ubsan)");
  int beside = 0;
  for (absl::string_view line : absl::StrSplit(needs, '\n', absl::SkipWhitespace())) {
    if (std::regex_search(std::string(line), system)) continue;
    EXPECT_TRUE(absl::StrContains(line, root + "/bin/../lib/hlocts/")) << line;
    ++beside;
  }
  EXPECT_GT(beside, 0) << needs;
}

// Copied away from the build and source directories, with the suite next to it as `cmake --install`
// puts it.
TEST(InstallTest, FindsItsSuiteFromWhereItIs) {
  const std::string root = ::testing::TempDir() + "/hlocts_installed";
  OutputOf("rm -rf " + root + "; mkdir -p " + root + "/bin " + root +
           "/share/hlocts/suites/cases/movement " + root +
           "/share/hlocts/spec; cp " HLOCTS_BINARY_DIR "/hlocts " + root +
           "/bin/; cp -r " HLOCTS_SOURCE_DIR "/spec/clauses " HLOCTS_SOURCE_DIR "/spec/rulings " +
           root + "/share/hlocts/spec/; cp " HLOCTS_SOURCE_DIR "/suites/cases/movement/pad.case " +
           root +
           "/share/hlocts/suites/cases/movement/; cp " HLOCTS_SOURCE_DIR "/suites/costs.txt " +
           root + "/share/hlocts/suites/");
  std::string out =
      OutputOf("cd / && " + root + "/bin/hlocts run --backend=reference movement 2>&1");
  EXPECT_TRUE(absl::StrContains(out, "all as expected")) << out;
  std::string list = OutputOf("cd / && " + root + "/bin/hlocts list 2>&1 | cut -d/ -f1 | sort -u");
  EXPECT_EQ(list, "movement\n") << "its own suite, not that of the source";
}

}  // namespace
}  // namespace hlocts::tools
