// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/curves.h"

#include <algorithm>
#include <cmath>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "generators/arguments.h"
#include "spec/accuracy/rules.h"
#include "spec/judge/joint.h"
#include "spec/ops/kinds.h"

namespace hlocts::tools {
namespace {

backends::ExecuteRequest ArgumentsOf(const Module& module, ChainKind kind, uint64_t seed) {
  backends::ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(
      backends::ArgumentLeafShapes(module), seed,
      kind == ChainKind::kExact ? generators::ArgumentStyle::kExact
                                : generators::ArgumentStyle::kRandom));
  return request;
}

// Of an element-wise result: so many numbers further.
int32_t StepsOf(Opcode opcode, PrimitiveType type, double factor, ChainKind kind) {
  if (kind == ChainKind::kExact) return 1;
  Rule rule = RuleFor(opcode, type, Profile::kDefault);
  double bound = rule.rule_class == RuleClass::kUlp ? rule.ulps : 0.5;
  return static_cast<int32_t>(std::ceil(factor * std::max(bound, 1.0)));
}

// Of an f32 sum, whose bound may be larger than itself: as many numbers as there are between it and
// what lies so far outside.
int32_t StepsOfSum(double sum, double error) {
  const float from = static_cast<float>(std::fabs(sum));
  const float to = static_cast<float>(std::fabs(sum) + error);
  return absl::bit_cast<int32_t>(to) - absl::bit_cast<int32_t>(from);
}

bool Found(const Module& module, const backends::ExecuteRequest& request,
           const backends::RunOutcome& outcome, backends::Backend& engine, int64_t cut) {
  backends::DiffOptions options;
  options.cut = cut;
  backends::Differ differ(module, request, options);
  return differ.DiffOutcome(outcome, engine).kind == reports::VerdictKind::kFail;
}

backends::Injection InjectionAt(const Chain& chain, const FirstOrder& exact, size_t step,
                                double factor, generators::SplitMix64& random) {
  backends::Injection injection;
  injection.instruction = chain.InstructionOf(step);
  injection.element =
      static_cast<int64_t>(random.Below(static_cast<uint64_t>(chain.ElementsOf(step))));
  const bool negative = random.Below(2) == 0;
  if (chain.steps[step].operation->form != StepForm::kEach) {
    injection.steps = StepsOfSum(exact.Exact(step, injection.element),
                                 factor * exact.Own(step, injection.element));
    return injection;
  }
  const Opcode opcode = *OpcodeFromName(chain.steps[step].operation->name);
  injection.steps = StepsOf(opcode, chain.type, factor, chain.kind);
  if (negative) injection.steps = -injection.steps;
  return injection;
}

// Whether rounding cannot explain the outputs, to first order.
bool BeyondFirstOrder(const FirstOrder& exact, const Literal& found, const Literal& expected) {
  for (int64_t i = 0; i < found.element_count(); ++i) {
    const double value = RealAt(found, i);
    if (value == RealAt(expected, i)) continue;
    const double off = std::fabs(value - exact.ResultOf(i));
    if (!(off <= exact.Worst(i))) return true;
  }
  return false;
}

struct Subject {
  const Module& module;
  const backends::ExecuteRequest& request;
  const backends::ExecuteResult& expected;
  const FirstOrder& exact;
};

void Inject(const Subject& s, const backends::Injection& injection, CurvePoint& point) {
  backends::InjectingBackend engine(injection);
  backends::RunOutcome outcome = backends::RunModule(engine, s.module, {}, s.request);
  if (outcome.kind != backends::OutcomeKind::kValues) return;
  ++point.injections;
  const Literal &found = outcome.result.outputs[0][0], &expected = s.expected.outputs[0][0];
  if (found.BitwiseEqual(expected)) {
    ++point.masked;
    return;
  }
  point.by_outputs += Found(s.module, s.request, outcome, engine, backends::DiffOptions::kNoCut);
  point.by_cut_2 += Found(s.module, s.request, outcome, engine, 2);
  point.by_cut_1 += Found(s.module, s.request, outcome, engine, 1);
  point.by_first_order += BeyondFirstOrder(s.exact, found, expected);
}

}  // namespace

double CurvePoint::Share(int64_t found) const {
  int64_t shown = injections - masked;
  return shown == 0 ? 0 : 100.0 * static_cast<double>(found) / static_cast<double>(shown);
}

CurvePoint MeasureDetection(PrimitiveType type, int depth, ChainKind kind, double factor,
                            int modules, uint64_t seed) {
  CurvePoint point{type, depth, kind, factor};
  auto reference = backends::MakeInProcessBackend("reference");
  generators::SplitMix64 random(seed);
  for (int i = 0; i < modules; ++i) {
    const Chain chain = Chain::Random(type, kind, depth, random);
    std::unique_ptr<Module> module = chain.ToModule();
    backends::ExecuteRequest request = ArgumentsOf(*module, kind, random.Next());
    backends::RunOutcome expected = backends::RunModule(**reference, *module, {}, request);
    if (expected.kind != backends::OutcomeKind::kValues) continue;
    const FirstOrder exact(chain, request.arguments[0]);
    for (size_t step = 0; step < chain.steps.size(); ++step) {
      Inject({*module, request, expected.result, exact},
             InjectionAt(chain, exact, step, factor, random), point);
    }
  }
  return point;
}

BitsPoint MeasureEffectiveBits(PrimitiveType type, int depth, ChainKind kind, int modules,
                               uint64_t seed) {
  BitsPoint point{type, depth, kind};
  std::vector<double> medians, percentiles;
  auto reference = backends::MakeInProcessBackend("reference");
  generators::SplitMix64 random(seed);
  for (int i = 0; i < modules; ++i) {
    std::unique_ptr<Module> module = Chain::Random(type, kind, depth, random).ToModule();
    backends::ExecuteRequest request = ArgumentsOf(*module, kind, random.Next());
    backends::Differ differ(*module, request, {});
    reports::Verdict verdict = differ.Diff(**reference);
    point.elements += verdict.elements;
    medians.push_back(verdict.effective_bits_median);
    percentiles.push_back(verdict.effective_bits_p5);
    point.below_two_share += verdict.below_two_bits_share / modules;
  }
  std::sort(medians.begin(), medians.end());
  std::sort(percentiles.begin(), percentiles.end());
  point.median = medians[medians.size() / 2];
  point.percentile5 = percentiles[percentiles.size() / 20];
  return point;
}

namespace {

const char* DataName(ChainKind kind) {
  switch (kind) {
    case ChainKind::kElementwise:
      return "random";
    case ChainKind::kExact:
      return "exact";
    case ChainKind::kMixed:
      return "mixed";
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

std::string CurveText(const std::vector<CurvePoint>& points, const std::vector<BitsPoint>& bits) {
  std::string text =
      "errors planted; found, of those that change an output bit. random: element-wise modules;\n"
      "mixed: a third of the steps are dots and means of rows, 16 x 16; exact: of small integers.\n"
      "first order: what a law that knew every slope could find at the outputs\n"
      "data   type  depth  factor  injections  masked  outputs only  first order  cut every 2  "
      "every instruction\n";
  for (const CurvePoint& p : points) {
    absl::StrAppendFormat(
        &text, "%-6s %-4s %6d  %6s  %10d  %6d  %10.1f %%  %9.1f %%  %9.1f %%  %15.1f %%\n",
        DataName(p.kind), PrimitiveTypeName(p.type), p.depth,
        p.kind == ChainKind::kExact ? "1 ulp" : absl::StrFormat("%g", p.factor), p.injections,
        p.masked, p.Share(p.by_outputs), p.Share(p.by_first_order), p.Share(p.by_cut_2),
        p.Share(p.by_cut_1));
  }
  text +=
      "effective bits (median module, 5th percentile module's 5th percentile, share "
      "below 2 bits)\n";
  for (const BitsPoint& p : bits) {
    absl::StrAppendFormat(&text,
                          "%-6s %-4s depth %2d: median %5.2f, low %5.2f, below 2 bits %5.2f %%\n",
                          DataName(p.kind), PrimitiveTypeName(p.type), p.depth, p.median,
                          p.percentile5, 100 * p.below_two_share);
  }
  return text;
}

std::string MeasureCurves(uint64_t seed, int modules) {
  constexpr PrimitiveType kF32 = PrimitiveType::kF32;
  constexpr PrimitiveType kOthers[] = {PrimitiveType::kF64, PrimitiveType::kF16,
                                       PrimitiveType::kBF16};
  constexpr ChainKind kEach = ChainKind::kElementwise, kMixed = ChainKind::kMixed,
                      kExact = ChainKind::kExact;
  std::vector<CurvePoint> points;
  auto measure = [&](PrimitiveType type, int depth, ChainKind kind, double factor) {
    points.push_back(MeasureDetection(type, depth, kind, factor, modules, seed));
  };
  for (int depth : {1, 2, 4, 8, 16}) measure(kF32, depth, kEach, 4);
  for (double factor : {1.0, 16.0, 64.0, 256.0}) measure(kF32, 8, kEach, factor);
  for (PrimitiveType type : kOthers) {
    for (int depth : {1, 8}) measure(type, depth, kEach, 4);
  }
  for (int depth : {1, 2, 4, 8}) measure(kF32, depth, kMixed, 4);
  for (double factor : {16.0, 64.0}) measure(kF32, 8, kMixed, factor);
  for (int depth : {1, 8}) measure(kF32, depth, kExact, 1);
  std::vector<BitsPoint> bits;
  auto effective = [&](PrimitiveType type, int depth, ChainKind kind) {
    bits.push_back(MeasureEffectiveBits(type, depth, kind, 200, seed));
  };
  for (int depth : {1, 2, 4, 8, 16}) effective(kF32, depth, kEach);
  for (PrimitiveType type : kOthers) effective(type, 8, kEach);
  effective(kF32, 8, kMixed);
  effective(kF32, 8, kExact);
  return CurveText(points, bits);
}

}  // namespace hlocts::tools
