// SPDX-License-Identifier: Apache-2.0
// Implements operations whose two operands are the same value: x - x, x * x, x != x (lemma 30).
#pragma once

#include <optional>

#include "spec/judge/float_sets.h"
#include "spec/judge/integer_sets.h"

namespace hlocts {

// Applies subtract, multiply, divide or remainder to a float and itself. Returns nullopt if no
// narrower set is known than for two floats, or if one operand may be unrounded and the other not.
std::optional<AcceptanceSet> WithItselfFloat(Opcode opcode, const AcceptanceSet& a,
                                             const SetContext& context);
// Compares a float with itself: unordered if it is a NaN, otherwise equal.
std::optional<AcceptanceSet> CompareWithItselfFloat(absl::string_view direction, bool total_order,
                                                    const AcceptanceSet& a,
                                                    const SetContext& context);
// Applies subtract, xor, divide or remainder to an integer and itself.
std::optional<AcceptanceSet> WithItselfInteger(Opcode opcode, const AcceptanceSet& a,
                                               const IntegerContext& context);
std::optional<AcceptanceSet> CompareWithItselfInteger(absl::string_view direction,
                                                      const AcceptanceSet& a, uint32_t origin);

}  // namespace hlocts
