// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/documents.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/clauses/document.pb.h"
#include "spec/clauses/parse_file.h"

namespace hlocts {
namespace {

constexpr char kBelow[] = " / ";

Document FromProto(const clauses::Document& proto) {
  return {proto.id(),      proto.name(),    proto.title(),
          proto.edition(), proto.address(), proto.page(),
          proto.licence(), proto.note(),    proto.key(),
          proto.follows(), proto.table(),   {proto.section().begin(), proto.section().end()}};
}

// Returns the first error in the sections, or "". Anchors must be distinct, and a subsection must
// follow its section.
std::string SectionsError(const Document& document) {
  std::set<std::string> anchors = {AnchorOf(document.title)}, headings;
  for (const std::string& section : document.sections) {
    if (AnchorOf(section).empty() || !anchors.insert(AnchorOf(section)).second) {
      return absl::StrCat("section: expected a unique anchor, found \"", section, "\"");
    }
    const std::size_t end = section.rfind(kBelow);
    if (end != std::string::npos && headings.count(section.substr(0, end)) == 0) {
      return absl::StrCat("section: expected \"", section.substr(0, end), "\" before \"", section,
                          "\"");
    }
    headings.insert(section);
  }
  return "";
}

// Returns the first error of a single document, or "" if there is none.
std::string WhatIsWrong(const Document& document) {
  const std::pair<const char*, const std::string*> needed[] = {{"id", &document.id},
                                                               {"name", &document.name},
                                                               {"title", &document.title},
                                                               {"edition", &document.edition},
                                                               {"licence", &document.licence}};
  for (const auto& [field, text] : needed) {
    if (text->empty()) return absl::StrCat(field, ": expected some text, found nothing");
  }
  if (!absl::StartsWith(document.address, "https://")) {
    return absl::StrCat("address: expected https://..., found \"", document.address, "\"");
  }
  return SectionsError(document);
}

}  // namespace

std::string AnchorOf(absl::string_view section) {
  const std::size_t last = section.rfind(kBelow);
  if (last != absl::string_view::npos) section.remove_prefix(last + sizeof(kBelow) - 1);
  std::string anchor;
  for (const char c : section) {
    if (c == ' ') anchor += '-';
    if (c == '-' || c == '_' || absl::ascii_isalnum(c)) anchor += absl::ascii_tolower(c);
  }
  return anchor;
}

std::string SourceOf(const Section& section) {
  return absl::StrCat(section.document->title, " (", section.document->edition, ")",
                      section.heading.empty() ? "" : ", ", section.heading);
}

std::string ShortSourceOf(const Section& section) {
  return absl::StrCat(section.document->name, section.heading.empty() ? "" : ", ", section.heading);
}

std::string AddressOf(const Section& section) {
  return absl::StrCat(section.document->address, "#", section.anchor);
}

absl::StatusOr<Documents> Documents::Load(const std::string& path) {
  clauses::DocumentFile parsed;
  google::protobuf::TextFormat::ParseInfoTree locations;
  absl::Status status = ParseTextFile(path, &parsed, &locations);
  if (!status.ok()) return status;
  const auto* field = clauses::DocumentFile::descriptor()->FindFieldByName("document");
  std::set<std::string> ids, names;
  Documents documents;
  for (int i = 0; i < parsed.document_size(); ++i) {
    Document document = FromProto(parsed.document(i));
    std::string wrong = WhatIsWrong(document);
    if (!ids.insert(document.id).second) wrong = "id: expected a unique id";
    if (!names.insert(document.name).second) wrong = "name: expected a unique name";
    if (!wrong.empty()) {
      return ErrorAt(path, locations.GetLocation(field, i).line + 1,
                     absl::StrCat(document.id, ": ", wrong));
    }
    documents.documents_.push_back(std::move(document));
  }
  for (const Document& document : documents.documents_) {
    if (document.follows.empty() == document.table.empty() &&
        (document.follows.empty() || documents.Find(document.follows) != nullptr)) {
      continue;
    }
    return ErrorAt(
        path, 1,
        absl::StrCat(document.id,
                     ": expected both `follows`, the id of a document, and `table`, or neither"));
  }
  return documents;
}

const Document* Documents::Find(absl::string_view id) const {
  for (const Document& document : documents_) {
    if (document.id == id) return &document;
  }
  return nullptr;
}

absl::StatusOr<Section> Documents::FindSection(absl::string_view id,
                                               absl::string_view anchor) const {
  const Document* document = Find(id);
  if (document == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("expected the id of a document in documents.textproto, found \"", id, "\""));
  }
  if (anchor == AnchorOf(document->title)) return Section{document, 0, "", std::string(anchor)};
  for (std::size_t i = 0; i < document->sections.size(); ++i) {
    if (AnchorOf(document->sections[i]) != anchor) continue;
    return Section{document, static_cast<int>(i) + 1,
                   absl::StrReplaceAll(document->sections[i], {{kBelow, ", "}}),
                   std::string(anchor)};
  }
  return absl::NotFoundError(absl::StrCat("expected the anchor of a section of ", id,
                                          " in documents.textproto, found \"", anchor, "\""));
}

}  // namespace hlocts
