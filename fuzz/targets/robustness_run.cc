// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/robustness_run.h"

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "fuzz/targets/module_work.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

constexpr int64_t kArgumentBytesMax = int64_t{1} << 16;
constexpr int64_t kDevicesMax = 4;  // replicas, and partitions
// Steps per device (module_work.h), which take at most seconds. No clock decides what runs.
constexpr double kWorkMax = 1e7;
constexpr double kNever = 1e9;  // seconds

std::unique_ptr<backends::Backend> InThisProcess(const std::string& name) {
  auto engine = backends::MakeInProcessBackend(name);
  HLOCTS_CHECK(engine.ok());
  return *std::move(engine);
}

}  // namespace

std::string RobustnessCounts::ToText() const {
  return absl::StrCat(texts, " texts, ", readable, " readable, ", valid, " valid, ", run,
                      " run: ", values, " with values, ", judged, " judged, ", engine,
                      " also by cpu, ", refused, " rejected there");
}

RobustnessRun::RobustnessRun()
    : reference_(InThisProcess("reference")), engine_(InThisProcess("cpu?isolation=none")) {
  load_.timeout_seconds = kNever;
  load_.memory_bytes_max = int64_t{32} << 20;
  load_.steps_max = 2'000;
}

void RobustnessRun::Run(const std::string& text, uint64_t seed) {
  ++counts_.texts;
  auto module = ParseModule(text);
  if (!module.ok()) return;
  ++counts_.readable;
  if (!VerifyModule(**module).ok()) return;
  ++counts_.valid;
  const std::vector<Shape> leaves = backends::ArgumentLeafShapes(**module);
  if (Shape::Tuple(leaves).StorageSizeBytes() > kArgumentBytesMax) return;
  load_.replicas = (*module)->replica_count;
  load_.partitions = ArgumentPartitions(**module);
  if (load_.replicas > kDevicesMax || load_.partitions > kDevicesMax) return;
  if (WorkOf(**module, load_.steps_max, load_.memory_bytes_max) > kWorkMax) return;
  const int64_t devices = load_.replicas * load_.partitions;
  ++counts_.run;
  backends::ExecuteRequest request;
  const auto style = seed % 2 == 0 ? generators::ArgumentStyle::kRandom  //
                                   : generators::ArgumentStyle::kSpecial;
  for (int64_t d = 0; d < devices; ++d) {
    request.arguments.push_back(
        generators::GenerateArguments(leaves, seed + static_cast<uint64_t>(d), style));
  }
  // The engine computes on views that need no memory, so that their elements count as work.
  const bool engine_too = WorkOf(**module, load_.steps_max, INT64_MAX) <= kWorkMax;
  Judge(**module, request, kAllProfiles[seed % 3], engine_too);
}

// Evaluates the module, judges the results, and optionally runs and judges the engine.
void RobustnessRun::Judge(const Module& module, const backends::ExecuteRequest& request,
                          Profile profile, bool engine_too) {
  backends::DiffOptions options;
  options.profile = profile;
  options.load = load_;
  backends::Differ differ(module, request, options);
  const backends::RunOutcome own = backends::RunModule(*reference_, module, load_, request);
  if (own.has_values()) {
    ++counts_.values;
    const Outcome kind = differ.JudgeOutputs(own.result.outputs).kind;
    counts_.judged += kind != Outcome::kError;
  }
  if (!engine_too) return;
  ++counts_.engine;
  const Outcome kind = differ.Diff(*engine_).kind;
  counts_.refused += kind == Outcome::kUnsupported || kind == Outcome::kRejected;
}

}  // namespace hlocts::fuzz
