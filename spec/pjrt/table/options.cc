// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/numbers.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::pjrt {

std::string Options::Key() const {
  std::string key;
  for (const auto& [name, value] : entries_) absl::StrAppend(&key, name, "=", value, "\n");
  return key;
}

std::vector<std::string> Options::TakeAll(absl::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : entries_) {
    if (key == name) values.push_back(value);
  }
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const auto& entry) { return entry.first == name; }),
                 entries_.end());
  return values;
}

std::string Options::Take(absl::string_view name) {
  std::vector<std::string> values = TakeAll(name);
  return values.empty() ? "" : std::move(values.back());
}

absl::StatusOr<bool> Options::TakeBool(absl::string_view name, bool otherwise) {
  const std::string value = Take(name);
  if (value.empty()) return otherwise;
  if (value == "true" || value == "false") return value == "true";
  return InvalidInput("option ", name, ": expected true or false, found ", value);
}

absl::StatusOr<int64_t> Options::TakeInt(absl::string_view name, int64_t otherwise, int64_t least) {
  const std::string value = Take(name);
  if (value.empty()) return otherwise;
  int64_t number = 0;
  if (absl::SimpleAtoi(value, &number) && number >= least) return number;
  return InvalidInput("option ", name, ": expected a number from ", least, " up, found ", value);
}

absl::Status Options::CheckNoUnknownOptions(absl::string_view expected) const {
  if (entries_.empty()) return absl::OkStatus();
  return InvalidInput("option ", entries_[0].first, ": expected one of ", expected);
}

}  // namespace hlocts::pjrt
