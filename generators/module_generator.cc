#include "generators/module_generator.h"

#include <iterator>

#include "generators/fact_literals.h"
#include "generators/module_writer.h"
#include "generators/negative.h"

namespace hlocts {
namespace {

constexpr absl::string_view kStreamNames[kStreamCount] = {"defined", "exact", "edge", "sizes", "negative"};
// How often a numbered campaign draws each stream.
constexpr int kStreamWeights[kStreamCount] = {28, 28, 28, 8, 8};

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
    bool special = !writer.plan.licensed();
    generated.arguments.push_back(
        LiteralWithFacts(parameter.shape, parameter.facts, special, writer.data()));
    generated.facts.push_back(parameter.facts);
  }
  return generated;
}

Generated GenerateNumbered(uint64_t seed, uint64_t number, GeneratorOptions options) {
  SeedSource choose(seed, number);
  options.stream = static_cast<Stream>(choose.Weighted(kStreamWeights));
  return Generate(choose, options);
}

}  // namespace hlocts
