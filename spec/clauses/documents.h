// SPDX-License-Identifier: Apache-2.0
// The list of the documents that define HLO, with their titles, editions, addresses and sections.
// Clauses cite a document by id and a section by anchor; the list has the displayed names and the
// link targets.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlocts {

// The fields are explained in document.proto.
struct Document {
  std::string id;
  std::string name;
  std::string title;
  std::string edition;
  std::string address;
  std::string page;
  std::string licence;
  std::string note;
  std::string key;
  std::string follows;
  std::string table;
  std::vector<std::string> sections;
};

// Returns the anchor that GitHub makes from a heading: lower-case letters and digits, hyphens for
// spaces, nothing else. Only the last part of "Gather / General Semantics" is used.
std::string AnchorOf(absl::string_view section);

// One section of a document. `number` is its position in the document; 0 is the whole document,
// whose anchor is made from the title and whose `heading` is empty.
struct Section {
  const Document* document = nullptr;
  int number = 0;
  std::string heading;  // "Gather, General Semantics"
  std::string anchor;
};

// Returns a citation for users: "Operation Semantics (TensorFlow, October 2018), Dot".
std::string SourceOf(const Section& section);
// Returns the citation of ruling pages: "Operation semantics 2018, Dot".
std::string ShortSourceOf(const Section& section);
// Returns the URL of the section.
std::string AddressOf(const Section& section);

class Documents {
 public:
  // Reads documents.textproto. Errors name file and line: text that does not parse, a missing or
  // repeated id or name, a missing title, edition or licence, an address that is not a URL, two
  // sections with the same anchor, and a subsection whose section is not listed before it.
  static absl::StatusOr<Documents> Load(const std::string& path);

  const std::vector<Document>& all() const { return documents_; }

  // Returns null if there is no such document. The pointer is valid as long as the list exists.
  const Document* Find(absl::string_view id) const;

  // Returns the section, or an error that names the missing document or anchor.
  absl::StatusOr<Section> FindSection(absl::string_view id, absl::string_view anchor) const;

 private:
  std::vector<Document> documents_;
};

}  // namespace hlocts
