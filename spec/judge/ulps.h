// SPDX-License-Identifier: Apache-2.0
// Measures the distance of a value of a real function from the exact value, to compare engines and
// their releases. No verdict depends on it.
#pragma once

#include <optional>

#include "spec/ir/opcode_fwd.h"
#include "spec/judge/real.h"

namespace hlocts {

// Returns |value - f(x)| or |value - f(x, y)| in units of the last place at the exact value, as in
// the rule table (spec/accuracy). All arguments are numbers of the format; y is not read if the
// function has one argument (RealArguments). Returns nullopt if the distance is not meaningful: an
// argument, the value or the exact value is zero, subnormal or not finite, or the argument is
// outside the domain. A result of at most `worst` is only a (cheaper) upper bound.
std::optional<double> UlpsFromExact(Opcode opcode, double x, double y, double value,
                                    const FloatFacts& facts, double worst = 0);

}  // namespace hlocts
