// SPDX-License-Identifier: Apache-2.0
#include "suites/run_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "suites/replay.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"

namespace hlocts::suites {
namespace {

namespace fs = std::filesystem;

// Files that a run writes; --claim adds claim.json and expectations.
constexpr const char* kOwn[] = {"verdicts.jsonl", "replay.txt",    "failing.txt", "run.json",
                                "selection.txt",  "scorecard.txt", "claim.json",  "SHA256SUMS",
                                "cases",          "expectations"};

bool SameRun(const reports::RunRecord& a, const reports::RunRecord& b) {
  return a.backends == b.backends && a.tier == b.tier && a.profile == b.profile &&
         a.queries == b.queries && a.shard_index == b.shard_index &&
         a.shard_count == b.shard_count && a.selection == b.selection;
}

bool HasFilesOfCase(const std::string& folder) {
  return fs::exists(folder + "/replay.json") && fs::exists(folder + "/verdict.txt") &&
         (fs::exists(folder + "/module.hlo") || fs::exists(folder + "/control.hlo"));
}

absl::Status RemoveLines(const std::string& path,
                         const std::function<bool(absl::string_view)>& is_removed) {
  if (!fs::exists(path)) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::string kept;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (!is_removed(line)) absl::StrAppend(&kept, line, "\n");
  }
  return WriteFile(path, kept);
}

}  // namespace

std::map<std::string, std::string> PluginHashes(const std::map<std::string, std::string>& engines) {
  std::map<std::string, std::string> hashes;
  for (const auto& [recorded, given] : engines) {
    auto name = backends::ParseBackendName(given);
    if (!name.ok() || name->name != "pjrt") continue;
    if (auto hash = Sha256OfFile(name->argument); hash.ok()) hashes[recorded] = *hash;
  }
  return hashes;
}

RunFolder::RunFolder(std::string path, const backends::DiffOptions& options,
                     reports::RunRecord record, std::map<std::string, std::string> engines)
    : path_(std::move(path)),
      options_(options),
      record_(std::move(record)),
      engines_(std::move(engines)) {
  if (!path_.empty()) record_.plugins = PluginHashes(engines_);
}

absl::Status RunFolder::CheckSameRequest(const reports::RunRecord& earlier) const {
  if (SameRun(earlier, record_)) return absl::OkStatus();
  return InvalidInput("--out: ", path_,
                      " contains a run of other engines, cases, tier, profile or shard (",
                      absl::StrJoin(earlier.backends, ", "), "; tier ", earlier.tier, "; ",
                      earlier.selection.size(), " cases): expected another directory");
}

// Verdicts of two plugin files with one name are not one run.
absl::Status RunFolder::CheckSamePlugins(const reports::LoadedRun& earlier) const {
  const auto hash_in = [](const reports::RunRecord& record, const std::string& engine) {
    auto found = record.plugins.find(engine);
    return found == record.plugins.end() ? "" : found->second;
  };
  for (const reports::Verdict& verdict : earlier.verdicts) {
    if (hash_in(earlier.record, verdict.backend) == hash_in(record_, verdict.backend)) continue;
    return InvalidInput("--resume: ", path_, " contains verdicts of another file of ",
                        verdict.backend, " (its sha256 is not that of run.json): expected the ",
                        "same plugin or another directory");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::LoadEarlier() const {
  // A full disk or the end of the process may have left half a line, to which the next one would be
  // added.
  const std::string records = path_ + "/verdicts.jsonl";
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(records));
  std::error_code error;
  fs::resize_file(records, text.rfind('\n') + 1, error);  // npos + 1 is 0
  if (error) return InvalidInput("--out: ", records, ": ", error.message());
  HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(path_));
  HLOCTS_RETURN_IF_ERROR(CheckSameRequest(run.record));
  HLOCTS_RETURN_IF_ERROR(CheckSamePlugins(run));
  return WithFiles(std::move(run.verdicts));
}

std::string RunFolder::CaseFolder(const reports::Verdict& verdict) const {
  return absl::StrCat(
      path_, "/cases/", FolderNameOfCase(verdict.case_address),
      engines_.size() > 1 ? absl::StrCat("@", FolderNameOfCase(verdict.backend)) : "");
}

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::WithFiles(
    std::vector<reports::Verdict> verdicts) const {
  // A case runs again on every engine, so its verdicts are kept together.
  std::map<std::string, size_t> whole;
  for (const reports::Verdict& verdict : verdicts)
    whole[verdict.case_address] += !IsFailure(verdict.kind) || HasFilesOfCase(CaseFolder(verdict));
  std::vector<reports::Verdict> kept;
  std::set<size_t> lost;
  std::vector<std::string> folders, heads;  // of the entries in replay.txt and failing.txt
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (whole[verdicts[i].case_address] == engines_.size()) {
      kept.push_back(std::move(verdicts[i]));
      continue;
    }
    lost.insert(i);
    folders.push_back(
        absl::StrCat("/", fs::path(CaseFolder(verdicts[i])).filename().string(), "/"));
    heads.push_back(absl::StrCat("  ", verdicts[i].backend, "  ", verdicts[i].case_address));
  }
  if (lost.empty()) return kept;
  HLOCTS_RETURN_IF_ERROR(RemoveLines(path_ + "/replay.txt", [&](absl::string_view line) {
    return absl::c_any_of(folders, [&](const auto& one) { return absl::StrContains(line, one); });
  }));
  bool removed = false;  // an entry's further lines are indented
  HLOCTS_RETURN_IF_ERROR(RemoveLines(path_ + "/failing.txt", [&](absl::string_view line) {
    if (!absl::StartsWith(line, " "))
      removed = absl::c_any_of(heads, [&](const auto& one) { return absl::EndsWith(line, one); });
    return removed;
  }));
  size_t number = 0;
  HLOCTS_RETURN_IF_ERROR(RemoveLines(path_ + "/verdicts.jsonl",
                                     [&](absl::string_view) { return lost.count(number++) > 0; }));
  return kept;
}

// Removes only files that an earlier run of the same request wrote. Fails if the directory has
// another run, or a cases/ that no run wrote.
absl::Status RunFolder::Clean() const {
  std::error_code error;
  const bool is_run = HoldsRun();
  if (!is_run && fs::exists(path_) && !fs::is_empty(path_, error) && !error &&
      fs::exists(path_ + "/cases")) {
    return InvalidInput("--out: ", path_,
                        " contains cases/ but no run: expected another directory");
  }
  if (!is_run) return absl::OkStatus();
  const auto earlier = reports::ReadRunRecord(path_);
  if (!earlier.ok()) return Annotate(earlier.status(), "--out: expected another directory");
  HLOCTS_RETURN_IF_ERROR(CheckSameRequest(*earlier));
  for (const char* name : kOwn) fs::remove_all(absl::StrCat(path_, "/", name), error);
  return absl::OkStatus();
}

bool RunFolder::HoldsRun() const {
  return !path_.empty() &&
         (fs::exists(path_ + "/run.json") || fs::exists(path_ + "/verdicts.jsonl"));
}

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::Open(bool resume) {
  std::vector<reports::Verdict> earlier;
  if (path_.empty()) return earlier;
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return InvalidInput("--out: ", path_, ": ", error.message());
  auto lock = FolderLock::Take(path_);
  if (!lock.ok()) return Annotate(lock.status(), "--out");
  lock_ = *std::move(lock);
  if (resume && fs::exists(path_ + "/run.json")) {
    HLOCTS_ASSIGN_OR_RETURN(earlier, LoadEarlier());
  } else {
    HLOCTS_RETURN_IF_ERROR(Clean());
  }
  auto mode = earlier.empty() ? std::ios::trunc : std::ios::app;
  records_.open(path_ + "/verdicts.jsonl", mode);
  replays_.open(path_ + "/replay.txt", mode);
  failing_cases_.open(path_ + "/failing.txt", mode);
  if (!records_ || !replays_ || !failing_cases_)
    return InvalidInput("--out: ", path_, ": cannot be written");
  reports::SetMachine(record_);
  HLOCTS_ASSIGN_OR_RETURN(record_.suite, Sha256OfFolder(HomeFolder() + "/suites/cases"));
  HLOCTS_RETURN_IF_ERROR(reports::WriteRunRecord(record_, path_));
  return earlier;
}

absl::Status RunFolder::Add(const Case& one, const reports::Verdict& verdict) {
  if (path_.empty()) return absl::OkStatus();
  errno = 0;
  std::string replay;
  // A recorded failure has its files: if they cannot be written, the case is without a record, and
  // --resume runs it.
  if (IsFailure(verdict.kind)) {
    HLOCTS_ASSIGN_OR_RETURN(replay, WriteCaseFolder(one, verdict));
  }
  records_ << reports::VerdictToRecord(verdict) << std::endl;
  if (records_ && IsFailure(verdict.kind)) AddFailure(one, verdict, replay);
  if (!records_ || !replays_ || !failing_cases_)
    return InvalidInput("cannot write ", path_, ": ", std::strerror(errno));
  return absl::OkStatus();
}

absl::StatusOr<std::string> RunFolder::WriteCaseFolder(const Case& one,
                                                       const reports::Verdict& verdict) const {
  const std::string folder = CaseFolder(verdict);
  auto engine = engines_.find(verdict.backend);
  HLOCTS_ASSIGN_OR_RETURN(
      std::string line,
      WriteReplay(one, verdict, engine == engines_.end() ? verdict.backend : engine->second,
                  options_, folder));
  HLOCTS_RETURN_IF_ERROR(WriteFile(
      folder + "/verdict.txt",
      absl::StrCat(reports::VerdictToText(verdict), "\n", reports::ReasonText(verdict), "\n")));
  return line;
}

void RunFolder::AddFailure(const Case& one, const reports::Verdict& verdict,
                           const std::string& replay) {
  // The entry links a cell of the scorecard to the module, the clauses and the expectation.
  failing_cases_ << reports::VerdictToText(verdict) << "\n    suites/cases/" << one.place.file
                 << ":" << one.place.line << "  clauses " << absl::StrJoin(one.clauses, " ")
                 << "\n    "
                 << (verdict.expected ? "known: " + reports::ExpectationText(verdict)
                                      : "NOT EXPECTED")
                 << std::endl;
  replays_ << ShellQuoted(ProgramPath()) << " " << replay << "  # " << OutcomeName(verdict.kind)
           << (verdict.expected ? ", known" : "") << std::endl;
  ++(verdict.kind == Outcome::kInconclusive ? inconclusive_ : failures_);
  unexpected_ += !verdict.expected;
}

absl::Status RunFolder::Finish(const std::string& scorecard, bool complete) {
  if (path_.empty()) return absl::OkStatus();
  HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/scorecard.txt", scorecard));
  if (complete) record_.finished = reports::UtcNow();
  return reports::WriteRunRecord(record_, path_);
}

std::string RunFolder::Summary() const {
  const int64_t listed = failures_ + inconclusive_;
  if (path_.empty() || listed == 0) return "";
  std::string what = absl::StrCat(failures_, failures_ == 1 ? " failure" : " failures");
  if (inconclusive_ > 0) absl::StrAppend(&what, " and ", inconclusive_, " inconclusive");
  return absl::StrCat("next: ", ShellQuoted(ProgramAsCalled()), " replay ", ShellQuoted(path_),
                      " QUERY   (", what, "; ", unexpected_, " of these ", listed,
                      " not as expected; why: ", path_, "/failing.txt)\n");
}

}  // namespace hlocts::suites
