// SPDX-License-Identifier: Apache-2.0
// The clause registry: every normative statement of the documents that define HLO, one checkable
// fact each, with a stable id (`pad.3`), where it stands, and what is to be done about it. Cases,
// rulings, failures and reports name clauses by id; this room reads the list and refuses a broken
// one.

#ifndef HLOCTS_SPEC_CLAUSES_REGISTRY_H_
#define HLOCTS_SPEC_CLAUSES_REGISTRY_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/clauses/documents.h"

namespace hlocts {

enum class ClauseEdition { kCurrent, kY2018, kBoth };
enum class ClauseState { kOpen, kTested, kFreedom, kUntestable };

// The words of the JSON of `hlocts clauses`: "open", "tested", "freedom", "untestable".
absl::string_view ClauseStateName(ClauseState state);

// One statement. `operation` and `number` are the two halves of `id`; `document` and `anchor` say
// where it stands (and `also`, `also_anchor` where else), `source` and `address` the same for
// people and browsers, `section` is its place in the order of the document; `file` and `file_line`
// are where the registry itself says so, for error messages.
struct Clause {
  std::string id;
  std::string operation;
  int number = 0;
  std::string document;
  std::string anchor;
  std::string words;
  std::string also;
  std::string also_anchor;
  int section = 0;
  std::string source;
  std::string address;
  ClauseEdition edition = ClauseEdition::kCurrent;
  std::string text;
  ClauseState state = ClauseState::kOpen;
  std::string ruling;
  std::string reason;
  std::string file;
  int file_line = 0;
};

// One page under spec/rulings: `0001-rem-takes-the-dividends-sign.md` has number "0001".
struct Ruling {
  std::string number;
  std::string file;
};

class ClauseRegistry {
 public:
  // Reads every *.textproto of `directory`, documents.textproto among them, and the names of the
  // ruling pages of `rulings_directory` (by default the folder `rulings` beside it). Errors name
  // file and line: text that does not parse, ids that are malformed, repeated or leave a gap, an
  // unknown document or section, a missing text, edition or state, FREEDOM without a ruling,
  // UNTESTABLE without a reason, and a ruling that has no page or two.
  static absl::StatusOr<ClauseRegistry> Load(absl::string_view directory);
  static absl::StatusOr<ClauseRegistry> Load(absl::string_view directory,
                                             absl::string_view rulings_directory);

  // All clauses, by file name, then number.
  const std::vector<Clause>& clauses() const { return clauses_; }
  // What the clauses cite, current operation semantics first.
  const Documents& documents() const { return documents_; }
  // All ruling pages, by number.
  const std::vector<Ruling>& rulings() const { return rulings_; }

  // Null when there is no such clause or page. Valid as long as the registry.
  const Clause* Find(absl::string_view id) const;
  const Ruling* FindRuling(absl::string_view number) const;

 private:
  // Fills index_, and refuses a clause whose ruling has no page.
  absl::Status Index(absl::string_view rulings_directory);

  Documents documents_;
  std::vector<Clause> clauses_;
  std::vector<Ruling> rulings_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CLAUSES_REGISTRY_H_
