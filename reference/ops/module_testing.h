// SPDX-License-Identifier: Apache-2.0
// Helpers for tests that use modules and literals as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "reference/evaluator.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::reference {

inline Literal LiteralOf(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteralWithShape(text);
  EXPECT_TRUE(literal.ok()) << text << "\n" << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

// Returns a module of the computations `called` and an entry computation with the body `entry`.
inline std::unique_ptr<Module> ModuleOf(absl::string_view entry, absl::string_view called = "") {
  const std::string text =
      absl::StrCat("HloModule test\n", called, "\nENTRY main {\n", entry, "\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << text << "\n" << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

inline absl::StatusOr<Literal> TryRun(absl::string_view entry, absl::string_view called,
                                      const std::vector<std::string>& arguments,
                                      const EvalOptions& options = {}) {
  const std::unique_ptr<Module> module = ModuleOf(entry, called);
  if (module == nullptr) return absl::InternalError("not a module");
  std::vector<Literal> literals;
  for (const std::string& argument : arguments) literals.push_back(LiteralOf(argument));
  return Evaluate(*module, literals, options);
}

// Returns the leaves of the result as lines of a literals file, or the error.
inline std::vector<std::string> ResultOf(absl::string_view entry, absl::string_view called,
                                         const std::vector<std::string>& arguments,
                                         const EvalOptions& options = {}) {
  absl::StatusOr<Literal> result = TryRun(entry, called, arguments, options);
  if (!result.ok()) return {result.status().ToString()};
  std::vector<std::string> lines;
  for (const Literal& leaf : FlattenLeaves(*result)) lines.push_back(PrintLiteralWithShape(leaf));
  return lines;
}

// Returns the literals as PrintLiteralWithShape prints them.
inline std::vector<std::string> LeafTexts(const std::vector<std::string>& literals) {
  std::vector<std::string> lines;
  for (const std::string& literal : literals)
    lines.push_back(PrintLiteralWithShape(LiteralOf(literal)));
  return lines;
}

inline constexpr char kAdd[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) "
    "ROOT r = f32[] add(a, b) }\n";

}  // namespace hlocts::reference
