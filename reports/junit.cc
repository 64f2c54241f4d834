// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "reports/scorecard.h"

namespace hlocts::reports {
namespace {

std::string XmlEscape(const std::string& text) {
  std::string printable;
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') printable.push_back(c);
  }
  return absl::StrReplaceAll(printable,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Returns an element with the whole text in its body: XML parsers normalise newlines in attributes.
std::string Element(const char* name, const std::string& type, const std::string& message,
                    const std::string& body) {
  return absl::StrCat("<", name, " type=\"", XmlEscape(type), "\" message=\"",
                      XmlEscape(message.substr(0, message.find('\n'))), "\">", XmlEscape(body),
                      "</", name, ">");
}

struct JunitCounts {
  size_t tests = 0;
  int failures = 0, skipped = 0, errors = 0;
  double seconds = 0;
};

std::string JunitOutcome(const Verdict& verdict, JunitCounts& counts) {
  const std::string kind(OutcomeName(verdict.kind));
  const std::string text = VerdictToText(verdict);
  const std::string said = verdict.first_failure
                               ? absl::StrCat(verdict.first_failure->actual, ", accepted ",
                                              verdict.first_failure->accepted)
                               : FoldedReason(verdict);
  if (!verdict.expected && verdict.kind == Outcome::kError) {
    ++counts.errors;
    return Element("error", kind, said, text);
  }
  if (!verdict.expected) {
    ++counts.failures;
    return Element("failure", verdict.flake.empty() ? kind : "flake",
                   said.empty() ? kind : absl::StrCat(kind, ": ", said), text);
  }
  if (verdict.kind != Outcome::kPass) {
    ++counts.skipped;
    bool known = verdict.kind != Outcome::kUnsupported;
    return Element("skipped", kind,
                   known ? absl::StrCat("known ", kind, ": ", ExpectationText(verdict)) : said,
                   text);
  }
  return "";
}

std::string JunitCase(const Verdict& verdict, JunitCounts& counts) {
  const std::string& address = verdict.case_address;
  ++counts.tests;
  counts.seconds += verdict.seconds;
  return absl::StrCat("    <testcase classname=\"", XmlEscape(address.substr(0, address.find(':'))),
                      "\" name=\"", XmlEscape(address), "\" time=\"",
                      absl::StrFormat("%.6f", verdict.seconds), "\">",
                      JunitOutcome(verdict, counts), "</testcase>\n");
}

std::string SuiteText(const std::string& backend, const std::string& started,
                      const JunitCounts& counts, const std::string& cases) {
  // JUnit's timestamps have no letter for the time zone.
  std::string stamp = started.substr(0, started.find('Z'));
  return absl::StrCat("  <testsuite name=\"", XmlEscape(backend), "\" tests=\"", counts.tests,
                      "\" failures=\"", counts.failures, "\" errors=\"", counts.errors,
                      "\" skipped=\"", counts.skipped, "\" time=\"",
                      absl::StrFormat("%.3f", counts.seconds), "\"",
                      stamp.empty() ? "" : absl::StrCat(" timestamp=\"", stamp, "\""), ">\n", cases,
                      "  </testsuite>\n");
}

}  // namespace

std::string Scorecard::ToJunit(const std::string& started,
                               const std::vector<std::string>& problems) const {
  std::string suites;
  for (const auto& [backend, verdicts] : verdicts_) {
    JunitCounts counts;
    std::string cases;
    for (const Verdict& verdict : verdicts) cases += JunitCase(verdict, counts);
    suites += SuiteText(backend, started, counts, cases);
  }
  for (const auto& [backend, error] : unavailable_) {
    JunitCounts counts{1, 0, 0, 1, 0};
    suites +=
        SuiteText(backend, started, counts,
                  absl::StrCat("    <testcase classname=\"engine\" name=\"start\" time=\"0\">",
                               Element("error", "engine", FoldedError(error), error.Text()),
                               "</testcase>\n"));
  }
  if (!problems.empty()) {
    JunitCounts counts;
    std::string cases;
    for (const std::string& problem : problems) {
      ++counts.tests, ++counts.errors;
      absl::StrAppend(&cases, "    <testcase classname=\"complete\" name=\"problem ", counts.tests,
                      "\" time=\"0\">", Element("error", "incomplete", problem, problem),
                      "</testcase>\n");
    }
    suites += SuiteText("complete", started, counts, cases);
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", suites,
                      "</testsuites>\n");
}

}  // namespace hlocts::reports
