// SPDX-License-Identifier: Apache-2.0
// Tests that the generator's facts are true. A false fact would permit an operation outside of its
// domain, and the result of that operation would look like a defect of the engine.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <map>

#include "generators/fact_literals.h"
#include "generators/module_writer.h"
#include "generators/plan.h"
#include "reference/eval_hook.h"
#include "reference/evaluator.h"
#include "spec/judge/joint.h"
#include "spec/text/printer.h"

namespace hlocts::generators {
namespace {

using Claims = std::map<const Instruction*, ValueFacts>;

bool Holds(const ValueFacts& facts, const Literal& value) {
  const int components = IsComplex(value.element_type()) ? 2 : 1;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    for (int component = 0; component < components; ++component) {
      const double x = RealAt(value, i, component);
      // A value about which nothing is known may also be NaN.
      const bool unknown = std::isnan(x) && std::isinf(facts.high);
      if (!unknown && !(x >= facts.low && x <= facts.high)) return false;
      if (facts.integral && x != std::floor(x)) return false;
    }
  }
  return true;
}

// An evaluation hook that fails if a fact about a value is false.
class ClaimsHook : public reference::EvalHook {
 public:
  explicit ClaimsHook(const Claims& claims) : claims_(claims) {}
  absl::Status BeforeInstruction(reference::EvalContext&, const Instruction&,
                                 absl::Span<Literal>) override {
    return absl::OkStatus();
  }
  absl::Status AfterInstruction(reference::EvalContext&, const Instruction& instruction,
                                absl::Span<const Literal>, Literal& result) override {
    const auto claim = claims_.find(&instruction);
    const bool checked =
        claim != claims_.end() && result.shape().IsArray() && !result.has_runtime_sizes();
    if (!checked) return absl::OkStatus();
    ++checked_;
    const ValueFacts& facts = claim->second;
    if (Holds(facts, result)) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(instruction.name(), " is not in [", facts.low, ", ",
                                            facts.high, "]", facts.integral ? ", whole" : ""));
  }
  int64_t checked() const { return checked_; }

 private:
  const Claims& claims_;
  int64_t checked_ = 0;
};

// A module of a checked stream, and the facts about its values.
struct Claimed {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;
  Claims claims;
};
Claimed MakeClaimed(int number) {
  constexpr Stream kStreams[] = {Stream::kDefined, Stream::kExact, Stream::kSizes};
  SeedSource choose(1, number);
  GeneratorOptions options;
  options.stream = kStreams[number % std::size(kStreams)];
  ModuleWriter writer(choose, DrawPlan(choose, options));
  Claimed made;
  writer.WatchTerms([&](const std::deque<Value>& terms) {
    for (const Value& term : terms) made.claims[term.instruction] = term.facts;
  });
  writer.Grow(writer.plan.instructions);
  made.module = writer.Finish();
  for (const ModuleWriter::Parameter& parameter : writer.entry_parameters())
    made.arguments.push_back(
        LiteralWithFacts(parameter.shape, parameter.facts, false, writer.data()));
  return made;
}

TEST(FactsTest, ValueFactsHold) {
  constexpr int kModules = 10000;
  int64_t checked = 0;
  for (int number = 0; number < kModules; ++number) {
    const Claimed made = MakeClaimed(number);
    ClaimsHook hook(made.claims);
    reference::EvalOptions evaluation;
    evaluation.hook = &hook;
    const auto result = reference::Evaluate(*made.module, made.arguments, evaluation);
    ASSERT_FALSE(absl::IsInternal(result.status())) << number << ": " << result.status() << "\n"
                                                    << PrintModule(*made.module);
    checked += hook.checked();
  }
  EXPECT_GT(checked, 5 * kModules);
}

// Callers use the facts of a constant, not the requested value, as a size or bound. The two differ:
// in s1, a requested 1 becomes -1.
TEST(ModuleWriterTest, FactsOfAConstantAreThoseOfItsElement) {
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (!IsInteger(type)) continue;
    SeedSource choose(1, 1);
    ModuleWriter writer(choose, DrawPlan(choose, {}));
    for (double value : {0.0, 1.0}) {
      const Value* constant = writer.ScalarConstant(type, value);
      const double held = RealAt(constant->instruction->literal(), 0);
      EXPECT_EQ(constant->facts.low, held) << PrimitiveTypeName(type);
      EXPECT_EQ(constant->facts.high, held) << PrimitiveTypeName(type);
    }
  }
}

}  // namespace
}  // namespace hlocts::generators
