// SPDX-License-Identifier: Apache-2.0
// Runs eval, judge and diff in process on hostile texts (mutated_texts.h, robustness_run.h).
//
//   hostile FIRST COUNT SEED FOLDER...     modules FIRST to FIRST + COUNT - 1 of SEED
//
// Uses all readable .hlo and .txt files at any depth of the directories. Module n depends only on
// n, SEED and these texts. Whether it runs depends only on its validity, its sizes and the computed
// amount of work. If a module crashes the process or takes minutes of processor time, its text is
// left in hostile.input and its number is printed. To continue, start with the next number.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/targets/mutated_texts.h"
#include "fuzz/targets/robustness_run.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

constexpr size_t kTextMax = 8 << 10;  // longer files consist mostly of constants
// A hundred times the time of the permitted work. Other processes do not affect processor time.
constexpr time_t kProcessorSecondsMax = 600;
constexpr rlim_t kMemoryMax = rlim_t{6} << 30;

std::string* current = nullptr;
int64_t number = 0;

// Must not allocate, because the heap may be corrupt.
void OnEnd(int signal) {
  const int file = open("hostile.input", O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file >= 0 && write(file, current->data(), current->size()) < 0) _exit(79);
  char line[96];
  const int size = std::snprintf(line, sizeof(line),
                                 "hostile: module %lld was killed by signal %d, in hostile.input\n",
                                 static_cast<long long>(number), signal);
  if (write(STDERR_FILENO, line, static_cast<size_t>(size)) < 0) _exit(79);
  _exit(signal == SIGVTALRM ? 78 : 77);
}

std::vector<std::string> TextsOf(int count, char** folders) {
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(folders[i])) {
      std::fprintf(stderr, "hostile: %s is not a directory\n", folders[i]);
      std::exit(2);
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folders[i])) {
      const std::string ending = entry.path().extension();
      const bool text = ending == ".hlo" || ending == ".txt";
      if (text && entry.is_regular_file() && entry.file_size() <= kTextMax)
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    if (ParseModule(text.str()).ok()) texts.push_back(text.str());
  }
  return texts;
}

// Installs signal handlers on a separate stack, because the main stack may have overflowed.
void CatchEnds() {
  static char stack[1 << 16];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof(stack);
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnEnd;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) {
    sigaction(signal, &action, nullptr);
  }
  const rlimit memory = {kMemoryMax, kMemoryMax};
  setrlimit(RLIMIT_AS, &memory);
}

// Requests SIGVTALRM after this many seconds of processor time; 0 cancels it.
void Guard(time_t seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

int RunAll(int64_t first, int64_t count, uint64_t seed, std::vector<std::string> texts) {
  constexpr int64_t kProgress = 10'000;
  const MutatedTexts hostile(std::move(texts));
  RobustnessRun run;
  for (number = first; number < first + count; ++number) {
    generators::SplitMix64 random(seed * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(number));
    *current = hostile.Draw(random);
    Guard(kProcessorSecondsMax);
    run.Run(*current, random.Next());
    Guard(0);
    if ((number + 1) % kProgress == 0) {
      std::printf("to %lld: %s\n", static_cast<long long>(number), run.counts().ToText().c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%s\n", run.counts().ToText().c_str());
  return 0;
}

}  // namespace
}  // namespace hlocts::fuzz

int main(int argc, char** argv) {
  std::vector<std::string> texts;
  if (argc > 4) texts = hlocts::fuzz::TextsOf(argc - 4, argv + 4);
  if (texts.empty()) {
    std::fprintf(stderr, "usage: hostile FIRST COUNT SEED FOLDER... (with .hlo or .txt files)\n");
    return 2;
  }
  hlocts::fuzz::current = new std::string();
  hlocts::fuzz::CatchEnds();
  return hlocts::fuzz::RunAll(std::atoll(argv[1]), std::atoll(argv[2]),
                              std::strtoull(argv[3], nullptr, 10), std::move(texts));
}
