// SPDX-License-Identifier: Apache-2.0
// Literals whose elements satisfy the facts that the generator assumes.
#pragma once

#include "generators/arguments.h"
#include "generators/value_facts.h"

namespace hlocts::generators {

// Returns elements spread over [facts.low, facts.high], whole ones if the facts require it. If
// `special`, ignores the facts and mixes special values of the type with others.
Literal LiteralWithFacts(const Shape& shape, const ValueFacts& facts, bool special,
                         SplitMix64& random);
// Returns a scalar of that value, rounded to the type; the imaginary part of a complex scalar is 0.
Literal ScalarLiteral(PrimitiveType type, double value);

}  // namespace hlocts::generators
