// SPDX-License-Identifier: Apache-2.0
// Conformance cases as data. A file suites/cases/<area>/<operation>.case holds the cases of one
// operation; suites/cases/FORMAT.md has the format. A new file needs no registration.
#ifndef HLOCTS_SUITES_CASE_H_
#define HLOCTS_SUITES_CASE_H_

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

// The place of a case in its file, so that errors name file and line.
struct CasePlace {
  std::string file;
  int line = 0;
  // By directive (@inputs, @module, ...): its line; 0 where comments come between the lines below
  // it.
  std::map<std::string, int> blocks = {};

  // The error of a block, "line 2: ...", with the line number of the file instead of the block's.
  std::string Located(const std::string& block, absl::string_view error) const;
};

// Outputs that an engine might return, and the verdict on them in the profiles that state one.
struct CaseOutput {
  std::string name;  // of this answer, "" for none
  std::string text;  // literal lines, one for each output
  std::vector<std::pair<Profile, Outcome>> verdicts;
};

// One case after substitution of its parameters.
struct Case {
  std::string address;    // movement/pad:documents_example:type=f32
  std::string operation;  // documented name, "Pad"
  std::string opcode;     // "pad"
  std::vector<std::string> clauses;
  Tier tier = Tier::kSmoke;
  CasePlace place;
  std::string module_text;
  int64_t replicas = 0;  // 0: as the module states
  // Inputs: literal lines, or generated ones.
  std::string inputs_text;
  std::optional<generators::ArgumentStyle> style;
  uint64_t seed = 1;
  bool sweep = false;  // every bit pattern of the parameter, a part at a time (sweep.h)
  std::string infeed_text;
  std::string outfeed_text;      // literal lines: the expected outfeed, in order
  std::vector<int64_t> donated;  // argument leaves that are donated
  // Answers that are judged without an engine, target facts that are declared for them, and their
  // origin: "lemma 9", "ruling 0071", "legal", "wrong" or "recorded".
  std::vector<CaseOutput> outputs;
  std::vector<std::string> facts;
  std::string from;
  // Literal lines that the documents print; the outputs must equal these (and be acceptable).
  std::string expect_text;
  // Not empty: the reason why the sets can say nothing about this case, which must be
  // `inconclusive`.
  std::string inconclusive;
  std::string inconclusive_in_relaxed;  // the same for that profile, which allows more
  // Not empty: the module breaks this rule and must be refused; `control_text` must be accepted.
  std::string reject_rule;
  std::string control_text;
  // Not empty: this ruling leaves to the engine whether it accepts the module, so that neither the
  // refusal of a valid module nor the acceptance of an invalid one is judged.
  std::string open_ruling;
};

// A file that could not be read as cases.
struct BadFile {
  std::string prefix;  // of the addresses that it would have: "movement/pad"
  absl::Status error;
};
// All cases below a directory, sorted by address. Errors: syntax, a duplicate address, no clauses;
// with `bad` every mistake is recorded there, and its case is left out.
absl::StatusOr<std::vector<Case>> LoadCases(const std::string& folder,
                                            std::vector<BadFile>* bad = nullptr);
std::vector<std::string> AddressesOf(const std::vector<Case>& cases);
// For each case with the address of an earlier one: file and line of both.
std::vector<std::string> TakenAddresses(const std::vector<Case>& cases);
// The cases of one file's text; `area` and `stem` come from its path.
absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file);

// For "type=bf16 type=f16,n=4096: reason": the reason where one of the words holds for a case with
// the parameters ":type=f16,n=4096", else "". For "reason" alone: the reason.
std::string InconclusiveReason(absl::string_view text, absl::string_view parameters);

// Returns true if the query selects the address (CONTRACT.md: equal, a prefix before '/', ':' or
// ',', '*').
bool QueryMatches(absl::string_view query, absl::string_view address);

// The clause of a failure. The judge may name only a page ("elementwise_binary"); then it is the
// one clause of that page that the case cites. Where the case cites several, the page stays.
std::string ClauseOfCase(const std::string& clause, const std::vector<std::string>& clauses);

// Shard 1..count of an address: stable, the same on every machine.
int ShardOf(absl::string_view address, int count);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_CASE_H_
