// SPDX-License-Identifier: Apache-2.0
// Reads the store as a history of nightly runs.
#include <algorithm>
#include <functional>
#include <set>

#include "reports/store/run_store.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {
namespace {

class Loader {
 public:
  explicit Loader(Database& database) : database_(database) {}
  absl::StatusOr<History> Load(int nights, const std::string& until,
                               const std::vector<std::string>& without);

 private:
  // Calls `row` for each row of a query with at most one parameter.
  absl::Status Each(const std::string& sql, int64_t parameter,
                    const std::function<void(const Statement&)>& row);
  absl::Status LoadNight(int64_t id, NightlyRun& night);
  absl::Status LoadRuns(int64_t id, NightlyRun& night);
  absl::Status LoadEngines(int64_t id, NightlyRun& night);
  absl::Status LoadMarks(int64_t id, NightlyRun& night);
  absl::Status LoadEarlier(int64_t id);
  absl::Status LoadFailures(int64_t id, const std::string& label);
  absl::Status LoadBits(int64_t id);
  absl::Status LoadUlps(int64_t id, const std::string& label);
  absl::Status LoadBuckets(int64_t id);
  absl::Status LoadFindings();

  Database& database_;
  History history_;
  std::map<int64_t, size_t> case_index_;
  std::set<int64_t> skipped_;  // nightly runs
};

absl::Status Loader::Each(const std::string& sql, int64_t parameter,
                          const std::function<void(const Statement&)>& row) {
  HLOCTS_ASSIGN_OR_RETURN(auto statement, database_.Prepare(sql));
  if (sql.find('?') != std::string::npos) statement->Bind(1, parameter);
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(bool more, statement->Step());
    if (!more) return absl::OkStatus();
    row(*statement);
  }
}

absl::Status Loader::LoadMarks(int64_t id, NightlyRun& night) {
  std::map<int64_t, std::string*> marks;  // by engine
  // A later run of the same nightly run overrides an earlier one, unless it lost the case.
  return Each(
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
absl::Status Loader::LoadEarlier(int64_t id) {
  return Each(
      "SELECT engine.name, test_case, mark, night.id FROM night JOIN run ON run.night = night.id"
      " JOIN verdict ON verdict.run = run.id JOIN engine ON engine.id = verdict.engine"
      " WHERE label < (SELECT label FROM night WHERE id = ?) ORDER BY label, run.id",
      id, [&](const Statement& row) {
        auto at = case_index_.find(row.Integer(1));
        const char now = static_cast<char>(row.Integer(2));
        if (at == case_index_.end() || !IsRun(now) || skipped_.contains(row.Integer(3))) return;
        std::string& marks = history_.earlier[row.Text(0)].marks;
        marks.resize(history_.cases.size(), kAbsentMark);
        marks[at->second] = now;
      });
}

absl::Status Loader::LoadRuns(int64_t id, NightlyRun& night) {
  return Each(
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
absl::Status Loader::LoadEngines(int64_t id, NightlyRun& night) {
  HLOCTS_RETURN_IF_ERROR(Each(
      "SELECT engine.name, version, seconds, finished FROM run JOIN run_engine ON"
      " run_engine.run = run.id JOIN engine ON engine.id = run_engine.engine WHERE run.night = ?",
      id, [&](const Statement& row) {
        NightlyEngineResult& engine = night.engines[row.Text(0)];
        if (!row.Text(1).empty()) engine.version = row.Text(1);
        engine.seconds += row.Real(2);
        engine.cut = engine.cut || row.Text(3).empty();
      }));
  return Each(
      "SELECT engine.name, mark, cases FROM run JOIN tally ON tally.run = run.id JOIN engine"
      " ON engine.id = tally.engine WHERE run.night = ? AND run.tier ="  // not of repetitions
      " (SELECT tier FROM run AS first WHERE first.night = run.night ORDER BY first.id LIMIT 1)",
      id, [&](const Statement& row) {
        NightlyEngineResult& engine = night.engines[row.Text(0)];
        if (engine.marks.empty()) {
          engine.tally[static_cast<char>(row.Integer(1))] += row.Integer(2);
        }
      });
}

absl::Status Loader::LoadNight(int64_t id, NightlyRun& night) {
  HLOCTS_RETURN_IF_ERROR(LoadMarks(id, night));
  HLOCTS_RETURN_IF_ERROR(LoadRuns(id, night));
  HLOCTS_RETURN_IF_ERROR(LoadEngines(id, night));
  HLOCTS_RETURN_IF_ERROR(
      Each("SELECT finding.name, engine.name, mark FROM finding_mark JOIN finding ON finding.id ="
           " finding JOIN engine ON engine.id = engine WHERE night = ?",
           id, [&](const Statement& row) {
             night.findings[row.Text(0)][row.Text(1)] = static_cast<char>(row.Integer(2));
           }));
  HLOCTS_RETURN_IF_ERROR(
      Each("SELECT sum(modules) FROM campaign WHERE night = ?", id,
           [&](const Statement& row) { night.campaign_modules = row.Integer(0); }));
  return Each(
      "SELECT engine.name, bucket.name, origin FROM bucket JOIN engine ON engine.id ="
      " bucket.engine WHERE night = ?",
      id, [&](const Statement& row) { night.buckets[row.Text(0)][row.Text(1)] = row.Text(2); });
}

absl::Status Loader::LoadFailures(int64_t id, const std::string& label) {
  return Each(
      "SELECT engine.name, test_case.address, detail.body, module.body FROM run"
      " JOIN failure ON failure.run = run.id JOIN engine ON engine.id = failure.engine"
      " JOIN test_case ON test_case.id = failure.test_case JOIN text detail ON detail.id ="
      " failure.detail LEFT JOIN text module ON module.id = failure.module WHERE run.night = ?",
      id, [&](const Statement& row) {
        history_.failures.push_back({label, row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
      });
}

absl::Status Loader::LoadBits(int64_t id) {
  return Each(
      "SELECT engine.name, operation, significand, elements, median, p5 FROM run"
      " JOIN bits_checked ON bits_checked.run = run.id JOIN engine ON engine.id ="
      " bits_checked.engine WHERE run.night = ?",
      id, [&](const Statement& row) {
        history_.bits.push_back({row.Text(0), row.Text(1), static_cast<int>(row.Integer(2)),
                                 row.Integer(3), row.Real(4), row.Real(5)});
      });
}

absl::Status Loader::LoadUlps(int64_t id, const std::string& label) {
  std::map<std::string, std::vector<WorstUlps>> engines;
  HLOCTS_RETURN_IF_ERROR(
      Each("SELECT engine.name, function, type, ulps, argument, value, rule, elements FROM run"
           " JOIN worst_ulps ON worst_ulps.run = run.id JOIN engine ON engine.id ="
           " worst_ulps.engine WHERE run.night = ?",
           id, [&](const Statement& row) {
             AddWorst({row.Text(1), row.Text(2), row.Real(3), row.Text(4), row.Text(5), row.Text(6),
                       row.Integer(7)},
                      engines[row.Text(0)]);
           }));
  for (const auto& [engine, all] : engines) {
    for (const WorstUlps& one : all) history_.ulps.push_back({label, engine, one});
  }
  return absl::OkStatus();
}

absl::Status Loader::LoadBuckets(int64_t id) {
  return Each(
      "SELECT engine.name, bucket.name, origin, coalesce(text.body, '') FROM bucket JOIN engine ON"
      " engine.id = bucket.engine LEFT JOIN text ON text.id = bucket.module WHERE night = ?"
      " ORDER BY 1, 2",
      id, [&](const Statement& row) {
        history_.buckets.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
      });
}

absl::Status Loader::LoadFindings() {
  return Each(
      "SELECT name, title, clause, guilty, coalesce(text.body, '') FROM finding"
      " LEFT JOIN text ON text.id = finding.module",
      0, [&](const Statement& row) {
        history_.findings[row.Text(0)] = {row.Text(1), row.Text(2), row.Text(3), row.Text(4)};
      });
}

absl::StatusOr<History> Loader::Load(int nights, const std::string& until,
                                     const std::vector<std::string>& without) {
  HLOCTS_RETURN_IF_ERROR(
      Each("SELECT id, address FROM test_case ORDER BY address", 0, [&](const Statement& row) {
        case_index_[row.Integer(0)] = history_.cases.size();
        history_.cases.push_back(row.Text(1));
      }));
  std::vector<std::pair<int64_t, std::string>> chosen;
  HLOCTS_RETURN_IF_ERROR(
      Each("SELECT id, label FROM night ORDER BY label", 0, [&](const Statement& row) {
        if (std::find(without.begin(), without.end(), row.Text(1)) != without.end())
          skipped_.insert(row.Integer(0));
        else if (until.empty() || row.Text(1) <= until)
          chosen.emplace_back(row.Integer(0), row.Text(1));
      }));
  if (!until.empty() && (chosen.empty() || chosen.back().second != until))
    return InvalidInput(database_.path(),
                        ": expected a nightly run of `hlocts store list`, found \"", until, "\"");
  if (chosen.size() > static_cast<size_t>(nights)) {
    chosen.erase(chosen.begin(), chosen.end() - nights);
    HLOCTS_RETURN_IF_ERROR(LoadEarlier(chosen.front().first));
  }
  std::set<std::string> engines;
  for (const auto& [id, label] : chosen) {
    NightlyRun& night = history_.nights.emplace_back();
    night.label = label;
    HLOCTS_RETURN_IF_ERROR(LoadNight(id, night));
    for (const auto& [name, engine] : night.engines) engines.insert(name);
    for (const auto& [finding, marks] : night.findings) {
      for (const auto& [name, mark] : marks) engines.insert(name);
    }
  }
  history_.releases = InReleaseOrder({engines.begin(), engines.end()});
  for (size_t i = chosen.size() < 2 ? 0 : chosen.size() - 2; i < chosen.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(LoadFailures(chosen[i].first, chosen[i].second));
    HLOCTS_RETURN_IF_ERROR(LoadUlps(chosen[i].first, chosen[i].second));
  }
  if (!chosen.empty()) {
    HLOCTS_RETURN_IF_ERROR(LoadBits(chosen.back().first));
    HLOCTS_RETURN_IF_ERROR(LoadBuckets(chosen.back().first));
  }
  HLOCTS_RETURN_IF_ERROR(LoadFindings());
  return std::move(history_);
}

}  // namespace

absl::StatusOr<History> RunStore::Load(int nights, const std::string& until,
                                       const std::vector<std::string>& without) {
  // The transaction reads one snapshot, so it does not see a part of a concurrent import.
  HLOCTS_RETURN_IF_ERROR(database_->Run("BEGIN"));
  auto history = Loader(*database_).Load(nights, until, without);
  HLOCTS_RETURN_IF_ERROR(database_->Run("COMMIT"));
  return history;
}

}  // namespace hlocts::reports
