// SPDX-License-Identifier: Apache-2.0
// Runs the program from outside, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

namespace hlocts::tools {

// An engine that returns its arguments, or misbehaves in a way that the module's name selects.
inline constexpr char kMirror[] = HLOCTS_BINARY_DIR "/misbehaving_engine";

struct Ran {
  int status = -1;
  std::string out;  // standard output and standard error together
};

inline Ran RunShell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen(command.c_str(), "r");
  char chunk[4096];
  while (size_t n = std::fread(chunk, 1, sizeof(chunk), pipe)) ran.out.append(chunk, n);
  int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// Runs hlocts. `before` is put before the shell command, e.g. environment variables.
inline Ran RunHlocts(const std::string& arguments, const std::string& before = "") {
  return RunShell(absl::StrCat(before, " ", HLOCTS_BINARY_DIR, "/hlocts ", arguments, " 2>&1"));
}

// Parses the lines of a text as JSON objects. If `among_others`, ignores all other lines.
inline std::vector<nlohmann::json> JsonLines(absl::string_view text, bool among_others = false) {
  std::vector<nlohmann::json> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    auto one = ParseJson<nlohmann::json>(line);
    EXPECT_TRUE(one.is_object() || among_others) << line;
    if (one.is_object()) lines.push_back(std::move(one));
  }
  return lines;
}

// Returns the content of a file, or "" if it cannot be read.
inline std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A test fixture with its own empty directory.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  static std::string NameOfTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return absl::StrCat("hlocts_", test->test_suite_name(), "_", test->name());
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  // Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  std::string Read(const std::string& name) const { return TextOf(Path(name)); }
  const std::string folder_ = absl::StrCat(::testing::TempDir(), "/", NameOfTest());
};

// Returns true if the plugins of backends/engine, which is a separate project, are built.
inline bool OurEngineIsBuilt() { return RunHlocts("backends --backend=cpu").status == 0; }

// Runs hlocts and kills it as soon as `file` matches `pattern` (grep -E): the kill depends on
// progress and not on a clock. Kills it after two minutes in any case.
inline void RunAndKill(const std::string& arguments, const std::string& before,
                       const std::string& file, const std::string& pattern) {
  RunHlocts(
      absl::StrCat(arguments, " >/dev/null & p=$!; n=0; until grep -Eqs '", pattern, "' ", file,
                   " || [ $n -ge 2400 ]; do n=$((n+1)); sleep 0.05; done; ", "kill -9 $p; wait $p"),
      before);
}

}  // namespace hlocts::tools
