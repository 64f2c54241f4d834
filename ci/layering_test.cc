// The house keeps its order: which room may include which, where foreign headers may stand, and that
// every room has its README. Reads the source files as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hlocts {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // relative to the source folder
  int line = 0;
  std::string path;
};

const std::vector<Include>& AllIncludes() {
  static const auto* includes = [] {
    auto* result = new std::vector<Include>();
    std::regex pattern(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
    for (const char* room : {"spec", "reference", "generators", "reports", "backends", "suites",
                             "fuzz", "tools", "ci"}) {
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(HLOCTS_SOURCE_DIR) / room)) {
        std::string extension = entry.path().extension();
        if (extension != ".h" && extension != ".cc" && extension != ".inc") continue;
        std::ifstream in(entry.path());
        std::string text;
        std::smatch match;
        for (int line = 1; std::getline(in, text); ++line) {
          if (std::regex_search(text, match, pattern)) {
            result->push_back({fs::relative(entry.path(), HLOCTS_SOURCE_DIR).string(), line, match[1]});
          }
        }
      }
    }
    return result;
  }();
  return *includes;
}

std::string RoomOf(const std::string& path) { return path.substr(0, path.find('/')); }

bool IsTest(const std::string& file) { return absl::EndsWith(file, "_test.cc"); }

// ARCHITECTURE.md. reports knows only spec, so whoever judges may write its records.
const std::map<std::string, std::set<std::string>>& Allowed() {
  static const auto* allowed = new std::map<std::string, std::set<std::string>>{
      {"spec", {"spec"}},
      {"reference", {"spec", "reference"}},
      {"generators", {"spec", "generators"}},
      {"reports", {"spec", "reports"}},
      {"backends", {"spec", "backends"}},
      {"suites", {"spec", "backends", "generators", "reports", "suites"}},
      {"fuzz", {"spec", "backends", "generators", "reports", "fuzz"}},
      {"tools", {"spec", "reference", "backends", "generators", "reports", "suites", "fuzz", "tools"}},
      {"ci", {}},
  };
  return *allowed;
}

// Rooms inside backends that may know more than the others.
const std::map<std::string, std::set<std::string>>& AllowedInBackends() {
  static const auto* allowed = new std::map<std::string, std::set<std::string>>{
      {"backends/differ/", {"reference", "reports"}},
      {"backends/selftest/faults/", {"reference", "generators"}},
      {"backends/adapters/reference/", {"reference"}},
  };
  return *allowed;
}

bool MayInclude(const Include& include) {
  std::string from = RoomOf(include.file), to = RoomOf(include.path);
  if (!Allowed().contains(to) || Allowed().at(from).contains(to)) return true;
  for (const auto& [folder, rooms] : AllowedInBackends()) {
    if (absl::StartsWith(include.file, folder) && rooms.contains(to)) return true;
  }
  return IsTest(include.file);  // a test may use what stands above its room
}

TEST(HouseTest, IncludesGoOneWay) {
  ASSERT_GT(AllIncludes().size(), 500u) << "the sources were not found";
  for (const Include& include : AllIncludes()) {
    EXPECT_TRUE(MayInclude(include)) << include.file << ":" << include.line << " includes "
                                     << include.path << ", which its room may not know";
  }
}

TEST(HouseTest, AForbiddenIncludeIsSeen) {
  EXPECT_FALSE(MayInclude({"spec/ir/shape.cc", 1, "reference/evaluator.h"}));
  EXPECT_FALSE(MayInclude({"reference/evaluator.cc", 1, "backends/backend.h"}));
  EXPECT_FALSE(MayInclude({"backends/engine/cpu/plan.cc", 1, "reference/evaluator.h"}));
  EXPECT_TRUE(MayInclude({"backends/differ/differ.cc", 1, "reference/evaluator.h"}));
}

// Heavy or engine-bound headers, and the only folders that may see them.
TEST(HouseTest, ForeignHeadersStayInTheirRooms) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> rules = {
      {"Eigen/", {"backends/"}},
      {"hwy/", {"backends/engine/cpu/"}},
      {"cuda", {"backends/engine/cuda/"}},
      {"xla/", {"backends/adapters/xla/", "backends/adapters/pjrt/"}},
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

TEST(HouseTest, EveryRoomHasItsReadme) {
  for (const char* room :
       {".", "spec", "spec/base", "spec/ir", "spec/text", "spec/proto", "spec/packed", "spec/files", "spec/ops",
        "spec/infer", "spec/builder", "spec/cut", "spec/rewrites", "spec/accuracy", "spec/judge", "spec/clauses",
        "spec/rulings", "reference", "reference/judge", "reference/world", "backends",
        "backends/adapters/pjrt", "backends/adapters/xla", "backends/differ", "backends/selftest/faults", "backends/engine/plan",
        "backends/engine/cpu", "backends/engine/cpu/kernels", "backends/engine/cuda", "generators", "fuzz", "suites", "reports", "tools",
        "tools/selfcheck", "ci"}) {
    EXPECT_TRUE(fs::exists(fs::path(HLOCTS_SOURCE_DIR) / room / "README.md")) << room;
  }
}

}  // namespace
}  // namespace hlocts
