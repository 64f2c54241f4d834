// SPDX-License-Identifier: Apache-2.0
// How far a value of a function of real numbers lies from the exact one: what engines and their
// releases are compared by. No verdict depends on it.
#ifndef HLOCTS_SPEC_JUDGE_ULPS_H_
#define HLOCTS_SPEC_JUDGE_ULPS_H_

#include <optional>

#include "spec/ir/opcode_fwd.h"
#include "spec/judge/real.h"

namespace hlocts {

// |value - f(x)| or |value - f(x, y)| in units of the last place at the exact value, the unit of
// the rule table (spec/accuracy); all are numbers of the format, y is not read where the function
// has one argument (RealArguments). nullopt where a figure would say nothing of the function: an
// argument, the value or the exact one is zero, subnormal or no finite number, or the argument lies
// outside of the domain. What is not above `worst` is an upper bound, which is quicker.
std::optional<double> UlpsFromExact(Opcode opcode, double x, double y, double value,
                                    const FloatFacts& facts, double worst = 0);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_ULPS_H_
