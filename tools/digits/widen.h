// SPDX-License-Identifier: Apache-2.0
// Widens a module: its floating-point numbers become f64 and its complex numbers c128. Its values
// are then almost free of rounding errors.
#pragma once

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

struct Widened {
  std::unique_ptr<Module> module;
  // The original of each instruction; conversions that were added have none.
  absl::flat_hash_map<const Instruction*, const Instruction*> original;
};

// Widens a module. Operations on the bits of a number and random operations keep their types, with
// conversions around them. Returns kUnimplemented if such an operation has a tuple.
absl::StatusOr<Widened> Widen(const Module& module);

// Converts a floating-point literal to f64, a complex one to c128, and a tuple leaf by leaf.
// Returns other literals unchanged.
Literal Wide(const Literal& literal);
// Returns 1 or -1: evenly distributed over `place`, and always the same for equal arguments.
double SignAt(size_t place, size_t salt);
// Rounds each number of the wide literal, in place, to the type of `like`. For f64, moves it
// instead up or down by one ulp, depending on its index; in the opposite direction if `away`.
void RoundTo(const Shape& like, size_t salt, Literal& wide, bool away = false);

}  // namespace hlocts::tools
