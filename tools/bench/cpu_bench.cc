// SPDX-License-Identifier: Apache-2.0
// hlocts bench cpu: the optimised CPU engine against XLA:CPU, in turn, in one run.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/arguments.h"
#include "spec/files/module_file.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "tools/bench/bench.h"
#include "tools/bench/engine_turns.h"
#include "tools/bench/seed.h"
#include "tools/bench/small_modules.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kPieceOperations = 4;  // of a program whose outputs may be nearly anything
constexpr double kBitsEnough = 2;        // checked of an output's element

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// XLA in a worker whose C library keeps memory that is given back: outputs need no fresh pages.
absl::StatusOr<std::unique_ptr<backends::Backend>> XlaKeepingMemory() {
  constexpr const char* kVariables[] = {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
                                        "MALLOC_TOP_PAD_"};
  for (const char* variable : kVariables) setenv(variable, "4294967296", 1);
  setenv("MALLOC_ARENA_MAX", "1", 1);
  auto backend = backends::MakeBackend("xla");
  return backend;
}
void ForgetMemorySettings() {
  for (const char* variable : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
                               "MALLOC_TOP_PAD_", "MALLOC_ARENA_MAX"}) {
    unsetenv(variable);
  }
}

double FloatAt(const Literal& literal, int64_t i) {
  switch (literal.element_type()) {
    case PrimitiveType::kF32:
      return static_cast<double>(literal.data<float>()[i]);
    case PrimitiveType::kF64:
      return literal.data<double>()[i];
    case PrimitiveType::kBF16:
    case PrimitiveType::kF16:
      return static_cast<double>(DecodeNarrow(literal.element_type(), literal.data<uint16_t>()[i]));
    case PrimitiveType::kPred:
      return literal.data<uint8_t>()[i] != 0 ? 1 : 0;
    default:
      return static_cast<double>(literal.data<int32_t>()[i]);
  }
}

// The largest difference of two outputs, over the largest magnitude; complex parts one by one.
double Distance(Literal a, Literal b) {
  if (a.element_type() == PrimitiveType::kC64) {
    const Shape parts(PrimitiveType::kF32, {2 * a.element_count()});
    a = a.WithShape(parts);
    b = b.WithShape(parts);
  }
  double difference = 0, largest = 1e-300;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const double x = FloatAt(a, i), y = FloatAt(b, i);
    largest = std::max(largest, std::fabs(y));
    difference = std::max(difference, x == y ? 0 : std::fabs(x - y));
  }
  return difference / largest;
}

}  // namespace

namespace {

bool MaySayMore(reports::VerdictKind kind) {
  return kind == reports::VerdictKind::kPass || kind == reports::VerdictKind::kInconclusive ||
         kind == reports::VerdictKind::kUnsupported;
}

// The largest distance of two engines' outputs; negative when some are not near.
double LargestDistance(absl::Span<const Literal> ours, absl::Span<const Literal> theirs) {
  double distance = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double apart = Distance(ours[i], theirs[i]);
    if (!(apart <= (StorageBytes(ours[i].element_type()) == 2 ? 1e-2 : 1e-3))) return -1;
    distance = std::max(distance, apart);
  }
  return distance;
}

}  // namespace

absl::StatusOr<std::string> CheckOutputs(const Module& module,
                                         const backends::ExecuteRequest& request,
                                         backends::Backend& engine, backends::Executable& subject,
                                         backends::Executable& other, const std::string& name,
                                         Profile profile) {
  const backends::RunOutcome outcome = backends::OutcomeFrom(subject.Execute(request));
  if (outcome.kind != backends::OutcomeKind::kValues)
    return absl::StrCat("WRONG: ", outcome.reason);
  std::string distance;
  for (const int64_t cut : {int64_t{0}, kPieceOperations}) {
    backends::DiffOptions options;
    options.cut = cut;
    options.profile = profile;
    const reports::Verdict verdict =
        backends::Differ(module, request, options).DiffOutcome(outcome, engine);
    if (!MaySayMore(verdict.kind)) return absl::StrCat("WRONG: ", verdict.reason);
    const bool enough = cut != 0 || verdict.bits_checked_mean >= kBitsEnough;
    if (verdict.kind == reports::VerdictKind::kPass && enough) {
      return absl::StrFormat("%sjudged, %.1f bits", distance, verdict.bits_checked_mean);
    }
    if (cut != 0) break;
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult theirs, other.Execute(request));
    const double apart = LargestDistance(outcome.result.outputs[0], theirs.outputs[0]);
    distance = apart < 0 ? "" : absl::StrFormat("%s %.3g, pieces ", name, apart);
  }
  return distance.empty() ? std::string("inconclusive") : distance + "inconclusive";
}

namespace {

// Multiplications and additions of the entry's dots and convolutions.
double FlopsOf(const Module& module) {
  double flops = 0;
  for (const auto& instruction : module.entry()->instructions()) {
    double sum = 0;  // terms of one output element
    if (instruction->opcode() == Opcode::kDot) {
      sum = 1;
      const Shape& lhs = instruction->operand(0).shape();
      for (int64_t d : DotDimensionsOf(*instruction).lhs_contracting) {
        sum *= static_cast<double>(lhs.dimensions()[static_cast<size_t>(d)]);
      }
    } else if (instruction->opcode() == Opcode::kConvolution) {
      const auto& numbers = *instruction->Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
      const Shape& kernel = instruction->operand(1).shape();
      sum = static_cast<double>(kernel.ElementCount()) /
            static_cast<double>(
                kernel.dimensions()[static_cast<size_t>(numbers.kernel_output_feature)]);
    }
    if (sum > 0) flops += 2 * sum * static_cast<double>(instruction->shape().ElementCount());
  }
  return flops;
}

double BytesOf(const std::vector<Shape>& leaves) {
  double bytes = 0;
  for (const Shape& leaf : leaves) bytes += static_cast<double>(leaf.StorageSizeBytes());
  return bytes;
}

// In turn with XLA, and with an XLA that keeps its memory; or with the other engine that is wanted.
absl::StatusOr<CpuBenchRow> BenchOne(const std::string& name, const Module& module,
                                     const BenchOptions& options) {
  CpuBenchRow row;
  row.module = name;
  row.flops = FlopsOf(module);
  row.bytes =
      BytesOf(backends::ArgumentLeafShapes(module)) + BytesOf(backends::OutputLeafShapes(module));
  backends::ExecuteRequest request;
  request.arguments = {
      generators::GenerateArguments(backends::ArgumentLeafShapes(module), kBenchSeed)};
  HLOCTS_ASSIGN_OR_RETURN(auto cpu, backends::MakeBackend("cpu"));
  const std::string name_of_other = options.other.empty() ? "xla" : options.other;
  HLOCTS_ASSIGN_OR_RETURN(auto other, backends::MakeBackend(name_of_other));
  TimedEngine subject, baseline, kept;
  HLOCTS_ASSIGN_OR_RETURN(subject.executable, cpu->Load(module, {}));
  HLOCTS_ASSIGN_OR_RETURN(baseline.executable, other->Load(module, {}));
  std::unique_ptr<backends::Backend> keeping;
  std::vector<TimedEngine*> turns = {&subject, &baseline};
  if (options.other.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(keeping, XlaKeepingMemory());
    auto loaded = keeping->Load(module, {});
    ForgetMemorySettings();
    HLOCTS_RETURN_IF_ERROR(loaded.status());
    kept.executable = *std::move(loaded);
    turns.push_back(&kept);
  }
  HLOCTS_RETURN_IF_ERROR(TakeTurns(turns, request, options.quick ? 0.5 : 3));
  row.cpu_best = subject.best(), row.cpu_median = subject.median();
  row.xla_best = baseline.best(), row.xla_median = baseline.median();
  row.kept_best = options.other.empty() ? kept.best() : row.xla_best;
  HLOCTS_ASSIGN_OR_RETURN(row.check, CheckOutputs(module, request, *cpu, *subject.executable,
                                                  *baseline.executable, name_of_other));
  return row;
}

}  // namespace

absl::StatusOr<std::vector<CpuBenchRow>> BenchCpu(const BenchOptions& options) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder, error)) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CpuBenchRow> rows;
  for (const auto& path : paths) {
    const std::string name = path.stem();
    if (!absl::StrContains(name, options.filter)) continue;
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule loaded, LoadModule(path));
    auto row = BenchOne(name, *loaded.module, options);
    if (!row.ok()) return Annotate(row.status(), name);
    if (options.on_row) options.on_row(*row);
    rows.push_back(*std::move(row));
  }
  if (rows.empty()) return InvalidInput("no benchmark named \"", options.filter, "\"");
  return rows;
}

namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct LatencySamples {
  std::vector<double> cpu_load, cpu_second, xla_load, xla_second, ratios;
};

// Best times of one module; false when XLA refuses it.
absl::StatusOr<bool> MeasureLatency(backends::Backend& cpu, backends::Backend& xla,
                                    const Module& module, const backends::ExecuteRequest& request,
                                    LatencySamples& samples) {
  auto start = Clock::now();
  auto baseline = xla.Load(module, {});
  if (!baseline.ok()) return false;
  if (!(*baseline)->Execute(request).ok()) return false;
  const double xla_load = SecondsSince(start);
  HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult again, (*baseline)->Execute(request));
  double best_load = 1e300, best_second = 1e300;
  for (int round = 0; round < 20; ++round) {
    start = Clock::now();
    HLOCTS_ASSIGN_OR_RETURN(auto executable, cpu.Load(module, {}));
    HLOCTS_RETURN_IF_ERROR(executable->Execute(request).status());
    best_load = std::min(best_load, SecondsSince(start));
    for (int later = 0; later < 5; ++later) {
      start = Clock::now();
      HLOCTS_RETURN_IF_ERROR(executable->Execute(request).status());
      best_second = std::min(best_second, SecondsSince(start));
    }
  }
  samples.cpu_load.push_back(best_load);
  samples.cpu_second.push_back(best_second);
  samples.xla_load.push_back(xla_load);
  samples.xla_second.push_back(again.seconds);
  samples.ratios.push_back(xla_load / best_load);
  return true;
}

}  // namespace

absl::StatusOr<LatencyRow> BenchCpuLatency() {
  HLOCTS_ASSIGN_OR_RETURN(auto cpu, backends::MakeBackend("cpu?isolation=none"));
  HLOCTS_ASSIGN_OR_RETURN(auto xla, backends::MakeBackend("xla"));
  LatencySamples samples;
  for (uint64_t number = 0; number < kSmallModulesTried; ++number) {
    if (static_cast<int64_t>(samples.ratios.size()) == kSmallModules) break;
    const auto generated = SmallModule(number, /*joint_operations=*/false);
    if (!generated) continue;
    backends::ExecuteRequest request;
    request.arguments = {generated->arguments};
    HLOCTS_RETURN_IF_ERROR(
        MeasureLatency(*cpu, *xla, *generated->module, request, samples).status());
  }
  LatencyRow row;
  row.modules = static_cast<int64_t>(samples.ratios.size());
  row.cpu_load = Median(samples.cpu_load), row.cpu_second = Median(samples.cpu_second);
  row.xla_load = Median(samples.xla_load), row.xla_second = Median(samples.xla_second);
  row.ratio = Median(samples.ratios);
  return row;
}

}  // namespace hlocts::tools
