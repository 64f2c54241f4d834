// SPDX-License-Identifier: Apache-2.0
#include "spec/base/outcome.h"

#include <cstddef>

namespace hlocts {
namespace {

constexpr absl::string_view kOutcomeNames[] = {"pass",     "fail",  "unsupported", "rejected",
                                               "accepted", "crash", "timeout",     "inconclusive",
                                               "nan_bits", "error", "suspect",     "probable"};
constexpr absl::string_view kValues[] = {"value", "zero", "inf", "nan"};

template <typename Enum, size_t N>
std::optional<Enum> FromName(const absl::string_view (&names)[N], absl::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

absl::string_view OutcomeName(Outcome outcome) {
  return kOutcomeNames[static_cast<size_t>(outcome)];
}
std::optional<Outcome> OutcomeFromName(absl::string_view name) {
  return FromName<Outcome>(kOutcomeNames, name);
}

absl::string_view WrongValueName(WrongValue value) { return kValues[static_cast<size_t>(value)]; }
std::optional<WrongValue> WrongValueFromName(absl::string_view name) {
  return FromName<WrongValue>(kValues, name);
}

}  // namespace hlocts
