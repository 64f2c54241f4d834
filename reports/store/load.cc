// SPDX-License-Identifier: Apache-2.0
// Reads the store as a history of nightly runs.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reports/store/run_store.h"
#include "reports/store/schema.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {
namespace {

class Loader {
 public:
  explicit Loader(Database& database) : database_(database) {}
  absl::StatusOr<History> Load(int nights, const std::string& until);

 private:
  // Calls Database::Each, unless an error was met before.
  void Each(const std::string& sql, int64_t parameter,
            const std::function<void(const Statement&)>& row) {
    if (error_.ok()) error_ = database_.Each(sql, parameter, row);
  }
  void LoadNight(int64_t id, NightlyRun& night);
  void LoadRuns(int64_t id, NightlyRun& night);
  void LoadEngines(int64_t id, NightlyRun& night);
  void LoadMarks(int64_t id, NightlyRun& night);
  void LoadEarlier(int64_t id);
  void LoadFailures(int64_t id, const std::string& label);
  void LoadUlps(int64_t id, const std::string& label);
  void LoadBitsAndBuckets(int64_t id);

  absl::Status error_;
  Database& database_;
  History history_;
  std::map<int64_t, size_t> case_index_;
};

void Loader::LoadMarks(int64_t id, NightlyRun& night) {
  std::map<int64_t, std::string*> marks;  // by engine
  // A later run of the same nightly run overrides an earlier one, unless it lost the case.
  Each(
      "SELECT verdict.engine, engine.name, test_case, mark FROM run JOIN verdict ON verdict.run ="
      " run.id JOIN engine ON engine.id = verdict.engine WHERE run.night = ? ORDER BY run.id",
      id, [&](const Statement& row) {
        std::string*& of_engine = marks[row.Integer(0)];
        if (!of_engine) of_engine = &night.engines[row.Text(1)].marks;
        auto at = case_index_.find(row.Integer(2));
        if (at == case_index_.end()) return;
        if (of_engine->empty()) of_engine->assign(history_.cases.size(), kAbsentMark);
        char& mark = (*of_engine)[at->second];
        const char now = static_cast<char>(row.Integer(3));
        if (now != kMissingMark || !IsRun(mark)) mark = now;
      });
}

// Loads the latest verdicts before the first nightly run that is loaded.
void Loader::LoadEarlier(int64_t id) {
  const std::string sql = absl::StrCat(
      "SELECT (SELECT name FROM engine WHERE id = verdict.engine), test_case, mark, label",
      kComparedVerdicts,
      " AND label < (SELECT label FROM night WHERE id = ?) ORDER BY label, run.id");
  Each(sql, id, [&](const Statement& row) {
    auto at = case_index_.find(row.Integer(1));
    if (at == case_index_.end()) return;
    std::string& marks = history_.earlier[row.Text(0)].marks;
    marks.resize(history_.cases.size(), kAbsentMark);
    marks[at->second] = static_cast<char>(row.Integer(2));
    history_.earlier_nights[{row.Text(0), at->second}] = row.Text(3);
  });
}

void Loader::LoadRuns(int64_t id, NightlyRun& night) {
  Each(
      "SELECT started, finished, tier, profile, queries, program, suite, cpu, cores, problems"
      " FROM run WHERE night = ? ORDER BY id",
      id, [&](const Statement& row) {
        if (night.started.empty() || row.Text(0) < night.started) night.started = row.Text(0);
        night.finished = std::max(night.finished, row.Text(1));
        if (!row.Text(9).empty()) night.problems.push_back(row.Text(9));
        if (!night.tier.empty()) return;  // first run only: later runs repeat parts of it
        night.tier = row.Text(2);
        night.profile = row.Text(3);
        night.queries = row.Text(4);
        night.program = row.Text(5);
        night.suite = row.Text(6);
        night.cpu = row.Text(7);
        night.cores = row.Integer(8);
      });
}

// Loads the engines' versions and times, and the number of cases by mark if the marks were deleted.
void Loader::LoadEngines(int64_t id, NightlyRun& night) {
  Each(
      "SELECT engine.name, version, seconds, finished FROM run JOIN run_engine ON"
      " run_engine.run = run.id JOIN engine ON engine.id = run_engine.engine WHERE run.night = ?",
      id, [&](const Statement& row) {
        NightlyEngineResult& engine = night.engines[row.Text(0)];
        if (!row.Text(1).empty()) engine.version = row.Text(1);
        engine.seconds += row.Real(2);
        engine.cut = engine.cut || row.Text(3).empty();
      });
  Each(
      "SELECT engine.name, mark, cases, run.id IN (SELECT run FROM pruned) FROM run JOIN tally"
      " ON tally.run = run.id JOIN engine ON engine.id = tally.engine"
      " WHERE run.night = ? AND run.tier ="  // not of repetitions
      " (SELECT tier FROM run AS first WHERE first.night = run.night ORDER BY first.id LIMIT 1)",
      id, [&](const Statement& row) {
        NightlyEngineResult& engine = night.engines[row.Text(0)];
        if (row.Integer(3) != 0 || (engine.marks.empty() && night.problems.empty()))
          engine.tally[static_cast<char>(row.Integer(1))] += row.Integer(2);
      });
  if (night.engines.empty() && !night.tier.empty() && night.problems.empty())
    night.problems.push_back("the engines of this run are lost");
}

void Loader::LoadNight(int64_t id, NightlyRun& night) {
  LoadMarks(id, night);
  LoadRuns(id, night);
  Each("SELECT not_repeated, notes FROM report WHERE night = ?", id, [&](const Statement& row) {
    night.not_repeated = row.Integer(0);
    night.notes = absl::StrSplit(row.Text(1), '\n', absl::SkipEmpty());
  });
  LoadEngines(id, night);
  Each(
      "SELECT finding.name, engine.name, mark FROM finding_mark JOIN finding ON finding.id ="
      " finding JOIN engine ON engine.id = engine WHERE night = ?",
      id, [&](const Statement& row) {
        night.findings[row.Text(0)][row.Text(1)] = static_cast<char>(row.Integer(2));
      });
  Each("SELECT sum(modules) FROM campaign WHERE night = ?", id,
       [&](const Statement& row) { night.campaign_modules = row.Integer(0); });
  Each(
      "SELECT engine.name, bucket.name, origin FROM bucket JOIN engine ON engine.id ="
      " bucket.engine WHERE night = ?",
      id, [&](const Statement& row) { night.buckets[row.Text(0)][row.Text(1)] = row.Text(2); });
}

void Loader::LoadFailures(int64_t id, const std::string& label) {
  Each(
      "SELECT engine.name, test_case.address, detail.body, module.body FROM run"
      " JOIN failure ON failure.run = run.id JOIN engine ON engine.id = failure.engine"
      " JOIN test_case ON test_case.id = failure.test_case JOIN text detail ON detail.id ="
      " failure.detail LEFT JOIN text module ON module.id = failure.module WHERE run.night = ?",
      id, [&](const Statement& row) {
        history_.failures.push_back({label, row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
      });
}

void Loader::LoadUlps(int64_t id, const std::string& label) {
  std::map<std::string, std::vector<WorstUlps>> engines;
  Each(
      "SELECT engine.name, function, type, ulps, argument, value, rule, elements FROM run"
      " JOIN worst_ulps ON worst_ulps.run = run.id JOIN engine ON engine.id ="
      " worst_ulps.engine WHERE run.night = ?",
      id, [&](const Statement& row) {
        AddWorst({row.Text(1), row.Text(2), row.Real(3), row.Text(4), row.Text(5), row.Text(6),
                  row.Integer(7)},
                 engines[row.Text(0)]);
      });
  for (const auto& [engine, all] : engines) {
    for (const WorstUlps& one : all) history_.ulps.push_back({label, engine, one});
  }
}

void Loader::LoadBitsAndBuckets(int64_t id) {
  Each(
      "SELECT engine.name, operation, significand, elements, median, p5 FROM run"
      " JOIN bits_checked ON bits_checked.run = run.id JOIN engine ON engine.id ="
      " bits_checked.engine WHERE run.night = ?",
      id, [&](const Statement& row) {
        history_.bits.push_back({row.Text(0), row.Text(1), static_cast<int>(row.Integer(2)),
                                 row.Integer(3), row.Real(4), row.Real(5)});
      });
  Each(
      "SELECT engine.name, bucket.name, origin, coalesce(text.body, '') FROM bucket JOIN engine ON"
      " engine.id = bucket.engine LEFT JOIN text ON text.id = bucket.module WHERE night = ?"
      " ORDER BY 1, 2",
      id, [&](const Statement& row) {
        history_.buckets.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
      });
}

absl::StatusOr<History> Loader::Load(int nights, const std::string& until) {
  Each("SELECT id, address FROM test_case ORDER BY address", 0, [&](const Statement& row) {
    case_index_[row.Integer(0)] = history_.cases.size();
    history_.cases.push_back(row.Text(1));
  });
  std::vector<std::pair<int64_t, std::string>> chosen;
  std::string skipped;  // ", LABEL" of each run without a complete report just before the last one
  bool is_base = true;
  Each(
      "SELECT id, label, coalesce(complete, 1) FROM night LEFT JOIN report ON night = id"
      " ORDER BY label",
      0, [&](const Statement& row) {
        if (!until.empty() && row.Text(1) > until) return;
        skipped = is_base ? "" : absl::StrCat(skipped, ", ", chosen.back().second);
        if (!is_base) chosen.pop_back();
        is_base = row.Integer(2) != 0;
        chosen.emplace_back(row.Integer(0), row.Text(1));
      });
  if (chosen.size() > static_cast<size_t>(nights)) {
    chosen.erase(chosen.begin(), chosen.end() - nights);
    LoadEarlier(chosen.front().first);
  }
  std::set<std::string> engines;
  for (const auto& [id, label] : chosen) {
    NightlyRun& night = history_.nights.emplace_back();
    night.label = label;
    LoadNight(id, night);
    LoadUlps(id, label);
    if (chosen.size() - history_.nights.size() < 2) LoadFailures(id, label);
    for (const auto& [name, engine] : night.engines) engines.insert(name);
    for (const auto& [finding, marks] : night.findings) {
      for (const auto& [name, mark] : marks) engines.insert(name);
    }
  }
  history_.releases = InReleaseOrder({engines.begin(), engines.end()});
  if (!chosen.empty()) {
    LoadBitsAndBuckets(chosen.back().first);
    std::vector<std::string>& notes = history_.nights.back().notes;
    if (!is_base) notes.insert(notes.begin(), "no complete report: no run is compared with this");
    if (!skipped.empty())
      notes.insert(notes.begin(), "not compared with" + skipped.substr(1) + ": no complete report");
  }
  Each(
      "SELECT name, title, clause, guilty, coalesce(text.body, '') FROM finding"
      " LEFT JOIN text ON text.id = finding.module",
      0, [&](const Statement& row) {
        history_.findings[row.Text(0)] = {row.Text(1), row.Text(2), row.Text(3), row.Text(4)};
      });
  if (!error_.ok()) return error_;
  return std::move(history_);
}

}  // namespace

absl::StatusOr<History> RunStore::Load(int nights, const std::string& until) {
  if (!until.empty()) HLOCTS_RETURN_IF_ERROR(CheckNight(until));
  // The transaction reads one snapshot, so it does not see a part of a concurrent import.
  HLOCTS_RETURN_IF_ERROR(database_->Run("BEGIN"));
  auto history = Loader(*database_).Load(nights, until);
  HLOCTS_RETURN_IF_ERROR(database_->Run("COMMIT"));
  return history;
}

}  // namespace hlocts::reports
