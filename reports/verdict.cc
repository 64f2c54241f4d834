#include "reports/verdict.h"

#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace hlocts {
namespace {

constexpr absl::string_view kNames[] = {"pass",  "fail",    "unsupported",  "rejected", "accepted",
                                        "crash", "timeout", "inconclusive", "error"};

using Json = nlohmann::ordered_json;

Json FailureToJson(const VerdictFailure& failure) {
  return Json{{"output", failure.output},           {"index", failure.index},
              {"actual", failure.actual},           {"actual_bits", failure.actual_bits},
              {"accepted", failure.accepted},       {"rule", failure.rule},
              {"clause", failure.clause},           {"instruction", failure.instruction}};
}

}  // namespace

absl::string_view VerdictName(VerdictKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<VerdictKind> VerdictFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<VerdictKind>(i);
  }
  return std::nullopt;
}

std::string VerdictToJson(const Verdict& verdict) {
  Json json = {{"verdict", std::string(VerdictName(verdict.kind))},
               {"module", verdict.module},
               {"case", verdict.case_address},
               {"backend", verdict.backend},
               {"backend_version", verdict.backend_version},
               {"profile", verdict.profile},
               {"seed", verdict.seed ? Json(*verdict.seed) : Json(nullptr)},
               {"replica", verdict.replica},
               {"reason", verdict.reason},
               {"elements", verdict.elements},
               {"bits_checked_mean", verdict.bits_checked_mean},
               {"unspecified_elements", verdict.unspecified_elements}};
  if (verdict.effective_bits_median >= 0) {
    json["effective_bits"] = {{"median", verdict.effective_bits_median},
                              {"p5", verdict.effective_bits_p5},
                              {"below_two_bits", verdict.below_two_bits_share}};
  }
  if (!verdict.freedoms.empty()) json["freedoms"] = verdict.freedoms;
  json["first_failure"] =
      verdict.first_failure ? FailureToJson(*verdict.first_failure) : Json(nullptr);
  if (!verdict.expectation.empty()) json["expectation"] = verdict.expectation;
  if (!verdict.case_address.empty()) {
    json["expected"] = verdict.expected;
    json["seconds"] = std::round(verdict.seconds * 1e6) / 1e6;
  }
  // Invalid UTF-8 of an engine's message must not end the run.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string VerdictToText(const Verdict& verdict) {
  std::string line = absl::StrCat(VerdictName(verdict.kind), "  ", verdict.backend, "  ",
                                  verdict.case_address.empty() ? verdict.module
                                                               : verdict.case_address);
  if (verdict.replica != 0) absl::StrAppend(&line, "  replica ", verdict.replica);
  if (verdict.kind == VerdictKind::kPass) {
    absl::StrAppend(&line, "  ", verdict.elements, " elements, ",
                    std::round(verdict.bits_checked_mean * 10) / 10, " bits checked each");
  }
  if (!verdict.reason.empty()) absl::StrAppend(&line, "\n    ", verdict.reason);
  if (const auto& failure = verdict.first_failure) {
    absl::StrAppend(&line, "\n    output ", failure->output, " [",
                    absl::StrJoin(failure->index, ","), "] is ", failure->actual, " (",
                    failure->actual_bits, "), accepted ", failure->accepted, "\n    rule ",
                    failure->rule, ", clause ", failure->clause, ", at ", failure->instruction);
  }
  return line;
}

int ExitStatusOf(const Verdict& verdict) {
  if (verdict.expected) return 0;
  switch (verdict.kind) {
    case VerdictKind::kPass:
    case VerdictKind::kUnsupported:
      return 0;
    case VerdictKind::kError:
      return 3;
    default:
      return 1;
  }
}

}  // namespace hlocts
