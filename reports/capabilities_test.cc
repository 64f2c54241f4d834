// SPDX-License-Identifier: Apache-2.0
#include "reports/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/scorecard.h"

namespace hlocts::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Verdict VerdictOn(const std::string& address, Outcome kind) {
  Verdict verdict;
  verdict.backend = "mine";
  verdict.case_address = address;
  verdict.kind = kind;
  verdict.reason = "no such kernel\nmore";
  return verdict;
}

TEST(CapabilitiesTest, ARowIsUnsupportedWhenAllOfItsCasesAre) {
  Capabilities capabilities;
  capabilities.Add(VerdictOn("ordering/sort:a:type=s4", Outcome::kUnsupported));
  capabilities.Add(VerdictOn("ordering/sort:b:n=2,type=s4", Outcome::kUnsupported));
  capabilities.Add(VerdictOn("ordering/sort:a:type=f32", Outcome::kPass));
  capabilities.Add(VerdictOn("elementwise/tanh:a:type=f32", Outcome::kFail));
  capabilities.Add(VerdictOn("elementwise/tanh:b:type=f32", Outcome::kUnsupported));
  capabilities.Add(VerdictOn("collective/all_reduce:a", Outcome::kUnsupported));
  const std::string text = capabilities.ToText();
  EXPECT_THAT(text, HasSubstr("ordering/sort: s4  (no such kernel)"));
  EXPECT_THAT(text, HasSubstr("collective/all_reduce: all"));
  EXPECT_THAT(text, HasSubstr("1 other rows")) << "a failure is no lack of support";
  EXPECT_THAT(text, Not(HasSubstr("tanh:")));
  EXPECT_THAT(capabilities.Rows("mine"), ::testing::SizeIs(4));
}

TEST(CapabilitiesTest, WhatWasNotSentSaysNothingOfTheEngine) {
  Verdict verdict = VerdictOn("elementwise/constant:out_of_range", Outcome::kUnsupported);
  verdict.error.kind = ErrorKind::kNotEncodable;
  verdict.reason = "line 3, column 33: '256' is out of range of u8";
  Capabilities capabilities;
  capabilities.Add(verdict);
  EXPECT_EQ(capabilities.ToText(), "");
  Verdict other = VerdictOn("ordering/sort:a", Outcome::kUnsupported);
  const std::string text = UnsupportedReasons({verdict, other});
  const size_t not_sent = text.find("also unsupported");
  ASSERT_NE(not_sent, std::string::npos) << text;
  EXPECT_LT(text.find("1  no such kernel"), not_sent);
  EXPECT_GT(text.find("1  line 3, column 33"), not_sent);
}

TEST(CapabilitiesTest, NothingToSayIsNoText) {
  Capabilities capabilities;
  capabilities.Add(VerdictOn("ordering/sort:a", Outcome::kPass));
  EXPECT_EQ(capabilities.ToText(), "");
}

}  // namespace
}  // namespace hlocts::reports
