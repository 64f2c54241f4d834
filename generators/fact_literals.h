// SPDX-License-Identifier: Apache-2.0
// Data that keeps a promise: literals whose elements have the facts that the generator counted on.
#ifndef HLOCTS_GENERATORS_FACT_LITERALS_H_
#define HLOCTS_GENERATORS_FACT_LITERALS_H_

#include "generators/arguments.h"
#include "generators/value_facts.h"

namespace hlocts::generators {

// Elements spread over [facts.low, facts.high], integers where facts say so. `special`: facts do
// not count; special values of the type in any order, mixed with ordinary ones.
Literal LiteralWithFacts(const Shape& shape, const ValueFacts& facts, bool special,
                         SplitMix64& random);
// A scalar of that value, rounded to the type; of a complex type its real part.
Literal ScalarLiteral(PrimitiveType type, double value);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_FACT_LITERALS_H_
