// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict.h"

#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

using Json = nlohmann::ordered_json;

Json FailureToJson(const VerdictFailure& failure) {
  Json json = {{"output", failure.output},     {"index", failure.index},
               {"actual", failure.actual},     {"actual_bits", failure.actual_bits},
               {"accepted", failure.accepted}, {"rule", failure.rule},
               {"clause", failure.clause},     {"instruction", failure.instruction}};
  if (!failure.operation.empty()) json["operation"] = failure.operation;
  if (!failure.type.empty()) json["type"] = failure.type;
  if (!failure.source.empty()) json["source"] = failure.source;
  if (!failure.distance.empty()) json["distance"] = failure.distance;
  if (failure.categorical) json["categorical"] = true;
  if (failure.only_nan) json["only_nan"] = true;
  if (failure.value != WrongValue::kNumber)
    json["value"] = std::string(WrongValueName(failure.value));
  if (!failure.facts.empty()) json["facts"] = failure.facts;
  if (!failure.permitted_by.empty()) json["permitted_by"] = failure.permitted_by;
  if (failure.tie) json["tie"] = true;
  if (failure.to_integer) json["to_integer"] = true;
  if (!failure.range.empty()) json["range"] = failure.range;
  for (const FailureOperand& operand : failure.operands)
    json["operands"].push_back({{"name", operand.name}, {"value", operand.value}});
  return json;
}

VerdictFailure FailureFromJson(const Json& json) {
  VerdictFailure failure;
  json.at("output").get_to(failure.output);
  json.at("index").get_to(failure.index);
  json.at("actual").get_to(failure.actual);
  json.at("actual_bits").get_to(failure.actual_bits);
  json.at("accepted").get_to(failure.accepted);
  json.at("rule").get_to(failure.rule);
  json.at("clause").get_to(failure.clause);
  json.at("instruction").get_to(failure.instruction);
  failure.operation = json.value("operation", "");
  failure.type = json.value("type", "");
  failure.source = json.value("source", "");
  failure.distance = json.value("distance", "");
  failure.categorical = json.value("categorical", false);
  failure.only_nan = json.value("only_nan", false);
  failure.value = WrongValueFromName(json.value("value", "")).value_or(WrongValue::kNumber);
  failure.facts = json.value("facts", std::vector<std::string>{});
  failure.permitted_by = json.value("permitted_by", std::vector<std::string>{});
  failure.tie = json.value("tie", false);
  failure.to_integer = json.value("to_integer", false);
  failure.range = json.value("range", "");
  for (const Json& operand : json.value("operands", Json::array()))
    failure.operands.push_back({operand.value("name", ""), operand.value("value", "")});
  return failure;
}

constexpr absl::string_view kLocalisations[] = {"none", "alone", "together", "not-found"};

Json LocalisationToJson(const Localisation& found) {
  Json json = {{"kind", std::string(kLocalisations[static_cast<size_t>(found.kind)])},
               {"verdict", std::string(OutcomeName(found.outcome))},
               {"instructions", found.instructions}};
  if (!found.where.empty()) json["where"] = found.where;
  if (!found.operands.empty()) json["operands"] = found.operands;
  if (found.in_piece) json["in_piece"] = true;
  if (found.compiled_form) json["compiled_form"] = true;
  if (found.unpartitioned) {
    json["partitions"] = found.partitions;
    json["unpartitioned"] = std::string(OutcomeName(*found.unpartitioned));
  }
  return json;
}

Localisation LocalisationFromJson(const Json& json) {
  Localisation found;
  const std::string kind = json.value("kind", "none");
  for (size_t i = 0; i < std::size(kLocalisations); ++i) {
    if (kLocalisations[i] == kind) found.kind = static_cast<Localisation::Kind>(i);
  }
  found.outcome = OutcomeFromName(json.value("verdict", "")).value_or(Outcome::kPass);
  found.instructions = json.value("instructions", std::vector<std::string>{});
  found.where = json.value("where", "");
  found.operands = json.value("operands", "");
  found.in_piece = json.value("in_piece", false);
  found.compiled_form = json.value("compiled_form", false);
  found.partitions = json.value("partitions", int64_t{0});
  found.unpartitioned = OutcomeFromName(json.value("unpartitioned", ""));
  return found;
}

Json WorstToJson(const std::vector<WorstUlps>& all) {
  Json json = Json::array();
  for (const WorstUlps& one : all) {
    json.push_back({{"function", one.function},
                    {"type", one.type},
                    {"ulps", std::round(one.ulps * 1e4) / 1e4},
                    {"argument", one.argument},
                    {"value", one.value},
                    {"rule", one.rule},
                    {"elements", one.elements}});
  }
  return json;
}

std::vector<WorstUlps> WorstFromJson(const Json& json) {
  std::vector<WorstUlps> all;
  for (const Json& one : json) {
    all.push_back({one.at("function"), one.at("type"), one.at("ulps"), one.at("argument"),
                   one.at("value"), one.at("rule"), one.at("elements")});
  }
  return all;
}

// Adds the statements from which the field `reason` is joined.
void AddStatements(const Verdict& verdict, Json& json) {
  const Json cause = ErrorToJson(verdict.error);
  if (!cause.is_null()) json["cause"] = cause;
  if (!verdict.localisation.empty())
    json["localisation"] = LocalisationToJson(verdict.localisation);
  if (!verdict.notes.empty()) json["notes"] = verdict.notes;
  if (const auto& at = verdict.widest;
      (verdict.kind == Outcome::kInconclusive || verdict.kind == Outcome::kProbable) &&
      !at.instruction.empty())
    json["widest"] = {
        {"instruction", at.instruction}, {"operation", at.operation},           {"type", at.type},
        {"source", at.source},           {"open_reduction", at.open_reduction}, {"facts", at.facts},
        {"strict", at.strict_narrows}};
  if (verdict.nan && !verdict.nan->is_an_input)
    json["nan"] = {{"output", verdict.nan->output},
                   {"element", verdict.nan->index},
                   {"origin", verdict.nan->origin},
                   {"source", verdict.nan->source},
                   {"certain", verdict.nan->certain}};
  if (!verdict.wanted.empty()) json["wanted"] = verdict.wanted;
  if (json["reason"] != verdict.reason) {
    json["statement"] = verdict.reason;
    json["statements"] = StatementsOf(verdict);
  }
  if (!verdict.inconclusive_by_nature.empty())
    json["inconclusive_by_nature"] = verdict.inconclusive_by_nature;
}

Json StatisticalToJson(const Statistical& one) {
  Json json = {{"proof", std::string(OutcomeName(one.proof))},
               {"test", one.test},
               {"elements", one.elements},
               {"most", one.most},
               {"limit", one.limit},
               {"output", one.output},
               {"index", one.index},
               {"found", one.found},
               {"expected", one.expected},
               {"deviation", one.deviation}};
  if (one.in_piece) json["in_piece"] = true;
  if (one.pieces == 0) return json;
  json["bits"] = std::round(one.bits * 64) / 64;
  json["proven"] = one.proven, json["by_terms"] = one.by_terms, json["pieces"] = one.pieces;
  return json;
}

Statistical StatisticalFromJson(const Json& json) {
  Statistical one{
      .proof = OutcomeFromName(json.value("proof", "")).value_or(Outcome::kInconclusive),
      .test = json.value("test", ""),
      .elements = json.value("elements", int64_t{0}),
      .most = json.value("most", 0.0),
      .limit = json.value("limit", 0.0),
      .output = json.value("output", int64_t{0}),
      .index = json.value("index", std::vector<int64_t>{}),
      .found = json.value("found", 0.0),
      .expected = json.value("expected", 0.0),
      .deviation = json.value("deviation", 0.0),
      .bits = json.value("bits", 0.0),
      .in_piece = json.value("in_piece", false),
      .by_terms = json.value("by_terms", int64_t{0})};
  one.proven = json.value("proven", int64_t{0}), one.pieces = json.value("pieces", int64_t{0});
  return one;
}

Json ToJson(const Verdict& verdict) {
  Json json = {{"verdict", std::string(OutcomeName(verdict.kind))},
               {"module", verdict.module},
               {"case", verdict.case_address},
               {"backend", verdict.backend},
               {"backend_version", verdict.backend_version},
               {"profile", verdict.profile},
               {"seed", verdict.seed ? Json(*verdict.seed) : Json(nullptr)},
               {"replica", verdict.replica},
               {"reason", ReasonText(verdict)},
               {"elements", verdict.elements},
               {"bits_checked_mean", verdict.bits_checked_mean},
               {"unspecified_elements", verdict.unspecified_elements}};
  if (verdict.wrong_elements > 0) json["wrong_elements"] = verdict.wrong_elements;
  if (verdict.localisation.partitions > 0) json["partitions"] = verdict.localisation.partitions;
  if (!verdict.freedoms.empty()) json["freedoms"] = verdict.freedoms;
  if (!verdict.departures.empty()) json["departures"] = verdict.departures;
  json["first_failure"] =
      verdict.first_failure ? FailureToJson(*verdict.first_failure) : Json(nullptr);
  if (verdict.statistical) json["statistical"] = StatisticalToJson(*verdict.statistical);
  if (!verdict.unusual.empty()) json["unusual"] = verdict.unusual;
  if (!verdict.flake.empty()) json["flake"] = verdict.flake;
  if (!verdict.runs.empty()) json["runs"] = verdict.runs;
  AddStatements(verdict, json);
  if (!verdict.expectation.empty()) json["expectation"] = ExpectationText(verdict);
  if (!verdict.case_address.empty()) {
    json["expected"] = verdict.expected;
    json["seconds"] = std::round(verdict.seconds * 1e6) / 1e6;
  }
  return json;
}

// Returns {"24": {"96": 1024}} for 1024 elements of precision 24 with 96 quarters of a bit.
Json QuartersToJson(const std::map<int, std::vector<int64_t>>& quarters) {
  Json json = Json::object();
  for (const auto& [precision, counts] : quarters) {
    Json& sparse = json[absl::StrCat(precision)] = Json::object();
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) sparse[absl::StrCat(i)] = counts[i];
    }
  }
  return json;
}

void QuartersFromJson(const Json& json, std::map<int, std::vector<int64_t>>& quarters) {
  for (const auto& [precision, sparse] : json.items()) {
    std::vector<int64_t>& counts = quarters[std::stoi(precision)];
    counts.resize(kEffectiveQuarters);
    for (const auto& [i, count] : sparse.items()) {
      counts.at(static_cast<size_t>(std::stoi(i))) = count.get<int64_t>();
    }
  }
}

}  // namespace

void AddWorst(const WorstUlps& one, std::vector<WorstUlps>& all) {
  for (WorstUlps& other : all) {
    if (other.function != one.function || other.type != one.type) continue;
    const int64_t elements = other.elements + one.elements;
    if (one.ulps > other.ulps) other = one;
    other.elements = elements;
    return;
  }
  all.push_back(one);
}

std::string VerdictToJson(const Verdict& verdict) { return JsonText(ToJson(verdict)); }

std::string VerdictToRecord(const Verdict& verdict) {
  Json json = ToJson(verdict);
  if (verdict.effective_bits_median >= 0) {
    json["effective_bits"] = {{"median", verdict.effective_bits_median},
                              {"p5", verdict.effective_bits_p5},
                              {"below_two_bits", verdict.below_two_bits_share},
                              {"unspecified", verdict.unspecified_floats},
                              {"exact_data", verdict.exact_data},
                              {"quarters", QuartersToJson(verdict.effective_quarters)}};
  }
  if (verdict.draws > 0) json["draws"] = verdict.draws;
  if (!verdict.worst_ulps.empty()) json["worst_ulps"] = WorstToJson(verdict.worst_ulps);
  return JsonText(json);
}

namespace {

// Reads the fields of every verdict. Throws if one is missing or has another type.
void ReadCommon(const Json& json, Verdict& verdict) {
  json.at("module").get_to(verdict.module);
  json.at("case").get_to(verdict.case_address);
  json.at("backend").get_to(verdict.backend);
  json.at("backend_version").get_to(verdict.backend_version);
  json.at("profile").get_to(verdict.profile);
  if (!json.at("seed").is_null()) verdict.seed = json.at("seed").get<uint64_t>();
  json.at("replica").get_to(verdict.replica);
  json.at("reason").get_to(verdict.reason);
  json.at("elements").get_to(verdict.elements);
  json.at("bits_checked_mean").get_to(verdict.bits_checked_mean);
  json.at("unspecified_elements").get_to(verdict.unspecified_elements);
  verdict.wrong_elements = json.value("wrong_elements", int64_t{0});
  if (!json.at("first_failure").is_null()) {
    verdict.first_failure = FailureFromJson(json.at("first_failure"));
  }
}

void ReadEffectiveBits(const Json& bits, Verdict& verdict) {
  bits.at("median").get_to(verdict.effective_bits_median);
  bits.at("p5").get_to(verdict.effective_bits_p5);
  bits.at("below_two_bits").get_to(verdict.below_two_bits_share);
  verdict.exact_data = bits.value("exact_data", false);
  verdict.unspecified_floats = bits.value("unspecified", int64_t{0});
  if (bits.contains("quarters")) QuartersFromJson(bits["quarters"], verdict.effective_quarters);
}

void ReadStatements(const Json& json, Verdict& verdict) {
  if (json.contains("localisation"))
    verdict.localisation = LocalisationFromJson(json["localisation"]);
  verdict.localisation.partitions = json.value("partitions", verdict.localisation.partitions);
  verdict.notes = json.value("notes", std::vector<std::string>{});
  verdict.wanted = json.value("wanted", "");
  verdict.reason = json.value("statement", verdict.reason);
  const Json cause = json.value("cause", Json());
  if (!cause.is_null()) verdict.error = ErrorFromJson(cause, verdict.reason);
  verdict.inconclusive_by_nature = json.value("inconclusive_by_nature", "");
}

// Reads fields that are omitted if empty, or that only later versions write.
void ReadOptional(const Json& json, Verdict& verdict) {
  if (json.contains("effective_bits")) ReadEffectiveBits(json["effective_bits"], verdict);
  verdict.draws = json.value("draws", int64_t{0});
  verdict.worst_ulps = WorstFromJson(json.value("worst_ulps", Json::array()));
  if (json.contains("freedoms")) json["freedoms"].get_to(verdict.freedoms);
  verdict.departures = json.value("departures", verdict.departures);
  if (json.contains("statistical")) verdict.statistical = StatisticalFromJson(json["statistical"]);
  verdict.unusual = json.value("unusual", "");
  ReadStatements(json, verdict);
  verdict.expectation = verdict.inconclusive_by_nature.empty() ? json.value("expectation", "")
                                                               : verdict.inconclusive_by_nature;
  verdict.expected = json.value("expected", false);
  verdict.flake = json.value("flake", "");
  if (json.contains("runs")) json["runs"].get_to(verdict.runs);
  verdict.seconds = json.value("seconds", 0.0);
}

}  // namespace

absl::StatusOr<Verdict> VerdictFromJson(const std::string& line) {
  Json json = ParseJson<Json>(line);
  if (!json.is_object()) return InvalidInput("expected a JSON object");
  Verdict verdict;
  try {
    auto kind = OutcomeFromName(json.at("verdict").get<std::string>());
    if (!kind) return InvalidInput("unknown verdict: ", json.at("verdict").get<std::string>());
    verdict.kind = *kind;
    ReadCommon(json, verdict);
    ReadOptional(json, verdict);
  } catch (const std::exception& error) {
    return InvalidInput(error.what());
  }
  return verdict;
}

int ExitStatusOf(const Verdict& verdict) {
  if (verdict.expected) return 0;
  switch (verdict.kind) {
    case Outcome::kPass:
    case Outcome::kNanBits:
    case Outcome::kUnsupported:
      return 0;
    case Outcome::kError:
      return 3;
    case Outcome::kSuspect:
      return 4;
    default:
      return 1;
  }
}

}  // namespace hlocts::reports
