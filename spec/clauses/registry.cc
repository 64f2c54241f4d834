// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/registry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "spec/base/status.h"
#include "spec/clauses/clause.pb.h"
#include "spec/clauses/parse_file.h"

namespace hlocts {
namespace {

// The only *.textproto in the clauses directory that contains no clauses.
constexpr char kDocumentsFile[] = "documents.textproto";

// Returns the regular files of `directory` whose names end in `extension`, sorted by name.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& directory,
                                                 absl::string_view extension) {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(directory, ": expected a directory with *", extension,
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
  return {.id = proto.id(),
          .document = proto.document(),
          .anchor = proto.anchor(),
          .words = proto.words(),
          .also = proto.also(),
          .also_anchor = proto.also_anchor(),
          .text = proto.text(),
          .state = StateOf(proto),
          .ruling = proto.ruling(),
          .ruling_if = proto.ruling_if(),
          .reason = proto.reason()};
}

// Returns the first error of a single clause, or "" if there is none.
std::string WhatIsWrong(const Clause& clause) {
  if (clause.text.empty()) return "text: expected a sentence, found nothing";
  if (clause.state == ClauseState::kFreedom && clause.ruling.empty()) {
    return "state FREEDOM: expected the number of a ruling, found none";
  }
  if ((clause.state == ClauseState::kUntestable) != !clause.reason.empty()) {
    return "reason: expected if the state is UNTESTABLE, and only then";
  }
  return "";
}

// Adds to the clause the sections that it cites, in `document` and in an earlier edition. Returns
// an error if a section does not exist, else "".
std::string Cite(const Documents& documents, Clause* clause) {
  const struct {
    const char* field;
    const std::string &document, &anchor;
  } cited[] = {{"document", clause->document, clause->anchor},
               {"also", clause->also, clause->also_anchor}};
  for (const auto& [field, document, anchor] : cited) {
    if (document.empty() && anchor.empty() && !clause->places.empty()) continue;
    const auto section = documents.FindSection(document, anchor);
    if (!section.ok()) return absl::StrCat(field, ": ", section.status().message());
    clause->places.push_back(
        {document, anchor, section->number, SourceOf(*section), AddressOf(*section)});
  }
  return "";
}

// Returns an error if `id` is not "OPERATION.NUMBER": the name of the file and the position in it.
std::string IdError(absl::string_view id, absl::string_view operation, int number) {
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
    std::string wrong = IdError(clause.id, operation, clause.number);
    if (wrong.empty()) wrong = WhatIsWrong(clause);
    if (wrong.empty()) wrong = Cite(documents, &clause);
    if (!wrong.empty()) {
      return ErrorAt(path, clause.file_line, absl::StrCat(clause.id, ": ", wrong));
    }
    clauses->push_back(std::move(clause));
  }
  return absl::OkStatus();
}

// Reads the ruling pages, NNNN-title.md, but not INDEX.md. No two pages may share a number.
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
                     absl::StrCat("number ", number, " is already used by ", rulings.back().file));
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

absl::string_view ClauseChangeName(ClauseChange change) {
  constexpr absl::string_view kNames[] = {"kept", "reworded", "new", "gone"};
  return kNames[static_cast<int>(change)];
}

const ClausePlace* Clause::In(absl::string_view document_id) const {
  for (const ClausePlace& place : places) {
    if (place.document == document_id) return &place;
  }
  return nullptr;
}

absl::StatusOr<ClauseRegistry> ClauseRegistry::Load(absl::string_view directory) {
  const std::filesystem::path clauses_path{std::string(directory)};
  // Removes a trailing slash, with which the parent of "spec/clauses/" would be "spec/clauses".
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
  for (const Document& document : registry.documents_.all()) {
    if (status.ok() && !document.table.empty()) status = registry.ReadTable(folder, document);
  }
  if (!status.ok()) return status;
  for (Clause& clause : registry.clauses_) {
    const ClausePlace& newest = clause.places[0];
    clause.section = newest.section;
    clause.source = newest.source;
    clause.address = newest.address;
  }
  return registry;
}

// Marks the clauses of `ids` ("pad.1-4,7") as kept, reworded or dropped by a section of `edition`.
absl::Status ClauseRegistry::Mark(const Document& edition, absl::string_view anchor,
                                  absl::string_view change, absl::string_view ids) {
  std::optional<ClauseChange> meant;
  for (ClauseChange one : {ClauseChange::kKept, ClauseChange::kReworded, ClauseChange::kGone}) {
    if (ClauseChangeName(one) == change) meant = one;
  }
  if (!meant) return InvalidInput("expected kept, reworded or gone, found \"", change, "\"");
  const auto section = documents_.FindSection(edition.id, anchor);
  if (!section.ok()) return section.status();
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(ids, '.');
  for (absl::string_view range : absl::StrSplit(parts.second, ',')) {
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(range, absl::MaxSplits('-', 1));
    int first = 0, last = 0;
    if (!absl::SimpleAtoi(ends.first, &first) ||
        !absl::SimpleAtoi(ends.second.empty() ? ends.first : ends.second, &last)) {
      return InvalidInput("expected clauses such as pad.1-4,7, found \"", ids, "\"");
    }
    for (int number = first; number <= last; ++number) {
      const auto found = index_.find(absl::StrCat(parts.first, ".", number));
      if (found == index_.end()) return InvalidInput("no clause ", parts.first, ".", number);
      Clause& clause = clauses_[found->second];
      if (clause.document == edition.id || clause.change.has_value()) {
        return InvalidInput(clause.id, ": expected a clause of an earlier edition, listed once");
      }
      clause.change = meant;
      clause.change_anchor = std::string(anchor);
      if (meant == ClauseChange::kGone) continue;
      clause.places.insert(clause.places.begin(), {edition.id, std::string(anchor), section->number,
                                                   SourceOf(*section), AddressOf(*section)});
    }
  }
  return absl::OkStatus();
}

// Checks that sections are in the order of the page, that each has a clause, and that every clause
// of the preceding edition is marked.
absl::Status ClauseRegistry::CheckTable(const Document& edition,
                                        const std::vector<std::string>& sections) const {
  std::vector<std::string> expected = {AnchorOf(edition.title)};
  for (const std::string& section : edition.sections) expected.push_back(AnchorOf(section));
  for (size_t i = 0; i < std::max(expected.size(), sections.size()); ++i) {
    const std::string found = i < sections.size() ? sections[i] : "the end of the file";
    if (i < expected.size() && found == expected[i]) continue;
    return InvalidInput(i < expected.size() ? absl::StrCat("expected section ", expected[i])
                                            : "expected no further section",
                        ", found ", found);
  }
  std::set<std::string> cited;
  for (const Clause& clause : clauses_) {
    if (const ClausePlace* place = clause.In(edition.id)) cited.insert(place->anchor);
    if (clause.change.has_value() || clause.document != edition.follows) continue;
    return InvalidInput("expected a section with ", clause.id, ", found none");
  }
  for (const std::string& anchor : expected) {
    if (cited.count(anchor) == 0) return InvalidInput("section ", anchor, ": expected a clause");
  }
  return absl::OkStatus();
}

absl::Status ClauseRegistry::ReadTable(const std::string& folder, const Document& edition) {
  const std::string path = (std::filesystem::path(folder) / edition.table).string();
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": expected a file, found none"));
  std::vector<std::string> sections;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || words[0][0] == '#') continue;
    sections.emplace_back(words[0]);
    absl::string_view change;
    for (size_t i = 1; i < words.size(); ++i) {
      if (!absl::StrContains(words[i], '.')) {
        change = words[i];
        continue;
      }
      const absl::Status status = Mark(edition, words[0], change, words[i]);
      if (!status.ok()) return ErrorAt(path, number, std::string(status.message()));
    }
  }
  for (Clause& clause : clauses_) {
    if (clause.document != edition.id) continue;
    clause.change = ClauseChange::kNew;
    clause.change_anchor = clause.anchor;
  }
  const absl::Status status = CheckTable(edition, sections);
  return status.ok() ? status : ErrorAt(path, 1, std::string(status.message()));
}

absl::Status ClauseRegistry::Index(absl::string_view rulings_directory) {
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    const Clause& clause = clauses_[i];
    // A repeated id was rejected when its file was read, because an id is file name and position.
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
