// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/watch.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/files/home_folder.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;

constexpr useconds_t kPauseMicros = 300'000;
// Options with files that the command writes; --lf may be the directory of --out.
constexpr absl::string_view kWritten[] = {"--out",   "-o",        "--output",
                                          "--junit", "--outfeed", "--lf"};

bool IsWritten(absl::string_view option) {
  return std::find(std::begin(kWritten), std::end(kWritten), option) != std::end(kWritten);
}

// Last write time and size of each file; of a directory, those of the files in it.
using Stamps = std::map<std::string, std::pair<fs::file_time_type, uintmax_t>>;

void AddStamp(const fs::path& path, Stamps& stamps) {
  std::error_code none;
  stamps[path.string()] = {fs::last_write_time(path, none), fs::file_size(path, none)};
}

Stamps StampsOf(const std::vector<std::string>& paths) {
  Stamps stamps;
  for (const std::string& path : paths) {
    AddStamp(path, stamps);
    std::error_code none;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, none))
      if (entry.is_regular_file(none)) AddStamp(entry.path(), stamps);
  }
  return stamps;
}

// Runs the command once in a child process, which ends when this process ends or is killed.
int RunOnce(const std::vector<std::string>& words) {
  std::vector<std::string> command = {ProgramPath()};
  for (const std::string& word : words)
    if (word != "--watch") command.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits until the files differ from `before` and do not change any more. Returns a changed file.
std::string AwaitChange(const std::vector<std::string>& paths, const Stamps& before) {
  Stamps now = StampsOf(paths), last;
  while (now == before || now != last) {
    usleep(kPauseMicros);
    last = std::exchange(now, StampsOf(paths));
  }
  for (const auto& [path, stamp] : now) {
    auto found = before.find(path);
    if (found == before.end() || found->second != stamp) return path;
  }
  return paths[0];
}

}  // namespace

std::vector<std::string> WatchedPaths(const std::vector<std::string>& words) {
  std::set<std::string> paths;
  bool skip = true;  // true: skips the subcommand and the values of output options
  for (const std::string& word : words) {
    const bool skipped = std::exchange(skip, IsWritten(word));
    if (skipped || IsWritten(word.substr(0, word.find('=')))) continue;
    for (absl::string_view part : absl::StrSplit(word, absl::ByAnyChar("= ,?"))) {
      absl::ConsumePrefix(&part, "pjrt:");
      absl::ConsumePrefix(&part, "exec:");
      std::error_code none;
      if (!part.empty() && fs::exists(std::string(part), none)) paths.emplace(part);
    }
  }
  if (paths.empty()) paths.insert(HomeFolder() + "/suites/cases");
  return {paths.begin(), paths.end()};
}

void RunWatching(const std::vector<std::string>& words) {
  const std::vector<std::string> paths = WatchedPaths(words);
  while (true) {
    const Stamps before = StampsOf(paths);
    const int status = RunOnce(words);
    std::fprintf(stderr, "watch: exit status %d; waiting for a change of %s (Ctrl-C ends)\n",
                 status, absl::StrJoin(paths, ", ").c_str());
    const std::string changed = AwaitChange(paths, before);
    std::fprintf(stderr, "watch: %s changed\n", changed.c_str());
  }
}

}  // namespace hlocts::tools
