// SPDX-License-Identifier: Apache-2.0
// Which cases a query and a shard select.
#include <cstdint>

#include "absl/strings/match.h"
#include "suites/case.h"

namespace hlocts::suites {

bool QueryMatches(absl::string_view query, absl::string_view address) {
  // `*` is any run of characters; without one, the query is the address or ends before a separator.
  size_t star = query.find('*');
  if (star == absl::string_view::npos) {
    if (!absl::StartsWith(address, query)) return false;
    if (address.size() == query.size()) return true;
    char next = address[query.size()];
    return next == '/' || next == ':' || next == ',';
  }
  if (!absl::StartsWith(address, query.substr(0, star))) return false;
  absl::string_view rest = query.substr(star + 1);
  for (size_t at = star; at <= address.size(); ++at) {
    if (rest.empty() || QueryMatches(rest, address.substr(at))) return true;
  }
  return false;
}

int ShardOf(absl::string_view address, int count) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bit
  for (char c : address) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return static_cast<int>(hash % static_cast<uint64_t>(count)) + 1;
}

}  // namespace hlocts::suites
