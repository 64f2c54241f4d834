// SPDX-License-Identifier: Apache-2.0
// Which planted faults were found, as a table and as lines of JSON.
#ifndef HLOCTS_TOOLS_SELFCHECK_KILL_TABLE_H_
#define HLOCTS_TOOLS_SELFCHECK_KILL_TABLE_H_

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "tools/selfcheck/kill_rate.h"

namespace hlocts::tools {

struct Tally {
  int64_t killed = 0, all = 0;
  void Add(bool is_killed) { killed += is_killed, ++all; }
  double Share() const {
    return all == 0 ? 0 : 100.0 * static_cast<double>(killed) / static_cast<double>(all);
  }
};

nlohmann::ordered_json ToJson(const KillRecord& record);

// Of each class and of all, how many were found; then each that was not, and why.
void PrintKillTable(const std::vector<KillRecord>& records, std::ostream& out);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_KILL_TABLE_H_
