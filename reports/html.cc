// SPDX-License-Identifier: Apache-2.0
#include "reports/html.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/scorecard.h"

namespace hlocts::reports {
namespace {

constexpr absl::string_view kHead = R"(<!doctype html><html lang="en"><meta charset="utf-8"><style>
body{font:15px/1.45 sans-serif;max-width:100em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.2em .5em;text-align:left;vertical-align:top}td a,td small{overflow-wrap:anywhere}
pre{background:#f4f4f4;padding:.7em;overflow:auto}.bad{background:#fdd}.known{background:#ffe9c7}.good{background:#dfd}
.part{background:#eef}.none{color:#888}small{color:#555}.filter{position:sticky;top:0;background:#fff;padding:.4em 0}
</style>)";

std::string List(absl::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string html = absl::StrCat("<h3>", heading, "</h3><ul>");
  for (const std::string& line : lines) absl::StrAppend(&html, "<li>", Escaped(line), "</li>");
  return html + "</ul>";
}

absl::string_view Colour(const Verdict& verdict) {
  if (!verdict.expected) return "bad";
  return IsFailure(verdict.kind) ? "known" : "good";
}

std::string FailureRow(const Verdict& verdict, const std::vector<std::string>& clauses) {
  std::string what = Escaped(verdict.reason);
  if (const auto& failure = verdict.first_failure) {
    absl::StrAppend(&what, "<br>output ", failure->output, " [", absl::StrJoin(failure->index, ","),
                    "] is ", Escaped(failure->actual), ", accepted ", Escaped(failure->accepted),
                    " (rule ", Escaped(failure->rule), ")");
  }
  std::string links;
  for (const std::string& clause : clauses) {
    absl::StrAppend(&links, "<a href=\"#", clause, "\">", clause, "</a> ");
  }
  return absl::StrCat("<tr class=", Colour(verdict), "><td><a href=\"#",
                      CaseName(verdict.case_address), "\">", Escaped(verdict.case_address),
                      "</a><td>", Escaped(verdict.backend), "<td>", VerdictName(verdict.kind),
                      "<td>", links, "<td>", what, "<td>", Escaped(verdict.expectation), "</tr>\n");
}

std::string Failures(const HtmlReport& report) {
  std::string html =
      "<table><tr><th>case<th>engine<th>verdict<th>clauses<th>what came<th>known as</tr>\n";
  for (bool expected : {false, true}) {
    for (const Verdict& verdict : report.run.verdicts) {
      if (verdict.expected != expected || (expected && !IsFailure(verdict.kind))) continue;
      auto clauses = report.clauses.find(verdict.case_address);
      html += FailureRow(
          verdict, clauses == report.clauses.end() ? std::vector<std::string>() : clauses->second);
    }
  }
  return html + "</table>";
}

}  // namespace

std::string ToHtml(const HtmlReport& report) {
  Scorecard scorecard;
  for (const Verdict& verdict : report.run.verdicts) scorecard.Add(verdict);
  std::string matrix = report.registry.empty() && report.clauses.empty()
                           ? ""
                           : ClauseMatrixHtml(report.registry, report.clauses, report.run.verdicts);
  return absl::StrCat(
      kHead, "<title>", Escaped(report.title), "</title><h1>", Escaped(report.title), "</h1>",
      List("The run is not complete", report.run.problems),
      List("Worse than the baseline", report.changes.worse),
      List("Better than the baseline", report.changes.better),
      List("Changed", report.changes.other), "<h2>Scorecard</h2><pre>", Escaped(scorecard.ToText()),
      "</pre><h2>Failures</h2>", Failures(report), matrix, "</html>\n");
}

}  // namespace hlocts::reports
