// SPDX-License-Identifier: Apache-2.0
// Computes enclosures of the real functions: two doubles around the exact value.
#pragma once

#include <optional>

#include "spec/ir/opcode_fwd.h"

namespace hlocts {

struct Enclosure {
  double lo;
  double hi;
};

// The behaviour of a function over an interval.
enum class Monotone : uint8_t { kIncreasing, kDecreasing, kEven, kSine, kCosine, kTangent };
struct RealFunction {
  Opcode opcode;
  double (*value)(double);  // special values (0, inf, NaN) as in C
  Monotone monotone;
  double domain_lo, domain_hi;  // finite arguments outside give NaN
  bool pole_at_zero;            // f(±0) is infinite
  int bound;                    // error of the C library's double result, in ulps
};
// Returns nullptr if the opcode is not a real function of one argument.
const RealFunction* RealFunctionOf(Opcode opcode);

// Encloses f(x) for finite x in the domain, using the C library and its published error bound or,
// if `rigorous`, MPFR with directed rounding.
Enclosure EncloseFunction(const RealFunction& function, double x, bool rigorous);
// Enclose power(x, y) and atan2(y, x). The exact value must be finite.
Enclosure EnclosePower(double x, double y, bool rigorous);
Enclosure EncloseAtan2(double y, double x, bool rigorous);

// Returns the number of arguments of a real function, 1 or 2, or 0 if the opcode is not one.
int RealArguments(Opcode opcode);
// Encloses f(x) or f(x, y) for finite arguments that are not zero; nullopt outside the domain.
std::optional<Enclosure> EncloseCall(Opcode opcode, double x, double y);
// Returns |f(x) - value| or |f(x, y) - value|, computed from 200 bits of the exact value.
double DistanceFromExact(Opcode opcode, double x, double y, double value);

}  // namespace hlocts
