// SPDX-License-Identifier: Apache-2.0
// What tests of evaluators share: a module from text, evaluated on literals from text.
#ifndef HLOCTS_REFERENCE_TESTING_MODULE_RUNNER_H_
#define HLOCTS_REFERENCE_TESTING_MODULE_RUNNER_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reference/evaluator.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::reference {

// CHECKs that the texts parse: a test's own text is not what is tested.
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

// The leaves as text, one a line; the status where there is no value.
std::string Text(const absl::StatusOr<Literal>& value);
// The same of literals written as text: what a result is compared with.
std::string Leaves(std::initializer_list<absl::string_view> literals);

// One instruction on parameters of the arguments' shapes:
// Apply("f32[3]", "slice", {operand}, "slice={[0:3]}"). CHECKs that it has a value.
Literal Apply(absl::string_view result_shape, absl::string_view opcode,
              std::vector<Literal> arguments, absl::string_view attributes = "");

// An array of that type with the values converted as HLO converts f64 (one dimension), and back.
Literal FromDoubles(PrimitiveType type, const std::vector<double>& values);
std::vector<double> ToDoubles(const Literal& literal);
// Every code of an 8-bit or narrower type, in order of its bits.
Literal AllCodes(PrimitiveType type);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_TESTING_MODULE_RUNNER_H_
