// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_ops.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/bench/op_bench.h"
#include "tools/cli/common.h"

namespace hlocts::tools {
namespace {

double BestRatio(const CpuBenchRow& row) { return row.xla_best / row.cpu_best; }
double MedianRatio(const CpuBenchRow& row) { return row.xla_median / row.cpu_median; }

void PrintOp(const CpuBenchRow& row, bool json) {
  if (json) {
    const nlohmann::ordered_json line = {{"benchmark", absl::StrCat("cpu/ops/", row.module)},
                                         {"cpu_best", row.cpu_best},
                                         {"cpu_median", row.cpu_median},
                                         {"xla_best", row.xla_best},
                                         {"xla_median", row.xla_median},
                                         {"check", row.check}};
    std::cout << JsonText(line) << std::endl;
    return;
  }
  std::printf("%-44s %10.3f ms %10.3f ms  best %7.2fx  median %7.2fx  %s\n",
              absl::StrCat("cpu/ops/", row.module).c_str(), row.cpu_best * 1e3, row.xla_best * 1e3,
              BestRatio(row), MedianRatio(row), row.check.c_str());
}

// The slowest against XLA first.
bool PrintOps(std::vector<CpuBenchRow> rows, bool json) {
  std::sort(rows.begin(), rows.end(),
            [](const CpuBenchRow& a, const CpuBenchRow& b) { return BestRatio(a) < BestRatio(b); });
  std::vector<BenchRow> ratios;
  bool right = true;
  for (const CpuBenchRow& row : rows) {
    PrintOp(row, json);
    ratios.push_back({row.module, row.cpu_best, row.xla_best, BestRatio(row)});
    right = right && !absl::StartsWith(row.check, "WRONG");
  }
  const auto slower = std::count_if(ratios.begin(), ratios.end(),
                                    [](const BenchRow& row) { return row.ratio < 1; });
  if (!json) {
    std::printf("%-44s geometric mean %.2fx over %zu modules, %lld of them slower than XLA\n",
                "cpu/ops", GeometricMean(ratios), ratios.size(), static_cast<long long>(slower));
  }
  return right;
}

}  // namespace

int RunOpsBench(const std::string& filter, bool quick, bool json) {
  std::vector<OpModule> modules = OpModules();
  modules.erase(
      std::remove_if(modules.begin(), modules.end(),
                     [&](const OpModule& op) { return !absl::StrContains(op.name, filter); }),
      modules.end());
  if (modules.empty()) return Fail(InvalidInput("no operation named \"", filter, "\""));
  auto bench = OpBench::Start();
  if (!bench.ok()) return Fail(bench.status());
  std::vector<CpuBenchRow> rows;
  bool all = true;
  for (size_t i = 0; i < modules.size(); ++i) {
    std::fprintf(stderr, "\r%zu of %zu %-40s", i + 1, modules.size(), modules[i].name.c_str());
    auto row = bench->Measure(modules[i], quick);
    if (row.ok()) {
      rows.push_back(*std::move(row));
      continue;
    }
    all = false;
    std::fprintf(stderr, "\n%s\n", row.status().ToString().c_str());
  }
  std::fprintf(stderr, "\r%60s\r", "");
  const bool right = PrintOps(std::move(rows), json);
  return right && all ? kExitOk : kExitFailed;
}

}  // namespace hlocts::tools
