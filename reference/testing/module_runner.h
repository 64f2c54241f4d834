// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of evaluators: evaluate a module written as text on literals written as text.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reference/evaluator.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::reference {

// Parses a module. CHECKs that it parses, since the parser is not what these tests test.
inline std::unique_ptr<Module> MustParse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  if (!module.ok()) std::fprintf(stderr, "%s\n", module.status().ToString().c_str());
  HLOCTS_CHECK(module.ok());
  return *std::move(module);
}

inline Literal MustLiteral(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteralWithShape(text);
  if (!literal.ok()) std::fprintf(stderr, "%s\n", literal.status().ToString().c_str());
  HLOCTS_CHECK(literal.ok());
  return *std::move(literal);
}

inline absl::StatusOr<Literal> RunText(absl::string_view text, std::vector<Literal> arguments = {},
                                       const EvalOptions& options = {}) {
  return Evaluate(*MustParse(text), arguments, options);
}

// Returns the leaves as text, one per line, or the status if there is no value.
std::string Text(const absl::StatusOr<Literal>& value);
// Returns the leaves of literals written as text, to compare with Text() of a result.
std::string Leaves(std::initializer_list<absl::string_view> literals);

// Evaluates one instruction on parameters with the shapes of the arguments, such as Apply("f32[3]",
// "slice", {operand}, "slice={[0:3]}"). CHECKs that it has a value.
Literal Apply(absl::string_view result_shape, absl::string_view opcode,
              std::vector<Literal> arguments, absl::string_view attributes = "");

// Returns a one-dimensional array of `type` with the values converted as HLO converts f64.
Literal FromDoubles(PrimitiveType type, const std::vector<double>& values);
std::vector<double> ToDoubles(const Literal& literal);
// Returns an array of all codes of a type of at most 8 bits, in order of their bits.
Literal AllCodes(PrimitiveType type);

}  // namespace hlocts::reference
