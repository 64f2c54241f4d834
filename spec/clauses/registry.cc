// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/registry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "spec/clauses/clause.pb.h"
#include "spec/clauses/parse_file.h"

namespace hlocts {
namespace {

// In the clauses' folder, and no list of clauses.
constexpr char kDocumentsFile[] = "documents.textproto";

// The regular files of `directory` whose name ends in `extension`, sorted by name.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& directory,
                                                 absl::string_view extension) {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(directory, ": expected a folder with *", extension,
                                            " files, found: ", error.message()));
  }
  std::vector<std::string> files;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (error) return absl::InternalError(absl::StrCat(directory, ": ", error.message()));
    if (entries->path().extension() == std::string(extension)) {
      files.push_back(entries->path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool IsOperationName(absl::string_view name) {
  return !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
         });
}

ClauseEdition EditionOf(const clauses::Clause& proto) {
  if (proto.edition() == clauses::Clause::Y2018) return ClauseEdition::kY2018;
  if (proto.edition() == clauses::Clause::BOTH) return ClauseEdition::kBoth;
  return ClauseEdition::kCurrent;
}

ClauseState StateOf(const clauses::Clause& proto) {
  switch (proto.state()) {
    case clauses::Clause::TESTED:
      return ClauseState::kTested;
    case clauses::Clause::FREEDOM:
      return ClauseState::kFreedom;
    case clauses::Clause::UNTESTABLE:
      return ClauseState::kUntestable;
    default:
      return ClauseState::kOpen;
  }
}

Clause FromProto(const clauses::Clause& proto) {
  Clause clause;
  clause.id = proto.id();
  clause.document = proto.document();
  clause.anchor = proto.anchor();
  clause.words = proto.words();
  clause.also = proto.also();
  clause.also_anchor = proto.also_anchor();
  clause.edition = EditionOf(proto);
  clause.text = proto.text();
  clause.state = StateOf(proto);
  clause.ruling = proto.ruling();
  clause.reason = proto.reason();
  return clause;
}

// Everything that can be wrong with one clause taken alone; empty when nothing is.
std::string WhatIsWrong(const clauses::Clause& proto, const Clause& clause) {
  if (clause.text.empty()) return "text: expected a sentence, found nothing";
  if (proto.edition() == clauses::Clause::EDITION_UNSPECIFIED) {
    return "edition: expected CURRENT, Y2018 or BOTH, found nothing";
  }
  if ((clause.edition == ClauseEdition::kBoth) != !clause.also.empty()) {
    return absl::StrCat(
        "also: expected the second document exactly when the edition is BOTH, found \"",
        clause.also, "\"");
  }
  if (clause.state == ClauseState::kFreedom && clause.ruling.empty()) {
    return "state FREEDOM: expected the number of a ruling, found none";
  }
  if ((clause.state == ClauseState::kUntestable) != !clause.reason.empty()) {
    return "reason: expected exactly when the state is UNTESTABLE";
  }
  return "";
}

// Looks up what the clause cites; what is not there is an answer.
std::string Cite(const Documents& documents, Clause* clause) {
  const auto section = documents.FindSection(clause->document, clause->anchor);
  if (!section.ok()) return absl::StrCat("document: ", section.status().message());
  clause->section = section->number;
  clause->source = SourceOf(*section);
  clause->address = AddressOf(*section);
  if (clause->also.empty()) return "";
  const auto also = documents.FindSection(clause->also, clause->also_anchor);
  return also.ok() ? "" : absl::StrCat("also: ", also.status().message());
}

// Splits `id` and compares it with the place it stands in: file `operation`, position `number`.
std::string WhatIsWrongWithId(absl::string_view id, absl::string_view operation, int number) {
  const std::string expected = absl::StrCat(operation, ".", number);
  if (id == expected) return "";
  return absl::StrCat("id: expected \"", expected, "\" (file name and position), found \"", id,
                      "\"");
}

absl::Status ReadFile(const std::string& path, const std::string& operation,
                      const Documents& documents, std::vector<Clause>* clauses) {
  clauses::ClauseFile parsed;
  google::protobuf::TextFormat::ParseInfoTree locations;
  absl::Status status = ParseTextFile(path, &parsed, &locations);
  if (!status.ok()) return status;
  if (!IsOperationName(operation)) {
    return ErrorAt(path, 1, "file name: expected lower case letters, digits and underscores");
  }
  const auto* field = clauses::ClauseFile::descriptor()->FindFieldByName("clause");
  for (int i = 0; i < parsed.clause_size(); ++i) {
    Clause clause = FromProto(parsed.clause(i));
    clause.operation = operation;
    clause.number = i + 1;
    clause.file = path;
    clause.file_line = locations.GetLocation(field, i).line + 1;
    std::string wrong = WhatIsWrongWithId(clause.id, operation, clause.number);
    if (wrong.empty()) wrong = WhatIsWrong(parsed.clause(i), clause);
    if (wrong.empty()) wrong = Cite(documents, &clause);
    if (!wrong.empty()) {
      return ErrorAt(path, clause.file_line, absl::StrCat(clause.id, ": ", wrong));
    }
    clauses->push_back(std::move(clause));
  }
  return absl::OkStatus();
}

// Pages are NNNN-title.md; INDEX.md is not one. Two pages must not share a number.
absl::StatusOr<std::vector<Ruling>> ReadRulings(const std::string& directory) {
  absl::StatusOr<std::vector<std::string>> files = FilesIn(directory, ".md");
  if (!files.ok()) return files.status();
  std::vector<Ruling> rulings;
  for (const std::string& file : *files) {
    if (file == "INDEX.md") continue;
    const std::string number = file.substr(0, 4);
    const bool digits = std::all_of(number.begin(), number.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!digits || file.size() < 9 || file[4] != '-') {
      return ErrorAt(absl::StrCat(directory, "/", file), 1, "file name: expected NNNN-title.md");
    }
    if (!rulings.empty() && rulings.back().number == number) {
      return ErrorAt(absl::StrCat(directory, "/", file), 1,
                     absl::StrCat("number ", number, " is already taken by ", rulings.back().file));
    }
    rulings.push_back({number, file});
  }
  return rulings;
}

}  // namespace

absl::string_view ClauseStateName(ClauseState state) {
  constexpr absl::string_view kNames[] = {"open", "tested", "freedom", "untestable"};
  return kNames[static_cast<int>(state)];
}

absl::StatusOr<ClauseRegistry> ClauseRegistry::Load(absl::string_view directory) {
  const std::filesystem::path clauses_path{std::string(directory)};
  // A trailing slash would make the parent of "spec/clauses/" the folder itself.
  const std::filesystem::path folder =
      clauses_path.has_filename() ? clauses_path : clauses_path.parent_path();
  return Load(directory, (folder.parent_path() / "rulings").string());
}

absl::StatusOr<ClauseRegistry> ClauseRegistry::Load(absl::string_view directory,
                                                    absl::string_view rulings_directory) {
  ClauseRegistry registry;
  const std::string folder(directory);
  absl::StatusOr<std::vector<Ruling>> rulings = ReadRulings(std::string(rulings_directory));
  if (!rulings.ok()) return rulings.status();
  registry.rulings_ = *std::move(rulings);
  absl::StatusOr<std::vector<std::string>> files = FilesIn(folder, ".textproto");
  if (!files.ok()) return files.status();
  absl::StatusOr<Documents> documents =
      Documents::Load((std::filesystem::path(folder) / kDocumentsFile).string());
  if (!documents.ok()) return documents.status();
  registry.documents_ = *std::move(documents);
  for (const std::string& file : *files) {
    if (file == kDocumentsFile) continue;
    const std::string operation = file.substr(0, file.rfind('.'));
    const std::string path = (std::filesystem::path(folder) / file).string();
    absl::Status status = ReadFile(path, operation, registry.documents_, &registry.clauses_);
    if (!status.ok()) return status;
  }
  absl::Status status = registry.Index(rulings_directory);
  if (!status.ok()) return status;
  return registry;
}

absl::Status ClauseRegistry::Index(absl::string_view rulings_directory) {
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    const Clause& clause = clauses_[i];
    // File name and position make an id, so a repeated one has already failed in its own file.
    index_.emplace(clause.id, i);
    if (!clause.ruling.empty() && FindRuling(clause.ruling) == nullptr) {
      return ErrorAt(clause.file, clause.file_line,
                     absl::StrCat(clause.id, ": ruling: expected a page ", clause.ruling,
                                  "-*.md in ", rulings_directory, ", found none"));
    }
  }
  return absl::OkStatus();
}

const Clause* ClauseRegistry::Find(absl::string_view id) const {
  const auto found = index_.find(std::string(id));
  return found == index_.end() ? nullptr : &clauses_[found->second];
}

const Ruling* ClauseRegistry::FindRuling(absl::string_view number) const {
  const auto at = std::lower_bound(
      rulings_.begin(), rulings_.end(), number,
      [](const Ruling& ruling, absl::string_view wanted) { return ruling.number < wanted; });
  return at == rulings_.end() || at->number != number ? nullptr : &*at;
}

}  // namespace hlocts
