// SPDX-License-Identifier: Apache-2.0
// hlocts bench: the figures that the READMEs state, measured again.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "suites/suite_files.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_fuzz.h"
#include "tools/bench/bench_ops.h"
#include "tools/bench/bench_record.h"
#include "tools/bench/cuda_bench.h"
#include "tools/bench/machine_peak.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

struct BenchCommandOptions {
  std::vector<std::string> names;
  std::string backend;
  bool quick = false, json = false, unchecked = false, relaxed = false;
  std::string record;
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
      std::cout << JsonText(line) << std::endl;
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
    std::cout << JsonText(line) << std::endl;
  } else {
    std::printf("%-34s geometric mean %.2fx over %zu modules: %s\n", promise.name, mean,
                rows.size(), kept ? "as stated" : "STATED FIGURE MISSED");
  }
}

// What a row takes of the machine's peak, by the nearer of the two.
std::string ShareOf(const CpuBenchRow& row, const MachinePeak& peak) {
  const double computed = peak.flops > 0 ? row.flops / row.cpu_best / peak.flops : 0;
  const double moved = row.bytes / row.cpu_best / peak.copy_bytes;
  return absl::StrFormat("%.0f%% of %s", 100 * std::max(computed, moved),
                         computed > moved ? "fma" : "copy");
}

void PrintPeak(const MachinePeak& peak, bool json) {
  if (json) {
    nlohmann::ordered_json line = {{"benchmark", "cpu/peak"},
                                   {"threads", peak.threads},
                                   {"fma_flops", peak.flops},
                                   {"copy_bytes", peak.copy_bytes}};
    std::cout << JsonText(line) << std::endl;
    return;
  }
  std::printf("%-30s %d threads: fma %.1f GFLOP/s in f32, copy %.1f GB/s read and written\n",
              "cpu/peak", peak.threads, peak.flops / 1e9, peak.copy_bytes / 1e9);
}

void PrintCpuRow(const std::string& title, const CpuBenchRow& row, const MachinePeak& peak,
                 bool json) {
  if (json) {
    nlohmann::ordered_json line = {{"benchmark", absl::StrCat(title, "/", row.module)},
                                   {"cpu_best", row.cpu_best},
                                   {"cpu_median", row.cpu_median},
                                   {"xla_best", row.xla_best},
                                   {"xla_median", row.xla_median},
                                   {"xla_kept_best", row.kept_best},
                                   {"flops", row.flops},
                                   {"bytes", row.bytes},
                                   {"check", row.check}};
    std::cout << JsonText(line) << std::endl;
    return;
  }
  std::printf(
      "%-30s %10.3f ms %10.3f ms  best %6.2fx  median %6.2fx  memory kept %6.2fx  %s, "
      "%s\n",
      absl::StrCat(title, "/", row.module).c_str(), row.cpu_best * 1e3, row.xla_best * 1e3,
      row.xla_best / row.cpu_best, row.xla_median / row.cpu_median, row.kept_best / row.cpu_best,
      row.check.c_str(), ShareOf(row, peak).c_str());
  std::fflush(stdout);
}

absl::Status PrintLatency(bool json) {
  HLOCTS_ASSIGN_OR_RETURN(const LatencyRow row, BenchCpuLatency());
  if (json) {
    const nlohmann::ordered_json line = {
        {"benchmark", "cpu/latency"}, {"modules", row.modules}, {"cpu_load", row.cpu_load},
        {"xla_load", row.xla_load},   {"ratio", row.ratio},     {"cpu_later", row.cpu_second},
        {"xla_later", row.xla_second}};
    std::cout << JsonText(line) << std::endl;
    return absl::OkStatus();
  }
  std::printf(
      "%-30s %lld modules: load and first run %.1f us (xla %.1f ms, %.0fx), "
      "later runs %.2f us (xla %.2f us)\n",
      "cpu/latency", static_cast<long long>(row.modules), row.cpu_load * 1e6, row.xla_load * 1e3,
      row.ratio, row.cpu_second * 1e6, row.xla_second * 1e6);
  return absl::OkStatus();
}

// The modules of tools/bench/`folder`. Ratios are XLA's time over ours: above 1 is good.
int RunCpuModules(const std::string& title, const std::string& folder, BenchOptions bench,
                  bool json) {
  bench.folder = absl::StrCat(suites::HomeFolder(), "/tools/bench/", folder);
  const MachinePeak peak = MeasureMachinePeak();
  PrintPeak(peak, json);
  bench.on_row = [&](const CpuBenchRow& row) { PrintCpuRow(title, row, peak, json); };
  auto rows = BenchCpu(bench);
  if (!rows.ok()) return Fail(rows.status());
  std::vector<BenchRow> plain, kept;
  bool right = true;
  for (const CpuBenchRow& row : *rows) {
    plain.push_back({row.module, row.cpu_best, row.xla_best, row.xla_best / row.cpu_best});
    kept.push_back({row.module, row.cpu_best, row.kept_best, row.kept_best / row.cpu_best});
    right = right && row.check.find("WRONG") == std::string::npos;
  }
  if (json) {
    const nlohmann::ordered_json line = {{"benchmark", title},
                                         {"geometric_mean", GeometricMean(plain)},
                                         {"geometric_mean_kept", GeometricMean(kept)}};
    std::cout << JsonText(line) << std::endl;
  } else {
    std::printf("%-30s geometric mean %.2fx, memory kept %.2fx over %zu modules\n", title.c_str(),
                GeometricMean(plain), GeometricMean(kept), plain.size());
  }
  return right ? kExitOk : kExitFailed;
}

int RunCpuBench(const BenchOptions& bench, bool json) {
  if (bench.filter.empty() || bench.filter == "latency") {
    const absl::Status status = PrintLatency(json);
    if (!status.ok()) return Fail(status);
    if (!bench.filter.empty()) return kExitOk;
  }
  return RunCpuModules("cpu", "cpu", bench, json);
}

void PrintCudaRow(const CudaBenchRow& row, bool json) {
  if (json) {
    nlohmann::ordered_json line = {{"benchmark", absl::StrCat("cuda/", row.module)},
                                   {"best", row.best},
                                   {"median", row.median},
                                   {"bytes_per_second", row.bytes_per_second},
                                   {"copy_share", row.copy_share},
                                   {"direct_seconds", row.direct_seconds},
                                   {"other_seconds", row.other_seconds},
                                   {"goal", row.goal},
                                   {"reached", row.reached},
                                   {"check", row.check}};
    std::cout << JsonText(line) << std::endl;
    return;
  }
  std::printf("%-28s %10.3f ms  median %10.3f ms  %8.1f GB/s  %5.1f%% of a copy",
              absl::StrCat("cuda/", row.module).c_str(), row.best * 1e3, row.median * 1e3,
              row.bytes_per_second * 1e-9, row.copy_share * 100);
  if (row.direct_seconds > 0) std::printf("  library %.3f ms", row.direct_seconds * 1e3);
  if (row.other_seconds > 0) {
    std::printf("  other %.3f ms, %.2fx", row.other_seconds * 1e3, row.other_seconds / row.best);
  }
  if (row.goal > 0) {
    std::printf("  %.2f of %.2f: %s", row.reached, row.goal, row.kept() ? "reached" : "MISSED");
  }
  std::printf("  %s\n", row.check.c_str());
  std::fflush(stdout);
}

int RunCudaBench(const std::string& filter, const BenchCommandOptions& options) {
  const std::string home = suites::HomeFolder() + "/tools/bench/";
  CudaBenchOptions bench;
  bench.quick = options.quick;
  bench.unchecked = options.unchecked;
  bench.relaxed = options.relaxed;
  bench.other = options.backend;
  const auto rows = BenchCuda({home + "cuda", home + "cpu"}, filter, bench,
                              [&](const CudaBenchRow& row) { PrintCudaRow(row, options.json); });
  if (!rows.ok()) return Fail(rows.status());
  bool kept = true;
  for (const CudaBenchRow& row : *rows) kept = kept && row.kept();
  return kept ? kExitOk : kExitFailed;
}

// What stands behind `cpu/`: ops, programs, or the name of a module.
int RunCpu(const std::string& filter, const BenchCommandOptions& options) {
  const std::pair<std::string, std::string> part = absl::StrSplit(filter, absl::MaxSplits('/', 1));
  if (part.first == "ops") return RunOpsBench(part.second, options.quick, options.json);
  const bool programs = part.first == "programs";
  BenchOptions bench;
  bench.filter = programs ? part.second : filter;
  bench.other = options.backend;
  bench.quick = options.quick;
  return programs ? RunCpuModules("cpu/programs", "programs", bench, options.json)
                  : RunCpuBench(bench, options.json);
}

// The reference or the judge, which promise so many times another engine's speed.
int RunPromise(const Promise& promise, const std::string& filter,
               const BenchCommandOptions& options) {
  BenchOptions bench;
  bench.folder = suites::HomeFolder() + "/tools/bench/modules";
  bench.other = options.backend;
  bench.filter = filter;
  bench.quick = options.quick;
  auto rows = std::string(promise.name) == "judge" ? BenchJudge(bench) : BenchReference(bench);
  if (!rows.ok()) return Fail(rows.status());
  const bool kept = Kept(promise, *rows, bench.filter.empty());
  Print(promise, *rows, kept, options.json);
  return kept ? kExitOk : kExitFailed;
}

int RunOne(const std::string& text, const BenchCommandOptions& options) {
  const std::pair<std::string, std::string> name = absl::StrSplit(text, absl::MaxSplits('/', 1));
  if (name.first == "cpu") return RunCpu(name.second, options);
  if (name.first == "cuda") return RunCudaBench(name.second, options);
  if (name.first == "fuzz") return RunFuzzBench(name.second, options.quick, options.json);
  for (const Promise& row : kPromises) {
    if (name.first == row.name) return RunPromise(row, name.second, options);
  }
  return Fail(InvalidInput("bench: expected reference, judge, cpu, cuda or fuzz, found ", text));
}

// The first name that no bench has ends it; what breaks its promise does not.
int RunBench(const BenchCommandOptions& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) names = {"reference", "judge"};
  int exit_status = kExitOk;
  for (const std::string& text : names) {
    const int status = RunOne(text, options);
    if (status != kExitOk && status != kExitFailed) return status;
    if (status != kExitOk) exit_status = status;
  }
  return exit_status;
}

int RunAndRecord(BenchCommandOptions options) {
  if (options.record.empty()) return RunBench(options);
  options.json = true;
  std::string command = absl::StrCat("hlocts bench ", absl::StrJoin(options.names, " "));
  if (options.quick) command += " --quick";
  const auto status =
      RecordBench(command, options.record, [&options] { return RunBench(options); });
  return status.ok() ? *status : Fail(status.status());
}

}  // namespace

Command BenchCommand() {
  return {"bench", "measure the figures that the READMEs state", [](Flags& flags) {
            auto options = std::make_shared<BenchCommandOptions>();
            flags.Positional(
                "NAME", &options->names,
                "reference, judge, cpu, cpu/ops, cpu/programs, cuda, fuzz, or one/part-of-it");
            flags.Add("--backend", &options->backend,
                      "engine to compare with (reference: hlo-evaluator, cpu: xla)");
            flags.Add("--quick", &options->quick, "one short repetition");
            flags.Add("--unchecked", &options->unchecked, "cuda: times alone, outputs not judged");
            flags.Add("--relaxed", &options->relaxed,
                      "cuda: f32 products in TF32 on both sides, judged by the relaxed profile");
            flags.Add("--json", &options->json, "print JSON lines");
            flags.Add("--record", &options->record, "write rows and machine to this JSON file");
            return [options] { return RunAndRecord(*options); };
          }};
}

}  // namespace hlocts::tools
