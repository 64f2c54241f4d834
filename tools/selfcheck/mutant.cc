// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/mutant.h"

#include <map>
#include <ostream>

#include "absl/strings/str_format.h"
#include "backends/selftest/faults/fault.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/selfcheck/forked.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string ResultText(const MutantResult& result) {
  return JsonText(Json{result.noticed, result.by, result.verdict, result.modules, result.changed});
}

MutantResult ResultOf(const std::string& text) {
  const Json json = ParseJson<Json>(text);
  if (json.is_discarded()) return {};
  return {json[0], json[1], json[2], json[3], json[4]};
}

std::string SurvivalReason(const MutantRecord& record) {
  if (absl::string_view by = backends::PermittedBy(record.name); !by.empty())
    return absl::StrCat("permitted by ", by);
  if (record.modules == 0) return "no module contains an instruction that the fault applies to";
  if (record.changed == 0) {
    return absl::StrCat("changed no output bit of ", record.modules, " modules");
  }
  return absl::StrCat("changed ", record.changed, " of ", record.modules,
                      " modules, always within the sets");
}

}  // namespace

std::vector<MutantRecord> RunMutants(const std::vector<Mutant>& mutants, int jobs, double seconds,
                                     const std::function<void(const MutantRecord&)>& done) {
  std::vector<MutantRecord> records;
  RunForked(
      mutants.size(), jobs, seconds, [&](size_t i) { return ResultText(mutants[i].run()); },
      [&](size_t i, const ForkedResult& child) {
        const bool ended = !child.crashed && !child.timed_out;
        const MutantResult result =
            ended ? ResultOf(child.text)
                  : MutantResult{true, "", child.crashed ? "crash" : "timeout", 0, 0};
        records.push_back({mutants[i], result});
        done(records.back());
      });
  return records;
}

Json ToJson(const MutantRecord& record) {
  Json json = {{"fault", record.name},
               {"class", record.group},
               {"shared_layer", record.shared_layer},
               {"what", record.what},
               {"killed", record.noticed}};
  if (record.noticed) {
    json["killed_by"] = record.by;
    json["verdict"] = record.verdict;
  } else {
    json["reason"] = SurvivalReason(record);
  }
  json["modules"] = record.modules;
  json["changed"] = record.changed;
  return json;
}

void PrintKillTable(const std::vector<MutantRecord>& records, std::ostream& out) {
  std::map<std::string, Tally> groups;
  Tally total, shared;
  for (const MutantRecord& record : records) {
    groups[record.group].Add(record.noticed);
    total.Add(record.noticed);
    if (record.shared_layer) shared.Add(record.noticed);
  }
  for (const auto& [name, tally] : groups) {
    out << absl::StrFormat("%-18s %4d of %4d found\n", name, tally.killed, tally.all);
  }
  out << absl::StrFormat("%-18s %4d of %4d found, %.1f %% (shared layers %d of %d)\n", "all faults",
                         total.killed, total.all, total.Share(), shared.killed, shared.all);
  for (const MutantRecord& record : records) {
    if (!record.noticed)
      out << "survivor " << record.name << ": " << SurvivalReason(record) << "\n";
  }
}

}  // namespace hlocts::tools
