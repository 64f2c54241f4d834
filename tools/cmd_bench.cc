// hlocts bench: the figures that the READMEs state, measured again.
#include <cstdio>
#include <iostream>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/bench/bench.h"
#include "tools/commands.h"
#include "tools/common.h"
#include "tools/suite_files.h"

namespace hlocts {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string backend = "hlo-evaluator";
  bool quick = false, json = false;
};

// What a benchmark promises (tools/bench/README.md).
struct Promise {
  const char* name;
  double mean_at_least, mean_at_most, each_at_least;
};
constexpr Promise kPromises[] = {
    {"reference", 10, 1e300, 1},
    {"judge", 0, 6, 0},
};

// A mean is promised over the whole list only.
bool Kept(const Promise& promise, const std::vector<BenchRow>& rows, bool whole_list) {
  double mean = GeometricMean(rows);
  bool kept = !whole_list || (mean >= promise.mean_at_least && mean <= promise.mean_at_most);
  for (const BenchRow& row : rows) kept = kept && row.ratio >= promise.each_at_least;
  return kept;
}

void Print(const Promise& promise, const std::vector<BenchRow>& rows, bool kept, bool json) {
  for (const BenchRow& row : rows) {
    if (json) {
      nlohmann::ordered_json line = {{"benchmark", absl::StrCat(promise.name, "/", row.module)},
                                     {"subject_seconds", row.subject_seconds},
                                     {"baseline_seconds", row.baseline_seconds},
                                     {"ratio", row.ratio}};
      std::cout << line.dump() << std::endl;
    } else {
      std::printf("%-34s %10.3f ms %10.3f ms %9.2fx\n",
                  absl::StrCat(promise.name, "/", row.module).c_str(), row.subject_seconds * 1e3,
                  row.baseline_seconds * 1e3, row.ratio);
    }
  }
  double mean = GeometricMean(rows);
  if (json) {
    nlohmann::ordered_json line = {
        {"benchmark", promise.name}, {"geometric_mean", mean}, {"kept", kept}};
    std::cout << line.dump() << std::endl;
  } else {
    std::printf("%-34s geometric mean %.2fx over %zu modules: %s\n", promise.name, mean, rows.size(),
                kept ? "as stated" : "STATED FIGURE MISSED");
  }
}

int RunBench(const Options& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) names = {"reference", "judge"};
  int exit_status = kExitOk;
  for (const std::string& text : names) {
    std::pair<std::string, std::string> name = absl::StrSplit(text, absl::MaxSplits('/', 1));
    const Promise* promise = nullptr;
    for (const Promise& row : kPromises) {
      if (name.first == row.name) promise = &row;
    }
    if (!promise) return Fail(InvalidInput("bench: expected reference or judge, found ", text));
    BenchOptions bench;
    bench.folder = HomeFolder() + "/tools/bench/modules";
    bench.filter = name.second;
    bench.quick = options.quick;
    auto rows = name.first == "judge" ? BenchJudge(bench) : BenchReference(bench, options.backend);
    if (!rows.ok()) return Fail(rows.status());
    bool kept = Kept(*promise, *rows, bench.filter.empty());
    Print(*promise, *rows, kept, options.json);
    if (!kept) exit_status = kExitFailed;
  }
  return exit_status;
}

}  // namespace

Command BenchCommand() {
  return {"bench", "measure the figures that the READMEs state", [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("NAME", &options->names, "reference, judge, or one/module-name-part");
            flags.Add("--backend", &options->backend, "engine to compare with (hlo-evaluator)");
            flags.Add("--quick", &options->quick, "one short repetition");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunBench(*options); };
          }};
}

}  // namespace hlocts
