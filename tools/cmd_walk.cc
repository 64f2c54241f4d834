// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts walk`: makes random legal calls of the PJRT C API on a plugin and checks
// them against a model.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/adapters/pjrt/walk/walk.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "backends/worker/wire.h"
#include "spec/files/file_io.h"
#include "tools/cli/common.h"
#include "tools/commands.h"
#include "tools/selfcheck/forked.h"

namespace hlocts::tools {
namespace {

struct WalkOptions {
  std::string plugin;
  std::vector<std::string> without;
  int64_t walks = 100, steps = 60, failures = 5;
  std::optional<uint64_t> seed;
  double seconds = 120;
};

// Returns the path of a plugin, given as a file or as the name of a release.
absl::StatusOr<std::string> LibraryOf(const std::string& name) {
  if (name.empty()) return InvalidInput("walk: expected a plugin");
  if (std::filesystem::exists(name)) return backends::PluginPath(name);
  auto plugin = backends::PluginOf(name);
  if (!plugin.ok()) return Annotate(plugin.status(), "walk: expected a file or an engine");
  return plugin;
}

// Returns the client options in the list entry of an engine of this project.
std::vector<std::pair<std::string, std::string>> ClientOptionsOf(const std::string& name) {
  std::vector<std::pair<std::string, std::string>> options;
  const auto engine = backends::ListedEngine(name);
  if (!engine || !backends::IsBuiltIn(*engine)) return options;
  for (const std::string& option : engine->option())
    options.push_back(absl::StrSplit(option, absl::MaxSplits('=', 1)));
  return options;
}

backends::WalkSteps StepsOf(uint64_t seed, int64_t count) {
  std::mt19937_64 random(seed);
  backends::WalkSteps steps;
  for (int64_t i = 0; i < count; ++i) steps.push_back(random());
  return steps;
}

uint64_t SeedOf(const WalkOptions& options, int64_t number) {
  return options.seed.value_or(1) + static_cast<uint64_t>(number);
}

// The result of a walk. `steps` contains the names of the steps that were reached.
struct Walked {
  std::string failure;  // "" if there is none
  bool unloadable = false;
  std::vector<std::string> steps, lacks;
};

// Runs walks in child processes, each of which writes its steps to a file.
class Walks {
 public:
  Walks(backends::WalkedPlugin plugin, const WalkOptions& options, const TemporaryFolder& folder)
      : plugin_(std::move(plugin)), options_(options), walk_options_(folder.path() + "/way") {}

  Walked Of(const backends::WalkSteps& steps) const {
    Walked walked;
    RunForked(
        1, 1, options_.seconds, [&](size_t) { return InChild(steps); },
        [&](size_t, const ForkedResult& result) { walked = ParseChildResult(result); });
    return walked;
  }

 private:
  std::string InChild(const backends::WalkSteps& steps) const {
    // Plugins write many log messages.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return "";
    std::ofstream way(walk_options_, std::ios::trunc);
    const auto tell = [&](const std::string& step) { way << step << std::endl; };
    auto report = backends::WalkPjrt(plugin_, steps, tell);
    if (!report.ok()) return absl::StrCat("load\n", report.status().message());
    std::string text =
        absl::StrCat(report->difference.empty() ? "same" : "differs", "\n", report->difference);
    for (const auto& [what, times] : report->lacks) absl::StrAppend(&text, "\n", what);
    return text;
  }

  Walked ParseChildResult(const ForkedResult& result) const {
    Walked walked;
    if (auto way = ReadFile(walk_options_); way.ok())
      walked.steps = absl::StrSplit(*way, '\n', absl::SkipEmpty());
    const std::vector<std::string> lines = absl::StrSplit(backends::Visible(result.text), '\n');
    const std::string last = walked.steps.empty() ? "before the first step" : walked.steps.back();
    if (result.timed_out) {
      walked.failure = absl::StrCat(last, ": no end");
    } else if (result.crashed || lines.size() < 2) {
      walked.failure = absl::StrCat(last, ": the process crashes");
    } else {
      walked.unloadable = lines[0] == "load";
      walked.failure = lines[1];
      walked.lacks.assign(lines.begin() + 2, lines.end());
    }
    return walked;
  }

  const backends::WalkedPlugin plugin_;
  const WalkOptions& options_;
  const std::string walk_options_;
};

// Removes numbers: failures with the same cause then have the same text.
std::string KindOf(const std::string& failure) {
  std::string kind;
  for (char c : failure)
    if (!absl::ascii_isdigit(c)) kind.push_back(c);
  return kind;
}

// Omits halves, then smaller parts, of the steps while the walk still fails in the same way.
backends::WalkSteps Fewest(const Walks& walks, backends::WalkSteps steps, const std::string& kind) {
  for (size_t piece = std::max<size_t>(steps.size() / 2, 1);; piece /= 2) {
    for (size_t at = 0; at < steps.size();) {
      backends::WalkSteps fewer = steps;
      const auto begin = fewer.begin() + static_cast<int64_t>(at);
      fewer.erase(begin, begin + static_cast<int64_t>(std::min(piece, steps.size() - at)));
      if (KindOf(walks.Of(fewer).failure) == kind) {
        steps = std::move(fewer);
      } else {
        at += piece;
      }
    }
    if (piece <= 1) return steps;
  }
}

// A failure that does not recur in each of this many tries is reported with all steps.
constexpr int kTries = 3;

void PrintFailure(const WalkOptions& options, const Walks& walks, int64_t number,
                  const Walked& walked) {
  const uint64_t seed = SeedOf(options, number);
  int again = 0;
  for (int i = 0; i < kTries; ++i) {
    const Walked once = walks.Of(StepsOf(seed, options.steps));
    again += KindOf(once.failure) == KindOf(walked.failure) ? 1 : 0;
  }
  if (again < kTries) {
    std::cout << "walk " << seed << ": " << walked.failure << "\n  repeated in " << again << " of "
              << kTries << " tries; steps: " << absl::StrJoin(walked.steps, "; ") << std::endl;
    return;
  }
  const Walked small =
      walks.Of(Fewest(walks, StepsOf(seed, options.steps), KindOf(walked.failure)));
  std::cout << "walk " << seed << ": " << small.failure
            << "\n  steps: " << absl::StrJoin(small.steps, "; ") << std::endl;
}

int RunWalk(const WalkOptions& options) {
  auto library = LibraryOf(options.plugin);
  if (!library.ok()) return Fail(library.status());
  const std::vector<std::string> names = backends::WalkStepNames();
  for (const std::string& name : options.without) {
    if (absl::c_linear_search(names, name)) continue;
    return Fail(InvalidInput("walk: unknown step \"", name,
                             "\"; the steps are: ", absl::StrJoin(names, ", ")));
  }
  auto folder = TemporaryFolder::Make("hlocts-walk");
  if (!folder.ok()) return Fail(folder.status());
  const Walks walks(
      {*library, "cpu_device_count", ClientOptionsOf(options.plugin), options.without}, options,
      *folder);
  std::map<std::string, int64_t> kinds, lacks;
  int64_t steps = 0, failed = 0, number = 0;
  for (; number < options.walks; ++number) {
    const Walked walked = walks.Of(StepsOf(SeedOf(options, number), options.steps));
    if (walked.unloadable || (walked.steps.empty() && !walked.failure.empty()))
      return Fail(absl::UnavailableError(
          absl::StrCat(options.plugin, ": the plugin cannot be loaded: ", walked.failure)));
    steps +=
        static_cast<int64_t>(walked.steps.size()) - absl::c_count(walked.steps, backends::kWalkEnd);
    for (const std::string& lack : walked.lacks) ++lacks[lack];
    if (walked.failure.empty()) continue;
    ++failed;
    if (++kinds[KindOf(walked.failure)] == 1) PrintFailure(options, walks, number, walked);
    if (static_cast<int64_t>(kinds.size()) >= options.failures) break;
  }
  for (const auto& [lack, times] : lacks) {
    if (!lack.empty())
      std::cout << "not provided: " << lack << " (" << CountText(times, "walk") << ")\n";
  }
  std::cout << options.plugin << ": " << CountText(std::min(number + 1, options.walks), "walk")
            << " of " << CountText(options.steps, "step") << ", " << CountText(steps, "step")
            << " made; " << CountText(failed, "walk") << " failed, in "
            << CountText(static_cast<int64_t>(kinds.size()), "way") << std::endl;
  return failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command WalkCommand() {
  return {"walk", "test a plugin with random legal calls of the PJRT C API", [](Flags& flags) {
            auto options = std::make_shared<WalkOptions>();
            flags.Positional("PLUGIN", &options->plugin,
                             "file of a PJRT plugin, or the name of an engine that is one");
            flags.Add("--walks", &options->walks, "number of walks, each in a separate process",
                      {1, 1'000'000'000});
            flags.Add("--steps", &options->steps, "number of steps of each walk", {1, 100'000});
            flags.Add("--seed", &options->seed,
                      "seed of the first walk; later walks have consecutive seeds (1)");
            flags.Add("--without", &options->without, "names of steps to omit");
            flags.AddDuration("--timeout", &options->seconds, "time limit of one walk");
            flags.Add("--failures", &options->failures,
                      "number of distinct failures after which the command stops", {1, 1000});
            return [options] { return RunWalk(*options); };
          }};
}

}  // namespace hlocts::tools
