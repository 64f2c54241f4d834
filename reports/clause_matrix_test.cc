// SPDX-License-Identifier: Apache-2.0
#include "reports/clause_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html.h"

namespace hlocts::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Verdict Of(const std::string& address, VerdictKind kind, bool expected, const char* engine) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.case_address = address;
  verdict.backend = engine;
  verdict.expected = expected;
  verdict.reason = "because <of> it";
  return verdict;
}

ClauseRow Clause(const char* id, int section, const char* state) {
  ClauseRow row;
  row.id = id;
  row.document = "Semantics";
  row.section = section;
  row.text = std::string("says ") + id;
  row.state = state;
  return row;
}

// b.1 has cases that ran, b.2 one that did not, b.3 a program, b.4 is free.
HtmlReport Report() {
  HtmlReport report;
  report.run.verdicts = {Of("a/b:x:type=f32", VerdictKind::kPass, true, "one"),
                         Of("a/b:x:type=s32", VerdictKind::kFail, true, "one"),
                         Of("a/b:x:type=f32", VerdictKind::kUnsupported, true, "two"),
                         Of("a/b:x:type=s32", VerdictKind::kCrash, false, "two")};
  report.clauses = {{"a/b:x:type=f32", {"b.1"}}, {"a/b:x:type=s32", {"b.1"}}, {"a/b:y", {"b.2"}}};
  report.registry = {Clause("b.2", 9, "tested"), Clause("b.1", 5, "tested"),
                     Clause("b.3", 12, "tested"), Clause("b.4", 13, "freedom")};
  report.registry[1].fault = "pad.value-ignored";
  report.registry[1].source = "Semantics, Pad & more";
  report.registry[1].address = "https://example.org/semantics#pad";
  report.registry[2].programs = {"spec/b_test.cc:Refuses"};
  report.registry[3].note = "ruling 0007";
  return report;
}

std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  size_t begin = text.find(from), end = text.find(to, begin);
  return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

TEST(ClauseMatrix, EveryClauseHasItsStateCasesFaultAndVerdicts) {
  std::string html = ToHtml(Report());
  std::string row = Between(html, " id=\"b.1\"", "</tr>");
  EXPECT_THAT(row, HasSubstr("says b.1"));
  EXPECT_THAT(row, HasSubstr("<a href=\"#a/b:x\">a/b:x</a> (2)"));
  EXPECT_THAT(row, HasSubstr("<a href=\"https://example.org/semantics#pad\">"
                             "Semantics, Pad &amp; more</a>"));
  EXPECT_THAT(row, HasSubstr("<td>pad.value-ignored"));
  EXPECT_THAT(row, HasSubstr("<td class=known>1 of 2, 1 known"));
  EXPECT_THAT(row, HasSubstr("<td class=bad>0 of 2, 1 unsupported, 1 unexpected"));
  EXPECT_THAT(Between(html, " id=\"b.2\"", "</tr>"), HasSubstr("<td class=none>not run"));
  EXPECT_THAT(Between(html, " id=\"b.2\"", "</tr>"), Not(HasSubstr("<a href=\"\">")));
  EXPECT_THAT(Between(html, " id=\"b.3\"", "</tr>"), HasSubstr("program spec/b_test.cc:Refuses"));
  EXPECT_THAT(Between(html, " id=\"b.4\"", "</tr>"), HasSubstr("ruling 0007"));
  EXPECT_LT(html.find("id=\"b.1\""), html.find("id=\"b.2\"")) << "in the order of the document";
}

TEST(ClauseMatrix, WhatIsNotReachedStandsInFront) {
  std::string html = ToHtml(Report());
  std::string unhit = Between(html, "id=unhit", "id=unproven");
  EXPECT_THAT(unhit, HasSubstr("reaches it: 1<"));
  EXPECT_THAT(unhit, HasSubstr("says b.2"));
  EXPECT_THAT(unhit, Not(HasSubstr("says b.3"))) << "a program tests it";
  EXPECT_THAT(unhit, Not(HasSubstr("says b.4"))) << "a freedom is nothing to reach";
  std::string unproven = Between(html, "id=unproven", "<details open>");
  EXPECT_THAT(unproven, HasSubstr("passes no case of it: 1<"));
  EXPECT_THAT(unproven, HasSubstr("says b.1")) << "two passes none of its cases";
}

TEST(ClauseMatrix, DocumentsAreCountedAndCasesLeadBack) {
  std::string html = ToHtml(Report());
  // Clauses, by state, reached, all passed by each engine.
  EXPECT_THAT(html, HasSubstr("<td>Semantics<td>4<td>3<td>1<td>0<td>0<td>1<td>0<td>0</tr>"));
  std::string row = Between(html, " id=\"a/b:x\"", "</tr>");
  EXPECT_THAT(row, HasSubstr("<a href=\"#b.1\">b.1</a>"));
  EXPECT_THAT(row, HasSubstr("<td class=bad>0 of 2"));
  EXPECT_THAT(Between(html, " id=\"a/b:y\"", "</tr>"), HasSubstr("not run"));
}

TEST(Html, FailuresStandInItAndTextIsEscaped) {
  std::string html = ToHtml(Report());
  EXPECT_THAT(html, HasSubstr("because &lt;of&gt; it"));
  std::string row = Between(html, "<a href=\"#a/b:x\">a/b:x:type=s32</a>", "</tr>");
  EXPECT_THAT(row, HasSubstr("<a href=\"#b.1\">b.1</a>")) << "from a failure to its clauses";
}

}  // namespace
}  // namespace hlocts::reports
