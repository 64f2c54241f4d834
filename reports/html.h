// A run as one HTML file without anything outside it: scorecards, what failed and how to see it
// again, and which clauses the cases stand for.
#ifndef HLOCTS_REPORTS_HTML_H_
#define HLOCTS_REPORTS_HTML_H_

#include <map>
#include <string>
#include <vector>

#include "reports/run_record.h"
#include "reports/verdict.h"

namespace hlocts {

struct HtmlReport {
  std::string title;
  MergedRun run;
  RunChanges changes;                                       // against a baseline, or empty
  std::map<std::string, std::vector<std::string>> clauses;  // of each case, by address
};

std::string ToHtml(const HtmlReport& report);

}  // namespace hlocts

#endif  // HLOCTS_REPORTS_HTML_H_
