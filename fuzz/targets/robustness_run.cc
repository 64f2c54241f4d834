// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/robustness_run.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/arguments.h"
#include "spec/infer/verifier.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"
#include "spec/ops/partitions.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

double ElementsOf(const Shape& shape) {
  double elements = 0;
  for (const Shape& leaf : LeafShapes(shape)) {
    double of_leaf = 1;
    if (!leaf.IsArray()) continue;
    for (int64_t size : leaf.dimensions()) of_leaf *= static_cast<double>(size);
    elements += of_leaf;
  }
  return elements;
}

double LongestOf(const Shape& shape) {
  int64_t longest = 1;
  for (const Shape& leaf : LeafShapes(shape)) {
    if (!leaf.IsArray()) continue;
    for (int64_t size : leaf.dimensions()) longest = std::max(longest, size);
  }
  return static_cast<double>(longest);
}

// Returns the number of terms from which an element of the result is computed.
double TermsOf(const Instruction& instruction) {
  double terms = 1;
  if (const Window* window = instruction.Get<Window>(Attr::kWindow)) {
    for (const WindowDimension& d : window->dimensions) terms *= static_cast<double>(d.size);
  }
  if (instruction.opcode() == Opcode::kConvolution)
    terms = ElementsOf(instruction.operand(1).shape());
  if (const auto* contracted = instruction.Get<std::vector<int64_t>>(Attr::kLhsContractingDims)) {
    for (int64_t d : *contracted)
      terms *= static_cast<double>(instruction.operand(0).shape().dimension(d));
  }
  // Each element depends on all others along a dimension.
  if (ops::IsOneOf(instruction.opcode(), {Opcode::kFft, Opcode::kCholesky, Opcode::kTriangularSolve,
                                          Opcode::kSort, Opcode::kTopk}))
    terms = std::max(LongestOf(instruction.shape()), LongestOf(instruction.operand(0).shape()));
  return terms;
}

double StepsOf(const Instruction& instruction, double trips_max, double elements_max,
               const absl::flat_hash_map<const Computation*, double>& steps) {
  double elements = ElementsOf(instruction.shape());
  for (const Instruction* operand : instruction.operands())
    elements += ElementsOf(operand->shape());
  if (elements > elements_max) return 0;
  double called = 0;
  for (const Computation* callee : instruction.called_computations()) {
    auto found = steps.find(callee);
    if (found != steps.end()) called += found->second;
  }
  const double own = (1 + elements) * TermsOf(instruction);
  if (instruction.opcode() == Opcode::kWhile) return own + called * trips_max;
  return ops::IsCaller(instruction.opcode()) ? own + called : own * (1 + called);
}

constexpr int64_t kArgumentBytesMax = int64_t{1} << 16;
constexpr int64_t kDevicesMax = 4;  // of replicas, and of partitions
// The limit for WorkOf: about a few seconds. With a time limit, results would vary by machine.
constexpr double kWorkMax = 1e7;
constexpr double kNever = 1e9;  // seconds

std::unique_ptr<backends::Backend> InThisProcess(const std::string& name) {
  auto engine = backends::MakeInProcessBackend(name);
  HLOCTS_CHECK(engine.ok());
  return *std::move(engine);
}

}  // namespace

double WorkOf(const Module& module, int64_t trips_max, int64_t bytes_max) {
  absl::flat_hash_map<const Computation*, double> steps;
  const double elements_max = 8.0 * static_cast<double>(bytes_max);  // elements of one bit
  for (const Computation* computation : module.CallOrder()) {
    double sum = 0;
    for (const auto& instruction : computation->instructions())
      sum += StepsOf(*instruction, static_cast<double>(trips_max), elements_max, steps);
    steps[computation] = sum;
  }
  return steps[module.entry()];
}

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
  // Large views need no memory in the reference, but the engine computes all of their elements.
  const bool engine_too = WorkOf(**module, load_.steps_max, INT64_MAX) <= kWorkMax;
  Judge(**module, request, kAllProfiles[seed % 3], engine_too);
}

// Evaluates the module and judges the results. If `engine_too`, also runs and judges the engine.
void RobustnessRun::Judge(const Module& module, const backends::ExecuteRequest& request,
                          Profile profile, bool engine_too) {
  backends::DiffOptions options{.profile = profile, .load = load_};
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
