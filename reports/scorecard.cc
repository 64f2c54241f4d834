// SPDX-License-Identifier: Apache-2.0
#include "reports/scorecard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "reports/effective_bits.h"

namespace hlocts::reports {
namespace {

// The verdicts, and flakes, which are none of them.
constexpr size_t kFlake = static_cast<size_t>(VerdictKind::kError) + 1;
constexpr size_t kKinds = kFlake + 1;
using Counts = std::array<int, kKinds>;

size_t ColumnOf(const Verdict& verdict) {
  return verdict.flake.empty() ? static_cast<size_t>(verdict.kind) : kFlake;
}

std::string AreaOf(const std::string& address) { return address.substr(0, address.find('/')); }

std::string Row(const std::string& name, const Counts& counts, int expected, int total) {
  std::string row = absl::StrFormat("  %-18s %6d", name, total);
  for (int count : counts) absl::StrAppendFormat(&row, " %6s", count ? absl::StrCat(count) : ".");
  absl::StrAppendFormat(&row, " %7.1f%%\n", total ? 100.0 * expected / total : 100.0);
  return row;
}

std::string Header() {
  std::string header = absl::StrFormat("  %-18s %6s", "area", "cases");
  for (size_t k = 0; k < kKinds; ++k) {
    absl::string_view name = k == kFlake ? "flake" : VerdictName(static_cast<VerdictKind>(k));
    absl::StrAppendFormat(&header, " %6s", name.substr(0, 6));
  }
  return header + " as expected\n";
}

// Few are named, a table of them is counted.
std::string PromisesText(const std::vector<std::string>& facts) {
  constexpr size_t kNamedMax = 8;
  if (facts.empty()) return "  promises nothing beyond the documents\n";
  std::string text = "  promises";
  for (size_t i = 0; i < std::min(facts.size(), kNamedMax); ++i) {
    absl::StrAppend(&text, i == 0 ? " " : ", ", facts[i]);
  }
  if (facts.size() > kNamedMax) {
    absl::StrAppend(&text, " and ", facts.size() - kNamedMax, " more (hlocts backends --json)");
  }
  return text + "\n";
}

std::string XmlEscape(const std::string& text) {
  std::string printable;
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') printable.push_back(c);
  }
  return absl::StrReplaceAll(printable,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace

void Scorecard::Add(const Verdict& verdict) { verdicts_[verdict.backend].push_back(verdict); }

void Scorecard::Promise(const std::string& backend, std::vector<std::string> facts) {
  promises_[backend] = std::move(facts);
}

std::string Scorecard::ToText() const {
  std::string text;
  for (const auto& [backend, verdicts] : verdicts_) {
    std::map<std::string, Counts> areas;
    std::map<std::string, std::pair<int, int>> expected;  // expected, total
    Counts all{};
    int all_expected = 0;
    double bits = 0;
    int64_t elements = 0, unspecified = 0, by_nature = 0;
    EffectiveBitsTable effective;
    std::string surprises;
    for (const Verdict& verdict : verdicts) {
      std::string area = AreaOf(verdict.case_address);
      ++areas[area][ColumnOf(verdict)];
      ++all[ColumnOf(verdict)];
      expected[area].first += verdict.expected;
      ++expected[area].second;
      all_expected += verdict.expected;
      bits += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
      elements += verdict.elements;
      unspecified += verdict.unspecified_elements;
      by_nature += absl::StartsWith(verdict.expectation, kByNature);
      effective.Add(verdict);
      if (!verdict.expected) absl::StrAppend(&surprises, VerdictToText(verdict), "\n");
    }
    absl::StrAppend(&text, "\n", backend, "  ", verdicts.front().backend_version, "\n");
    if (auto promised = promises_.find(backend); promised != promises_.end()) {
      absl::StrAppend(&text, PromisesText(promised->second));
    }
    text += Header();
    for (const auto& [area, counts] : areas) {
      text += Row(area, counts, expected[area].first, expected[area].second);
    }
    text += Row("all", all, all_expected, static_cast<int>(verdicts.size()));
    double count = std::max<double>(1, static_cast<double>(elements));
    absl::StrAppendFormat(
        &text, "  %d elements compared, %.1f bits checked each, %d unspecified (%.2f%%)\n",
        elements, bits / count, unspecified, 100 * static_cast<double>(unspecified) / count);
    text += effective.ToText();
    if (by_nature > 0) {
      absl::StrAppend(&text, "  ", by_nature, " cases cannot be judged by their nature\n");
    }
    if (!surprises.empty()) absl::StrAppend(&text, "\nnot as expected:\n", surprises);
  }
  return text;
}

std::string Scorecard::ToJunit(const std::vector<std::string>& problems) const {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [backend, verdicts] : verdicts_) {
    int failures = 0, skipped = 0, errors = 0;
    std::string cases;
    for (const Verdict& verdict : verdicts) {
      std::string address = verdict.case_address;
      size_t colon = address.find(':');
      absl::StrAppend(&cases, "    <testcase classname=\"", XmlEscape(address.substr(0, colon)),
                      "\" name=\"", XmlEscape(address), "\" time=\"",
                      absl::StrFormat("%.6f", verdict.seconds), "\">");
      std::string message = XmlEscape(VerdictToText(verdict));
      if (!verdict.expected && verdict.kind == VerdictKind::kError) {
        ++errors;
        absl::StrAppend(&cases, "<error message=\"", message, "\"/>");
      } else if (!verdict.expected) {
        ++failures;
        absl::StrAppend(&cases, "<failure message=\"", message, "\"/>");
      } else if (verdict.kind == VerdictKind::kUnsupported) {
        ++skipped;
        absl::StrAppend(&cases, "<skipped message=\"", message, "\"/>");
      }
      absl::StrAppend(&cases, "</testcase>\n");
    }
    absl::StrAppend(&xml, "  <testsuite name=\"", XmlEscape(backend), "\" tests=\"",
                    verdicts.size(), "\" failures=\"", failures, "\" errors=\"", errors,
                    "\" skipped=\"", skipped, "\">\n", cases, "  </testsuite>\n");
  }
  if (!problems.empty()) {
    absl::StrAppend(&xml, "  <testsuite name=\"complete\" tests=\"", problems.size(),
                    "\" failures=\"0\" errors=\"", problems.size(), "\">\n");
    for (size_t i = 0; i < problems.size(); ++i) {
      absl::StrAppend(&xml, "    <testcase classname=\"complete\" name=\"problem ", i + 1,
                      "\"><error message=\"", XmlEscape(problems[i]), "\"/></testcase>\n");
    }
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

int Scorecard::ExitStatus() const {
  int status = 0;
  for (const auto& [backend, verdicts] : verdicts_) {
    for (const Verdict& verdict : verdicts) {
      // An expectation, or its absence, decides alone.
      int one = verdict.expected ? 0 : verdict.kind == VerdictKind::kError ? 3 : 1;
      status = std::max(status, one);
    }
  }
  return status;
}

}  // namespace hlocts::reports
