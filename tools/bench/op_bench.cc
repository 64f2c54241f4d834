// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_bench.h"

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/arguments.h"
#include "spec/files/module_file.h"
#include "spec/infer/verifier.h"
#include "tools/bench/engine_turns.h"
#include "tools/bench/seed.h"

namespace hlocts::tools {
namespace {

constexpr double kSeconds = 0.5, kSecondsQuick = 0.1;  // of both engines

// What may be anything (a product of a million numbers, a random draw) is no fault.
absl::StatusOr<std::string> Judged(const Module& module, const backends::ExecuteRequest& request,
                                   backends::Executable& subject,
                                   const std::vector<std::string>& facts) {
  HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult ours, subject.Execute(request));
  backends::Differ differ(module, request, {});
  const reports::Verdict verdict = differ.JudgeOutputs(ours.outputs, facts);
  if (verdict.kind == reports::VerdictKind::kPass) return std::string("judged");
  if (verdict.kind == reports::VerdictKind::kInconclusive) return std::string("inconclusive");
  return absl::StrCat("WRONG: ", verdict.reason);
}

}  // namespace

absl::StatusOr<OpBench> OpBench::Start() {
  OpBench bench;
  HLOCTS_ASSIGN_OR_RETURN(bench.cpu_, backends::MakeBackend("cpu"));
  HLOCTS_ASSIGN_OR_RETURN(bench.xla_, backends::MakeBackend("xla"));
  for (backends::Backend* backend : {bench.cpu_.get(), bench.xla_.get()}) {
    const backends::BackendInfo info = backend->info();
    if (!info.available) return absl::UnavailableError(info.reason);
  }
  return bench;
}

absl::StatusOr<CpuBenchRow> OpBench::Measure(const OpModule& op, bool quick) {
  HLOCTS_ASSIGN_OR_RETURN(const LoadedModule loaded, ParseModuleFile(op.name + ".hlo", op.text));
  const Module& module = *loaded.module;
  HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
  backends::ExecuteRequest request;
  request.arguments = {
      generators::GenerateArguments(backends::ArgumentLeafShapes(module), kBenchSeed)};
  TimedEngine subject, baseline;
  HLOCTS_ASSIGN_OR_RETURN(subject.executable, cpu_->Load(module, {}));
  HLOCTS_ASSIGN_OR_RETURN(baseline.executable, xla_->Load(module, {}));
  CpuBenchRow row;
  row.module = op.name;
  HLOCTS_ASSIGN_OR_RETURN(row.check,
                          Judged(module, request, *subject.executable, cpu_->info().facts));
  HLOCTS_RETURN_IF_ERROR(
      TakeTurns({&subject, &baseline}, request, quick ? kSecondsQuick : kSeconds));
  row.cpu_best = subject.best(), row.cpu_median = subject.median();
  row.xla_best = baseline.best(), row.xla_median = baseline.median();
  return row;
}

}  // namespace hlocts::tools
