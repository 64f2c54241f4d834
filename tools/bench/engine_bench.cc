// SPDX-License-Identifier: Apache-2.0
// The benchmarks `hlocts bench cpu` and `hlocts bench cuda`: two engines take turns on the modules
// of a case file or on the programs.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "generators/arguments.h"
#include "spec/files/module_file.h"
#include "spec/ir/float_format.h"
#include "tools/bench/bench.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kPieceOperations = 4;  // operations per piece, for programs with wide sets
constexpr double kBitsEnough = 2;        // bits checked per output element that suffice
constexpr int64_t kRunsPerTurn = 5;
constexpr int kTurnsMin = 3, kTurnsMax = 200;

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

// Returns the largest difference of two outputs, divided by the largest magnitude. The parts of
// complex numbers are compared separately.
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

bool IsBenchmarkable(Outcome kind) {
  return kind == Outcome::kPass || IsInconclusive(kind) || kind == Outcome::kUnsupported;
}

// Returns the largest Distance of two engines' outputs, or -1 if a distance exceeds its limit.
double LargestDistance(absl::Span<const Literal> ours, absl::Span<const Literal> theirs) {
  double distance = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double apart = Distance(ours[i], theirs[i]);
    if (!(apart <= (StorageBytes(ours[i].element_type()) == 2 ? 1e-2 : 1e-3))) return -1;
    distance = std::max(distance, apart);
  }
  return distance;
}

// Judges the outputs by the reference's acceptance sets. Returns "judged" with the bits checked per
// element, or "WRONG: ..." for wrong outputs. If the sets cannot decide (after long chains of
// roundings), the text has the distance from the other engine's outputs if they are close, and the
// result of judging pieces of the module on `engine`; `subject` may be unusable after that.
absl::StatusOr<std::string> CheckOutputs(const Module& module,
                                         const backends::ExecuteRequest& request,
                                         backends::Backend& engine, backends::Executable& subject,
                                         backends::Executable& other, const std::string& name) {
  const backends::RunOutcome outcome = backends::OutcomeFrom(subject.Execute(request));
  if (!outcome.has_values()) return absl::StrCat("WRONG: ", outcome.error.Text());
  std::string distance;
  for (const int64_t cut : {int64_t{0}, kPieceOperations}) {
    backends::DiffOptions options;
    options.cut = cut;
    const reports::Verdict verdict =
        backends::Differ(module, request, options).DiffOutcome(outcome, engine);
    if (!IsBenchmarkable(verdict.kind)) return absl::StrCat("WRONG: ", verdict.reason);
    const bool enough = cut != 0 || verdict.bits_checked_mean >= kBitsEnough;
    if (verdict.kind == Outcome::kPass && enough) {
      return absl::StrFormat("%sjudged, %.1f bits", distance, verdict.bits_checked_mean);
    }
    if (cut != 0) break;
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult theirs, other.Execute(request));
    const double apart = LargestDistance(outcome.result.outputs[0], theirs.outputs[0]);
    distance = apart < 0 ? "" : absl::StrFormat("%s %.3g, pieces ", name, apart);
  }
  return distance.empty() ? std::string("inconclusive") : distance + "inconclusive";
}

// The seconds of each run of an engine.
struct Times {
  std::vector<double> seconds;

  absl::Status TakeTurn(backends::Executable& executable, const backends::ExecuteRequest& request) {
    HLOCTS_ASSIGN_OR_RETURN(const backends::ExecuteResult result, executable.Execute(request));
    if (static_cast<int64_t>(result.seconds_of_runs.size()) != request.runs)
      return absl::InternalError("the engine does not repeat runs");
    seconds.insert(seconds.end(), result.seconds_of_runs.begin(), result.seconds_of_runs.end());
    return absl::OkStatus();
  }
  double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

// Each turn runs an engine five times: caches and threads are then in the same state as in a
// caller's loop. Both engines run under the same load.
absl::StatusOr<EngineBenchRow> BenchOne(const std::string& name, const Module& module,
                                        const std::string& engine, const BenchOptions& options) {
  backends::ExecuteRequest request;
  request.arguments = {
      generators::GenerateArguments(backends::ArgumentLeafShapes(module), kBenchSeed)};
  HLOCTS_ASSIGN_OR_RETURN(auto subject, backends::MakeBackend(engine));
  HLOCTS_ASSIGN_OR_RETURN(auto other, backends::MakeBackend(options.other));
  HLOCTS_ASSIGN_OR_RETURN(auto ours, subject->Load(module, {}));
  HLOCTS_ASSIGN_OR_RETURN(auto theirs, other->Load(module, {}));
  Times our_times, their_times;
  request.runs = kRunsPerTurn;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(options.quick ? 0.5 : 2);
  for (int turn = 0; turn < kTurnsMin || (Clock::now() < end && turn < kTurnsMax); ++turn) {
    HLOCTS_RETURN_IF_ERROR(our_times.TakeTurn(*ours, request));
    HLOCTS_RETURN_IF_ERROR(their_times.TakeTurn(*theirs, request));
  }
  request.runs = 1;
  EngineBenchRow row{
      name,        our_times.best(), our_times.median(), their_times.best(), their_times.median(),
      "not judged"};
  if (!options.unchecked) {
    HLOCTS_ASSIGN_OR_RETURN(row.check,
                            CheckOutputs(module, request, *subject, *ours, *theirs, options.other));
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<EngineBenchRow>> BenchEngine(const std::string& engine,
                                                        const BenchOptions& options) {
  std::vector<EngineBenchRow> rows;
  HLOCTS_ASSIGN_OR_RETURN(const auto texts, ModuleTexts(options));
  for (const auto& [name, text] : texts) {
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule loaded, ParseModuleFile(name, text));
    auto row = BenchOne(name, *loaded.module, engine, options);
    if (!row.ok()) return Annotate(row.status(), name);
    if (options.on_row) options.on_row(*row);
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace hlocts::tools
