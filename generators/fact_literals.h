// SPDX-License-Identifier: Apache-2.0
// Literals whose elements have the facts that the generator relies on.
#ifndef HLOCTS_GENERATORS_FACT_LITERALS_H_
#define HLOCTS_GENERATORS_FACT_LITERALS_H_

#include "generators/arguments.h"
#include "generators/value_facts.h"

namespace hlocts::generators {

// Elements spread over [facts.low, facts.high], integers if the facts require it. `special`:
// ignores the facts; special values of the type in any order, mixed with ordinary ones.
Literal LiteralWithFacts(const Shape& shape, const ValueFacts& facts, bool special,
                         SplitMix64& random);
// A scalar of that value, rounded to the type; for a complex type its real part.
Literal ScalarLiteral(PrimitiveType type, double value);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_FACT_LITERALS_H_
