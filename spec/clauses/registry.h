// SPDX-License-Identifier: Apache-2.0
// The clause registry: every normative statement of the documents that define HLO. A clause is one
// checkable fact with a stable id (`pad.3`), its source and its state. Cases, rulings, failures and
// reports name clauses by id. Loading rejects an invalid registry.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/clauses/documents.h"

namespace hlocts {

// The change of a clause between the preceding and the newest edition of a document.
enum class ClauseChange { kKept, kReworded, kNew, kGone };
enum class ClauseState { kOpen, kTested, kFreedom, kUntestable };

// Returns the name in the JSON of `hlocts clauses`: "open", "tested", "freedom", "untestable".
absl::string_view ClauseStateName(ClauseState state);
// Returns "kept", "reworded", "new" or "gone".
absl::string_view ClauseChangeName(ClauseChange change);

// A section of an edition that contains a clause. `source` is for users and `address` for browsers;
// `section` is the section's position in the document.
struct ClausePlace {
  std::string document;
  std::string anchor;
  int section = 0;
  std::string source;
  std::string address;
};

// One statement. `operation` and `number` are the two halves of `id`. `document` and `anchor` name
// its first source; `also` and `also_anchor` name an earlier edition with the same statement.
// `places` are all editions that contain it, newest first; `source`, `address` and `section` are
// those of the first place. `file` and `file_line` are the clause's position, for error messages.
struct Clause {
  std::string id;
  std::string operation;
  int number = 0;
  std::string document;
  std::string anchor;
  std::string words;
  std::string also;
  std::string also_anchor;
  std::vector<ClausePlace> places;
  int section = 0;
  std::string source;
  std::string address;
  // Is set if the newest edition of the document or the edition before it contains the clause.
  std::optional<ClauseChange> change;
  std::string change_anchor;  // the section of the newest edition that contains or dropped it
  std::string text;
  ClauseState state = ClauseState::kOpen;
  std::string ruling, ruling_if;
  std::string reason;
  std::string file;
  int file_line = 0;

  // Returns the clause's section in the edition, or null if the edition does not contain it.
  const ClausePlace* In(absl::string_view document_id) const;
};

// One page under spec/rulings: `0001-rem-takes-the-dividends-sign.md` has number "0001".
struct Ruling {
  std::string number;
  std::string file;

  // Returns the page's path in the tree, "spec/rulings/0001-rem-takes-the-dividends-sign.md".
  std::string path() const { return "spec/rulings/" + file; }
};

class ClauseRegistry {
 public:
  // Reads every *.textproto of `directory`, documents.textproto among them, and the names of the
  // ruling pages in `rulings_directory` (by default the sibling directory `rulings`). Errors name
  // file and line: text that does not parse, ids that are malformed, repeated or leave a gap, an
  // unknown document or section, a missing text or state, FREEDOM without a ruling, UNTESTABLE
  // without a reason, a ruling with no page or with two, and an edition table in which a section
  // has no clause or a clause of the preceding edition is not listed exactly once.
  static absl::StatusOr<ClauseRegistry> Load(absl::string_view directory);
  static absl::StatusOr<ClauseRegistry> Load(absl::string_view directory,
                                             absl::string_view rulings_directory);

  // All clauses, by file name, then number.
  const std::vector<Clause>& clauses() const { return clauses_; }
  // The documents that clauses cite, the newest operation semantics first.
  const Documents& documents() const { return documents_; }
  // All ruling pages, by number.
  const std::vector<Ruling>& rulings() const { return rulings_; }

  // Returns null if there is no such clause or page. Pointers are valid as long as the registry
  // exists.
  const Clause* Find(absl::string_view id) const;
  const Ruling* FindRuling(absl::string_view number) const;

 private:
  // Fills index_. Rejects a clause whose ruling has no page.
  absl::Status Index(absl::string_view rulings_directory);
  // Reads the table of a later edition from `folder`.
  absl::Status ReadTable(const std::string& folder, const Document& edition);
  absl::Status Mark(const Document& edition, absl::string_view anchor, absl::string_view change,
                    absl::string_view ids);
  absl::Status CheckTable(const Document& edition, const std::vector<std::string>& sections) const;

  Documents documents_;
  std::vector<Clause> clauses_;
  std::vector<Ruling> rulings_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace hlocts
