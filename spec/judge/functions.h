// SPDX-License-Identifier: Apache-2.0
// Enclosures of the real functions: two doubles around the exact value.
#ifndef HLOCTS_SPEC_JUDGE_FUNCTIONS_H_
#define HLOCTS_SPEC_JUDGE_FUNCTIONS_H_

#include <optional>

#include "spec/ir/opcode_fwd.h"

namespace hlocts {

struct Enclosure {
  double lo;
  double hi;
};

// Behaviour of a function over an interval, and its domain.
enum class Monotone : uint8_t { kIncreasing, kDecreasing, kEven, kSine, kCosine, kTangent };
struct RealFunction {
  Opcode opcode;
  double (*value)(double);  // special values (0, inf, NaN) as in C
  Monotone monotone;
  double domain_lo, domain_hi;  // finite arguments outside give NaN
  bool pole_at_zero;            // f(±0) is infinite
  int bound;                    // ulps of the C library's double result
};
// nullptr: not a real function of one argument.
const RealFunction* RealFunctionOf(Opcode opcode);

// f(x) for finite x in the domain: from the C library and its published error bound or, if
// `rigorous`, from MPFR with directed rounding.
Enclosure EncloseFunction(const RealFunction& function, double x, bool rigorous);
// power(x, y) and atan2(x, y) if the exact value is finite.
Enclosure EnclosePower(double x, double y, bool rigorous);
Enclosure EncloseAtan2(double y, double x, bool rigorous);

// The number of arguments of the real function that is an opcode: 1 or 2; 0 if it is none.
int RealArguments(Opcode opcode);
// f(x), or f(x, y) for two arguments; both finite and not zero. nullopt: outside of the domain.
std::optional<Enclosure> EncloseCall(Opcode opcode, double x, double y);
// |f(x) - value| or |f(x, y) - value|, from 200 bits of the exact value.
double DistanceFromExact(Opcode opcode, double x, double y, double value);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_FUNCTIONS_H_
