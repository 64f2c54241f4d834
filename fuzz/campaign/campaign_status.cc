// SPDX-License-Identifier: Apache-2.0
// Counts verdicts, and formats the status of a campaign as a JSON object and as a line.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/campaign/campaign.h"
#include "nlohmann/json.hpp"
#include "reports/effective_bits.h"
#include "spec/base/json_text.h"

namespace hlocts::fuzz {

void CampaignStatus::CountVerdict(const reports::Verdict& verdict) {
  ++verdicts[std::string(OutcomeName(verdict.kind))];
  elements += static_cast<double>(verdict.elements);
  bits_checked += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
  unspecified += static_cast<double>(verdict.unspecified_elements);
  below_two_bits += static_cast<double>(reports::ElementsBelowTwoBits(verdict));
  barely_checked += static_cast<double>(reports::ElementsBarelyChecked(verdict));
  for (const auto& [precision, quarters] : verdict.effective_quarters) {
    floats += static_cast<double>(std::accumulate(quarters.begin(), quarters.end(), int64_t{0}));
  }
}

std::string CampaignStatus::ToJson() const {
  nlohmann::ordered_json json;
  json["modules"] = modules;
  json["seconds"] = seconds;
  json["jobs"] = jobs;
  json["engine_seconds"] = engine_seconds;
  json["failure_seconds"] = failure_seconds;
  json["valid"] = valid;
  json["instructions_mean"] =
      modules == 0 ? 0.0 : static_cast<double>(instructions) / static_cast<double>(modules);
  json["verdicts"] = nlohmann::ordered_json(verdicts);
  json["cells"] = cells;
  json["buckets"] = buckets;
  auto count = verdicts.find("inconclusive");
  json["inconclusive"] = count == verdicts.end() ? 0 : count->second;
  json["bits_checked_mean"] = elements == 0 ? 0.0 : bits_checked / elements;
  json["unspecified_share"] = elements == 0 ? 0.0 : unspecified / elements;
  json["below_two_bits_share"] = floats == 0 ? 0.0 : below_two_bits / floats;
  json["hardly_checked_share"] = elements == 0 ? 0.0 : barely_checked / elements;
  json["known"] = known;
  if (not_shrunk > 0) json["not_shrunk"] = not_shrunk;
  if (variants > 0) json["twins"] = variants, json["twins_judged"] = variants_judged;
  return JsonText(json);
}

// The most important counts come first, since a narrow terminal truncates the line.
std::string CampaignStatus::ToText() const {
  std::string text = absl::StrFormat(
      "%d modules, %d new findings, %d known; %.0f s, %.1f modules/s;", modules, buckets, known,
      seconds, seconds > 0 ? static_cast<double>(modules) / seconds : 0.0);
  for (const auto& [word, count] : verdicts) absl::StrAppend(&text, " ", count, " ", word);
  if (not_shrunk > 0)
    absl::StrAppend(&text, "; ", not_shrunk, " not shrunk: --resume continues with them");
  if (variants > 0)
    absl::StrAppend(&text, "; ", variants, " variants, ", variants_judged, " with other outputs");
  if (valid < modules) absl::StrAppend(&text, "; ", modules - valid, " of unintended validity");
  absl::StrAppend(&text, "; ", cells, " kinds of instructions reached");
  if (const double all = seconds * jobs; all > 0) {
    absl::StrAppendFormat(
        &text,
        "; %.0f%% of the jobs' time waiting for engines; %.0f%% on failures, waiting included",
        100 * engine_seconds / all, 100 * failure_seconds / all);
  }
  return text;
}

}  // namespace hlocts::fuzz
