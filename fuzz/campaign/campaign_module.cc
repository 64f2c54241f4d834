// SPDX-License-Identifier: Apache-2.0
// Generates the modules of a campaign.
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engines.h"
#include "generators/shardings.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {

namespace {

// Opcodes that partitioners rewrite. Every second module for several devices is small: it has one
// or two instructions of one of these opcodes, or an idiom.
constexpr Opcode kPartitioned[] = {Opcode::kReduceWindow,
                                   Opcode::kSelectAndScatter,
                                   Opcode::kConvolution,
                                   Opcode::kPad,
                                   Opcode::kSlice,
                                   Opcode::kDynamicSlice,
                                   Opcode::kDynamicUpdateSlice,
                                   Opcode::kScatter,
                                   Opcode::kGather,
                                   Opcode::kConcatenate,
                                   Opcode::kReverse,
                                   Opcode::kSort,
                                   Opcode::kReduce,
                                   Opcode::kDot,
                                   Opcode::kTopk,
                                   Opcode::kReshape};

generators::Generated ShardedModule(const CampaignOptions& options, int64_t number) {
  generators::SeedSource choose(options.seed, static_cast<uint64_t>(number));
  std::vector<int64_t> devices;
  for (int64_t count = 2; count <= options.partitions_max; ++count) {
    if (options.partitions_max % count == 0) devices.push_back(count);
  }
  generators::GeneratorOptions generator = options.generator;
  generator.replicas_max = 1;
  generator.dynamic_parameters = false;
  const int64_t count = choose.OneIn(2) ? devices.back() : choose.Pick(devices);
  if (choose.OneIn(2)) {
    generator.instructions = 1;
    generator.moves_only = choose.OneIn(3);
    if (!generator.moves_only) generator.opcodes = {choose.Pick(kPartitioned)};
    // Most tiles have one element, so that neighbours are on other devices; some are uneven.
    generator.sizes = {1, count, count, count, 2 * count, 3 * count, count - 1, count + 1};
  }
  // Generates again if a module cannot be annotated for several devices.
  while (true) {
    generator.stream = options.stream    ? *options.stream
                       : choose.OneIn(4) ? generators::Stream::kDefined
                                         : generators::Stream::kExact;
    generators::Generated made = generators::Generate(choose, generator);
    if (generators::AddShardings(choose, count, *made.module).ok()) return made;
  }
}

}  // namespace

generators::Generated CampaignModule(const CampaignOptions& options, int64_t number) {
  if (options.partitions_max > 1) return ShardedModule(options, number);
  constexpr int64_t kInvalidEvery = 12;
  constexpr int64_t kReplicasEvery = 7;  // coprime to 12: some invalid modules have replicas
  std::optional<generators::Stream> stream = options.stream;
  generators::GeneratorOptions generator = options.generator;
  if (number % kReplicasEvery != 0) generator.replicas_max = 1;
  if (!stream && number % kInvalidEvery == kInvalidEvery - 1)
    stream = generators::Stream::kNegative;
  if (!stream)
    return generators::GenerateNumbered(options.seed, static_cast<uint64_t>(number), generator);
  generators::SeedSource choose(options.seed, static_cast<uint64_t>(number));
  generator.stream = *stream;
  return generators::Generate(choose, generator);
}

std::string WithoutOf(const CampaignOptions& options) {
  std::string missing = NamesOfMissing(options.generator.types);
  if (!options.generator.dynamic_parameters) absl::StrAppend(&missing, " dynamic-arguments");
  return missing.empty() ? "" : absl::StrCat(", without", missing);
}

std::string RecipeOf(const CampaignOptions& options) {
  return absl::StrCat(
      "stream ", options.stream ? generators::StreamName(*options.stream) : "all",
      ", instructions ", options.generator.instructions, ", replicas ",
      options.generator.replicas_max, ", twins ", options.variants,
      options.partitions_max > 1 ? absl::StrCat(", partitions ", options.partitions_max) : "",
      options.guided ? ", guided" : "", WithoutOf(options));
}

}  // namespace hlocts::fuzz
