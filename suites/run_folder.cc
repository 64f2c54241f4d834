// SPDX-License-Identifier: Apache-2.0
#include "suites/run_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "spec/base/count_text.h"
#include "spec/files/file_io.h"
#include "spec/files/home_folder.h"
#include "suites/replay.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"

namespace hlocts::suites {
namespace {

namespace fs = std::filesystem;

// The files and directories that a run writes. Those of a claim are written only with --claim.
constexpr const char* kOwn[] = {"verdicts.jsonl", "replay.txt",    "failing.txt", "run.json",
                                "selection.txt",  "scorecard.txt", "claim.json",  "SHA256SUMS",
                                "cases",          "expectations"};

// The first line of replay.txt.
constexpr char kReplayHead[] =
    "# Run these commands in this directory, with the path of a plugin in place of its file name. "
    "`hlocts replay DIR CASE` works anywhere.\n";

// Returns a case's entries of failing.txt and replay.txt; nullopt if a file of it is missing.
std::optional<std::pair<std::string, std::string>> EntriesOf(const std::string& folder) {
  const bool whole = fs::exists(folder + "/replay.json") && fs::exists(folder + "/verdict.txt") &&
                     (fs::exists(folder + "/module.hlo") || fs::exists(folder + "/control.hlo"));
  auto failing = ReadFile(folder + "/failing.txt"), replay = ReadFile(folder + "/replay.txt");
  if (!whole || !failing.ok() || !replay.ok()) return std::nullopt;
  return std::pair(*std::move(failing), *std::move(replay));
}

}  // namespace

bool SameRun(const reports::RunRecord& a, const reports::RunRecord& b) {
  return a.backends == b.backends && a.tier == b.tier && a.profile == b.profile &&
         a.options == b.options && a.queries == b.queries && a.shard_index == b.shard_index &&
         a.shard_count == b.shard_count && a.selection == b.selection;
}

std::string PluginFileOf(const backends::BackendName& name) {
  return name.name == "pjrt" ? name.argument : backends::PluginOf(name.name).value_or("");
}

std::map<std::string, std::string> PluginHashes(const std::map<std::string, std::string>& engines) {
  std::map<std::string, std::string> hashes;
  for (const auto& [recorded, given] : engines) {
    const auto name = backends::ParseBackendName(given);
    const std::string file = name.ok() ? PluginFileOf(*name) : "";
    if (file.empty()) continue;
    if (auto hash = Sha256OfFile(file); hash.ok()) hashes[recorded] = *hash;
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
                      " contains a run of other engines, cases, tier, profile, shard or options (",
                      absl::StrJoin(earlier.backends, ", "), "; tier ", earlier.tier, "; ",
                      absl::StrJoin(earlier.options, "; ", absl::PairFormatter(" ")),
                      earlier.options.empty() ? "" : "; ", earlier.selection.size(),
                      " cases): expected another directory");
}

// Verdicts of different plugin files with the same name must not be mixed in one run.
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

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::LoadEarlier(const IsCurrent& is_current) {
  // If the disk was full or the process was killed, the last line may be incomplete: it must not be
  // continued by the next one.
  const std::string path = path_ + "/verdicts.jsonl";
  HLOCTS_ASSIGN_OR_RETURN(std::string records, ReadFile(path));
  records.resize(records.rfind('\n') + 1);  // npos + 1 is 0
  std::error_code error;
  fs::resize_file(path, records.size(), error);
  if (error) return InvalidInput("--out: ", path, ": ", error.message());
  HLOCTS_ASSIGN_OR_RETURN(reports::LoadedRun run, reports::LoadRun(path_));
  HLOCTS_RETURN_IF_ERROR(CheckSameRequest(run.record));
  HLOCTS_RETURN_IF_ERROR(CheckSamePlugins(run));
  record_.started = run.record.started;
  return Take(records, std::move(run.verdicts), is_current);
}

std::string RunFolder::CaseFolder(const reports::Verdict& verdict) const {
  return absl::StrCat(
      path_, "/cases/", FolderNameOfCase(verdict.case_address),
      engines_.size() > 1 ? absl::StrCat("@", FolderNameOfCase(verdict.backend)) : "");
}

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::Take(
    absl::string_view records, std::vector<reports::Verdict> verdicts,
    const IsCurrent& is_current) {
  const std::vector<absl::string_view> lines = absl::StrSplit(records, '\n', absl::SkipEmpty());
  if (lines.size() != verdicts.size())
    return InvalidInput("--out: ", path_, "/verdicts.jsonl: expected one verdict in each line");
  // A case runs again on all engines, so its verdicts are kept or dropped together.
  std::map<std::string, size_t> whole;
  for (const reports::Verdict& verdict : verdicts)
    whole[verdict.case_address] +=
        is_current(verdict) && (!IsFailure(verdict.kind) || EntriesOf(CaseFolder(verdict)));
  std::vector<reports::Verdict> kept;
  std::string left, failing, replays = kReplayHead;
  for (size_t i = 0; i < lines.size(); ++i) {
    reports::Verdict& verdict = verdicts[i];
    if (whole[verdict.case_address] != engines_.size()) continue;
    absl::StrAppend(&left, lines[i], "\n");
    if (IsFailure(verdict.kind)) {
      const auto entries = EntriesOf(CaseFolder(verdict));
      absl::StrAppend(&failing, entries->first);
      absl::StrAppend(&replays, entries->second);
    }
    Count(verdict);
    kept.push_back(std::move(verdict));
  }
  HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/failing.txt", failing));
  HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/replay.txt", replays));
  if (kept.size() < verdicts.size())
    HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/verdicts.jsonl", left));
  return kept;
}

// Removes only files that an earlier run of the same request or without verdicts wrote. Fails if
// the directory has verdicts of another run, or has a cases/ that no run wrote.
absl::Status RunFolder::Clean() const {
  std::error_code error;
  const bool is_run = fs::exists(path_ + "/run.json") || fs::exists(path_ + "/verdicts.jsonl");
  if (!is_run && fs::exists(path_) && !fs::is_empty(path_, error) && !error &&
      fs::exists(path_ + "/cases")) {
    return InvalidInput("--out: ", path_,
                        " contains cases/ but no run: expected another directory");
  }
  if (!is_run) return absl::OkStatus();
  const auto earlier = reports::ReadRunRecord(path_);
  if (!earlier.ok()) return Annotate(earlier.status(), "--out: expected another directory");
  if (HoldsVerdicts()) HLOCTS_RETURN_IF_ERROR(CheckSameRequest(*earlier));
  for (const char* name : kOwn) fs::remove_all(absl::StrCat(path_, "/", name), error);
  return absl::OkStatus();
}

bool RunFolder::HoldsVerdicts() const {
  std::error_code error;
  return !path_.empty() && fs::file_size(path_ + "/verdicts.jsonl", error) > 0 && !error;
}

absl::StatusOr<std::vector<reports::Verdict>> RunFolder::Open(bool resume,
                                                              const IsCurrent& is_current) {
  std::vector<reports::Verdict> earlier;
  if (path_.empty()) return earlier;
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return InvalidInput("--out: ", path_, ": ", error.message());
  auto lock = FolderLock::Take(path_);
  if (!lock.ok()) return Annotate(lock.status(), "--out");
  lock_ = *std::move(lock);
  if (resume && fs::exists(path_ + "/run.json") && fs::exists(path_ + "/verdicts.jsonl")) {
    HLOCTS_ASSIGN_OR_RETURN(earlier, LoadEarlier(is_current));
  } else {
    HLOCTS_RETURN_IF_ERROR(Clean());
  }
  reports::SetMachine(record_);
  HLOCTS_ASSIGN_OR_RETURN(record_.suite, Sha256OfFolder(HomeFolder() + "/suites/cases"));
  HLOCTS_RETURN_IF_ERROR(reports::WriteRunRecord(record_, path_));
  auto mode = earlier.empty() ? std::ios::trunc : std::ios::app;
  records_.open(path_ + "/verdicts.jsonl", mode);
  replays_.open(path_ + "/replay.txt", mode);
  failing_cases_.open(path_ + "/failing.txt", mode);
  if (earlier.empty()) replays_ << kReplayHead << std::flush;
  if (!records_ || !replays_ || !failing_cases_)
    return InvalidInput("--out: ", path_, ": cannot be written");
  return earlier;
}

absl::Status RunFolder::Add(const Case& one, const reports::Verdict& verdict) {
  if (path_.empty()) return absl::OkStatus();
  errno = 0;
  // The files of a failure are written before its record: if they cannot be written, the case has
  // no record, and --resume runs it again.
  if (IsFailure(verdict.kind)) HLOCTS_RETURN_IF_ERROR(WriteCaseFolder(one, verdict));
  records_ << reports::VerdictToRecord(verdict) << std::endl;
  if (records_ && IsFailure(verdict.kind)) {
    const auto entries = EntriesOf(CaseFolder(verdict));
    if (!entries) return InvalidInput("cannot read the files of ", CaseFolder(verdict));
    failing_cases_ << entries->first << std::flush;
    replays_ << entries->second << std::flush;
  }
  Count(verdict);
  if (!records_ || !replays_ || !failing_cases_)
    return InvalidInput("cannot write ", path_, ": ", std::strerror(errno));
  return absl::OkStatus();
}

absl::Status RunFolder::WriteCaseFolder(const Case& one, const reports::Verdict& verdict) const {
  const std::string folder = CaseFolder(verdict), text = reports::VerdictToText(verdict);
  auto engine = engines_.find(verdict.backend);
  HLOCTS_ASSIGN_OR_RETURN(
      const std::string replay,
      WriteReplay(one, verdict, engine == engines_.end() ? verdict.backend : engine->second,
                  options_, folder));
  HLOCTS_RETURN_IF_ERROR(WriteFile(
      folder + "/replay.txt", absl::StrCat("hlocts ", replay, "  # ", OutcomeName(verdict.kind),
                                           verdict.expected ? ", known" : "", "\n")));
  // The entry links the failure to the module, the clauses and the expectation.
  HLOCTS_RETURN_IF_ERROR(
      WriteFile(folder + "/failing.txt",
                absl::StrCat(text, "\n    suites/cases/", one.place.file, ":", one.place.line,
                             "  clauses ", absl::StrJoin(one.clauses, " "), "\n    ",
                             verdict.expected ? "known: " + reports::ExpectationText(verdict)
                                              : "NOT EXPECTED",
                             "\n")));
  return WriteFile(folder + "/verdict.txt",
                   absl::StrCat(text, "\n", reports::ReasonText(verdict), "\n"));
}

void RunFolder::Count(const reports::Verdict& verdict) {
  const bool fails = IsFailure(verdict.kind);
  if (fails) ++(IsInconclusive(verdict.kind) ? inconclusive_ : failures_);
  (fails ? unexpected_ : fixed_) += !verdict.expected;
}

absl::Status RunFolder::Finish(const std::string& scorecard, bool complete) {
  if (path_.empty()) return absl::OkStatus();
  HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/scorecard.txt", scorecard));
  if (complete) record_.finished = reports::UtcNow();
  return reports::WriteRunRecord(record_, path_);
}

std::string RunFolder::Summary() const {
  if (path_.empty() || failures_ + inconclusive_ == 0 || unexpected_ + fixed_ == 0) return "";
  return absl::StrCat(
      "next: ", ShellQuoted(ProgramAsCalled()), " replay ", ShellQuoted(path_),
      " QUERY   (reruns any of ", CountText(failures_, "failure"), " and ",
      CountText(inconclusive_, "inconclusive case"), ", ", unexpected_, " of them not as expected",
      fixed_ == 0 ? "" : absl::StrCat("; ", fixed_, " more pass, but are listed as failures"),
      "; reasons: ", path_, "/failing.txt)\n");
}

}  // namespace hlocts::suites
