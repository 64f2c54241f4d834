// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts selfcheck`: tests the harness itself.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "backends/backend_list.h"
#include "backends/selftest/faults/fault.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/clauses/registry.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"
#include "tools/selfcheck/clause_kills.h"
#include "tools/selfcheck/clause_rows.h"
#include "tools/selfcheck/mutants.h"
#include "tools/selfcheck/noise_check.h"
#include "tools/selfcheck/variant_check.h"

namespace hlocts::tools {
namespace {

// Returns the clauses that cases test. Clauses that programs test are covered by unit tests.
absl::StatusOr<std::vector<ClauseText>> ClausesOfCases() {
  HLOCTS_ASSIGN_OR_RETURN(ClauseRegistry registry,
                          ClauseRegistry::Load(suites::HomeFolder() + "/spec/clauses"));
  const auto of_programs = ProgramsOfClauses();
  std::vector<ClauseText> clauses;
  for (const Clause& clause : registry.clauses()) {
    if (clause.state != ClauseState::kTested || of_programs.count(clause.id)) continue;
    clauses.push_back({clause.id, clause.text});
  }
  return clauses;
}

// Returns true for a fault that changes a result or operand in a way that is unrelated to the
// sentence, perhaps in only one element. It is weaker evidence than a specific bug.
bool IsGeneric(const std::string& fault) {
  return absl::StrContains(fault, "/result-") || absl::StrContains(fault, "/operand-");
}

void PrintSpecificity(const std::vector<ClauseKill>& kills) {
  int alone = 0, mostly = 0, generic = 0;
  for (const ClauseKill& kill : kills) {
    alone += kill.own == kill.all;
    generic += kill.own == kill.all && IsGeneric(kill.fault);
    mostly += 2 * kill.own >= kill.all;
  }
  std::cout << absl::StrFormat(
      "%d clauses have a fault: %d are detected only by cases of the clause (for %d some value "
      "is wrong), %d by these cases at least as often as by all others\n",
      kills.size(), alone, generic, mostly);
}

// Prints cases that fail if the clause is broken, but do not cite the clause. Either they should
// cite it, or the fault breaks more than the clause.
void PrintOthers(const std::vector<ClauseKill>& kills) {
  for (const ClauseKill& kill : kills) {
    if (kill.others.empty()) continue;
    std::cout << kill.clause << ": " << kill.fault << " is detected by others:";
    for (const std::string& name : kill.others) std::cout << " " << name;
    std::cout << "\n";
  }
}

int Update(std::vector<ClauseKill> kills, const std::vector<ClauseText>& clauses,
           const std::vector<suites::Case>& cases, int jobs, const std::string& path) {
  std::vector<std::string> without;
  kills = CompleteClauseKills(kills, clauses, cases, jobs, without);
  absl::Status written = WriteClauseKills(kills, path);
  if (!written.ok()) return Fail(written);
  for (const std::string& clause : without) std::cout << clause << ": no fault found\n";
  PrintOthers(kills);
  PrintSpecificity(kills);
  return without.empty() ? kExitOk : kExitFailed;
}

using Json = nlohmann::ordered_json;

struct SelfcheckOptions {
  std::vector<std::string> parts, faults, queries;
  std::string tier, profile, facts, out;
  int64_t jobs = 0, seeds = 2, modules = 0, partitions = 1;
  std::optional<uint64_t> seed;
  double seconds = 60;
  bool json = false, list = false, update = false, changed = false, typical = false,
       suspect = false, verbose = false;
};

// A line for each part (of clauses, none), printed when all have ended.
using Lines = std::vector<std::string>;

std::vector<std::string> SelectFaults(const std::vector<std::string>& wanted) {
  std::vector<std::string> ids;
  for (const backends::Fault& fault : backends::AllFaults()) {
    bool named = wanted.empty() || absl::c_any_of(wanted, [&](const auto& name) {
                   return absl::StartsWith(fault.id, name) ||
                          backends::FaultClassName(fault.fault_class) == name;
                 });
    if (named) ids.push_back(fault.id);
  }
  return ids;
}

int List(const SelfcheckOptions& options) {
  const std::vector<std::string> ids = SelectFaults(options.faults);
  for (const backends::Fault& fault : backends::AllFaults()) {
    if (!absl::c_linear_search(ids, fault.id)) continue;
    if (options.json) {
      Json line = {{"fault", fault.id},
                   {"class", std::string(backends::FaultClassName(fault.fault_class))},
                   {"shared_layer", backends::IsSharedLayer(fault.fault_class)},
                   {"what", fault.what}};
      std::cout << JsonText(line) << "\n";
    } else {
      std::printf("%-17s %-50s %s\n",
                  std::string(backends::FaultClassName(fault.fault_class)).c_str(),
                  fault.id.c_str(), fault.what.c_str());
    }
  }
  return kExitOk;
}

// Returns a file in the run's directory; if there is none, a stream that discards all output.
std::ofstream OutFile(const SelfcheckOptions& options, const std::string& name) {
  if (options.out.empty()) return std::ofstream();
  std::filesystem::create_directories(options.out);
  return std::ofstream(options.out + "/" + name);
}

int JobsOf(const SelfcheckOptions& options) {
  return static_cast<int>(options.jobs > 0 ? options.jobs
                                           : std::max(1u, std::thread::hardware_concurrency()));
}

int RunSelfcheckClauses(const SelfcheckOptions& options) {
  auto clauses = ClausesOfCases();
  if (!clauses.ok()) return Fail(clauses.status());
  auto cases = suites::SelectCases({}, suites::Tier::kExhaustive);
  if (!cases.ok()) return Fail(cases.status());
  const std::string path = suites::HomeFolder() + "/suites/clause_mutants.txt";
  auto kills = ReadClauseKills(path);
  if (!kills.ok()) return Fail(kills.status());
  if (options.update) return Update(*kills, *clauses, *cases, JobsOf(options), path);
  ClauseKillCheck check;
  for (const ClauseText& clause : *clauses) check.tested.push_back(clause.id);
  check.changed_only = options.changed;
  check.jobs = JobsOf(options);
  int run = 0;
  std::vector<std::string> errors = CheckClauseKills(*kills, *cases, check, run);
  for (const std::string& error : errors) std::cout << error << "\n";
  std::cout << run << " pairs of fault and case run, " << errors.size() << " errors\n";
  PrintSpecificity(*kills);
  return errors.empty() ? kExitOk : kExitFailed;
}

// If at least this many faults are selected, 95 % must be detected; if fewer are, one must be.
constexpr size_t kShareMin = 20;

int RunSeededFaults(const SelfcheckOptions& options, const std::vector<Trial>& trials,
                    Profile profile, Lines& closing) {
  const std::vector<std::string> ids = SelectFaults(options.faults);
  auto run = [&](const std::vector<std::string>& faults, const std::vector<Trial>& on) {
    return RunMutants(FaultMutants(faults, on, profile, options.seconds), JobsOf(options),
                      options.seconds + 30, [](const MutantRecord&) {});
  };
  std::vector<MutantRecord> records = run(ids, trials);
  std::vector<std::string> survivors;
  for (const MutantRecord& record : records)
    if (!record.noticed) survivors.push_back(record.name);
  if (options.modules > 0 && !survivors.empty()) {
    std::vector<MutantRecord> again =
        run(survivors, GeneratedTrials(options.seed.value_or(1), options.modules));
    size_t next = 0;
    for (MutantRecord& record : records) {
      if (record.noticed) continue;
      again[next].modules += record.modules;
      again[next].changed += record.changed;
      record = std::move(again[next++]);
    }
  }
  size_t killed = 0;
  std::ofstream lines = OutFile(options, "faults.jsonl");
  for (const MutantRecord& record : records) {
    killed += record.noticed;
    if (options.json) {
      std::cout << JsonText(ToJson(record)) << std::endl;
    } else if (record.noticed && !options.faults.empty()) {
      std::cout << "found " << record.name << ": " << record.verdict << ", " << record.by << "\n";
    }
    lines << JsonText(ToJson(record)) << std::endl;
  }
  if (!options.json) PrintKillTable(records, std::cout);
  std::ofstream table = OutFile(options, "faults.txt");
  PrintKillTable(records, table);
  const bool few = records.size() < kShareMin;
  const bool enough = few ? killed > 0 : killed * 100 >= records.size() * 95;
  closing.push_back(absl::StrFormat("seeded faults: %d of %d detected (goal: %s)", killed,
                                    records.size(), few ? "1" : "95 % with --tier=presubmit"));
  return enough ? kExitOk : kExitFailed;
}

int RunNoise(const SelfcheckOptions& options, const std::vector<Trial>& trials, Lines& closing) {
  size_t failures = 0;
  std::ofstream table = OutFile(options, "noise.txt");
  std::vector<uint64_t> seeds(static_cast<size_t>(std::max<int64_t>(options.seeds, 0)));
  std::iota(seeds.begin(), seeds.end(), 1);
  for (Profile profile : kAllProfiles) {
    if (!options.profile.empty() && ProfileName(profile) != options.profile) continue;
    const std::string where(ProfileName(profile));
    auto tell = [&](const NoiseReport& report, const std::string& on_what) {
      PrintNoise(report, on_what, std::cout);
      PrintNoise(report, on_what, table);
      failures += report.failures.size();
    };
    const NoiseMode mode{profile, options.facts, options.typical, options.suspect,
                         options.partitions};
    tell(CheckNoise(trials, mode, seeds), where + ", cases");
    if (options.modules == 0) continue;
    StatusLine line;
    size_t reported = 0;
    auto tick = [&](const NoiseReport& report) {  // prints each failure when it occurs
      line.Clear();
      for (; reported < report.failures.size(); ++reported)
        std::cerr << NoiseLine(report.failures[reported]);
      line.Show(absl::StrCat("  ", report.modules, " of ", options.modules, " modules, ", reported,
                             " failures"),
                /*in_log=*/true);
    };
    const NoiseReport report = CheckNoiseOnGenerated(options.seed.value_or(1), options.modules,
                                                     mode, JobsOf(options), tick);
    line.Clear();
    tell(report, where + ", generated");
  }
  closing.push_back(absl::StrFormat("legal noise: %d failures (goal: 0)", failures));
  return failures == 0 ? kExitOk : kExitFailed;
}

int RunRules(const SelfcheckOptions& options, std::vector<Trial> trials, Lines& closing) {
  for (Trial& trial : GeneratedTrials(options.seed.value_or(1), options.modules))
    trials.push_back(std::move(trial));
  std::vector<std::string> killed;
  RunMutants(FaultMutants(SelectFaults({}), trials, Profile::kDefault, options.seconds),
             JobsOf(options), options.seconds + 30, [&](const MutantRecord& record) {
               if (record.noticed) killed.push_back(record.name);
             });
  std::ofstream table = OutFile(options, "mutants.txt");
  Tally tally;
  int64_t without_effect = 0;
  auto report = [&](const MutantRecord& record) {
    const bool unfinished = record.verdict == "timeout", noticed = record.noticed && !unfinished;
    std::string how = absl::StrCat("detected by ", record.by, record.verdict);
    if (!record.noticed && record.changed == 0) {
      ++without_effect;
      how = "changes no set";
    } else {
      tally.Add(noticed);
      if (!noticed) how = absl::StrCat("NOT NOTICED ", unfinished ? "not finished" : "");
      if (record.changed > 0) absl::StrAppend(&how, "(changes the sets of ", record.changed, ")");
    }
    const std::string line = absl::StrCat(record.name, ": ", how);
    table << line << std::endl;
    if (options.verbose || how != "changes no set") std::cout << line << std::endl;
  };
  RunMutants(RuleMutants(trials, killed), JobsOf(options), kRuleSeconds, report);
  table << closing.emplace_back(absl::StrFormat(
               "rule mutants: %d of %d that change a set detected, %.1f %%; %d change no set",
               tally.killed, tally.all, tally.Share(), without_effect))
        << std::endl;
  return kExitOk;
}

int RunVariants(const SelfcheckOptions& options, Lines& closing) {
  constexpr int64_t kModulesPerVariant = 40;  // rules for rare operations need many modules
  const int64_t wanted = options.modules > 0 ? options.modules : 20;
  std::ofstream table = OutFile(options, "variants.txt");
  int64_t variants = 0, failures = 0, rules = 0;
  for (const VariantCounts& tally :
       CheckVariants(options.seed.value_or(1), wanted, wanted * kModulesPerVariant)) {
    std::string line = absl::StrFormat(
        "%-12s %-40s %-7s %6d variants, %d failures",
        std::string(generators::RuleGroupName(tally.rule->group)), std::string(tally.rule->name),
        tally.rule->effect == generators::RuleEffect::kExact ? "exact" : "bounded", tally.variants,
        tally.failures.size());
    for (const std::string& failure : tally.failures) absl::StrAppend(&line, "\n  ", failure);
    std::cout << line << std::endl;
    table << line << std::endl;
    ++rules, variants += tally.variants, failures += static_cast<int64_t>(tally.failures.size());
  }
  table << closing.emplace_back(absl::StrFormat("%d metamorphic rules, %d variants, %d failures",
                                                rules, variants, failures))
        << "\n";
  return failures == 0 ? kExitOk : kExitFailed;
}

// Returns the selected parts. "mutants" selects three of them: seeded faults, changed rules and
// broken clauses.
absl::StatusOr<std::set<std::string>> PartsOf(const SelfcheckOptions& options) {
  const std::set<std::string> mutants = {"faults", "rules", "clauses"};
  // Names that were used before version 1.0; version 1 accepts them too.
  const std::map<std::string, std::string> aliases = {{"canaries", "faults"},
                                                      {"twins", "variants"}};
  std::set<std::string> parts;
  if (options.parts.empty()) parts = {"faults"};
  if (options.parts.empty() && options.faults.empty()) parts.insert({"rules", "noise", "variants"});
  for (std::string part : options.parts) {
    if (auto alias = aliases.find(part); alias != aliases.end()) part = alias->second;
    if (part == "mutants") {
      parts.insert(mutants.begin(), mutants.end());
    } else if (part == "noise" || part == "variants" || mutants.count(part) > 0) {
      parts.insert(part);
    } else {
      return InvalidInput(
          "selfcheck: expected mutants (or one of faults, rules, clauses), noise, variants; found ",
          part);
    }
  }
  if ((options.update || options.changed) && parts.count("clauses") == 0)
    return InvalidInput("--update, --changed: expected the part \"clauses\"");
  if (!options.faults.empty() && parts.count("faults") == 0)
    return InvalidInput("--fault: expected the part: hlocts selfcheck faults --fault=NAME");
  return parts;
}

// The cases of a tier, and trials of those that the reference evaluates. Trials point to cases.
struct TierTrials {
  std::vector<suites::Case> cases;
  std::vector<Trial> trials;
};

absl::StatusOr<TierTrials> TrialsOfTier(const SelfcheckOptions& options, const std::string& tier) {
  TierTrials of;
  HLOCTS_ASSIGN_OR_RETURN(of.cases,
                          suites::SelectCases(options.queries, *suites::TierFromName(tier)));
  int64_t left_out = 0;
  of.trials = TrialsOfCases(of.cases, left_out);
  if (!options.json)
    std::cout << of.trials.size() << " cases of tier " << tier << " (" << left_out
              << " that the reference does not evaluate)\n";
  return of;
}

int RunSelfcheck(const SelfcheckOptions& options) {
  for (const std::string& name : options.faults)
    if (SelectFaults({name}).empty())
      return Fail(InvalidInput("--fault: no fault or class has the prefix \"", name,
                               "\"; hlocts selfcheck --list lists both"));
  if (options.list) return List(options);
  auto parts = PartsOf(options);
  if (!parts.ok()) return Fail(parts.status());
  auto profile = ProfileFromName(options.profile.empty() ? "default" : options.profile);
  const auto noise =
      backends::MakeInProcessBackend(absl::StrCat("legal-noise?facts=", options.facts));
  if (!noise.ok()) return Fail(Annotate(noise.status(), "--facts"));
  int status = kExitOk;
  Lines closing;
  for (const std::string part : {"clauses", "variants", "faults", "noise", "rules"}) {
    if (!parts->count(part)) continue;
    std::optional<TextAside> aside(options.json && part != "faults");
    absl::StatusOr<TierTrials> of = TierTrials();
    if (part != "clauses" && part != "variants")
      of = TrialsOfTier(options, !options.tier.empty() ? options.tier
                                 : part == "rules"     ? "smoke"
                                                       : "presubmit");
    if (!of.ok()) return Fail(of.status());
    const int one = part == "clauses"    ? RunSelfcheckClauses(options)
                    : part == "variants" ? RunVariants(options, closing)
                    : part == "faults"   ? RunSeededFaults(options, of->trials, *profile, closing)
                    : part == "noise"    ? RunNoise(options, of->trials, closing)
                                         : RunRules(options, std::move(of->trials), closing);
    status = std::max(status, one);
    aside.reset();
    if (options.json && part != "faults")  // faults has a line for each fault
      std::cout << JsonText(Json{{"part", part},
                                 {"ok", one == kExitOk},
                                 {"sentence", closing.empty() ? "" : closing.back()}})
                << std::endl;
  }
  for (const std::string& line : closing) std::cout << (options.json ? "" : line + "\n");
  return status;
}

}  // namespace

Command SelfcheckCommand() {
  return {
      "selfcheck", "test the harness with seeded faults and legal noise", [](Flags& flags) {
        auto options = std::make_shared<SelfcheckOptions>();
        flags.Positional(
            "PART", &options->parts,
            "mutants (or only faults, rules or clauses), noise, variants; default: "
            "all except clauses (with --fault: faults). Exit status 1: fewer than 95 % of the "
            "faults are found "
            "(a minute on two processors; of fewer than 20 selected faults: none), a clause has "
            "no fault, legal noise or a variant fails. The share of detected rules has no goal",
            {"mutants", "faults", "rules", "clauses", "noise", "variants"});
        flags.AddTier(
            &options->tier,
            "tier of the cases (presubmit, which the 95 % are for; rules: smoke, for the time)");
        flags.Add("--query", &options->queries,
                  "mutants, noise: cases, selected by address as in run");
        flags.Add("--fault", &options->faults, "prefix of the names of faults or classes");
        flags.AddProfile(&options->profile);
        flags.Add("--facts", &options->facts, "noise: facts that it declares, or a target");
        flags.Add("--typical", &options->typical,
                  "noise: make errors of both signs; count what --unusual marks");
        flags.Add("--suspect", &options->suspect, "noise: count suspect verdicts");
        flags.Add("--partitions", &options->partitions,
                  "noise: largest number of devices that split sums");
        flags.Add("--jobs", &options->jobs, "parallel mutants (default: number of CPUs)");
        flags.Add("--seeds", &options->seeds, "number of runs of legal noise on each module");
        flags.Add("--modules", &options->modules, "number of additional random modules");
        flags.Add("--seed", &options->seed, "seed of the random modules (1)");
        flags.AddDuration("--time", &options->seconds, "time limit per seeded fault");
        flags.Add("--out", &options->out, "directory for the figures");
        flags.Add("--update", &options->update, "clauses: complete suites/clause_mutants.txt");
        flags.Add("--changed", &options->changed, "clauses: check only lines whose hash changed");
        flags.Add("--list", &options->list, "list the faults (of --fault) and run nothing");
        flags.Add("--verbose", &options->verbose, "rules: also print mutants that change no set");
        flags.Add("--json", &options->json, "print JSON lines");
        return [options] { return RunSelfcheck(*options); };
      }};
}

}  // namespace hlocts::tools
