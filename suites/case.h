// SPDX-License-Identifier: Apache-2.0
// Conformance cases, which are data. suites/cases/<area>/*.case contains the cases of one operation
// or family; suites/cases/FORMAT.md defines the format. A new file needs no registration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/arguments.h"
#include "spec/accuracy/profile.h"
#include "spec/base/outcome.h"
#include "spec/base/status.h"

namespace hlocts::suites {

enum class Tier : uint8_t { kSmoke, kPresubmit, kNightly, kExhaustive };
absl::string_view TierName(Tier tier);
std::optional<Tier> TierFromName(absl::string_view name);

// The location of a case in its file, for error messages.
struct CasePlace {
  std::string file;
  int line = 0;
  // The first line of each directive's block (@inputs, @module, ...); 0 if the block has comments.
  std::map<std::string, int> blocks = {};

  // Returns an error in a block, e.g. "line 2: ...", with the line's number in the file.
  std::string Located(const std::string& block, absl::string_view error) const;
};

// Outputs that an engine might return, and the verdict that they must get in some profiles.
struct CaseOutput {
  std::string name;  // the name of this output, or ""
  std::string text;  // literal lines, one for each output
  std::vector<std::pair<Profile, Outcome>> verdicts;
  int verdict_line = 0;  // of the @verdict in the file
};

// One case, with its parameters replaced by values.
struct Case {
  std::string name() const { return address.substr(address.find(':') + 1); }  // the part after ':'
  std::string address;    // e.g. movement/pad:documents_example:type=f32
  std::string operation;  // the name in the documents, e.g. "Pad"
  std::string opcode;     // e.g. "pad"
  std::vector<std::string> clauses;
  Tier tier = Tier::kSmoke;
  CasePlace place;
  std::string module_text;
  int64_t replicas = 0;  // 0 if the module defines it
  // Inputs: literal lines, or the style of generated arguments.
  std::string inputs_text;
  std::optional<generators::ArgumentStyle> style;
  uint64_t seed = 1;
  bool sweep = false;  // true: all bit patterns of the parameter, in parts (sweep.h)
  std::string infeed_text;
  std::string outfeed_text;      // literal lines of the expected outfeed, in order
  std::vector<int64_t> donated;  // leaf numbers of donated arguments
  // Outputs that are judged without an engine. `facts` are the target facts that the judge assumes.
  // `from` is their origin: "lemma 9", "ruling 0071", "legal", "wrong" or "recorded".
  std::vector<CaseOutput> outputs;
  std::vector<std::string> facts;
  std::string from;
  // Literal lines as printed in the documents. The outputs must equal them (and be acceptable).
  std::string expect_text;
  // The reason why the sets cannot decide this case, whose verdict must be `inconclusive`; else "".
  std::string inconclusive;
  std::string inconclusive_in_relaxed;  // the same reason, for the relaxed profile only
  // The rule that the module breaks if it must be rejected. `control_text` must then be accepted.
  std::string reject_rule;
  std::string control_text;
  // The ruling that permits the engine to accept or reject the module, or "". If there is one,
  // neither the rejection of a valid module nor the acceptance of an invalid one is a failure.
  std::string open_ruling;
};

// A file that could not be read as cases.
struct BadFile {
  std::string prefix;  // of the addresses that its cases would have, e.g. "movement/pad"
  absl::Status error;
};
// Loads the cases of a file, or of all files below a directory, by address. Fails for duplicates.
// Adds syntax errors and missing clauses to `bad`, or fails for them too if `bad` is null.
absl::StatusOr<std::vector<Case>> LoadCases(const std::string& root,
                                            std::vector<BadFile>* bad = nullptr);
// Returns the case with the address "FILE.case:NAME" of a file outside of the suite.
absl::StatusOr<Case> CaseOfFile(const std::string& address);
std::vector<std::string> AddressesOf(const std::vector<Case>& cases);
// For each case whose address an earlier case has, returns the file and line of both.
std::vector<std::string> TakenAddresses(const std::vector<Case>& cases);
// Parses the cases of one file's text; `area` and `stem` come from its path.
absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file);

// `text` is a list of words and a reason, e.g. "type=bf16 type=f16,n=4096: reason". Returns the
// reason if one of the words matches `parameters` (e.g. ":type=f16,n=4096"), else "". If `text` has
// no words, all of it is the reason.
std::string InconclusiveReason(absl::string_view text, absl::string_view parameters);

// Returns true if the query selects the address: it is equal to the address, or to a part of it
// that ends before '/', ':' or ','. In a query, '*' matches any characters (CONTRACT.md).
bool QueryMatches(absl::string_view query, absl::string_view address);

// Returns the clause of a failure. If `clause` is only a page ("elementwise_binary"), returns the
// clause of that page that the case cites, or the page if it cites several or none.
std::string ClauseOfCase(const std::string& clause, const std::vector<std::string>& clauses);

// Returns the shard of an address, from 1 to `count`. It is the same on every machine.
int ShardOf(absl::string_view address, int count);

}  // namespace hlocts::suites
