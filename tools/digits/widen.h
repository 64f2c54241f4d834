// SPDX-License-Identifier: Apache-2.0
// The same module with all its floating-point numbers in 64 bits, complex ones in 128: what a value
// would be with (nearly) no rounding.
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
  // The instruction of the given module behind each; conversions that were added have none.
  absl::flat_hash_map<const Instruction*, const Instruction*> original;
};

// Operations on the bits of a number keep its type, and so do random ones: a conversion is put
// on each side. Errors: Unimplemented, where such an operation has a tuple.
absl::StatusOr<Widened> Widen(const Module& module);

// f64 or c128 of any floating-point or complex literal; others as they are. Tuples leaf by leaf.
Literal Wide(const Literal& literal);
// 1 or -1, even over places and the same each time for the same `salt`.
double SignAt(size_t place, size_t salt);
// The wide literal with each number rounded to what the type of `like` holds, in place; of f64
// moved by half a unit of the last place, up or down by its place.
void RoundTo(const Shape& like, size_t salt, Literal& wide);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_DIGITS_WIDEN_H_
