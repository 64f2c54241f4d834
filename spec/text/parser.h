// SPDX-License-Identifier: Apache-2.0
// Parses HLO text into a Module, and the text of a single value (shape, literal, sharding, ...).
//
// The parser accepts everything that XLA's own parser accepts for the opcodes of spec/ops. It does
// not verify the text (see spec/infer), except for errors that a Module cannot represent: unknown
// names, attributes that an opcode does not allow, literals that do not fit their shape. An error
// reads "line L, column C: expected ..., found ...", and its RuleOf() is one of
//   text.syntax      the characters do not form HLO text
//   text.name        a name is unknown or defined twice
//   text.attribute   an attribute is unknown, missing, repeated or has a bad value
//   text.shape       a shape stated twice differs, or one that is not stated cannot be inferred
//   text.arity       the number of operands is wrong
//   text.literal     a constant does not fit its shape, or is elided as {...}
//   text.limit       the text is nested too deeply, or describes more elements than it contains
// Memory use is proportional to the text, except for array constants that are written as one
// number. A separate budget limits those. Nesting is limited, so that no input overflows the stack.
#pragma once

#include <memory>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/layout.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Parses a module with or without its "HloModule" header. A single computation, or instructions
// without a computation, form a module, as in XLA.
absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text);

// Each of these functions parses one value and requires the end of the text after it.
absl::StatusOr<Shape> ParseShape(absl::string_view text);        // "f32[2,<=3]{1,0:T(8,128)}"
absl::StatusOr<Sharding> ParseSharding(absl::string_view text);  // "{devices=[2,1]<=[2]}"
absl::StatusOr<ConvolutionDimensionNumbers> ParseConvolutionDimensionNumbers(
    absl::string_view text);                                               // "b01f_01io->b01f"
absl::StatusOr<ReplicaGroups> ParseReplicaGroups(absl::string_view text);  // "{{0,1},{2,3}}"

// Parses the text between the parentheses of a constant(...) of `shape`: "{ {1, 2.5}, {-inf, nan}
// }", or "(1, {2})" for a tuple. An integer out of range is an error; a float is rounded.
absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const Shape& shape);
// Parses a leaf of a literals file, which consists of shape, run-time sizes if the shape is
// dynamic, and body: "f32[2,2]{1,0} { {1, 2}, {3, 4} }", "s32[<=4](3) {1, 2, 3}", "token[]".
absl::StatusOr<Literal> ParseLiteralWithShape(absl::string_view text);

}  // namespace hlocts
