// SPDX-License-Identifier: Apache-2.0
// Which module a number of a campaign is.
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engines.h"

namespace hlocts::fuzz {

generators::Generated CampaignModule(const CampaignOptions& options, int64_t number) {
  constexpr int64_t kInvalidEvery = 12;
  constexpr int64_t kReplicasEvery = 7;  // prime to the other: invalid ones have replicas as well
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

std::string RecipeOf(const CampaignOptions& options) {
  std::string missing = NamesOfMissing(options.generator.types);
  if (!options.generator.dynamic_parameters) absl::StrAppend(&missing, " dynamic-arguments");
  return absl::StrCat("stream ", options.stream ? generators::StreamName(*options.stream) : "all",
                      ", instructions ", options.generator.instructions, ", replicas ",
                      options.generator.replicas_max, ", twins ", options.twins,
                      options.guided ? ", guided" : "", missing.empty() ? "" : ", without",
                      missing);
}

}  // namespace hlocts::fuzz
