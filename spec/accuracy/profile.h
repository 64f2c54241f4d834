// SPDX-License-Identifier: Apache-2.0
// The three profiles, which determine how much a conforming engine may deviate from the exact
// result. target_facts.h lists further facts that an engine may declare.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "spec/accuracy/target_facts.h"

namespace hlocts {

enum class Profile : uint8_t {
  kStrict,   // IEEE 754 exactly; functions are faithfully rounded
  kDefault,  // the usual freedoms of production CPU and GPU compilers
  kRelaxed,  // TF32, fast math
};
inline constexpr Profile kAllProfiles[] = {Profile::kStrict, Profile::kDefault, Profile::kRelaxed};

absl::string_view ProfileName(Profile profile);  // "strict", "default", "relaxed"
std::optional<Profile> ProfileFromName(absl::string_view name);

}  // namespace hlocts
