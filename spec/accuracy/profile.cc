// SPDX-License-Identifier: Apache-2.0
#include "spec/accuracy/profile.h"

namespace hlocts {
namespace {

constexpr absl::string_view kProfileNames[] = {"strict", "default", "relaxed"};

}  // namespace

absl::string_view ProfileName(Profile profile) { return kProfileNames[static_cast<int>(profile)]; }

std::optional<Profile> ProfileFromName(absl::string_view name) {
  for (Profile profile : kAllProfiles) {
    if (ProfileName(profile) == name) return profile;
  }
  return std::nullopt;
}

}  // namespace hlocts
