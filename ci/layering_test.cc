// SPDX-License-Identifier: Apache-2.0
// Checks which directories each directory may include, which may include third-party headers, and
// that directories do not include each other in a cycle. Reads every source file as text, including
// device code, .def lists and tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hlocts::ci {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // relative to the source folder
  int line = 0;
  std::string path;
};

const std::set<std::string> kExtensions = {".h", ".cc", ".inc", ".cu", ".def"};

const std::vector<Include>& AllIncludes() {
  static const auto* includes = [] {
    auto* result = new std::vector<Include>();
    std::regex pattern(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
    for (const char* folder : {"spec", "reference", "generators", "reports", "backends", "suites",
                               "fuzz", "tools", "ci"}) {
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(HLOCTS_SOURCE_DIR) / folder)) {
        std::string extension = entry.path().extension();
        if (!kExtensions.contains(extension)) continue;
        std::ifstream in(entry.path());
        std::string text;
        std::smatch match;
        for (int line = 1; std::getline(in, text); ++line) {
          if (std::regex_search(text, match, pattern)) {
            result->push_back(
                {fs::relative(entry.path(), HLOCTS_SOURCE_DIR).string(), line, match[1]});
          }
        }
      }
    }
    return result;
  }();
  return *includes;
}

std::string TopDirectoryOf(const std::string& path) { return path.substr(0, path.find('/')); }
std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool IsTest(const std::string& file) {
  return absl::EndsWith(file, "_test.cc") || absl::EndsWith(file, "_testing.h");
}

// The table of ARCHITECTURE.md. `reports` includes only `spec`, so that every component that judges
// may write records with it.
const std::map<std::string, std::set<std::string>>& Allowed() {
  static const auto* allowed = new std::map<std::string, std::set<std::string>>{
      {"spec", {"spec"}},
      {"reference", {"spec", "reference"}},
      {"generators", {"spec", "generators"}},
      {"reports", {"spec", "reports"}},
      {"backends", {"spec", "backends"}},
      {"suites", {"spec", "backends", "generators", "reports", "suites"}},
      {"fuzz", {"spec", "backends", "generators", "reports", "fuzz"}},
      {"tools",
       {"spec", "reference", "backends", "generators", "reports", "suites", "fuzz", "tools"}},
      {"ci", {}},
  };
  return *allowed;
}

// Directories in backends that may include more than the others in backends.
const std::map<std::string, std::set<std::string>>& AllowedInBackends() {
  static const auto* allowed = new std::map<std::string, std::set<std::string>>{
      {"backends/differ/", {"reference", "reports"}},
      {"backends/passes/", {"reports"}},
      {"backends/selftest/", {"reference", "generators"}},
      {"backends/adapters/reference/", {"reference"}},
  };
  return *allowed;
}

bool MayInclude(const Include& include) {
  std::string from = TopDirectoryOf(include.file), to = TopDirectoryOf(include.path);
  if (!Allowed().contains(to) || Allowed().at(from).contains(to)) return true;
  for (const auto& [folder, others] : AllowedInBackends()) {
    if (absl::StartsWith(include.file, folder) && others.contains(to)) return true;
  }
  return IsTest(include.file);  // a test may include directories above its own
}

TEST(LayeringTest, IncludesGoOneWay) {
  ASSERT_GT(AllIncludes().size(), 500u) << "the sources were not found";
  for (const Include& include : AllIncludes()) {
    EXPECT_TRUE(MayInclude(include)) << include.file << ":" << include.line << " includes "
                                     << include.path << ", which its directory may not include";
  }
}

// Our engines are a separate project (ARCHITECTURE.md).
constexpr absl::string_view kEngines = "backends/engine/";
constexpr size_t kPublicHeadersMax = 40;

const std::set<std::string>& PublicHeaders() {
  static const auto* headers = [] {
    auto* result = new std::set<std::string>();
    std::ifstream in(HLOCTS_SOURCE_DIR "/spec/public_headers.txt");
    for (std::string line; std::getline(in, line);) {
      if (absl::StartsWith(line, "spec/")) result->insert(line);
    }
    return result;
  }();
  return *headers;
}

bool RespectsEngineIsolation(const Include& include) {
  if (!absl::StartsWith(include.file, kEngines)) return !absl::StartsWith(include.path, kEngines);
  return absl::StartsWith(include.path, kEngines) ||
         !Allowed().contains(TopDirectoryOf(include.path)) ||
         PublicHeaders().contains(include.path);
}

TEST(LayeringTest, EnginesIncludeOnlyPublicHeaders) {
  for (const Include& include : AllIncludes()) {
    EXPECT_TRUE(RespectsEngineIsolation(include))
        << include.file << ":" << include.line << " includes " << include.path;
    const bool installed = PublicHeaders().contains(include.file);
    EXPECT_TRUE(!installed || TopDirectoryOf(include.path) != "spec" ||
                PublicHeaders().contains(include.path))
        << include.file << " is installed, " << include.path << " is not";
  }
  EXPECT_LE(PublicHeaders().size(), kPublicHeadersMax);
  EXPECT_FALSE(RespectsEngineIsolation({"tools/a.cc", 1, "backends/engine/plan/graph.h"}));
  EXPECT_FALSE(
      RespectsEngineIsolation({"backends/engine/cpu/a_test.cc", 1, "generators/arguments.h"}));
  EXPECT_FALSE(RespectsEngineIsolation({"backends/engine/cpu/a.cc", 1, "spec/judge/judge.h"}));
}

TEST(LayeringTest, AForbiddenIncludeIsSeen) {
  EXPECT_FALSE(MayInclude({"spec/ir/shape.cc", 1, "reference/evaluator.h"}));
  EXPECT_FALSE(MayInclude({"reference/evaluator.cc", 1, "backends/backend.h"}));
  EXPECT_FALSE(MayInclude({"backends/engine/cpu/plan.cc", 1, "reference/evaluator.h"}));
  EXPECT_TRUE(MayInclude({"backends/differ/differ.cc", 1, "reference/evaluator.h"}));
}

// Headers with heavy or engine-specific dependencies, and the only directories that may include
// them.
TEST(LayeringTest, ThirdPartyHeadersStayInTheirDirectories) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> rules = {
      {"Eigen/", {"backends/engine/cpu/kernels/linear_algebra/"}},
      {"hwy/", {"backends/engine/cpu/"}},
      {"cuda", {"backends/engine/cuda/"}},
      {"xla/", {"backends/adapters/xla/"}},
      {"tensorflow/", {"backends/adapters/xla/"}},
      {"CLI/", {"tools/cli/flags.cc"}},
  };
  for (const Include& include : AllIncludes()) {
    for (const auto& [prefix, folders] : rules) {
      if (!absl::StartsWith(include.path, prefix)) continue;
      bool allowed = false;
      for (const std::string& folder : folders) {
        allowed = allowed || absl::StartsWith(include.file, folder);
      }
      EXPECT_TRUE(allowed) << include.file << ":" << include.line << " includes " << include.path;
    }
  }
}

// Directories that include each other can only be understood together. The .cc files of a directory
// may include its subdirectories (a list, an entry point); its headers may not, and sibling
// directories may not form a cycle.
std::map<std::string, std::set<std::string>> FolderGraph() {
  std::map<std::string, std::set<std::string>> graph;
  for (const Include& include : AllIncludes()) {
    if (IsTest(include.file) || !fs::exists(fs::path(HLOCTS_SOURCE_DIR) / include.path)) continue;
    const std::string from = FolderOf(include.file), to = FolderOf(include.path);
    const bool includes_subdirectory =
        absl::EndsWith(include.file, ".cc") && absl::StartsWith(to, absl::StrCat(from, "/"));
    if (from != to && !includes_subdirectory) graph[from].insert(to);
  }
  return graph;
}

// Returns a path from `from` back to `from`; empty if there is none.
std::vector<std::string> FindCycle(const std::map<std::string, std::set<std::string>>& graph,
                                   const std::string& from) {
  std::vector<std::string> way = {from};
  std::set<std::string> seen;
  std::function<bool(const std::string&)> search = [&](const std::string& folder) {
    auto found = graph.find(folder);
    if (found == graph.end()) return false;
    for (const std::string& next : found->second) {
      way.push_back(next);
      if (next == from || (seen.insert(next).second && search(next))) return true;
      way.pop_back();
    }
    return false;
  };
  return search(from) ? way : std::vector<std::string>();
}

TEST(LayeringTest, NoIncludeCycles) {
  const auto graph = FolderGraph();
  ASSERT_GT(graph.size(), 40u);
  for (const auto& [folder, unused] : graph) {
    EXPECT_THAT(FindCycle(graph, folder), testing::IsEmpty());
  }
}

TEST(LayeringTest, CycleIsDetected) {
  EXPECT_THAT(FindCycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}, "a"),
              testing::ElementsAre("a", "b", "c", "a"));
  EXPECT_THAT(FindCycle({{"a", {"b"}}, {"b", {"c"}}}, "a"), testing::IsEmpty());
}

}  // namespace
}  // namespace hlocts::ci
