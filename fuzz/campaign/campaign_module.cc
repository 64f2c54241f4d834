// SPDX-License-Identifier: Apache-2.0
// Generates the modules of a campaign.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/engines.h"
#include "generators/shardings.h"
#include "nlohmann/json.hpp"
#include "reports/effective_bits.h"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {
namespace {

// The opcodes that partitioners rewrite. Every second module for several devices is small: it
// contains an idiom, or one or two instructions with one of these opcodes.
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
    // Most tiles have one element, so its neighbours are on other devices. Some tiles are uneven.
    generator.sizes = {1, count, count, count, 2 * count, 3 * count, count - 1, count + 1};
  }
  // Generates another module if shardings cannot be added to this one.
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

std::string WithoutOf(const CampaignOptions& options, const char* between) {
  std::string missing = NamesOfMissing(options.generator.types);
  if (!options.generator.dynamic_parameters) absl::StrAppend(&missing, " dynamic-arguments");
  if (missing.empty()) return "";
  return absl::StrCat(", without ", absl::StrReplaceAll(missing.substr(1), {{" ", between}}));
}

std::string StreamText(const CampaignOptions& options, generators::Stream stream) {
  return absl::StrCat("stream ", generators::StreamName(stream),
                      options.stream ? "" : " (drawn, no --stream)");
}

std::string RecipeOf(const CampaignOptions& options) {
  return absl::StrCat(
      "stream ", options.stream ? generators::StreamName(*options.stream) : "all",
      ", instructions ", options.generator.instructions, ", replicas ",
      options.generator.replicas_max, ", variants ", options.variants,
      options.partitions_max > 1 ? absl::StrCat(", partitions ", options.partitions_max) : "",
      options.guided ? ", guided" : "", WithoutOf(options, " "));
}

void CampaignStatus::CountVerdict(const reports::Verdict& verdict) {
  ++verdicts[std::string(OutcomeName(verdict.kind))];
  elements += static_cast<double>(verdict.elements);
  bits_checked += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
  unspecified += static_cast<double>(verdict.unspecified_elements);
  below_two_bits += static_cast<double>(reports::ElementsBelowTwoBits(verdict));
  barely_checked += static_cast<double>(reports::ElementsBarelyChecked(verdict));
  for (const auto& [precision, quarters] : verdict.effective_quarters) {
    floats += static_cast<double>(std::accumulate(quarters.begin(), quarters.end(), int64_t{0}));
  }
}

std::string CampaignStatus::ToJson() const {
  nlohmann::ordered_json json;
  json["modules"] = modules;
  json["seconds"] = seconds;
  json["jobs"] = jobs;
  json["engine_seconds"] = engine_seconds;
  json["failure_seconds"] = failure_seconds;
  json["valid"] = valid;
  json["instructions_mean"] =
      modules == 0 ? 0.0 : static_cast<double>(instructions) / static_cast<double>(modules);
  json["verdicts"] = nlohmann::ordered_json(verdicts);
  json["cells"] = cells;
  json["buckets"] = buckets;
  int64_t inconclusive = 0;
  for (const auto& [word, count] : verdicts)
    inconclusive += IsInconclusive(OutcomeFromName(word).value_or(Outcome::kError)) ? count : 0;
  json["inconclusive"] = inconclusive;
  json["bits_checked_mean"] = elements == 0 ? 0.0 : bits_checked / elements;
  json["unspecified_share"] = elements == 0 ? 0.0 : unspecified / elements;
  json["below_two_bits_share"] = floats == 0 ? 0.0 : below_two_bits / floats;
  json["hardly_checked_share"] = elements == 0 ? 0.0 : barely_checked / elements;
  json["known"] = failures.known + failures.known_earlier;
  json["failures"] = {
      {"new", failures.fresh}, {"repeated", failures.repeated}, {"known", failures.known}};
  if (not_shrunk > 0) json["not_shrunk"] = not_shrunk;
  if (variants > 0) json["variants"] = variants, json["variants_judged"] = variants_judged;
  return JsonText(json);
}

// The most important counts come first, because a narrow terminal cuts the line.
std::string CampaignStatus::ToText() const {
  const char *own = resumed ? " in this run" : "", *all = resumed ? " in all runs" : "";
  std::string text = absl::StrFormat(
      "%s%s, %s%s, %d known%s; %.0f s, %.1f modules/s", CountText(modules, "module"), own,
      CountText(buckets, "new finding"), all, failures.known + failures.known_earlier, own, seconds,
      seconds > 0 ? static_cast<double>(modules) / seconds : 0.0);
  if (!verdicts.empty()) text += ";";
  for (const auto& [word, count] : verdicts) absl::StrAppend(&text, " ", count, " ", word);
  if (failures.fresh + failures.repeated + failures.known > 0)
    absl::StrAppend(&text, "; of the failures ", failures.fresh, " new, ", failures.repeated,
                    " repeated, ", failures.known, " known");
  if (not_shrunk > 0)
    absl::StrAppend(&text, "; ", not_shrunk, " not shrunk: ", only ? "--restart" : "--resume",
                    " with more --time shrinks them");
  if (variants > 0)
    absl::StrAppend(&text, "; ", variants, " variants, ", variants_judged, " with other outputs");
  if (valid < modules) absl::StrAppend(&text, "; ", modules - valid, " of unintended validity");
  absl::StrAppend(&text, "; ", cells, " kinds of instructions reached");
  if (const double work = seconds * jobs; work > 0) {
    absl::StrAppendFormat(&text,
                          "; the jobs spent %.0f%% of their time waiting for engines; failures "
                          "took %.0f%%, including such waiting",
                          100 * engine_seconds / work, 100 * failure_seconds / work);
  }
  return text;
}

}  // namespace hlocts::fuzz
