// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/curves.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "generators/arguments.h"
#include "spec/accuracy/rules.h"
#include "spec/text/parser.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kElements = 256;
struct Operation {
  const char* name;
  int operands;
};
// As models have them; divisors and arguments of logarithms are kept off zero by what stands
// before.
constexpr Operation kInexact[] = {{"add", 2},      {"subtract", 2}, {"multiply", 2}, {"add", 2},
                                  {"multiply", 2}, {"tanh", 1},     {"logistic", 1}, {"sine", 1},
                                  {"cosine", 1},   {"maximum", 2},  {"minimum", 2},  {"negate", 1}};
constexpr Operation kExactOperations[] = {{"add", 2},     {"subtract", 2}, {"maximum", 2},
                                          {"minimum", 2}, {"negate", 1},   {"abs", 1}};

// A chain: every instruction reads the one before it and one further back.
std::unique_ptr<Module> Chain(PrimitiveType type, int depth, bool exact,
                              generators::SplitMix64& random) {
  std::string shape = absl::StrCat(PrimitiveTypeName(type), "[", kElements, "]");
  std::string text = absl::StrCat("HloModule chain\nENTRY e {\n  v0 = ", shape,
                                  " parameter(0)\n  v1 = ", shape, " parameter(1)\n");
  for (int i = 0; i < depth; ++i) {
    const Operation& operation = exact ? kExactOperations[random.Below(std::size(kExactOperations))]
                                       : kInexact[random.Below(std::size(kInexact))];
    std::string operands = absl::StrCat("v", i + 1);
    if (operation.operands == 2) {
      absl::StrAppend(&operands, ", v", random.Below(static_cast<uint64_t>(i) + 1));
    }
    absl::StrAppend(&text, i + 1 == depth ? "  ROOT v" : "  v", i + 2, " = ", shape, " ",
                    operation.name, "(", operands, ")\n");
  }
  auto module = ParseModule(text + "}\n");
  HLOCTS_CHECK(module.ok());
  return *std::move(module);
}

backends::ExecuteRequest ArgumentsOf(const Module& module, bool exact, uint64_t seed) {
  backends::ExecuteRequest request;
  request.arguments.push_back(generators::GenerateArguments(
      backends::ArgumentLeafShapes(module), seed,
      exact ? generators::ArgumentStyle::kExact : generators::ArgumentStyle::kRandom));
  return request;
}

int32_t StepsOf(Opcode opcode, PrimitiveType type, double factor, bool exact) {
  if (exact) return 1;
  Rule rule = RuleFor(opcode, type, Profile::kDefault);
  double bound = rule.rule_class == RuleClass::kUlp ? rule.ulps : 0.5;
  return static_cast<int32_t>(std::ceil(factor * std::max(bound, 1.0)));
}

bool Found(const Module& module, const backends::ExecuteRequest& request,
           const backends::RunOutcome& outcome, backends::Backend& engine, int64_t cut) {
  backends::DiffOptions options;
  options.cut = cut;
  backends::Differ differ(module, request, options);
  return differ.DiffOutcome(outcome, engine).kind == reports::VerdictKind::kFail;
}

void Inject(const Module& module, const backends::ExecuteRequest& request,
            const backends::ExecuteResult& expected, const Instruction& target,
            generators::SplitMix64& random, CurvePoint& point) {
  backends::Injection injection;
  injection.instruction = target.name();
  injection.element = static_cast<int64_t>(random.Below(kElements));
  injection.steps = StepsOf(target.opcode(), point.type, point.factor, point.exact);
  if (random.Below(2) == 0) injection.steps = -injection.steps;
  backends::InjectingBackend engine(injection);
  backends::RunOutcome outcome = backends::RunModule(engine, module, {}, request);
  if (outcome.kind != backends::OutcomeKind::kValues) return;
  ++point.injections;
  if (outcome.result.outputs[0][0].BitwiseEqual(expected.outputs[0][0])) {
    ++point.masked;
    return;
  }
  point.by_outputs += Found(module, request, outcome, engine, backends::DiffOptions::kNoCut);
  point.by_cut_2 += Found(module, request, outcome, engine, 2);
  point.by_cut_1 += Found(module, request, outcome, engine, 1);
}

}  // namespace

double CurvePoint::Share(int64_t found) const {
  int64_t shown = injections - masked;
  return shown == 0 ? 0 : 100.0 * static_cast<double>(found) / static_cast<double>(shown);
}

CurvePoint MeasureDetection(PrimitiveType type, int depth, bool exact, double factor, int modules,
                            uint64_t seed) {
  CurvePoint point;
  point.type = type;
  point.depth = depth;
  point.exact = exact;
  point.factor = factor;
  auto reference = backends::MakeInProcessBackend("reference");
  generators::SplitMix64 random(seed);
  for (int i = 0; i < modules; ++i) {
    std::unique_ptr<Module> module = Chain(type, depth, exact, random);
    backends::ExecuteRequest request = ArgumentsOf(*module, exact, random.Next());
    backends::RunOutcome expected = backends::RunModule(**reference, *module, {}, request);
    if (expected.kind != backends::OutcomeKind::kValues) continue;
    for (const auto& instruction : module->entry()->instructions()) {
      if (instruction->IsParameter()) continue;
      Inject(*module, request, expected.result, *instruction, random, point);
    }
  }
  return point;
}

BitsPoint MeasureEffectiveBits(PrimitiveType type, int depth, bool exact, int modules,
                               uint64_t seed) {
  BitsPoint point;
  point.type = type;
  point.depth = depth;
  point.exact = exact;
  std::vector<double> medians, percentiles;
  auto reference = backends::MakeInProcessBackend("reference");
  generators::SplitMix64 random(seed);
  for (int i = 0; i < modules; ++i) {
    std::unique_ptr<Module> module = Chain(type, depth, exact, random);
    backends::ExecuteRequest request = ArgumentsOf(*module, exact, random.Next());
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

std::string CurveText(const std::vector<CurvePoint>& points, const std::vector<BitsPoint>& bits) {
  std::string text =
      "errors planted in element-wise modules; found, of those that change an output bit\n"
      "data   type  depth  factor  injections  masked  outputs only  cut every 2  every "
      "instruction\n";
  for (const CurvePoint& p : points) {
    absl::StrAppendFormat(&text, "%-6s %-4s %6d  %6s  %10d  %6d  %10.1f %%  %9.1f %%  %15.1f %%\n",
                          p.exact ? "exact" : "random", PrimitiveTypeName(p.type), p.depth,
                          p.exact ? "1 ulp" : absl::StrFormat("%g", p.factor), p.injections,
                          p.masked, p.Share(p.by_outputs), p.Share(p.by_cut_2),
                          p.Share(p.by_cut_1));
  }
  text +=
      "effective bits (median module, 5th percentile module's 5th percentile, share "
      "below 2 bits)\n";
  for (const BitsPoint& p : bits) {
    absl::StrAppendFormat(&text,
                          "%-6s %-4s depth %2d: median %5.2f, low %5.2f, below 2 bits %5.2f %%\n",
                          p.exact ? "exact" : "random", PrimitiveTypeName(p.type), p.depth,
                          p.median, p.percentile5, 100 * p.below_two_share);
  }
  return text;
}

}  // namespace hlocts::tools
