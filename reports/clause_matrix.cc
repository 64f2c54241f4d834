// SPDX-License-Identifier: Apache-2.0
#include "reports/clause_matrix.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace hlocts::reports {
namespace {

// The filter works on what stands in a row, and on its state and whether anything in it did not
// pass.
constexpr absl::string_view kFilter = R"(<p class=filter><input id=q size=36
placeholder="id, words, case, fault" oninput=sift()> <select id=s onchange=sift()>
<option value="">every state<option>tested<option>freedom<option>untestable<option>open</select>
<label><input type=checkbox id=o onchange=sift()> only what is not all passed</label> <span id=n></span></p>
<script>function sift(){const q=document.getElementById('q').value.toLowerCase(),
s=document.getElementById('s').value,o=document.getElementById('o').checked;let n=0;
for(const r of document.querySelectorAll('tr.row')){
const words=!q||r.textContent.toLowerCase().includes(q),state=!s||!r.dataset.s||r.dataset.s===s;
const show=words&&state&&(!o||r.dataset.o==='1');r.hidden=!show;if(show)n++}
document.getElementById('n').textContent=n+' rows'}</script>
)";

// What became of some verdicts.
struct Tally {
  int passed = 0, unsupported = 0, known = 0, unexpected = 0;
  int All() const { return passed + unsupported + known + unexpected; }
  void Add(const Verdict& verdict) {
    if (verdict.kind == VerdictKind::kPass) {
      ++passed;
    } else if (!verdict.expected) {
      ++unexpected;
    } else {
      ++(verdict.kind == VerdictKind::kUnsupported ? unsupported : known);
    }
  }
};
using Tallies = std::map<std::string, Tally>;  // by engine

bool AllPassed(const Tallies& tallies) {
  return !tallies.empty() && std::all_of(tallies.begin(), tallies.end(), [](const auto& entry) {
    return entry.second.passed == entry.second.All();
  });
}

std::string Cell(const Tally& tally) {
  const int all = tally.All();
  if (all == 0) return "<td class=none>not run";
  std::string words = absl::StrCat(tally.passed, " of ", all);
  if (tally.unsupported > 0) absl::StrAppend(&words, ", ", tally.unsupported, " unsupported");
  if (tally.known > 0) absl::StrAppend(&words, ", ", tally.known, " known");
  if (tally.unexpected > 0) absl::StrAppend(&words, ", ", tally.unexpected, " unexpected");
  absl::string_view colour = tally.unexpected > 0  ? "bad"
                             : tally.known > 0     ? "known"
                             : tally.passed == all ? "good"
                                                   : "part";
  return absl::StrCat("<td class=", colour, ">", words);
}

constexpr const char* kStates[] = {"tested", "freedom", "untestable", "open"};

struct Document {
  std::vector<const ClauseRow*> rows;  // in the order of the document
  std::map<std::string, int> states;
};

class Matrix {
 public:
  Matrix(const std::vector<ClauseRow>& rows, const ClausesOfCases& clauses,
         const std::vector<Verdict>& verdicts);
  std::string Html() const;

 private:
  static constexpr int kCasesShown = 3;
  bool Reached(const ClauseRow& row) const { return by_clause_.count(row.id) > 0; }
  bool IsUnhit(const ClauseRow& row) const {
    return (row.state == "tested" && !Reached(row) && row.programs.empty()) || row.state == "open";
  }
  std::string Cells(const Tallies& tallies) const;
  std::string CaseLinks(const std::string& clause) const;
  std::string Row(const ClauseRow& row, bool is_target) const;
  // Links lead to the rows of the document's own table, not to those in front.
  std::string Table(const std::vector<const ClauseRow*>& rows, bool is_target) const;
  std::string SummaryRow(const std::string& title, const Document& document) const;
  std::string Summary() const;
  std::string Front() const;
  std::string Cases() const;

  std::set<std::string> engines_;
  std::map<std::string, Document> documents_;
  std::map<std::string, Tallies> by_clause_, by_case_;
  std::map<std::string, std::map<std::string, int>> cases_of_clause_;  // name, how many
  std::map<std::string, std::set<std::string>> clauses_of_case_;
};

Matrix::Matrix(const std::vector<ClauseRow>& rows, const ClausesOfCases& clauses,
               const std::vector<Verdict>& verdicts) {
  for (const ClauseRow& row : rows) {
    Document& document = documents_[row.document];
    document.rows.push_back(&row);
    ++document.states[row.state];
  }
  for (auto& [title, document] : documents_) {
    std::stable_sort(
        document.rows.begin(), document.rows.end(),
        [](const ClauseRow* a, const ClauseRow* b) { return a->section < b->section; });
  }
  for (const auto& [address, ids] : clauses) {
    for (const std::string& id : ids) {
      ++cases_of_clause_[id][CaseName(address)];
      clauses_of_case_[CaseName(address)].insert(id);
    }
  }
  for (const Verdict& verdict : verdicts) {
    engines_.insert(verdict.backend);
    by_case_[CaseName(verdict.case_address)][verdict.backend].Add(verdict);
    auto ids = clauses.find(verdict.case_address);
    if (ids == clauses.end()) continue;
    for (const std::string& id : ids->second) by_clause_[id][verdict.backend].Add(verdict);
  }
}

std::string Matrix::Cells(const Tallies& tallies) const {
  std::string html;
  for (const std::string& engine : engines_) {
    auto tally = tallies.find(engine);
    html += Cell(tally == tallies.end() ? Tally() : tally->second);
  }
  return html;
}

std::string Matrix::CaseLinks(const std::string& clause) const {
  auto cases = cases_of_clause_.find(clause);
  if (cases == cases_of_clause_.end()) return "";
  std::vector<std::string> links;
  for (const auto& [name, count] : cases->second) {
    links.push_back(absl::StrCat("<a href=\"#", name, "\">", name, "</a>",
                                 count > 1 ? absl::StrCat(" (", count, ")") : ""));
  }
  if (links.size() <= kCasesShown) return absl::StrJoin(links, "<br>");
  return absl::StrCat("<details><summary>", links.size(), " cases</summary>",
                      absl::StrJoin(links, "<br>"), "</details>");
}

std::string Matrix::Row(const ClauseRow& row, bool is_target) const {
  auto tallies = by_clause_.find(row.id);
  bool passed = tallies != by_clause_.end() && AllPassed(tallies->second);
  std::string evidence = CaseLinks(row.id);
  for (const std::string& program : row.programs) {
    absl::StrAppend(&evidence, evidence.empty() ? "" : "<br>", "program ", Escaped(program));
  }
  std::string fault = Escaped(row.fault);
  if (!row.noticed_by.empty()) {
    absl::StrAppend(&fault, "<br><small>", Escaped(row.noticed_by), "</small>");
  }
  std::string source;
  if (!row.address.empty()) {
    source = absl::StrCat("<br><small><a href=\"", Escaped(row.address), "\">", Escaped(row.source),
                          "</a></small>");
  }
  return absl::StrCat("<tr class=row data-s=", row.state, passed ? "" : " data-o=1",
                      is_target ? absl::StrCat(" id=\"", row.id, "\"") : "", "><td>", row.id,
                      "<td>", Escaped(row.text),
                      row.note.empty() ? "" : "<br><small>" + Escaped(row.note) + "</small>",
                      source, "<td>", row.state, "<td>", evidence, "<td>", fault,
                      Cells(tallies == by_clause_.end() ? Tallies() : tallies->second), "</tr>\n");
}

std::string Matrix::Table(const std::vector<const ClauseRow*>& rows, bool is_target) const {
  std::string html = absl::StrCat(
      "<table><tr><th>clause<th>what it says<th>state<th>cases<th>planted fault that "
      "one notices<th>",
      absl::StrJoin(engines_, "<th>"), "</tr>\n");
  for (const ClauseRow* row : rows) html += Row(*row, is_target);
  return html + "</table>";
}

// Of one document: how many clauses of which state, how many the run reaches, how they came out.
std::string Matrix::SummaryRow(const std::string& title, const Document& document) const {
  int reached = 0;
  std::map<std::string, int> passed, states = document.states;
  for (const ClauseRow* row : document.rows) {
    auto tallies = by_clause_.find(row->id);
    if (tallies == by_clause_.end()) continue;
    ++reached;
    for (const auto& [engine, tally] : tallies->second)
      passed[engine] += tally.passed == tally.All();
  }
  std::string html = absl::StrCat("<tr><td>", Escaped(title), "<td>", document.rows.size());
  for (const char* state : kStates) absl::StrAppend(&html, "<td>", states[state]);
  absl::StrAppend(&html, "<td>", reached);
  for (const std::string& engine : engines_) absl::StrAppend(&html, "<td>", passed[engine]);
  return html + "</tr>\n";
}

std::string Matrix::Summary() const {
  std::string html = "<table><tr><th>document<th>clauses";
  for (const char* state : kStates) absl::StrAppend(&html, "<th>", state);
  html += "<th>reached by this run";
  for (const std::string& engine : engines_) absl::StrAppend(&html, "<th>all passed by ", engine);
  html += "</tr>\n";
  for (const auto& [title, document] : documents_) html += SummaryRow(title, document);
  return html + "</table>";
}

// What a person should look at before everything else.
std::string Matrix::Front() const {
  std::vector<const ClauseRow*> unhit, unproven;
  for (const auto& [title, document] : documents_) {
    for (const ClauseRow* row : document.rows) {
      if (IsUnhit(*row)) unhit.push_back(row);
      auto tallies = by_clause_.find(row->id);
      if (tallies == by_clause_.end() || row->state != "tested") continue;
      bool some_engine_never =
          std::any_of(tallies->second.begin(), tallies->second.end(),
                      [](const auto& entry) { return entry.second.passed == 0; });
      if (some_engine_never) unproven.push_back(row);
    }
  }
  std::string html = absl::StrCat(
      "<h3 id=unhit>Testable, and nothing in this run reaches it: ", unhit.size(), "</h3>");
  if (!unhit.empty()) html += Table(unhit, false);
  absl::StrAppend(&html, "<h3 id=unproven>Reached, and some engine passes no case of it: ",
                  unproven.size(), "</h3>");
  return unproven.empty() ? html : html + Table(unproven, false);
}

// The other way round.
std::string Matrix::Cases() const {
  std::string html =
      absl::StrCat("<h2>Cases and their clauses</h2><table><tr><th>case<th>clauses<th>",
                   absl::StrJoin(engines_, "<th>"), "</tr>\n");
  for (const auto& [name, ids] : clauses_of_case_) {
    auto tallies = by_case_.find(name);
    bool passed = tallies != by_case_.end() && AllPassed(tallies->second);
    std::vector<std::string> links;
    for (const std::string& id : ids)
      links.push_back(absl::StrCat("<a href=\"#", id, "\">", id, "</a>"));
    absl::StrAppend(&html, "<tr class=row", passed ? "" : " data-o=1", " id=\"", name, "\"><td>",
                    name, "<td>", absl::StrJoin(links, " "),
                    Cells(tallies == by_case_.end() ? Tallies() : tallies->second), "</tr>\n");
  }
  return html + "</table>";
}

std::string Matrix::Html() const {
  std::string html = absl::StrCat("<h2>Clauses and their cases</h2>", Summary(), kFilter, Front());
  for (const auto& [title, document] : documents_) {
    absl::StrAppend(&html, "<details open><summary><b>", Escaped(title),
                    "</b>: ", document.rows.size(), " clauses</summary>",
                    Table(document.rows, true), "</details>\n");
  }
  return html + Cases();
}

}  // namespace

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string CaseName(const std::string& address) {
  return address.substr(0, address.find(':', address.find(':') + 1));
}

std::string ClauseMatrixHtml(const std::vector<ClauseRow>& rows, const ClausesOfCases& clauses,
                             const std::vector<Verdict>& verdicts) {
  return Matrix(rows, clauses, verdicts).Html();
}

}  // namespace hlocts::reports
