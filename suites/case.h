// SPDX-License-Identifier: Apache-2.0
// Declares conformance cases, which are data. suites/cases/<area>/*.case has the cases of one
// operation or family in the format of suites/cases/FORMAT.md. A new file needs no registration.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

// The location of a case in its file, for errors.
struct CasePlace {
  std::string file;
  int line = 0;
  // The line of each directive (@inputs, @module, ...); 0 if there are comments inside its block.
  std::map<std::string, int> blocks = {};

  // Returns the error of a block, "line 2: ...", with the line number in the file.
  std::string Located(const std::string& block, absl::string_view error) const;
};

// Outputs that an engine might return, and the expected verdict on them in some profiles.
struct CaseOutput {
  std::string name;  // of this answer, or ""
  std::string text;  // literal lines, one for each output
  std::vector<std::pair<Profile, Outcome>> verdicts;
};

// One case after substitution of its parameters.
struct Case {
  std::string name() const { return address.substr(address.find(':') + 1); }  // after ':'
  std::string address;    // movement/pad:documents_example:type=f32
  std::string operation;  // documented name, "Pad"
  std::string opcode;     // "pad"
  std::vector<std::string> clauses;
  Tier tier = Tier::kSmoke;
  CasePlace place;
  std::string module_text;
  int64_t replicas = 0;  // 0 if the module defines it
  // Inputs: literal lines, or the style of generated arguments.
  std::string inputs_text;
  std::optional<generators::ArgumentStyle> style;
  uint64_t seed = 1;
  bool sweep = false;  // all bit patterns of the parameter, part by part (sweep.h)
  std::string infeed_text;
  std::string outfeed_text;      // literal lines of the expected outfeed, in order
  std::vector<int64_t> donated;  // leaf numbers of donated arguments
  // Outputs that are judged without an engine, each with the target facts declared for it and its
  // origin: "lemma 9", "ruling 0071", "legal", "wrong" or "recorded".
  std::vector<CaseOutput> outputs;
  std::vector<std::string> facts;
  std::string from;
  // Literal lines that the documents print. The outputs must equal them (and be acceptable).
  std::string expect_text;
  // The reason why the sets cannot check this case, which must then be `inconclusive`; else empty.
  std::string inconclusive;
  std::string inconclusive_in_relaxed;  // the same reason, for the relaxed profile only
  // The rule that the module breaks, if it must be rejected; `control_text` must then be accepted.
  std::string reject_rule;
  std::string control_text;
  // The ruling that lets the engine accept or reject the module, if there is one. If so, neither
  // the rejection of a valid module nor the acceptance of an invalid one is judged.
  std::string open_ruling;
};

// A file that could not be read as cases.
struct BadFile {
  std::string prefix;  // of the addresses that it would have: "movement/pad"
  absl::Status error;
};
// Loads the cases of a file, or all below a directory sorted by address. Fails for duplicates in a
// directory and, if `bad` is null, for syntax errors and missing clauses, which else `bad` gets.
absl::StatusOr<std::vector<Case>> LoadCases(const std::string& root,
                                            std::vector<BadFile>* bad = nullptr);
// Returns the case "FILE.case:NAME" of a file outside of the suite.
absl::StatusOr<Case> CaseOfFile(const std::string& address);
std::vector<std::string> AddressesOf(const std::vector<Case>& cases);
// For each case with the address of an earlier case, returns the file and line of both.
std::vector<std::string> TakenAddresses(const std::vector<Case>& cases);
// Parses the cases of one file's text; `area` and `stem` come from its path.
absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file);

// `text` is a list of words and a reason, such as "type=bf16 type=f16,n=4096: reason". Returns the
// reason if one of the words matches `parameters` (":type=f16,n=4096"), else "". A text without
// words is itself the reason.
std::string InconclusiveReason(absl::string_view text, absl::string_view parameters);

// Returns true if the query selects the address: it equals the address or is a prefix before '/',
// ':' or ','. In a query, '*' matches any characters (CONTRACT.md).
bool QueryMatches(absl::string_view query, absl::string_view address);

// Returns the clause of a failure. If `clause` names only a page ("elementwise_binary"), returns
// the only clause of that page that the case cites, else the page.
std::string ClauseOfCase(const std::string& clause, const std::vector<std::string>& clauses);

// Returns the shard of an address, 1 to `count`, which is the same on every machine.
int ShardOf(absl::string_view address, int count);

}  // namespace hlocts::suites
