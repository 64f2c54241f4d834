// SPDX-License-Identifier: Apache-2.0
#include "reports/store/writer.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/effective_bits.h"
#include "reports/store/scrub.h"

namespace hlocts::reports {
namespace {

// Returns a hash to look up a text; texts with equal hashes are compared.
int64_t HashOf(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<int64_t>(hash);
}

// Capacity of the cache of text ids: modules of 64 KB must not fill the memory.
constexpr size_t kCachedIdsMax = 4096;
void CacheTextId(const std::string& text, int64_t id,
                 std::unordered_map<std::string, int64_t>& ids) {
  if (ids.size() >= kCachedIdsMax) ids.clear();
  ids[text] = id;
}

}  // namespace

absl::StatusOr<Statement*> StoreWriter::Prepared(const std::string& sql) {
  std::unique_ptr<Statement>& statement = statements_[sql];
  if (!statement) {
    HLOCTS_ASSIGN_OR_RETURN(statement, database_.Prepare(sql));
  }
  return statement.get();
}

absl::StatusOr<int64_t> StoreWriter::IdOf(const char* table, const char* column,
                                          const std::string& text,
                                          std::unordered_map<std::string, int64_t>& ids) {
  if (auto found = ids.find(text); found != ids.end()) return found->second;
  HLOCTS_ASSIGN_OR_RETURN(Statement * find, Prepared(absl::StrCat("SELECT id FROM ", table,
                                                                  " WHERE ", column, " = ?")));
  find->Bind(1, text);
  HLOCTS_ASSIGN_OR_RETURN(bool row, find->Step());
  int64_t id = row ? find->Integer(0) : 0;
  if (row) {
    HLOCTS_RETURN_IF_ERROR(find->Run());  // finishes the query
  } else {
    HLOCTS_ASSIGN_OR_RETURN(
        Statement * add, Prepared(absl::StrCat("INSERT INTO ", table, "(", column, ") VALUES(?)")));
    add->Bind(1, text);
    HLOCTS_RETURN_IF_ERROR(add->Run());
    id = database_.last_id();
  }
  CacheTextId(text, id, ids);
  return id;
}

absl::StatusOr<int64_t> StoreWriter::NightlyRunId(const std::string& label) {
  std::unordered_map<std::string, int64_t> none;
  return IdOf("night", "label", label, none);
}
absl::StatusOr<int64_t> StoreWriter::EngineId(const std::string& name) {
  return IdOf("engine", "name", Scrubbed(name), engines_);
}
absl::StatusOr<int64_t> StoreWriter::CaseId(const std::string& address) {
  return IdOf("test_case", "address", address, cases_);
}

absl::StatusOr<int64_t> StoreWriter::TextId(const std::string& body) {
  const std::string scrubbed = Scrubbed(body);
  if (auto found = texts_.find(scrubbed); found != texts_.end()) return found->second;
  HLOCTS_ASSIGN_OR_RETURN(Statement * find, Prepared("SELECT id, body FROM text WHERE hash = ?"));
  find->Bind(1, HashOf(scrubbed));
  int64_t id = 0;
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(bool row, find->Step());
    if (!row) break;
    if (find->Text(1) == scrubbed) id = find->Integer(0);
  }
  if (id == 0) {
    HLOCTS_ASSIGN_OR_RETURN(Statement * add, Prepared("INSERT INTO text(hash, body) VALUES(?, ?)"));
    add->Bind(1, HashOf(scrubbed)).Bind(2, scrubbed);
    HLOCTS_RETURN_IF_ERROR(add->Run());
    id = database_.last_id();
  }
  CacheTextId(scrubbed, id, texts_);
  return id;
}

absl::StatusOr<bool> StoreWriter::HasRun(const std::string& identity) {
  HLOCTS_ASSIGN_OR_RETURN(Statement * find,
                          Prepared("SELECT id, problems FROM run WHERE identity = ?"));
  find->Bind(1, identity);
  HLOCTS_ASSIGN_OR_RETURN(bool row, find->Step());
  if (!row) return false;
  const int64_t id = find->Integer(0);
  const bool was_complete = find->Text(1).empty();
  HLOCTS_RETURN_IF_ERROR(find->Run());
  if (was_complete) return true;
  // An incomplete run may have been resumed since: its new state replaces the stored one.
  for (const char* table :
       {"verdict", "failure", "bits_checked", "worst_ulps", "tally", "run_engine", "pruned"})
    HLOCTS_RETURN_IF_ERROR(database_.Run(absl::StrCat("DELETE FROM ", table, " WHERE run = ", id)));
  HLOCTS_RETURN_IF_ERROR(database_.Run(absl::StrCat("DELETE FROM run WHERE id = ", id)));
  return false;
}

absl::StatusOr<int64_t> StoreWriter::AddRun(int64_t night, const std::string& identity,
                                            const RunRecord& record) {
  HLOCTS_ASSIGN_OR_RETURN(
      Statement * add,
      Prepared("INSERT INTO run(night, identity, tier, profile, queries, shards, started, finished,"
               " program, suite, cpu, cores, problems) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,'')"));
  add->Bind(1, night)
      .Bind(2, identity)
      .Bind(3, record.tier)
      .Bind(4, record.profile)
      .Bind(5, absl::StrJoin(record.queries, " "))
      .Bind(6, record.shard_count)
      .Bind(7, record.started)
      .Bind(8, record.finished)
      .Bind(9, record.program)
      .Bind(10, record.suite)
      .Bind(11, record.cpu)
      .Bind(12, record.cores);
  HLOCTS_RETURN_IF_ERROR(add->Run());
  sums_.clear();
  return database_.last_id();
}

absl::Status StoreWriter::AddVerdict(int64_t run, const Verdict& verdict,
                                     const std::string& module) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t engine, EngineId(verdict.backend));
  HLOCTS_ASSIGN_OR_RETURN(int64_t one, CaseId(verdict.case_address));
  const char mark = MarkOf(verdict);
  HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                          Prepared("INSERT OR REPLACE INTO verdict VALUES(?,?,?,?,?,?,?,?,?)"));
  add->Bind(1, run).Bind(2, engine).Bind(3, one).Bind(4, int64_t{mark});
  add->Bind(5, static_cast<int64_t>(std::llround(verdict.seconds * 1e6)));
  add->Bind(6, verdict.elements).Bind(7, verdict.bits_checked_mean);
  add->Bind(8, verdict.unspecified_elements);
  verdict.seed ? add->Bind(9, static_cast<int64_t>(*verdict.seed)) : add->BindNull(9);
  HLOCTS_RETURN_IF_ERROR(add->Run());
  Sums& sums = sums_[engine];
  if (sums.version.empty()) sums.version = Scrubbed(verdict.backend_version);
  sums.seconds += verdict.seconds;
  ++sums.marks[mark];
  const std::string operation = verdict.case_address.substr(0, verdict.case_address.find(':'));
  for (const auto& [significand, counts] : verdict.effective_quarters) {
    std::vector<int64_t>& all = sums.quarters[{operation, significand}];
    all.resize(std::max(all.size(), counts.size()));
    for (size_t i = 0; i < counts.size(); ++i) all[i] += counts[i];
  }
  for (const WorstUlps& one : verdict.worst_ulps) AddWorst(one, sums.worst);
  if (!IsBad(mark) && WithoutExpectation(mark) != kFlakeMark) return absl::OkStatus();
  return AddFailure(run, engine, one, verdict, module);
}

absl::Status StoreWriter::AddFailure(int64_t run, int64_t engine, int64_t one,
                                     const Verdict& verdict, const std::string& module) {
  Verdict copy = verdict;
  // Omit fields that have columns or that change with each nightly run.
  copy.seconds = 0;
  copy.module = "";
  copy.backend = copy.backend_version = "";
  HLOCTS_ASSIGN_OR_RETURN(int64_t detail, TextId(VerdictToJson(copy)));
  HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                          Prepared("INSERT OR REPLACE INTO failure VALUES(?,?,?,?,?)"));
  add->Bind(1, run).Bind(2, engine).Bind(3, one).Bind(4, detail);
  if (module.empty()) {
    add->BindNull(5);
  } else {
    HLOCTS_ASSIGN_OR_RETURN(int64_t text, TextId(module));
    add->Bind(5, text);
  }
  return add->Run();
}

absl::Status StoreWriter::AddMissingVerdict(int64_t run, const std::string& engine,
                                            const std::string& address) {
  HLOCTS_ASSIGN_OR_RETURN(int64_t engine_id, EngineId(engine));
  HLOCTS_ASSIGN_OR_RETURN(int64_t one, CaseId(address));
  HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                          Prepared("INSERT OR IGNORE INTO verdict VALUES(?,?,?,?,0,0,0,0,NULL)"));
  add->Bind(1, run).Bind(2, engine_id).Bind(3, one).Bind(4, int64_t{kMissingMark});
  HLOCTS_RETURN_IF_ERROR(add->Run());
  sums_[engine_id].marks[kMissingMark] += database_.changes();
  return absl::OkStatus();
}

absl::Status StoreWriter::FinishBits(int64_t run, int64_t engine, const Sums& sums) {
  HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                          Prepared("INSERT OR REPLACE INTO bits_checked VALUES(?,?,?,?,?,?,?)"));
  for (const auto& [key, quarters] : sums.quarters) {
    add->Bind(1, run).Bind(2, engine).Bind(3, key.first).Bind(4, int64_t{key.second});
    add->Bind(5, Total(quarters)).Bind(6, Quantile(quarters, 0.5));
    add->Bind(7, Quantile(quarters, 0.05));
    HLOCTS_RETURN_IF_ERROR(add->Run());
  }
  return absl::OkStatus();
}

absl::Status StoreWriter::FinishUlps(int64_t run, int64_t engine, const Sums& sums) {
  HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                          Prepared("INSERT OR REPLACE INTO worst_ulps VALUES(?,?,?,?,?,?,?,?,?)"));
  for (const WorstUlps& one : sums.worst) {
    add->Bind(1, run).Bind(2, engine).Bind(3, one.function).Bind(4, one.type);
    add->Bind(5, one.ulps).Bind(6, one.argument).Bind(7, one.value);
    add->Bind(8, one.rule).Bind(9, one.elements);
    HLOCTS_RETURN_IF_ERROR(add->Run());
  }
  return absl::OkStatus();
}

absl::Status StoreWriter::FinishRun(int64_t run) {
  for (const auto& [engine, sums] : sums_) {
    HLOCTS_ASSIGN_OR_RETURN(Statement * add,
                            Prepared("INSERT OR REPLACE INTO run_engine VALUES(?,?,?,?)"));
    add->Bind(1, run).Bind(2, engine).Bind(3, sums.version).Bind(4, sums.seconds);
    HLOCTS_RETURN_IF_ERROR(add->Run());
    for (const auto& [mark, cases] : sums.marks) {
      HLOCTS_ASSIGN_OR_RETURN(Statement * tally,
                              Prepared("INSERT OR REPLACE INTO tally VALUES(?,?,?,?)"));
      tally->Bind(1, run).Bind(2, engine).Bind(3, int64_t{mark}).Bind(4, cases);
      HLOCTS_RETURN_IF_ERROR(tally->Run());
    }
    HLOCTS_RETURN_IF_ERROR(FinishBits(run, engine, sums));
    HLOCTS_RETURN_IF_ERROR(FinishUlps(run, engine, sums));
  }
  return absl::OkStatus();
}

}  // namespace hlocts::reports
