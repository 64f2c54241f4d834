// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/clause_kills.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "backends/selftest/faults/fault_family.h"
#include "tools/selfcheck/kill_matrix.h"

namespace hlocts::tools {
namespace {

std::string FileOf(const std::string& clause) { return clause.substr(0, clause.rfind('.')); }

constexpr absl::string_view kHead =
    "# For each tested clause a seeded fault that one of its own cases detects: clause, fault,\n# "
    "case, hash of case and fault, cases of the clause that detect it / all that do.\n# Write "
    "\"clause fault\" to choose a fault; `hlocts selfcheck clauses --update` completes the line.\n";

std::string HashOf(const suites::Case& one, const backends::Fault& fault) {
  uint64_t hash = 14695981039346656037u;
  auto add = [&](absl::string_view text) {
    for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
    hash = (hash ^ 0xff) * 1099511628211u;
  };
  add(one.module_text);
  add(one.inputs_text);
  add(absl::StrCat(one.style ? static_cast<int>(*one.style) : -1, " ", one.seed, " ",
                   one.replicas));
  for (const auto& text : {one.infeed_text, one.expect_text, one.reject_rule, one.control_text})
    add(text);
  add(fault.id);
  add(fault.what);
  return absl::StrFormat("%012x", hash >> 16);
}

// Returns "movement/pad:types", the name in the file, for "movement/pad:types:type=f32".
std::string NameOf(const std::string& address) {
  return address.substr(0, address.find(':', address.find(':') + 1));
}

using ByAddress = std::map<std::string, const suites::Case*>;
ByAddress CasesByAddress(const std::vector<suites::Case>& cases) {
  ByAddress result;
  for (const suites::Case& one : cases) result[one.address] = &one;
  return result;
}
bool Cites(const suites::Case& one, const std::string& clause) {
  return std::find(one.clauses.begin(), one.clauses.end(), clause) != one.clauses.end();
}

// Returns the error of a line if it can be found without running anything, else "".
std::string ErrorOf(const ClauseKill& kill, const ByAddress& cases) {
  if (backends::FindFault(kill.fault) == nullptr)
    return absl::StrCat("expected a fault, found ", kill.fault);
  auto found = cases.find(kill.killed_by);
  if (found == cases.end()) return absl::StrCat("expected a case, found ", kill.killed_by);
  if (!Cites(*found->second, kill.clause)) return kill.killed_by + " does not cite the clause";
  return "";
}

}  // namespace

std::set<std::string> WordsOf(absl::string_view text) {
  static const std::set<std::string> dull = {
      "operand", "result", "attribute", "refused", "read",  "the",  "and", "for", "with", "zero",
      "one",     "more",   "less",      "wrong",   "first", "last", "all", "not", "form", "type"};
  std::set<std::string> words;
  for (absl::string_view word : absl::StrSplit(absl::AsciiStrToLower(text),
                                               absl::ByAnyChar(" .,:;/-_(){}[]=<>0123456789"))) {
    std::string stem(word);
    if (absl::EndsWith(stem, "s")) stem.pop_back();
    if (stem.size() > 2 && !dull.count(stem)) words.insert(stem);
  }
  return words;
}

bool IsPermission(absl::string_view text) {
  for (absl::string_view word :
       {" may ", " can ", "allow", " any ", "ptional", "upport", "rbitrary", "ccept", "possible",
        "ariable number", "zero or more"}) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

Signatures SignaturesOf(const std::vector<ClauseText>& clauses) {
  Signatures signatures;
  for (const ClauseText& clause : clauses) {
    size_t open = clause.text.find('('), close = clause.text.find(")");
    if (close == std::string::npos || open > close || signatures.count(FileOf(clause.id))) continue;
    if (!absl::StrContains(clause.text, "signature")) continue;
    for (absl::string_view name : absl::StrSplit(clause.text.substr(open + 1, close - open - 1),
                                                 absl::ByAnyChar(" ,."), absl::SkipEmpty())) {
      signatures[FileOf(clause.id)].emplace_back(name);
    }
  }
  return signatures;
}

int64_t ArgumentOf(const ClauseText& clause, const Signatures& signatures) {
  auto names = signatures.find(FileOf(clause.id));
  if (names == signatures.end()) return -1;
  const std::string first = clause.text.substr(0, clause.text.find(' '));
  for (size_t i = 0; i < names->second.size(); ++i)
    if (names->second[i] == first) return static_cast<int64_t>(i);
  return -1;
}

absl::StatusOr<std::vector<ClauseKill>> ReadClauseKills(const std::string& path) {
  std::ifstream in(path);
  if (!in) return InvalidInput(path, ": cannot be read");
  std::vector<ClauseKill> kills;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    ClauseKill kill;
    std::istringstream words(line);
    std::string counts;
    words >> kill.clause >> kill.fault >> kill.killed_by >> kill.hash >> counts;
    if (kill.fault.empty()) return InvalidInput(path, ":", number, ": expected clause and fault");
    std::sscanf(counts.c_str(), "%d/%d", &kill.own, &kill.all);
    kills.push_back(std::move(kill));
  }
  return kills;
}

absl::Status WriteClauseKills(const std::vector<ClauseKill>& kills, const std::string& path) {
  std::ofstream out(path);
  out << kHead;
  for (const ClauseKill& kill : kills)
    out << kill.clause << " " << kill.fault << " " << kill.killed_by << " " << kill.hash << " "
        << kill.own << "/" << kill.all << "\n";
  return out ? absl::OkStatus() : InvalidInput(path, ": cannot be written");
}

std::vector<std::string> CheckClauseKills(const std::vector<ClauseKill>& kills,
                                          const std::vector<suites::Case>& cases,
                                          const ClauseKillCheck& check, int& count_run) {
  std::vector<std::string> errors;
  const ByAddress by_address = CasesByAddress(cases);
  std::set<std::string> tested(check.tested.begin(), check.tested.end()), seen;
  std::vector<std::pair<const suites::Case*, std::string>> pairs;
  std::vector<const ClauseKill*> run;
  for (const ClauseKill& kill : kills) {
    std::string error = ErrorOf(kill, by_address);
    if (!tested.count(kill.clause)) error = "expected a clause that a case tests";
    if (!seen.insert(kill.clause).second) error = "the clause has a second line";
    if (!error.empty()) {
      errors.push_back(absl::StrCat(kill.clause, ": ", error));
      continue;
    }
    const suites::Case* one = by_address.at(kill.killed_by);
    bool changed = HashOf(*one, *backends::FindFault(kill.fault)) != kill.hash;
    if (changed) errors.push_back(kill.clause + ": case or fault changed since the line was made");
    if (check.changed_only && !changed) continue;
    pairs.emplace_back(one, kill.fault);
    run.push_back(&kill);
  }
  for (const std::string& clause : check.tested)
    if (!seen.count(clause)) errors.push_back(clause + ": expected a line, found none");
  std::vector<bool> killed = PairsKilled(pairs, check.jobs);
  for (size_t i = 0; i < run.size(); ++i) {
    if (killed[i]) continue;
    errors.push_back(
        absl::StrCat(run[i]->clause, ": ", run[i]->killed_by, " does not detect ", run[i]->fault));
  }
  count_run = static_cast<int>(run.size());
  return errors;
}

namespace {

// Finds the faults that the cases of one clause detect, and selects the best one.
class Search {
 public:
  // `all` has all clauses that cases test; their signatures contain the names of operands.
  Search(const std::vector<ClauseText>& clauses, const std::vector<ClauseText>& all,
         const std::vector<suites::Case>& cases, int jobs);
  // Returns the best fault, or nullopt. Faults that earlier clauses use are less preferred.
  std::optional<ClauseKill> Best(const ClauseText& clause);

 private:
  using Score = std::tuple<int, int, int, int, std::string>;
  struct Noticed {
    size_t trial = 0;
    int own = 0, all = 0;
  };
  Noticed Count(size_t fault, const std::string& clause) const;
  Score ScoreOf(size_t fault, const ClauseText& clause, const Noticed& noticed) const;

  std::vector<Trial> trials_;
  std::vector<std::string> faults_;
  std::vector<std::vector<size_t>> killed_;
  Signatures signatures_;
  std::map<size_t, int> used_;
};

std::vector<suites::Case> CasesOfSearch(const std::vector<ClauseText>& clauses,
                                        const std::vector<suites::Case>& cases) {
  std::map<std::string, suites::Tier> lowest;
  for (const suites::Case& one : cases) {
    for (const std::string& clause : one.clauses) {
      auto [entry, is_new] = lowest.emplace(clause, one.tier);
      entry->second = std::min(entry->second, one.tier);
    }
  }
  std::set<std::string> wanted;
  for (const ClauseText& clause : clauses) wanted.insert(clause.id);
  std::vector<suites::Case> chosen;
  for (const suites::Case& one : cases) {
    bool needed = std::any_of(one.clauses.begin(), one.clauses.end(), [&](const auto& clause) {
      return wanted.count(clause) && lowest[clause] == one.tier;
    });
    if (needed || one.tier == suites::Tier::kSmoke) chosen.push_back(one);
  }
  return chosen;
}

Search::Search(const std::vector<ClauseText>& clauses, const std::vector<ClauseText>& all,
               const std::vector<suites::Case>& cases, int jobs)
    : signatures_(SignaturesOf(all)) {
  static std::vector<suites::Case> chosen;  // static, because trials contain pointers to them
  chosen = CasesOfSearch(clauses, cases);
  int64_t left_out = 0;
  trials_ = TrialsOfCases(chosen, left_out);
  std::set<std::string> wanted;
  for (const ClauseText& clause : clauses) wanted.insert(clause.id);
  std::vector<const suites::Case*> about;
  for (const suites::Case& one : chosen) {
    bool cites = std::any_of(one.clauses.begin(), one.clauses.end(),
                             [&](const auto& clause) { return wanted.count(clause) > 0; });
    if (cites) about.push_back(&one);
  }
  faults_ = FaultsAround(about);
  std::fprintf(stderr, "%zu faults on %zu cases\n", faults_.size(), trials_.size());
  killed_ = KillMatrix(faults_, trials_, jobs, [&](size_t done) {
    std::fprintf(stderr, "\r%zu of %zu ", done, faults_.size());
  });
}

Search::Noticed Search::Count(size_t fault, const std::string& clause) const {
  Noticed noticed;
  std::set<std::string> own, all;
  for (size_t trial : killed_[fault]) {
    std::string name = NameOf(trials_[trial].name);
    all.insert(name);
    if (!Cites(*trials_[trial].one, clause)) continue;
    if (own.empty()) noticed.trial = trial;
    own.insert(name);
  }
  noticed.own = static_cast<int>(own.size());
  noticed.all = static_cast<int>(all.size());
  return noticed;
}

Search::Score Search::ScoreOf(size_t fault, const ClauseText& clause,
                              const Noticed& noticed) const {
  const std::string& id = faults_[fault];
  bool its_rule = id == "infer.forgets-rule/" + clause.id;
  bool of_family = absl::StrContains(id, "/");
  // A fault that rejects modules breaks every case, whatever the case is about.
  bool proves_little = absl::StrContains(id, "refused") && !IsPermission(clause.text);
  // Omits the opcode's name, which all sentences about the opcode contain.
  std::string about = id.substr(std::min(id.size(), id.find_first_of("./")));
  if (!of_family) absl::StrAppend(&about, " ", backends::FindFault(id)->what);
  std::set<std::string> words = WordsOf(about), text = WordsOf(clause.text);
  int affinity = 0;
  for (const std::string& word : words) affinity += text.count(word) > 0;
  int64_t argument = ArgumentOf(clause, signatures_);
  if (argument >= 0 && absl::StrContains(id, "/operand-") &&
      absl::EndsWith(id, absl::StrCat("/", argument))) {
    affinity += 2;
  }
  const int taken = used_.count(fault) == 0 ? 0 : 2 * used_.at(fault);
  // A fault is specific to the clause if its description shares words with the sentence and only
  // cases of this clause detect it.
  const bool own = affinity > 0 && noticed.own == noticed.all;
  const int kind = (its_rule ? 0 : 4) + (proves_little ? 2 : 0) + (own ? 0 : 1);
  return {kind, -affinity, noticed.all - noticed.own + taken, of_family ? 1 : 0, id};
}

std::optional<ClauseKill> Search::Best(const ClauseText& clause) {
  std::optional<std::pair<Score, ClauseKill>> best;
  size_t chosen = 0;
  for (size_t f = 0; f < faults_.size(); ++f) {
    Noticed noticed = Count(f, clause.id);
    if (noticed.own == 0) continue;
    Score score = ScoreOf(f, clause, noticed);
    if (best && best->first <= score) continue;
    chosen = f;
    const Trial& trial = trials_[noticed.trial];
    best = {score,
            {clause.id, faults_[f], trial.name,
             HashOf(*trial.one, *backends::FindFault(faults_[f])), noticed.own, noticed.all}};
  }
  if (!best) return std::nullopt;
  ++used_[chosen];
  return best->second;
}

// Runs the clause's cases on the fault of a line that was written by hand, or whose case or fault
// has changed.
std::optional<ClauseKill> Retried(const ClauseKill& kill, const std::vector<suites::Case>& cases,
                                  int jobs) {
  const backends::Fault* fault = backends::FindFault(kill.fault);
  if (fault == nullptr) return std::nullopt;
  std::vector<std::pair<const suites::Case*, std::string>> pairs;
  for (const suites::Case& one : cases) {
    if (one.tier == suites::Tier::kExhaustive) continue;  // these run for hours
    if (Cites(one, kill.clause)) pairs.emplace_back(&one, kill.fault);
  }
  std::vector<bool> killed = PairsKilled(pairs, jobs);
  ClauseKill result = kill;
  std::set<std::string> own;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!killed[i]) continue;
    if (own.empty()) {
      result.killed_by = pairs[i].first->address;
      result.hash = HashOf(*pairs[i].first, *fault);
    }
    own.insert(NameOf(pairs[i].first->address));
  }
  if (own.empty()) return std::nullopt;
  result.own = static_cast<int>(own.size());
  result.all = 0;
  return result;
}

// Counts the cases of the smoke tier and of the clause that detect the faults of new lines.
void CountAll(std::vector<ClauseKill>& kills, const std::vector<suites::Case>& cases, int jobs) {
  std::vector<std::string> faults;
  for (const ClauseKill& kill : kills)
    if (kill.all == 0) faults.push_back(kill.fault);
  if (faults.empty()) return;
  const std::vector<suites::Case> smoke = CasesOfSearch({}, cases);
  int64_t left_out = 0;
  const std::vector<Trial> trials = TrialsOfCases(smoke, left_out);
  const auto rows = KillMatrix(faults, trials, jobs, [](size_t) {});
  size_t row = 0;
  for (ClauseKill& kill : kills) {
    if (kill.all != 0) continue;
    std::set<std::string> others;
    for (size_t trial : rows[row])
      if (!Cites(*trials[trial].one, kill.clause)) others.insert(NameOf(trials[trial].name));
    kill.all = kill.own + static_cast<int>(others.size());
    kill.others.assign(others.begin(), others.end());
    ++row;
  }
}

// Returns the clause's line, unchanged or tried again; nullopt if the fault is not detected.
std::optional<ClauseKill> Kept(const std::string& clause, const std::vector<ClauseKill>& kills,
                               const ByAddress& by_address, const std::vector<suites::Case>& cases,
                               int jobs) {
  const auto line = std::find_if(kills.begin(), kills.end(),
                                 [&](const ClauseKill& kill) { return kill.clause == clause; });
  if (line == kills.end()) return std::nullopt;
  const bool holds =
      ErrorOf(*line, by_address).empty() &&
      HashOf(*by_address.at(line->killed_by), *backends::FindFault(line->fault)) == line->hash;
  std::optional<ClauseKill> kept = holds ? *line : Retried(*line, cases, jobs);
  if (!kept)
    std::fprintf(stderr, "%s: %s is not detected\n", line->clause.c_str(), line->fault.c_str());
  return kept;
}

}  // namespace

std::vector<ClauseKill> CompleteClauseKills(const std::vector<ClauseKill>& kills,
                                            const std::vector<ClauseText>& tested,
                                            const std::vector<suites::Case>& cases, int jobs,
                                            std::vector<std::string>& without) {
  const ByAddress by_address = CasesByAddress(cases);
  std::map<std::string, ClauseKill> lines;
  std::vector<ClauseText> missing;
  for (const ClauseText& clause : tested) {
    if (std::optional<ClauseKill> kept = Kept(clause.id, kills, by_address, cases, jobs)) {
      lines[clause.id] = *kept;
    } else {
      missing.push_back(clause);
    }
  }
  if (!missing.empty()) {
    Search search(missing, tested, cases, jobs);
    for (const ClauseText& clause : missing) {
      std::optional<ClauseKill> best = search.Best(clause);
      if (best) {
        lines[clause.id] = *best;
      } else {
        without.push_back(clause.id);
      }
    }
  }
  std::vector<ClauseKill> result;
  for (const ClauseText& clause : tested)
    if (lines.count(clause.id)) result.push_back(lines[clause.id]);
  CountAll(result, cases, jobs);
  return result;
}

}  // namespace hlocts::tools
