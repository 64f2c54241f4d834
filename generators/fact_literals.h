// SPDX-License-Identifier: Apache-2.0
// Literals whose elements satisfy facts (value_facts.h).
#pragma once

#include "generators/arguments.h"
#include "generators/value_facts.h"

namespace hlocts::generators {

// Returns elements spread over [facts.low, facts.high]; they are integers if the facts require it.
// If `special`, ignores the facts and mixes special values of the type with others.
Literal LiteralWithFacts(const Shape& shape, const ValueFacts& facts, bool special,
                         SplitMix64& random);
// Returns a scalar with that value, rounded to the type; a complex scalar has the imaginary part 0.
Literal ScalarLiteral(PrimitiveType type, double value);

}  // namespace hlocts::generators
