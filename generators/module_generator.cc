// SPDX-License-Identifier: Apache-2.0
#include "generators/module_generator.h"

#include <cmath>

#include "generators/fact_literals.h"
#include "generators/module_writer.h"
#include "generators/negative.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

constexpr absl::string_view kStreamNames[kStreamCount] = {"defined", "exact", "edge", "sizes",
                                                          "negative"};
// The frequencies of the streams in GenerateNumbered, in which the negative stream never occurs.
constexpr int kStreamWeights[kStreamCount] = {30, 30, 28, 4, 0};

// Replaces parameters by constants, to test that folding at compile time gives the same results.
void FoldArguments(Generated& generated) {
  constexpr int64_t kElementsMax = 64;
  Computation* entry = generated.module->entry();
  for (const Literal& argument : generated.arguments) {
    if (argument.element_count() > kElementsMax || argument.has_runtime_sizes()) return;
  }
  for (Instruction* parameter : entry->parameters()) {
    parameter->set_opcode(Opcode::kConstant);
    Literal literal =
        generated.arguments[parameter->parameter_number()].WithShape(parameter->shape());
    parameter->set_literal(std::move(literal));
    parameter->set_parameter_number(-1);
  }
  generated.arguments.clear();
  generated.facts.clear();
}

void DrawAlias(ChoiceSource& choose, Generated& generated) {
  Module& module = *generated.module;
  const Shape& result = module.entry()->root()->shape();
  std::vector<Instruction*> parameters = module.entry()->parameters();
  if (parameters.empty()) return;
  const Instruction& parameter = *choose.Pick(parameters);
  std::vector<Shape> leaves = LeafShapes(result);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].CompatibleWith(parameter.shape())) continue;
    ShapeIndex index;
    if (result.IsTuple()) index.push_back(static_cast<int64_t>(i));
    module.input_output_alias.push_back({index, parameter.parameter_number(), {}, false});
    return;
  }
}

}  // namespace

absl::string_view StreamName(Stream stream) { return kStreamNames[static_cast<int>(stream)]; }

std::optional<Stream> StreamFromName(absl::string_view name) {
  for (int i = 0; i < kStreamCount; ++i) {
    if (kStreamNames[i] == name) return static_cast<Stream>(i);
  }
  return std::nullopt;
}

Generated Generate(ChoiceSource& choose, const GeneratorOptions& options) {
  ModuleWriter writer(choose, DrawPlan(choose, options));
  writer.Grow(writer.plan.instructions);
  Generated generated;
  generated.stream = options.stream;
  generated.module = writer.Finish();
  if (options.stream == Stream::kNegative) {
    generated.broken_rule = BreakOneRule(choose, *generated.module);
    if (generated.broken_rule.empty()) generated.stream = Stream::kDefined;
  }
  for (const ModuleWriter::Parameter& parameter : writer.entry_parameters()) {
    // In the edge stream, a parameter gets special values unless the facts about it have bounds.
    const bool special = !writer.plan.checked() && std::isinf(parameter.facts.magnitude());
    generated.arguments.push_back(
        LiteralWithFacts(parameter.shape, parameter.facts, special, writer.data()));
    generated.facts.push_back(parameter.facts);
  }
  if (!generated.broken_rule.empty()) return generated;
  if (choose.OneIn(6)) FoldArguments(generated);
  if (choose.OneIn(16)) DrawAlias(choose, generated);
  return generated;
}

Generated GenerateNumbered(uint64_t seed, uint64_t number, GeneratorOptions options) {
  SeedSource choose(seed, number);
  options.stream = static_cast<Stream>(choose.Weighted(kStreamWeights));
  return Generate(choose, options);
}

}  // namespace hlocts::generators
