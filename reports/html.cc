#include "reports/html.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "reports/scorecard.h"

namespace hlocts {
namespace {

constexpr absl::string_view kHead = R"(<!doctype html><html lang="en"><meta charset="utf-8"><style>
body{font:15px/1.45 sans-serif;max-width:75em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.2em .5em;text-align:left;vertical-align:top}
pre{background:#f4f4f4;padding:.7em;overflow:auto}.bad{background:#fdd}.known{background:#ffe9c7}.good{background:#dfd}
</style>)";

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

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
  return absl::StrCat("<tr class=", Colour(verdict), "><td>", Escaped(verdict.case_address), "<td>",
                      Escaped(verdict.backend), "<td>", VerdictName(verdict.kind), "<td>",
                      absl::StrJoin(clauses, " "), "<td>", what, "<td>",
                      Escaped(verdict.expectation), "</tr>\n");
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

// A row for each clause, a column for each engine: how many of its cases passed.
std::string ClauseMatrix(const HtmlReport& report) {
  std::set<std::string> engines;
  std::map<std::string, std::map<std::string, std::pair<int, int>>> matrix;  // passed, all
  for (const Verdict& verdict : report.run.verdicts) {
    engines.insert(verdict.backend);
    auto clauses = report.clauses.find(verdict.case_address);
    if (clauses == report.clauses.end()) continue;
    for (const std::string& clause : clauses->second) {
      auto& cell = matrix[clause][verdict.backend];
      cell.first += verdict.kind == VerdictKind::kPass;
      ++cell.second;
    }
  }
  if (matrix.empty()) return "";
  std::string html = absl::StrCat("<h2>Clauses</h2><table><tr><th>clause<th>",
                                  absl::StrJoin(engines, "<th>"), "</tr>\n");
  for (const auto& [clause, row] : matrix) {
    absl::StrAppend(&html, "<tr><td>", clause);
    for (const std::string& engine : engines) {
      auto cell = row.find(engine);
      if (cell == row.end()) {
        html += "<td>";
        continue;
      }
      auto [passed, all] = cell->second;
      absl::StrAppend(&html, "<td class=", passed == all ? "good" : "known", ">", passed, " of ",
                      all);
    }
    html += "</tr>\n";
  }
  return html + "</table>";
}

}  // namespace

std::string ToHtml(const HtmlReport& report) {
  Scorecard scorecard;
  for (const Verdict& verdict : report.run.verdicts) scorecard.Add(verdict);
  return absl::StrCat(
      kHead, "<title>", Escaped(report.title), "</title><h1>", Escaped(report.title), "</h1>",
      List("The run is not complete", report.run.problems),
      List("Worse than the baseline", report.changes.worse),
      List("Better than the baseline", report.changes.better),
      List("Changed", report.changes.other), "<h2>Scorecard</h2><pre>", Escaped(scorecard.ToText()),
      "</pre><h2>Failures</h2>", Failures(report), ClauseMatrix(report), "</html>\n");
}

}  // namespace hlocts
