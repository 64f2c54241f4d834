// SPDX-License-Identifier: Apache-2.0
// Set arithmetic of integers and preds. It is exact modulo 2^width on points. An interval that
// crosses a wrap boundary becomes the full range and is never clipped (lemma 23).
#pragma once

#include "absl/strings/string_view.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts {

struct IntegerContext {
  PrimitiveType type = PrimitiveType::kInvalid;  // the operands' type
  TargetFacts facts;
  uint32_t origin = 0;
};

// Returns the least and greatest value of an integer type; 0 and 1 for pred.
void IntegerLimits(PrimitiveType type, Int128& lo, Int128& hi);

AcceptanceSet UnaryInteger(Opcode opcode, const AcceptanceSet& a, const IntegerContext& context);
AcceptanceSet BinaryInteger(Opcode opcode, const AcceptanceSet& a, const AcceptanceSet& b,
                            const IntegerContext& context);
AcceptanceSet CompareInteger(absl::string_view direction, const AcceptanceSet& a,
                             const AcceptanceSet& b, uint32_t origin);
AcceptanceSet ConvertInteger(const AcceptanceSet& a, PrimitiveType from, PrimitiveType to,
                             uint32_t origin);
// Returns true if the documents leave the result open for these operands (division by zero, shifts
// by the width or more, negative exponents) and no target fact determines it.
bool IntegerResultIsOpen(Opcode opcode, Int128 a, Int128 b, const IntegerContext& context);

}  // namespace hlocts
