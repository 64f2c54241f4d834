// SPDX-License-Identifier: Apache-2.0
// Operations whose two operands are one value: x - x, x * x, x != x (RULES 30).
#ifndef HLOCTS_SPEC_JUDGE_EQUAL_OPERANDS_H_
#define HLOCTS_SPEC_JUDGE_EQUAL_OPERANDS_H_

#include <optional>

#include "spec/judge/float_sets.h"
#include "spec/judge/integer_sets.h"

namespace hlocts {

// subtract, multiply, divide and remainder of a float and itself. nullopt: read the operands as two
// values, because nothing more is known or because a rounding may be skipped for only one of them.
std::optional<AcceptanceSet> WithItselfFloat(Opcode opcode, const AcceptanceSet& a,
                                             const SetContext& context);
// A float compared with itself: unordered if it is a NaN, otherwise equal.
std::optional<AcceptanceSet> CompareWithItselfFloat(absl::string_view direction, bool total_order,
                                                    const AcceptanceSet& a,
                                                    const SetContext& context);
// subtract, xor, divide and remainder of an integer and itself.
std::optional<AcceptanceSet> WithItselfInteger(Opcode opcode, const AcceptanceSet& a,
                                               const IntegerContext& context);
std::optional<AcceptanceSet> CompareWithItselfInteger(absl::string_view direction,
                                                      const AcceptanceSet& a, uint32_t origin);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_EQUAL_OPERANDS_H_
