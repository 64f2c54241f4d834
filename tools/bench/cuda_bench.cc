// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cuda_bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "backends/backend_list.h"
#include "backends/engine/cuda/run/cuda_device.h"
#include "generators/arguments.h"
#include "spec/files/module_file.h"
#include "spec/ir/module.h"
#include "tools/bench/sampled_check.h"
#include "tools/bench/seed.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kCopyBytes = int64_t{1} << 30;
constexpr double kLeastOfOther = 0.8, kMeanOfOther = 1.1;

constexpr CudaGoal kGoals[] = {
    {"chain_64m", false, 0.85},    {"reduce_64m", false, 0.85}, {"softmax_16384x4096", false, 0.7},
    {"transpose_64m", false, 0.8}, {"dot_f32_4096", true, 0.9}, {"dot_bf16_4096", true, 0.9},
    {"sort_16m", true, 0.9},
};

// The same for everybody that is compared.
int Rounds(bool quick) { return quick ? 3 : 20; }

// Seconds of `work` by the device's clock, best of several.
template <class F>
absl::StatusOr<double> BestOf(cuda::Device& device, bool quick, const F& work) {
  double best = 1e300;
  for (int round = 0; round < Rounds(quick); ++round) {
    HLOCTS_RETURN_IF_ERROR(device.Synchronize());
    HLOCTS_RETURN_IF_ERROR(device.StartClock());
    HLOCTS_RETURN_IF_ERROR(work());
    HLOCTS_ASSIGN_OR_RETURN(const double seconds, device.StopClock());
    best = std::min(best, seconds);
  }
  return best;
}

// Memory is cleared, so that what lies in it is no NaN that slows or no key that hurries anything.
absl::StatusOr<cuda::Buffer> Zeros(cuda::Device& device, int64_t bytes) {
  HLOCTS_ASSIGN_OR_RETURN(cuda::Buffer buffer, cuda::Memory::New(device, bytes));
  const std::vector<char> zeros(static_cast<size_t>(bytes), 0);
  HLOCTS_RETURN_IF_ERROR(device.Upload(buffer->data(), zeros.data(), bytes));
  return buffer;
}

absl::StatusOr<double> TimeCopy(cuda::Device& device, bool quick) {
  HLOCTS_ASSIGN_OR_RETURN(const cuda::Buffer from, Zeros(device, kCopyBytes));
  HLOCTS_ASSIGN_OR_RETURN(const cuda::Buffer to, Zeros(device, kCopyBytes));
  return BestOf(device, quick, [&] { return device.Copy(to->data(), from->data(), kCopyBytes); });
}

// The library's own time for the product of two n x n matrices, on the module's arguments.
template <class Plan>
absl::StatusOr<double> TimePlan(cuda::Device& device, const Plan& plan, bool quick,
                                const std::vector<Literal>& arguments, int64_t out_bytes) {
  std::vector<cuda::Buffer> memory;
  const void* in[2] = {};
  for (size_t k = 0; k < arguments.size() && k < 2; ++k) {
    const int64_t bytes = static_cast<int64_t>(arguments[k].raw_size());
    HLOCTS_ASSIGN_OR_RETURN(memory.emplace_back(), cuda::Memory::New(device, bytes));
    HLOCTS_RETURN_IF_ERROR(device.Upload(memory.back()->data(), arguments[k].raw_data(), bytes));
    in[k] = memory.back()->data();
  }
  HLOCTS_ASSIGN_OR_RETURN(memory.emplace_back(), cuda::Memory::New(device, out_bytes));
  void* out[1] = {memory.back()->data()};
  return BestOf(device, quick, [&]() -> absl::Status {
    HLOCTS_ASSIGN_OR_RETURN(const bool done, device.CallLibrary(plan, in, out));
    return done ? absl::OkStatus() : absl::UnavailableError("the library did not take it");
  });
}

// The best of what the library proposes: the engine takes its first proposal.
absl::StatusOr<double> TimeBestHeuristic(cuda::Device& device, cuda::GemmPlan plan, bool quick,
                                         const std::vector<Literal>& arguments, int64_t bytes) {
  double best = 1e300;
  for (plan.heuristic = 0; plan.heuristic < cuda::kHeuristicsMax; ++plan.heuristic) {
    const auto seconds = TimePlan(device, plan, quick, arguments, bytes);
    if (seconds.ok()) best = std::min(best, *seconds);
    if (!seconds.ok() && plan.heuristic == 0) return seconds.status();
  }
  return best;
}

absl::StatusOr<double> TimeDirect(cuda::Device& device, const std::string& module, bool quick,
                                  bool tf32, const std::vector<Literal>& arguments) {
  const int64_t bytes = static_cast<int64_t>(arguments[0].raw_size());
  if (absl::StartsWith(module, "sort")) {
    const cuda::SortPlan plan = {cuda::kSortF32, 32, arguments[0].element_count()};
    return TimePlan(device, plan, quick, arguments, bytes);
  }
  const int64_t n = arguments[0].shape().dimensions()[0];
  cuda::GemmPlan plan = {};
  plan.type = plan.result = static_cast<int>(arguments[0].element_type());
  plan.m = plan.n = plan.k = plan.lda = plan.ldb = plan.ldc = n;
  plan.batch = 1;
  plan.tf32 = tf32 ? 1 : 0;
  return TimeBestHeuristic(device, plan, quick, arguments, bytes);
}

struct Bench {
  cuda::Device& device;
  backends::Backend& backend;
  std::unique_ptr<backends::Backend> other;  // nullptr: none
  double copy_bandwidth;
  bool quick, unchecked, relaxed;

  Profile profile() const { return relaxed ? Profile::kRelaxed : Profile::kDefault; }
  absl::StatusOr<CudaBenchRow> Run(const std::filesystem::path& path, const Module& module);
  absl::StatusOr<std::string> Check(const std::filesystem::path& path, const Module& module,
                                    const backends::ExecuteRequest& request,
                                    backends::Executable& executable);
  absl::Status Time(backends::Executable& executable, const backends::ExecuteRequest& request,
                    CudaBenchRow& row) const;
  absl::Status Compare(const Module& module, const backends::ExecuteRequest& request,
                       CudaBenchRow& row);
};

absl::Status Bench::Compare(const Module& module, const backends::ExecuteRequest& request,
                            CudaBenchRow& row) {
  for (const CudaGoal& goal : kGoals) {
    if (row.module != goal.module) continue;
    row.goal = goal.share;
    row.reached = row.copy_share;
    if (!goal.of_library) continue;
    HLOCTS_ASSIGN_OR_RETURN(row.direct_seconds,
                            TimeDirect(device, row.module, quick, relaxed, request.arguments[0]));
    row.reached = row.direct_seconds / row.best;
  }
  if (other == nullptr) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(const auto executable, other->Load(module, {}));
  // By the caller's clock, with arguments on the device: a launch and the wait for it are in it.
  row.other_seconds = 1e300;
  for (int round = 0; round < Rounds(quick); ++round) {
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult result, executable->Execute(request));
    row.other_seconds = std::min(row.other_seconds, result.seconds);
  }
  return absl::OkStatus();
}

absl::Status Bench::Time(backends::Executable& executable, const backends::ExecuteRequest& request,
                         CudaBenchRow& row) const {
  std::vector<double> seconds;
  double bytes = 0;
  for (int round = 0; round < Rounds(quick); ++round) {
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult result, executable.Execute(request));
    seconds.push_back(result.seconds);
    if (round > 0) continue;
    for (const Literal& leaf : request.arguments[0]) bytes += static_cast<double>(leaf.raw_size());
    for (const Literal& leaf : result.outputs[0]) bytes += static_cast<double>(leaf.raw_size());
  }
  std::sort(seconds.begin(), seconds.end());
  row.best = seconds[0];
  row.median = seconds[seconds.size() / 2];
  row.bytes_per_second = bytes / row.best;
  return absl::OkStatus();
}

// By some of its rows where there is a module for these, else as a whole.
absl::StatusOr<std::string> Bench::Check(const std::filesystem::path& path, const Module& module,
                                         const backends::ExecuteRequest& request,
                                         backends::Executable& executable) {
  if (unchecked) return std::string("not checked");
  std::filesystem::path rows = path;
  rows.replace_extension(".rows");
  if (std::filesystem::exists(rows)) {
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule sampled, LoadModule(rows));
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult result, executable.Execute(request));
    return CheckSampledRows(*sampled.module, request.arguments[0], result.outputs[0], backend,
                            profile());
  }
  HLOCTS_ASSIGN_OR_RETURN(const auto cpu, backends::MakeBackend("cpu?isolation=none"));
  HLOCTS_ASSIGN_OR_RETURN(const auto control, cpu->Load(module, {}));
  return CheckOutputs(module, request, backend, executable, *control, "cpu", profile());
}

absl::StatusOr<CudaBenchRow> Bench::Run(const std::filesystem::path& path, const Module& module) {
  CudaBenchRow row;
  row.module = path.stem();
  backends::ExecuteRequest request;
  request.arguments = {
      generators::GenerateArguments(backends::ArgumentLeafShapes(module), kBenchSeed)};
  HLOCTS_ASSIGN_OR_RETURN(const auto executable, backend.Load(module, {}));
  HLOCTS_RETURN_IF_ERROR(Time(*executable, request, row));
  row.copy_share = row.bytes_per_second / copy_bandwidth;
  HLOCTS_RETURN_IF_ERROR(Compare(module, request, row));
  // The check may take longer than all that was timed: the time is said first.
  std::fprintf(stderr, "cuda/%s: %.3f ms%s\n", row.module.c_str(), row.best * 1e3,
               unchecked ? "" : ", checking");
  HLOCTS_ASSIGN_OR_RETURN(row.check, Check(path, module, request, *executable));
  return row;
}

std::vector<std::filesystem::path> ModulesOf(const std::vector<std::string>& folders,
                                             const std::string& filter) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".hlo") continue;
      if (absl::StrContains(entry.path().stem().string(), filter)) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<CudaBenchRow> CopyRow(cuda::Device& device, bool quick) {
  CudaBenchRow copy;
  copy.module = "copy";
  HLOCTS_ASSIGN_OR_RETURN(copy.best, TimeCopy(device, quick));
  copy.median = copy.best;
  copy.bytes_per_second = 2 * static_cast<double>(kCopyBytes) / copy.best;
  return copy;
}

absl::StatusOr<std::unique_ptr<backends::Backend>> OtherBackend(const std::string& name) {
  if (name.empty()) return std::unique_ptr<backends::Backend>();
  return backends::MakeBackend(name);
}

// Every module stands at 0.8 of the other engine at least; the geometric mean at 1.1.
CudaBenchRow MeanRow(const std::vector<CudaBenchRow>& rows) {
  CudaBenchRow mean;
  double logarithms = 0, count = 0, least = 1e300;
  for (const CudaBenchRow& row : rows) {
    if (row.other_seconds <= 0) continue;
    const double ratio = row.other_seconds / row.best;
    logarithms += std::log(ratio);
    least = std::min(least, ratio);
    ++count;
  }
  if (count == 0) return mean;
  mean.module = "geometric_mean_of_other";
  mean.goal = kMeanOfOther;
  mean.reached = std::exp(logarithms / count);
  mean.check = absl::StrCat(count, " modules, the least ", least);
  if (least < kLeastOfOther) absl::StrAppend(&mean.check, ", WRONG: below ", kLeastOfOther);
  return mean;
}

}  // namespace

absl::Span<const CudaGoal> CudaGoals() { return kGoals; }

void DropOperandPrecision(Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      instruction->Remove(Attr::kOperandPrecision);
    }
  }
}

absl::StatusOr<std::vector<CudaBenchRow>> BenchCuda(
    const std::vector<std::string>& folders, const std::string& filter,
    const CudaBenchOptions& options, const std::function<void(const CudaBenchRow&)>& on_row) {
  // It would take TF32 from every library, also where a call asks for it.
  if (options.relaxed) unsetenv("NVIDIA_TF32_OVERRIDE");
  HLOCTS_ASSIGN_OR_RETURN(const auto device, cuda::OpenCudaDevice());
  const std::string& other = options.other;
  const bool quick = options.quick;
  HLOCTS_ASSIGN_OR_RETURN(const auto backend, backends::MakeInProcessBackend(
                                                  options.relaxed ? "cuda?tf32=true" : "cuda"));
  std::vector<CudaBenchRow> rows;
  const auto add = [&](CudaBenchRow row) {
    on_row(row);
    rows.push_back(std::move(row));
  };
  HLOCTS_ASSIGN_OR_RETURN(const CudaBenchRow copy, CopyRow(*device, quick));
  add(copy);
  HLOCTS_RETURN_IF_ERROR(BenchCudaSmall(*backend, filter, quick, add));
  Bench bench = {*device, *backend,          nullptr,        copy.bytes_per_second,
                 quick,   options.unchecked, options.relaxed};
  HLOCTS_ASSIGN_OR_RETURN(bench.other, OtherBackend(other));
  for (const auto& path : ModulesOf(folders, filter)) {
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule loaded, LoadModule(path));
    if (options.relaxed) DropOperandPrecision(*loaded.module);
    auto row = bench.Run(path, *loaded.module);
    if (!row.ok()) return Annotate(row.status(), path.stem().string());
    add(*std::move(row));
  }
  if (rows.size() == 1) return InvalidInput("no benchmark named \"", filter, "\"");
  if (!other.empty()) add(MeanRow(rows));
  return rows;
}

}  // namespace hlocts::tools
