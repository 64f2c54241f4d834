// SPDX-License-Identifier: Apache-2.0
#include "spec/files/home_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hlocts {
namespace {

namespace fs = std::filesystem;

bool ContainsSuite(const fs::path& folder) {
  std::error_code none;
  return fs::is_directory(folder / "suites" / "cases", none);
}

fs::path NamedIn(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string Find() {
  for (fs::path folder = fs::path(ProgramPath()).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    for (const fs::path& place :
         {folder / "share" / "hlocts", folder, NamedIn(folder / "hlocts.home")}) {
      if (!place.empty() && ContainsSuite(place)) return place.string();
    }
    if (folder == folder.root_path()) break;
  }
  return ".";
}

}  // namespace

std::string ProgramPath() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "hlocts" : path.string();
}

std::string ProgramAsCalled() {
  std::ifstream command("/proc/self/cmdline", std::ios::binary);
  std::string first;
  std::getline(command, first, '\0');
  if (first.find('/') != first.npos) return first;
  // The caller of exec chooses argv[0], so a shell may find another program by that name.
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code none;
    if (fs::equivalent(fs::path(folder) / first, ProgramPath(), none)) return first;
  }
  return ProgramPath();
}

std::string HomeFolder() {
  const char* named = std::getenv("HLOCTS_HOME");
  if (named && *named) return named;
  static const auto* found = new std::string(Find());
  return *found;
}

bool IsInstalled() {
  std::error_code none;
  return !fs::exists(fs::path(HomeFolder()) / "CMakeLists.txt", none);
}

}  // namespace hlocts
