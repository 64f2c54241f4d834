// SPDX-License-Identifier: Apache-2.0
// Inputs that look for a wrong value of one module: numbered, and the same on every machine.
//
// A recipe (input_recipes.def) is an arrangement of elements and the pools that they are drawn
// from. The pool of the module's own values has its constants, the sizes of its arrays and windows,
// the neighbours of these, and the number of places that a start may have.
#ifndef HLOCTS_GENERATORS_INPUT_RECIPES_H_
#define HLOCTS_GENERATORS_INPUT_RECIPES_H_

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

  static uint64_t Count();  // of recipes: input `number` is made by recipe number % Count()
  static absl::string_view NameOf(uint64_t number);
  // One literal a leaf; tokens stay tokens, run-time sizes are drawn, the least and the largest
  // often.
  std::vector<Literal> Make(uint64_t number) const;
  // The same inputs with a few elements redrawn, moved to a neighbour or copied from another place.
  std::vector<Literal> Change(absl::Span<const Literal> from, uint64_t number) const;
  // Every element moved by the same share, at most 1/16, of its number.
  std::vector<Literal> Shift(absl::Span<const Literal> from, uint64_t number) const;

 private:
  std::vector<Shape> leaves_;
  uint64_t seed_;
  std::vector<double> own_;  // ascending
};

// The position of a number (its code, in the low BitWidth bits) in the order of its float or
// integer type, with both zeros at 0; and the inverse. NaNs have no meaningful position.
__int128 PlaceOf(PrimitiveType type, uint64_t bits);
uint64_t BitsAt(PrimitiveType type, __int128 place);
// Element `i` (of a complex array component i) as its code.
uint64_t ElementBits(const Literal& literal, int64_t i);
int64_t ComponentCount(const Literal& literal);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_INPUT_RECIPES_H_
