// hlocts selfcheck: the harness tests itself.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "backends/canary/fault.h"
#include "nlohmann/json.hpp"
#include "tools/commands.h"
#include "tools/common.h"
#include "tools/selfcheck/kill_rate.h"
#include "tools/selfcheck/noise_check.h"
#include "tools/suite_files.h"

namespace hlocts {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> parts, faults, queries;
  std::string tier = "smoke", profile = "default", out;
  int64_t jobs = 0, seeds = 2;
  double seconds = 60;
  bool json = false, list = false;
};

int List(bool json) {
  for (const Fault& fault : AllFaults()) {
    if (json) {
      Json line = {{"fault", fault.id},
                   {"class", std::string(FaultClassName(fault.fault_class))},
                   {"shared_layer", IsSharedLayer(fault.fault_class)},
                   {"what", fault.what}};
      std::cout << line.dump() << "\n";
    } else {
      std::printf("%-17s %-50s %s\n", std::string(FaultClassName(fault.fault_class)).c_str(),
                  fault.id.c_str(), fault.what.c_str());
    }
  }
  return kExitOk;
}

std::string SurvivalReason(const KillRecord& record) {
  if (record.modules == 0) return "no module has what it strikes";
  if (record.changed == 0) {
    return absl::StrCat("changed no output bit of ", record.modules, " modules");
  }
  return absl::StrCat("changed ", record.changed, " of ", record.modules,
                      " modules, always within the sets");
}

Json ToJson(const KillRecord& record) {
  Json json = {{"fault", record.fault},           {"class", record.fault_class},
               {"shared_layer", record.shared_layer}, {"what", record.what},
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

struct Tally {
  int64_t killed = 0, all = 0;
  void Add(bool is_killed) { killed += is_killed, ++all; }
  double Share() const { return all == 0 ? 0 : 100.0 * static_cast<double>(killed) / static_cast<double>(all); }
};

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
    if (!record.killed) out << "survivor " << record.fault << ": " << SurvivalReason(record) << "\n";
  }
}

// A file of the run's folder, or a stream that goes nowhere.
std::ofstream OutFile(const Options& options, const std::string& name) {
  if (options.out.empty()) return std::ofstream();
  std::filesystem::create_directories(options.out);
  return std::ofstream(options.out + "/" + name);
}

std::vector<std::string> SelectFaults(const std::vector<std::string>& wanted) {
  std::vector<std::string> ids;
  for (const Fault& fault : AllFaults()) {
    bool named = wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& name) {
                   return absl::StartsWith(fault.id, name) || FaultClassName(fault.fault_class) == name;
                 });
    if (named) ids.push_back(fault.id);
  }
  return ids;
}

int RunCanaries(const Options& options, const std::vector<Trial>& trials, Profile profile) {
  std::vector<std::string> ids = SelectFaults(options.faults);
  if (ids.empty()) return Fail(InvalidInput("--fault: no fault or class begins so"));
  int jobs = static_cast<int>(options.jobs > 0 ? options.jobs
                                               : std::max(1u, std::thread::hardware_concurrency()));
  std::ofstream lines = OutFile(options, "canaries.jsonl");
  std::vector<KillRecord> records =
      TryFaults(ids, trials, profile, jobs, options.seconds, [&](const KillRecord& record) {
        if (options.json) std::cout << ToJson(record).dump() << std::endl;
        lines << ToJson(record).dump() << std::endl;
      });
  if (!options.json) PrintKillTable(records, std::cout);
  std::ofstream table = OutFile(options, "canaries.txt");
  PrintKillTable(records, table);
  int64_t killed = std::count_if(records.begin(), records.end(),
                                 [](const KillRecord& record) { return record.killed; });
  // Of all faults 95 % are asked for.
  return killed * 100 >= static_cast<int64_t>(records.size()) * 95 ? kExitOk : kExitFailed;
}

void PrintNoise(const NoiseReport& report, const std::string& profile, std::ostream& out) {
  out << absl::StrFormat("legal noise, %s: %d runs, %d unlike the reference, %d failures", profile,
                         report.modules, report.unlike_reference, report.failures.size());
  for (const auto& [name, count] : report.verdicts) out << ", " << name << " " << count;
  out << absl::StrFormat("; %.2f bits checked, %d of %d elements unspecified\n",
                         report.bits_checked_mean, report.unspecified, report.elements);
  for (const NoiseReport::Failure& failure : report.failures) {
    out << "  " << failure.trial << " seed " << failure.seed << ": "
        << VerdictName(failure.verdict.kind) << " " << failure.verdict.reason;
    if (const auto& first = failure.verdict.first_failure) {
      out << " [" << first->instruction << ", " << first->rule << ": " << first->actual
          << ", accepted " << first->accepted << "]";
    }
    out << "\n";
  }
}

int RunNoise(const Options& options, const std::vector<Trial>& trials) {
  bool clean = true;
  std::ofstream table = OutFile(options, "noise.txt");
  std::vector<uint64_t> seeds;
  for (int64_t seed = 1; seed <= options.seeds; ++seed) seeds.push_back(static_cast<uint64_t>(seed));
  for (Profile profile : kAllProfiles) {
    NoiseReport report = CheckNoise(trials, profile, seeds);
    PrintNoise(report, std::string(ProfileName(profile)), std::cout);
    PrintNoise(report, std::string(ProfileName(profile)), table);
    clean = clean && report.failures.empty();
  }
  return clean ? kExitOk : kExitFailed;
}

int RunSelfcheck(const Options& options) {
  if (options.list) return List(options.json);
  auto tier = TierFromName(options.tier);
  if (!tier) return Fail(InvalidInput("--tier: expected smoke, presubmit, nightly or exhaustive"));
  auto profile = ProfileFromName(options.profile);
  if (!profile) return Fail(InvalidInput("--profile: expected strict, default or relaxed"));
  auto cases = SelectCases(options.queries, *tier);
  if (!cases.ok()) return Fail(cases.status());
  int64_t left_out = 0;
  std::vector<Trial> trials = TrialsOfCases(*cases, left_out);
  if (!options.json) {
    std::cout << trials.size() << " cases of tier " << options.tier << " (" << left_out
              << " that the reference does not evaluate)\n";
  }
  auto wants = [&](const char* part) {
    return options.parts.empty() ||
           std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  int status = kExitOk;
  if (wants("canaries")) status = std::max(status, RunCanaries(options, trials, *profile));
  if (wants("noise")) status = std::max(status, RunNoise(options, trials));
  return status;
}

}  // namespace

Command SelfcheckCommand() {
  return {"selfcheck", "plant faults, use permissions, and see what the harness says",
          [](Flags& flags) {
            auto options = std::make_shared<Options>();
            flags.Positional("PART", &options->parts, "canaries, noise (default: all)");
            flags.Add("--tier", &options->tier, "tier of the cases: smoke, presubmit, ...");
            flags.Add("--query", &options->queries, "only these cases");
            flags.Add("--fault", &options->faults, "only faults or classes that begin so");
            flags.Add("--profile", &options->profile, "strict, default or relaxed");
            flags.Add("--jobs", &options->jobs, "faults at a time (default: the processors)");
            flags.Add("--seeds", &options->seeds, "runs of legal noise on each module");
            flags.AddDuration("--time", &options->seconds, "at most, for each fault");
            flags.Add("--out", &options->out, "folder for the figures");
            flags.Add("--list", &options->list, "list the faults and do nothing");
            flags.Add("--json", &options->json, "print JSON lines");
            return [options] { return RunSelfcheck(*options); };
          }};
}

}  // namespace hlocts
