// SPDX-License-Identifier: Apache-2.0
#include "tools/cmd_report_page.h"

#include <filesystem>

#include "backends/engine_list.h"
#include "spec/files/file_io.h"
#include "suites/suite_files.h"
#include "tools/selfcheck/clause_rows.h"

namespace hlocts::tools {
namespace {

// Returns the number of uses of each opcode in the real programs of tools/bench/programs.
std::map<std::string, int64_t> OpcodesOfPrograms() {
  std::map<std::string, int64_t> counts;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(suites::HomeFolder() + "/tools/bench/programs", none)) {
    if (entry.path().extension() != ".hlo") continue;
    auto text = ReadFile(entry.path().string());
    if (text.ok()) reports::CountOpcodes(*text, counts);
  }
  return counts;
}

}  // namespace

absl::StatusOr<reports::History> LoadHistory(reports::RunStore& store, int64_t nights,
                                             const std::string& night) {
  HLOCTS_ASSIGN_OR_RETURN(reports::History history, store.Load(static_cast<int>(nights), night));
  std::map<std::string, reports::ReleaseDate> dates;
  auto engines = backends::LoadEngineList();
  if (engines.ok()) {
    for (const auto& engine : engines->engine()) {
      for (const std::string& name : {engine.name(), engine.alias()})
        dates[name] = {engine.family(), engine.date()};
    }
  }
  history.releases = reports::InReleaseOrder(std::move(history.releases), dates);
  return history;
}

reports::PageInput PageInputOf(reports::History history) {
  reports::PageInput input;
  input.history = std::move(history);
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  const std::map<std::string, int64_t> opcodes = OpcodesOfPrograms();
  if (cases.ok()) {
    for (const suites::Case& one : *cases) {
      input.clauses_of_cases[one.address] = one.clauses;
      if (auto used = opcodes.find(one.opcode); used != opcodes.end())
        input.weights[one.address.substr(0, one.address.find(':'))] = used->second;
    }
  }
  auto rows = LoadClauseRows();
  if (rows.ok()) input.clauses = *std::move(rows);
  auto engines = backends::LoadEngineList();
  if (engines.ok()) {
    for (const auto& engine : engines->engine()) input.releases_listed.push_back(engine.name());
  }
  return input;
}

}  // namespace hlocts::tools
