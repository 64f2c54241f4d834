// SPDX-License-Identifier: Apache-2.0
#include "suites/run_folder.h"

#include <cstdio>
#include <filesystem>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "spec/files/file_io.h"
#include "suites/replay.h"
#include "suites/sha256.h"
#include "suites/suite_files.h"

namespace hlocts::suites {
namespace {

// This program as a shell here finds it.
std::string ProgramPath() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "hlocts" : std::filesystem::proximate(path, error).string();
}

}  // namespace

RunFolder::RunFolder(std::string path, const backends::DiffOptions& options,
                     reports::RunRecord record)
    : path_(std::move(path)),
      options_(options),
      record_(std::move(record)),
      program_(ProgramPath()) {}

absl::Status RunFolder::Open() {
  if (path_.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) return InvalidInput("--out: ", path_, ": ", error.message());
  records_.open(path_ + "/verdicts.jsonl");
  replays_.open(path_ + "/replay.txt");
  failing_cases_.open(path_ + "/failing.txt");
  reports::SetMachine(record_);
  HLOCTS_ASSIGN_OR_RETURN(record_.suite, Sha256OfFolder(HomeFolder() + "/suites/cases"));
  return reports::WriteRunRecord(record_, path_);
}

void RunFolder::Add(const Case& one, const reports::Verdict& verdict) {
  if (path_.empty()) return;
  records_ << reports::VerdictToRecord(verdict) << std::endl;
  if (reports::IsFailure(verdict.kind)) AddFailure(one, verdict);
}

void RunFolder::AddFailure(const Case& one, const reports::Verdict& verdict) {
  // From a cell of the scorecard to the module, the clauses and what is known.
  failing_cases_ << (verdict.flake.empty() ? reports::VerdictName(verdict.kind) : "flake") << "  "
                 << verdict.backend << "  " << one.address << "\n    suites/cases/"
                 << one.place.file << ":" << one.place.line << "  clauses "
                 << absl::StrJoin(one.clauses, " ") << "\n    "
                 << (verdict.expected ? verdict.expectation : "NOT EXPECTED: " + verdict.reason)
                 << std::endl;
  std::string name = absl::StrReplaceAll(one.address, {{"/", "."}});
  auto line =
      WriteReplay(one, verdict, verdict.backend, options_, absl::StrCat(path_, "/cases/", name));
  if (!line.ok()) {
    std::fprintf(stderr, "hlocts: %s\n", std::string(line.status().message()).c_str());
    return;
  }
  replays_ << program_ << " " << *line << "  # " << reports::VerdictName(verdict.kind)
           << (verdict.expected ? ", known" : "") << std::endl;
  ++failing_;
}

absl::Status RunFolder::Finish(const std::string& scorecard, bool complete) {
  if (path_.empty()) return absl::OkStatus();
  HLOCTS_RETURN_IF_ERROR(WriteFile(path_ + "/scorecard.txt", scorecard));
  if (complete) record_.finished = reports::UtcNow();
  return reports::WriteRunRecord(record_, path_);
}

std::string RunFolder::Summary() const {
  return absl::StrCat("records: ", path_, "/verdicts.jsonl; ", failing_, " failing lines, each ",
                      "replayable: ", path_, "/replay.txt\n");
}

}  // namespace hlocts::suites
