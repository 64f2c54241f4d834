// SPDX-License-Identifier: Apache-2.0
// A module with all its floating-point numbers in 64 bits and complex ones in 128: its values have
// (nearly) no rounding.
#ifndef HLOCTS_TOOLS_DIGITS_WIDEN_H_
#define HLOCTS_TOOLS_DIGITS_WIDEN_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

struct Widened {
  std::unique_ptr<Module> module;
  // The original instruction of each one; added conversions have none.
  absl::flat_hash_map<const Instruction*, const Instruction*> original;
};

// Operations on the bits of a number and random ones keep their types, with a conversion on each
// side. Errors: Unimplemented, where such an operation has a tuple.
absl::StatusOr<Widened> Widen(const Module& module);

// Converts any floating-point or complex literal to f64 or c128; returns others unchanged. Tuples
// by leaf.
Literal Wide(const Literal& literal);
// 1 or -1, evenly distributed over indices and deterministic for one `salt`.
double SignAt(size_t place, size_t salt);
// Rounds each number of the wide literal, in place, to the type of `like`; for f64, moves it by
// half a unit of the last place, up or down by its index.
void RoundTo(const Shape& like, size_t salt, Literal& wide);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_DIGITS_WIDEN_H_
