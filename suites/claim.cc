// SPDX-License-Identifier: Apache-2.0
#include "suites/claim.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/installed_backend.h"
#include "nlohmann/json.hpp"
#include "reports/run_record.h"
#include "spec/base/json_text.h"
#include "spec/clauses/documents.h"
#include "spec/files/file_io.h"
#include "suites/expectations.h"
#include "suites/run_folder.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"

namespace hlocts::suites {
namespace {

using Json = nlohmann::ordered_json;

// The data on which verdicts depend: the cases, and the clauses that they cite.
constexpr const char* kSuiteFolders[] = {"suites/cases", "spec/clauses"};
// The file with the hashes of all files of the claim, in the format of `sha256sum -c`.
constexpr char kSums[] = "/SHA256SUMS";

absl::StatusOr<Json> SuiteHashes() {
  Json hashes;
  for (const char* folder : kSuiteFolders) {
    HLOCTS_ASSIGN_OR_RETURN(hashes[folder],
                            Sha256OfFolder(absl::StrCat(HomeFolder(), "/", folder)));
  }
  return hashes;
}

// Returns the newest edition of the operation semantics: the first entry of documents.textproto.
absl::StatusOr<std::string> Edition() {
  HLOCTS_ASSIGN_OR_RETURN(Documents documents,
                          Documents::Load(HomeFolder() + "/spec/clauses/documents.textproto"));
  return SourceOf({&documents.all().front()});
}

// Returns the hash of each file from lines in the format of sha256sum. Adds invalid and duplicate
// lines to `problems`.
std::map<std::string, std::string> HashesByName(absl::string_view lines,
                                                std::vector<std::string>& problems) {
  std::map<std::string, std::string> hashes;
  for (absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> row = absl::StrSplit(line, absl::MaxSplits("  ", 1));
    if (row.first.size() != 64 || row.second.empty()) {
      problems.push_back(absl::StrCat("SHA256SUMS: expected \"hash  name\", found \"", line, "\""));
    } else if (!hashes.emplace(row.second, row.first).second) {
      problems.push_back(absl::StrCat("SHA256SUMS: file ", row.second, " is listed twice"));
    }
  }
  return hashes;
}

// Returns the lines of SHA256SUMS: one for each file of the directory, except SHA256SUMS and its
// signature SHA256SUMS.asc.
absl::StatusOr<std::string> SumsOf(const std::string& folder) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string all, HashesOfFolder(folder));
  std::string sums;
  for (absl::string_view line : absl::StrSplit(all, '\n', absl::SkipEmpty())) {
    const absl::string_view name = line.substr(line.find(' ') + 2);
    if (!absl::StartsWith(name, "SHA256SUMS")) absl::StrAppend(&sums, line, "\n");
  }
  return sums;
}

// Compares the files of the directory with SHA256SUMS.
absl::Status CheckFiles(const std::string& folder, std::vector<std::string>& problems) {
  HLOCTS_ASSIGN_OR_RETURN(const std::string sums, ReadFile(folder + kSums));
  HLOCTS_ASSIGN_OR_RETURN(const std::string now, SumsOf(folder));
  if (now == sums) return absl::OkStatus();
  const size_t before = problems.size();
  auto claimed = HashesByName(sums, problems);
  for (const auto& [name, hash] : HashesByName(now, problems)) {
    auto row = claimed.extract(name);
    if (!row.empty() && row.mapped() == hash) continue;
    problems.push_back(absl::StrCat(
        "file ", name, row.empty() ? " is not listed in SHA256SUMS" : " differs from the claim"));
  }
  for (const auto& [name, hash] : claimed)
    problems.push_back(absl::StrCat("file ", name, " is missing"));
  if (problems.size() == before)
    problems.emplace_back("SHA256SUMS: expected a line for each file, sorted by name");
  return absl::OkStatus();
}

// Returns a field, or null if there is none.
Json FieldOf(const Json& json, const std::string& name) {
  return json.contains(name) ? json[name] : Json();
}

std::string CpuModel() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (absl::StartsWith(line, "model name")) return line.substr(line.find(':') + 2);
  }
  return "";
}

Json Machine() {
  utsname name{};
  uname(&name);
  return {{"system", absl::StrCat(name.sysname, " ", name.release, " ", name.machine)},
          {"processor", CpuModel()},
          {"processors", std::thread::hardware_concurrency()},
          {"memory_bytes", static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)}};
}

// Returns the number of verdicts of each kind on each engine ("flake" for those that vary, as in
// the scorecard), and the number of expected ones.
Json Counts(const std::vector<reports::Verdict>& verdicts) {
  std::map<std::string, std::map<std::string, int64_t>> counts;
  for (const reports::Verdict& verdict : verdicts) {
    std::map<std::string, int64_t>& engine = counts[verdict.backend];
    ++engine[verdict.flake.empty() ? std::string(OutcomeName(verdict.kind)) : "flake"];
    ++engine["cases"];
    engine["as expected"] += verdict.expected;
  }
  return Json(counts);
}

Json Versions(const std::vector<reports::Verdict>& verdicts) {
  std::map<std::string, std::string> versions;
  for (const reports::Verdict& verdict : verdicts)
    versions[verdict.backend] = verdict.backend_version;
  return Json(versions);
}

std::string ExpectationsName(const std::string& backend) {
  return std::filesystem::path(ExpectationsPath(backend)).filename();
}

// Returns hash and options of each engine that is a plugin file. Fails if a file is not the one
// that the run hashed at its start.
absl::StatusOr<Json> PluginsOf(const std::map<std::string, std::string>& engines,
                               const reports::RunRecord& record) {
  const std::map<std::string, std::string> hashes = PluginHashes(engines);
  Json plugins = Json::object();
  for (const auto& [recorded, given] : engines) {
    HLOCTS_ASSIGN_OR_RETURN(backends::BackendName name, backends::ParseBackendName(given));
    if (PluginFileOf(name).empty()) continue;
    const auto before = record.plugins.find(recorded), now = hashes.find(recorded);
    if (now == hashes.end())
      return InvalidInput("--claim: ", recorded,
                          ": the plugin's file cannot be read, so no claim is written");
    if (before == record.plugins.end() || before->second != now->second)
      return InvalidInput("--claim: ", recorded,
                          ": the plugin changed during the run, so no claim is written");
    Json options = Json::object();
    for (const auto& [key, value] : backends::OptionsInEffect(given)) options[key] = value;
    plugins[recorded] = {{"sha256", now->second}, {"options", options}};
  }
  return plugins;
}

void CompareSuite(const Json& claimed, const Json& found, std::vector<std::string>& problems) {
  for (const auto& [name, hash] : found.items()) {
    if (FieldOf(claimed, name) != hash)
      problems.push_back(absl::StrCat("your suite's directory ", name, " (in ", HomeFolder(),
                                      ") differs from the claim's"));
  }
}

// Checks that the suite contains each reason by which an inconclusive verdict is excused.
void CheckInconclusiveReasons(const std::vector<Case>& cases, const reports::LoadedRun& run,
                              std::vector<std::string>& problems) {
  std::map<absl::string_view, const Case*> by_address;
  for (const Case& one : cases) by_address[one.address] = &one;
  for (const reports::Verdict& verdict : run.verdicts) {
    const std::string& claimed = verdict.inconclusive_by_nature;
    auto one = by_address.find(verdict.case_address);
    if (claimed.empty() || one == by_address.end()) continue;
    const bool relaxed = ProfileFromName(verdict.profile) == Profile::kRelaxed;
    if (claimed == (relaxed ? one->second->inconclusive_in_relaxed : one->second->inconclusive))
      continue;
    problems.push_back(absl::StrCat(verdict.case_address, " on ", verdict.backend,
                                    ": the case does not declare \"", claimed, "\""));
  }
}

// Checks that the run has all cases of its tier in this suite that its queries select.
void CheckSelection(const reports::LoadedRun& run, std::vector<std::string>& problems) {
  const reports::RunRecord& record = run.record;
  absl::StatusOr<std::vector<Case>> cases = InvalidInput("no tier: ", record.tier);
  if (auto tier = TierFromName(record.tier)) cases = SelectCases(record.queries, *tier);
  if (!cases.ok()) {
    problems.emplace_back(cases.status().message());
    return;
  }
  CheckInconclusiveReasons(*cases, run, problems);
  std::vector<std::string> addresses = AddressesOf(*cases);
  std::sort(addresses.begin(), addresses.end());
  if (addresses != record.selection) {
    problems.push_back(absl::StrCat("selection.txt names ", record.selection.size(),
                                    " cases, of which this suite has ", addresses.size()));
  }
}

absl::Status CheckExpected(const std::string& folder, const reports::LoadedRun& run,
                           std::vector<std::string>& problems) {
  std::map<std::string, ExpectationList> lists;
  // Entries expire by the date of the run, and only in tiers that check expiry.
  auto tier = TierFromName(run.record.tier);
  const std::string today = tier && *tier >= Tier::kNightly ? run.record.started.substr(0, 10) : "";
  for (const reports::Verdict& verdict : run.verdicts) {
    const std::string path =
        absl::StrCat(folder, "/expectations/", ExpectationsName(verdict.backend));
    if (!lists.count(path)) {
      HLOCTS_ASSIGN_OR_RETURN(lists[path], ExpectationList::Load(path));
    }
    reports::Verdict again = verdict;
    lists[path].Apply(again, today);
    if (again.expected != verdict.expected) {
      problems.push_back(
          absl::StrCat(verdict.case_address, " on ", verdict.backend, ": the record says \"",
                       verdict.expected ? "" : "not ",
                       "as expected\"; the package's expectations say the opposite"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteClaim(const ClaimOptions& options, const std::string& folder) {
  // Removes the files of an earlier claim in this directory, with the signature of its sums.
  for (const std::string name : {"/claim.json", kSums, "/SHA256SUMS.asc"})
    std::filesystem::remove(folder + name);
  HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(folder));
  HLOCTS_ASSIGN_OR_RETURN(Json plugins, PluginsOf(options.engines, run.record));
  std::filesystem::create_directories(folder + "/expectations");
  for (const auto& [engine, file] : options.expectations_files) {
    if (!std::filesystem::exists(file)) continue;
    HLOCTS_ASSIGN_OR_RETURN(const std::string list, ReadFile(file));
    HLOCTS_RETURN_IF_ERROR(
        WriteFile(absl::StrCat(folder, "/expectations/", ExpectationsName(engine)), list));
  }
  Json claim = {{"format", 2},
                {"command", options.command},
                {"made", reports::UtcNow()},
                {"machine", Machine()},
                {"engines", Versions(run.verdicts)},
                {"plugins", std::move(plugins)},
                {"counts", Counts(run.verdicts)}};
  HLOCTS_ASSIGN_OR_RETURN(claim["program"], Sha256OfFile("/proc/self/exe"));
  HLOCTS_ASSIGN_OR_RETURN(claim["edition"], Edition());
  HLOCTS_ASSIGN_OR_RETURN(claim["suite"], SuiteHashes());
  HLOCTS_RETURN_IF_ERROR(WriteFile(folder + "/claim.json", JsonText(claim, 1) + "\n"));
  HLOCTS_ASSIGN_OR_RETURN(const std::string sums, SumsOf(folder));
  return WriteFile(folder + kSums, sums);
}

absl::StatusOr<std::vector<std::string>> CheckClaim(const std::string& folder,
                                                    bool& suite_differs) {
  const std::string path = folder + "/claim.json";
  if (!std::filesystem::exists(path) && !std::filesystem::exists(folder + kSums)) {
    if (auto run = reports::LoadRun(folder); run.ok() && run->record.finished.empty())
      return InvalidInput(folder,
                          ": the run is not finished, and the claim is written at its end: "
                          "continue it with --resume --claim");
    return InvalidInput(folder, ": expected a directory of `run --claim`, found no claim.json");
  }
  std::vector<std::string> problems, of_suite;
  suite_differs = false;
  if (absl::Status files = CheckFiles(folder, problems); !files.ok())
    problems.emplace_back(files.message());
  auto text = ReadFile(path);
  const Json claim = text.ok() ? ParseJson<Json>(*text) : Json();
  if (FieldOf(claim, "format") != 2) {
    problems.push_back(absl::StrCat(path, ": expected a claim of format 2"));
    return problems;
  }
  HLOCTS_ASSIGN_OR_RETURN(Json suite, SuiteHashes());
  HLOCTS_ASSIGN_OR_RETURN(const std::string edition, Edition());
  CompareSuite(FieldOf(claim, "suite"), suite, of_suite);
  if (FieldOf(claim, "edition") != edition)
    of_suite.push_back(absl::StrCat("the edition of your clauses is ", edition));
  auto loaded = reports::LoadRun(folder);
  if (!loaded.ok()) {
    problems.emplace_back(loaded.status().message());
    return problems;
  }
  const reports::LoadedRun& run = *loaded;
  CheckSelection(run, of_suite.empty() ? problems : of_suite);
  reports::MergedRun merged = reports::MergeRuns({run});
  problems.insert(problems.end(), merged.problems.begin(), merged.problems.end());
  if (FieldOf(claim, "counts") != Counts(run.verdicts))
    problems.push_back("the claimed counts differ from those of the verdicts");
  if (absl::Status expected = CheckExpected(folder, run, problems); !expected.ok())
    problems.emplace_back(expected.message());
  suite_differs = problems.empty() && !of_suite.empty();
  problems.insert(problems.end(), of_suite.begin(), of_suite.end());
  return problems;
}

}  // namespace hlocts::suites
