// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_values.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {
namespace {

// Parses a number followed by one of the suffixes, which may be "", and scales the number.
std::optional<double> ParseScaled(const std::string& text,
                                  const std::vector<std::pair<std::string, double>>& scales) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0) || std::isinf(number)) return std::nullopt;
  std::string suffix(end, text.data() + text.size());
  for (const auto& [name, scale] : scales)
    if (suffix == name) return number * scale;
  return std::nullopt;
}

}  // namespace

std::string DurationText(double seconds) {
  if (seconds <= 0) return "";
  return seconds < 1 ? absl::StrCat(seconds * 1000, "ms") : absl::StrCat(seconds, "s");
}

std::string SpelledBytes(int64_t bytes) {
  if (bytes <= 0) return "";
  if (bytes % (int64_t{1} << 30) == 0) return absl::StrCat(bytes >> 30, "G");
  if (bytes % (int64_t{1} << 20) == 0) return absl::StrCat(bytes >> 20, "M");
  return absl::StrCat(bytes);
}

std::string RangeText(const Range& range) {
  if (range.most == std::numeric_limits<int64_t>::max())
    return absl::StrCat("a number of at least ", range.least);
  return absl::StrCat("a number from ", range.least, " to ", range.most);
}

std::string FoundText(const std::string& word) {
  return word.empty() ? "nothing" : absl::StrCat("\"", word, "\"");
}

int Wrong(const std::string& command, const std::string& message) {
  std::fprintf(stderr, "hlocts%s: %s (see hlocts %s--help)\n",
               command.empty() ? "" : absl::StrCat(" ", command).c_str(), message.c_str(),
               command.empty() ? "" : absl::StrCat(command, " ").c_str());
  return 2;
}

std::optional<double> ParseDuration(const std::string& text) {
  return ParseScaled(text, {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}});
}

std::optional<int64_t> ParseBytes(const std::string& text) {
  auto bytes = ParseScaled(text, {{"", 1},
                                  {"K", 1024},
                                  {"M", 1 << 20},
                                  {"G", 1 << 30},
                                  {"KiB", 1024},
                                  {"MiB", 1 << 20},
                                  {"GiB", 1 << 30}});
  if (!bytes || *bytes > 9e18) return std::nullopt;
  return static_cast<int64_t>(*bytes);
}

std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr double kStep = 1024;
  double count = static_cast<double>(bytes);
  size_t unit = 0;
  for (; count >= kStep && unit + 1 < std::size(kUnits); ++unit) count /= kStep;
  const bool whole = count == std::floor(count);
  return absl::StrFormat("%.*f %s", whole ? 0 : 1, count, kUnits[unit]);
}

std::optional<uint64_t> ParseUnsigned(const std::string& text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace hlocts::tools
