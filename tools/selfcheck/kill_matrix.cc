// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/kill_matrix.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault_family.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "suites/runner.h"
#include "tools/selfcheck/forked.h"
#include "tools/selfcheck/mutants.h"

namespace hlocts::tools {
namespace {

// Returns true for a case of an area whose cases test several opcodes together.
bool IsMixed(const suites::Case& one) {
  std::string area = one.address.substr(0, one.address.find('/'));
  return area == "aliasing" || area == "broadcasting" || area == "layout" || area == "programs" ||
         area == "composition" || area == "edition_2018";
}

// Returns true if the case tests the operation that the fault affects, and not only uses it to test
// another operation.
bool IsAbout(const backends::Fault& fault, const suites::Case& one) {
  if (fault.opcodes.empty() || IsMixed(one)) return true;
  auto opcode = OpcodeFromName(one.opcode);
  return opcode &&
         std::find(fault.opcodes.begin(), fault.opcodes.end(), *opcode) != fault.opcodes.end();
}

// Returns the numbers of the trials that detect the fault, as text: "3 17 ".
std::string TrialsKilling(const std::string& id, const std::vector<Trial>& trials) {
  std::string text;
  const backends::Fault* fault = backends::FindFault(id);
  auto engine = backends::MakeInProcessBackend("canary:" + id);
  if (fault == nullptr || !engine.ok()) return text;
  for (size_t t = 0; t < trials.size(); ++t) {
    if (!IsAbout(*fault, *trials[t].one)) continue;
    if (Kills(*fault, **engine, trials[t], Profile::kDefault)) absl::StrAppend(&text, t, " ");
  }
  return text;
}

// A time limit in seconds, which on any machine only an endless loop exceeds. With a lower limit,
// it would depend on the machine whether a fault is detected.
constexpr double kHangs = 900;

std::vector<size_t> NumbersOf(absl::string_view text) {
  std::vector<size_t> numbers;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    size_t number = 0;
    if (absl::SimpleAtoi(word, &number)) numbers.push_back(number);
  }
  return numbers;
}

// Fills the rows of the faults with indices `which`. A child process runs `together` faults. If it
// crashes or hangs, its faults are appended to `again`.
void FillRows(const std::vector<std::string>& faults, const std::vector<size_t>& which,
              size_t together, const std::vector<Trial>& trials, int jobs,
              std::vector<std::vector<size_t>>& rows, std::vector<size_t>& again,
              const std::function<void(size_t)>& done) {
  auto end_of = [&](size_t chunk) { return std::min((chunk + 1) * together, which.size()); };
  auto work = [&](size_t chunk) {
    std::string text;
    for (size_t i = chunk * together; i < end_of(chunk); ++i) {
      absl::StrAppend(&text, TrialsKilling(faults[which[i]], trials), "\n");
    }
    return text;
  };
  RunForked((which.size() + together - 1) / together, jobs, kHangs, work,
            [&](size_t chunk, const ForkedResult& result) {
              std::vector<std::string> lines = absl::StrSplit(result.text, '\n');
              for (size_t i = chunk * together; i < end_of(chunk); ++i) {
                if (result.crashed || result.timed_out) {
                  again.push_back(which[i]);
                } else {
                  rows[which[i]] = NumbersOf(lines[i - chunk * together]);
                }
              }
              done(end_of(chunk));
            });
}

bool CaseKills(const suites::Case& one, const std::string& id) {
  auto engine = backends::MakeInProcessBackend("canary:" + id);
  if (!engine.ok()) return false;
  backends::DiffOptions options;
  options.load = BoundedLoad();
  return IsNoticed(suites::RunCase(one, **engine, options).kind);
}

}  // namespace

std::vector<std::vector<size_t>> KillMatrix(const std::vector<std::string>& faults,
                                            const std::vector<Trial>& trials, int jobs,
                                            const std::function<void(size_t)>& done) {
  std::vector<std::vector<size_t>> rows(faults.size());
  std::vector<size_t> all(faults.size()), again, crashed;
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  FillRows(faults, all, 8, trials, jobs, rows, again, done);
  FillRows(faults, again, 1, trials, jobs, rows, crashed, [](size_t) {});
  return rows;
}

std::vector<bool> PairsKilled(const std::vector<std::pair<const suites::Case*, std::string>>& pairs,
                              int jobs) {
  std::vector<Mutant> mutants;
  for (const auto& pair : pairs) {
    mutants.push_back({pair.second, "clause", "", false, [&pair] {
                         MutantResult result;
                         result.noticed = CaseKills(*pair.first, pair.second);
                         return result;
                       }});
  }
  std::vector<bool> killed;
  RunMutants(mutants, jobs, kHangs,
             [&](const MutantRecord& record) { killed.push_back(record.noticed); });
  return killed;
}

std::vector<std::string> FaultsAround(const std::vector<const suites::Case*>& cases) {
  std::set<std::string> ids;
  for (const backends::Fault& fault : backends::AllFaults()) ids.insert(fault.id);
  for (const suites::Case* one : cases) {
    if (!one->reject_rule.empty()) ids.insert("infer.forgets-rule/" + one->reject_rule);
    auto module = ParseModule(one->reject_rule.empty() ? one->module_text : one->control_text);
    if (!module.ok()) continue;
    std::set<Opcode> opcodes;
    if (auto opcode = OpcodeFromName(one->opcode)) opcodes.insert(*opcode);
    if (IsMixed(*one)) opcodes.insert((*module)->entry()->root()->opcode());
    backends::AddFamilyFaults(**module, opcodes, ids);
  }
  return std::vector<std::string>(ids.begin(), ids.end());
}

}  // namespace hlocts::tools
