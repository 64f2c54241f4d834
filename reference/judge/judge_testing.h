// SPDX-License-Identifier: Apache-2.0
// Defines a test case that gives a module, its arguments, an engine's outputs and the expected
// verdict. It serves tests that examine more than the verdict; plain verdicts are in cases/.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "reference/judge/module_sets.h"
#include "spec/text/parser.h"

namespace hlocts::reference {

struct Case {
  const char* name;
  const char* module;
  std::vector<const char*> arguments;
  std::vector<const char*> outputs;
  Outcome outcome;
  Profile profile = Profile::kDefault;
  TargetFacts facts = {};
};

inline std::vector<Literal> Parse(const std::vector<const char*>& texts) {
  std::vector<Literal> literals;
  for (const char* text : texts) {
    auto literal = ParseLiteralWithShape(text);
    EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
    if (literal.ok()) literals.push_back(*std::move(literal));
  }
  return literals;
}

// Returns the outcome with "too few bits" counted as a pass: a case states whether an answer is
// accepted, even by a wide set. too_few_bits_test.cc tests verdicts on too few bits.
inline Outcome AcceptedOr(const JudgeResult& result) {
  return result.too_few_bits ? Outcome::kPass : result.outcome;
}

inline JudgeResult JudgeCase(const Case& c) {
  auto module = ParseModule(c.module);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  JudgeOptions options;
  options.profile = c.profile;
  options.facts = c.facts;
  auto result = Judge(**module, Parse(c.arguments), Parse(c.outputs), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : JudgeResult();
}

inline constexpr Outcome kPass = Outcome::kPass, kFail = Outcome::kFail,
                         kOpen = Outcome::kInconclusive;
inline constexpr Profile kStrict = Profile::kStrict, kRelaxed = Profile::kRelaxed;

#define ADD_BODY(type)                                                           \
  "add { a = " type "[] parameter(0) b = " type "[] parameter(1) ROOT r = " type \
  "[] add(a, b) "                                                                \
  "}\n"
#define UNARY(op, type) "ENTRY e { x = " type "[] parameter(0) ROOT r = " type "[] " op "(x) }"
#define BINARY(op, type)                                                                      \
  "ENTRY e { x = " type "[] parameter(0) y = " type "[] parameter(1) ROOT r = " type "[] " op \
  "(x, y) }"

}  // namespace hlocts::reference
