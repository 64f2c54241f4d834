// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/run_progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kUsualCost = 20;  // milliseconds of a case that costs.txt does not list
constexpr double kSecondsBetweenLines = 60;
constexpr double kLongSeconds = 5;  // a case that runs longer is named

}  // namespace

std::string SpanText(double seconds) {
  if (seconds < 100) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 3600) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.0f h %02.0f min", std::floor(seconds / 3600),
                         std::fmod(seconds, 3600) / 60);
}

RunProgress::RunProgress(const std::vector<suites::Case>& cases, size_t engines,
                         const suites::CaseCosts& costs, bool shown)
    : costs_(costs), shown_(shown), total_(cases.size() * engines) {
  for (const suites::Case& one : cases)
    cost_total_ += static_cast<double>(CostOf(one.address) * static_cast<int64_t>(engines));
  if (!line_.shown()) next_ = kSecondsBetweenLines;
}

int64_t RunProgress::CostOf(const std::string& address) const {
  auto found = costs_.find(address);
  return found == costs_.end() ? kUsualCost : std::max(found->second, kUsualCost);
}

std::string RunProgress::Text(double elapsed) const {
  double part = cost_total_ > 0 ? cost_done_ / cost_total_ : 1;
  std::string text = absl::StrFormat("%3.0f%%  %d of %d, %d not as expected, %s", 100 * part, done_,
                                     total_, unexpected_, SpanText(elapsed));
  if (part > 0.02 && elapsed > 2)
    absl::StrAppend(&text, ", about ", SpanText(elapsed * (1 - part) / part), " left");
  auto longest = std::min_element(running_.begin(), running_.end(),
                                  [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest != running_.end() && elapsed - longest->second > kLongSeconds)
    absl::StrAppend(&text, "; ", longest->first, " for ", SpanText(elapsed - longest->second));
  return text;
}

double RunProgress::Elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void RunProgress::Began(const std::string& address) {
  const double elapsed = Elapsed();
  running_[address] = elapsed;
  if (!shown_ || !line_.shown() || elapsed < next_) return;
  next_ = elapsed + 0.2;
  line_.Show(Text(elapsed));
}

void RunProgress::Step(const std::string& address, bool surprise) {
  ++done_;
  unexpected_ += surprise;
  cost_done_ += static_cast<double>(CostOf(address));
  running_.erase(address);
  const double elapsed = Elapsed();
  if (!shown_ || elapsed < next_) return;
  if (line_.shown()) {
    next_ = elapsed + 0.2;
    line_.Show(Text(elapsed));
  } else {
    next_ = elapsed + kSecondsBetweenLines;
    std::fprintf(stderr, "%s\n", Text(elapsed).c_str());
  }
}

}  // namespace hlocts::tools
