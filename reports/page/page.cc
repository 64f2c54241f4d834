// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <unordered_map>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "reports/causes.h"
#include "reports/page/assets.h"
#include "reports/verdict_parts.h"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

// Returns JSON for a script element: nothing in it can end the element or begin a comment.
std::string Embedded(const Json& json) {
  return absl::StrReplaceAll(JsonText(json), {{"<", "\\u003c"},
                                              {">", "\\u003e"},
                                              {"\xe2\x80\xa8", "\\u2028"},
                                              {"\xe2\x80\xa9", "\\u2029"}});
}

// Encodes run lengths of equal letters: "p3f" for "pppf".
std::string Packed(absl::string_view marks) {
  std::string packed;
  for (size_t i = 0; i < marks.size();) {
    size_t end = i;
    while (end < marks.size() && marks[end] == marks[i]) ++end;
    packed += marks[i];
    if (end - i > 1) absl::StrAppend(&packed, end - i);
    i = end;
  }
  return packed;
}

Json TallyToJson(const NightlyEngineResult& engine) {
  Json json = Json::array();
  for (const auto& [mark, count] : TallyOf(engine)) json.push_back({std::string(1, mark), count});
  return json;
}

// If a suite was cut short, the end of the nightly run is unknown.
Json NightToJson(const NightlyRun& night) {
  const bool cut = absl::c_any_of(night.engines, [](const auto& one) { return one.second.cut; });
  Json json = {{"label", night.label},
               {"started", night.started},
               {"finished", cut ? "" : night.finished},
               {"tier", night.tier},
               {"profile", night.profile},
               {"queries", night.queries},
               {"program", night.program},
               {"suite", night.suite},
               {"cpu", night.cpu},
               {"cores", night.cores},
               {"problems", night.problems},
               {"modules", night.campaign_modules},
               {"notes", night.notes},
               {"pruned", IsPruned(night)}};
  json["engines"] = Json::object();
  for (const auto& [name, engine] : night.engines) {
    json["engines"][name] = {{"version", engine.version},
                             {"marks", Packed(engine.marks)},
                             {"tally", TallyToJson(engine)},
                             {"seconds", engine.seconds}};
  }
  json["findings"] = Json::object();
  for (const auto& [finding, marks] : night.findings) {
    for (const auto& [engine, mark] : marks)
      json["findings"][finding][engine] = std::string(1, mark);
  }
  return json;
}

// Texts of the page. Each is stored once and referenced by number.
class Texts {
 public:
  int64_t NumberOf(const std::string& text) {  // -1: empty
    if (text.empty()) return -1;
    auto [at, added] = numbers_.emplace(text, static_cast<int64_t>(numbers_.size()));
    if (added) texts_.push_back(text);
    return at->second;
  }
  const Json& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  Json texts_ = Json::array();
};

Json ChangesToJson(const NightlyRunDiff& changes) {
  Json json = {{"since", changes.since}, {"new_buckets", Json::array()}};
  for (const auto& [engine, bucket] : changes.new_buckets)
    json["new_buckets"].push_back({engine, bucket});
  json["less_precise"] = Json::array();
  for (const UlpsChange& one : changes.less_precise)
    json["less_precise"].push_back(
        {one.engine, one.function, one.type, one.before, one.now, one.before_night});
  for (const auto& [name, list] : ListsOf(changes)) {
    json[name] = Json::array();
    for (const Change& change : *list) json[name].push_back({change.engine, change.address});
  }
  return json;
}

Json FailuresToJson(const History& history, Texts& texts) {
  std::unordered_map<std::string, size_t> cases;
  for (size_t i = 0; i < history.cases.size(); ++i) cases[history.cases[i]] = i;
  Json json = Json::array();
  for (const FailureDetail& failure : history.failures) {
    auto at = cases.find(failure.address);
    Json record = ParseJson<Json>(failure.record);
    if (at == cases.end() || !record.is_object()) continue;
    // Remove fields that the page already has.
    for (const char* known : {"case", "backend", "backend_version", "module"}) record.erase(known);
    absl::StatusOr<Verdict> verdict = VerdictFromJson(failure.record);
    json.push_back({{"night", failure.night},
                    {"engine", failure.engine},
                    {"case", at->second},
                    {"cause", verdict.ok() ? CauseOf(*verdict) : ""},
                    {"module", texts.NumberOf(failure.module)},
                    {"record", std::move(record)}});
  }
  return json;
}

Json BucketsToJson(const History& history, Texts& texts) {
  Json json = Json::array();
  for (const Bucket& one : history.buckets) {
    json.push_back({{"engine", one.engine},
                    {"name", one.name},
                    {"origin", one.origin},
                    {"module", texts.NumberOf(one.module)}});
  }
  return json;
}

// Returns the measurements of the newest nightly run, and of each engine's PrecisionBase.
Json PrecisionToJson(const History& history) {
  Json json = Json::array();
  for (const auto& [night, engine, worst] : history.ulps) {
    const NightlyRun& newest = history.nights.back();
    if (night == newest.label || night == PrecisionBase(history, newest, engine))
      json.push_back({night, engine, worst.function, worst.type, worst.ulps, worst.argument,
                      worst.value, worst.rule, worst.elements});
  }
  return json;
}

Json FindingsToJson(const History& history) {
  Json json = Json::object();
  for (const auto& [name, finding] : history.findings) {
    json[name] = {{"title", finding.title},
                  {"clause", finding.clause},
                  {"guilty", finding.failing_phase},
                  {"module", finding.module}};
  }
  return json;
}

void AddClauses(const PageInput& input, Json& data) {
  data["clauses"] = Json::array();
  data["programs"] = Json::object();
  for (const ClauseRow& row : input.clauses) {
    data["clauses"].push_back({{"id", row.id},
                               {"document", row.document},
                               {"source", row.source},
                               {"text", row.text},
                               {"state", row.state},
                               {"note", row.note},
                               {"fault", row.fault}});
    if (!row.programs.empty()) data["programs"][row.id] = row.programs;
  }
  data["case_clauses"] = Json::object();
  for (const auto& [address, ids] : input.clauses_of_cases) {
    // The key is the case's name without parameters: movement/pad:types.
    data["case_clauses"][address.substr(0, address.find(':', address.find(':') + 1))] = ids;
  }
}

// Links the counts of the sentence to their lists.
std::string LinkedSentence(const std::vector<SummaryPart>& parts) {
  std::string html;
  for (const auto& [text, list] : parts)
    absl::StrAppend(&html, list.empty()
                               ? Escaped(text)
                               : absl::StrCat("<a href=\"#", list == "findings" ? "" : "list-",
                                              list, "\">", Escaped(text), "</a>"));
  return html;
}

}  // namespace

void CountOpcodes(absl::string_view hlo, std::map<std::string, int64_t>& weights) {
  // In "  %a.1 = f32[2]{0} add(%x, %y)", the opcode is the word before the first '(' after '=',
  // except that a tuple's type begins with '('.
  while (!hlo.empty()) {
    absl::string_view line = hlo.substr(0, hlo.find('\n'));
    hlo.remove_prefix(std::min(hlo.size(), line.size() + 1));
    size_t at = line.find(" = ");
    if (at == absl::string_view::npos) continue;
    line.remove_prefix(at + 3);
    for (size_t open = line.find('('); open != absl::string_view::npos;
         open = line.find('(', open + 1)) {
      size_t begin = open;
      while (begin > 0 && (absl::ascii_isalnum(static_cast<unsigned char>(line[begin - 1])) ||
                           line[begin - 1] == '-')) {
        --begin;
      }
      if (begin == open || begin == 0 || line[begin - 1] != ' ') continue;
      ++weights[std::string(line.substr(begin, open - begin))];
      break;
    }
  }
}

std::string ToPage(const PageInput& input) {
  const History& history = input.history;
  const NightlyRunDiff changes = NewestChanges(history);
  Texts texts;
  Json data = {{"cases", history.cases}, {"nights", Json::array()}};
  for (const NightlyRun& night : history.nights) data["nights"].push_back(NightToJson(night));
  data["earlier"] = Json::object();
  for (const auto& [name, engine] : history.earlier) data["earlier"][name] = Packed(engine.marks);
  data["changes"] = ChangesToJson(changes);
  data["failures"] = FailuresToJson(history, texts);
  data["buckets"] = BucketsToJson(history, texts);
  data["texts"] = texts.texts();
  data["ulps"] = PrecisionToJson(history);
  data["findings"] = FindingsToJson(history);
  data["releases"] = history.releases;
  data["releases_listed"] = input.releases_listed;
  data["weights"] = input.weights;
  data["bits"] = Json::array();
  for (const BitsChecked& one : history.bits) {
    data["bits"].push_back(
        {one.engine, one.operation, one.significand, one.elements, one.median, one.p5});
  }
  AddClauses(input, data);
  const Alarm alarm =
      history.nights.empty() ? Alarm::kYellow : AlarmOf(history.nights.back(), changes);
  std::string title = input.title;
  if (!history.nights.empty()) absl::StrAppend(&title, ", run of ", history.nights.back().label);
  // All replacements are made in one pass: inserted text is not searched again.
  return absl::StrReplaceAll(PageHtml(),
                             {{"@TITLE@", Escaped(title)},
                              {"@CSS@", PageCss()},
                              {"@ALARM@", AlarmName(alarm)},
                              {"@SENTENCE@", LinkedSentence(NightlySummary(history, changes))},
                              {"@NOTICES@", Escaped(PageNotices())},
                              {"@DATA@", Embedded(data)},
                              {"@SCRIPTS@", PageScripts()}});
}

}  // namespace hlocts::reports
