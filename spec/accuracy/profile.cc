// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/profile.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"

namespace hlocts {
namespace {

constexpr absl::string_view kProfileNames[] = {"strict", "default", "relaxed"};

struct FlagFact {
  absl::string_view name;
  bool TargetFacts::*member;
};
constexpr FlagFact kFlagFacts[] = {
    {"convert.saturate", &TargetFacts::convert_saturate},
    {"integer.division", &TargetFacts::integer_division},
    {"shift.saturate", &TargetFacts::shift_saturate},
    {"rng.xla_layout", &TargetFacts::rng_xla_layout},
    {"dot.tf32", &TargetFacts::dot_tf32},
    {"convolution.fast", &TargetFacts::convolution_fast},
    {"barrier.crossed", &TargetFacts::barrier_crossed},
    {"compare.flush", &TargetFacts::compare_flush},
};
constexpr absl::string_view kReduceHeight = "reduce.height=";

}  // namespace

absl::string_view ProfileName(Profile profile) { return kProfileNames[static_cast<int>(profile)]; }

std::optional<Profile> ProfileFromName(absl::string_view name) {
  for (Profile profile : kAllProfiles) {
    if (ProfileName(profile) == name) return profile;
  }
  return std::nullopt;
}

absl::Status SetTargetFact(absl::string_view fact, TargetFacts& facts) {
  for (const FlagFact& row : kFlagFacts) {
    if (row.name != fact) continue;
    facts.*row.member = true;
    return absl::OkStatus();
  }
  int64_t height;
  if (fact.substr(0, kReduceHeight.size()) == kReduceHeight) {
    if (!absl::SimpleAtoi(fact.substr(kReduceHeight.size()), &height) || height < 1) {
      return InvalidInput("target fact ", fact, ": expected a height of at least 1");
    }
    facts.reduce_height = height;
    return absl::OkStatus();
  }
  return InvalidInput("unknown target fact '", fact, "'");
}

std::string TargetFactsText(const TargetFacts& facts) {
  std::vector<std::string> parts;
  if (facts.reduce_height) parts.push_back(absl::StrCat(kReduceHeight, *facts.reduce_height));
  for (const FlagFact& row : kFlagFacts) {
    if (facts.*row.member) parts.push_back(std::string(row.name));
  }
  return absl::StrJoin(parts, " ");
}

}  // namespace hlocts
