// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/kill_table.h"

#include <map>
#include <ostream>

#include "absl/strings/str_format.h"
#include "backends/selftest/faults/fault.h"
#include "nlohmann/json.hpp"

namespace hlocts::tools {
namespace {

std::string SurvivalReason(const KillRecord& record) {
  if (absl::string_view by = backends::PermittedBy(record.fault); !by.empty())
    return absl::StrCat("permitted by ", by);
  if (record.modules == 0) return "no module has what it strikes";
  if (record.changed == 0) {
    return absl::StrCat("changed no output bit of ", record.modules, " modules");
  }
  return absl::StrCat("changed ", record.changed, " of ", record.modules,
                      " modules, always within the sets");
}

}  // namespace

nlohmann::ordered_json ToJson(const KillRecord& record) {
  nlohmann::ordered_json json = {{"fault", record.fault},
                                 {"class", record.fault_class},
                                 {"shared_layer", record.shared_layer},
                                 {"what", record.what},
                                 {"killed", record.killed}};
  if (record.killed) {
    json["killed_by"] = record.killed_by;
    json["verdict"] = record.verdict;
  } else {
    json["reason"] = SurvivalReason(record);
  }
  json["modules"] = record.modules;
  json["changed"] = record.changed;
  return json;
}

void PrintKillTable(const std::vector<KillRecord>& records, std::ostream& out) {
  std::map<std::string, Tally> classes;
  Tally total, shared;
  for (const KillRecord& record : records) {
    classes[record.fault_class].Add(record.killed);
    total.Add(record.killed);
    if (record.shared_layer) shared.Add(record.killed);
  }
  for (const auto& [name, tally] : classes) {
    out << absl::StrFormat("%-18s %4d of %4d found\n", name, tally.killed, tally.all);
  }
  out << absl::StrFormat("%-18s %4d of %4d found, %.1f %% (shared layers %d of %d)\n", "all faults",
                         total.killed, total.all, total.Share(), shared.killed, shared.all);
  for (const KillRecord& record : records) {
    if (!record.killed)
      out << "survivor " << record.fault << ": " << SurvivalReason(record) << "\n";
  }
}

}  // namespace hlocts::tools
