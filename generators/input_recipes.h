// SPDX-License-Identifier: Apache-2.0
// Numbered inputs for a search for wrong values. An input is the same on every machine.
//
// A recipe (input_recipes.def) names pools of values and an arrangement of elements drawn from
// them. The pool `own` consists of the module's constants, sizes and differences of sizes (the
// largest starts of windows), the neighbours of these integers, and reciprocals of floats.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generators/arguments.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts::generators {

class InputRecipes {
 public:
  InputRecipes(const Module& module, std::vector<Shape> leaves, uint64_t seed);

  static uint64_t Count();  // number of recipes; input `number` uses recipe number % Count()
  static absl::string_view NameOf(uint64_t number);
  // Returns one literal per leaf; a token has no data. Dynamic dimensions get random sizes, often
  // the smallest or the largest.
  std::vector<Literal> Make(uint64_t number) const;
  // Returns the first inputs of the recipe with this name, which exists.
  std::vector<Literal> Named(absl::string_view name) const;
  // Returns the inputs with a few elements drawn again, copied, or replaced by a neighbour.
  std::vector<Literal> Change(absl::Span<const Literal> from, uint64_t number) const;
  // Returns the inputs with all floats times one factor, which differs from 1 by at most 1/16.
  std::vector<Literal> Shift(absl::Span<const Literal> from, uint64_t number) const;

 private:
  std::vector<Shape> leaves_;
  uint64_t seed_;
  std::vector<double> own_;  // ascending
};

// PlaceOf returns the position of a number, given by its bits, in the ascending order of its float
// or integer type. BitsAt returns the bits of the number at a position. Both zeros have position 0;
// the position of a NaN has no meaning.
__int128 PlaceOf(PrimitiveType type, uint64_t bits);
uint64_t BitsAt(PrimitiveType type, __int128 place);
// Returns the bits of element `i`, or of component `i` of a complex array.
uint64_t ElementBits(const Literal& literal, int64_t i);
int64_t ComponentCount(const Literal& literal);

}  // namespace hlocts::generators
