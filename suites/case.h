// SPDX-License-Identifier: Apache-2.0
// Conformance cases as data. A file suites/cases/<area>/<operation>.case holds the cases of one
// operation; suites/cases/FORMAT.md has the format. Dropping a file in is all it takes to add
// cases.
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

// Where a case came from, so that errors name file and line.
struct CasePlace {
  std::string file;
  int line = 0;
  // Of @inputs, @module, ...: the line of the directive, 0 where comments stand between those
  // below.
  std::map<std::string, int> blocks = {};

  // An error of a block, "line 2: ...", with the file's line in place of the block's.
  std::string Located(const std::string& block, absl::string_view error) const;
};

// Outputs that some engine might return, and the verdict on them in the profiles that say one.
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
  int64_t replicas = 0;  // 0: as the module says
  // Inputs: literal lines, or generated.
  std::string inputs_text;
  std::optional<generators::ArgumentStyle> style;
  uint64_t seed = 1;
  bool sweep = false;  // every bit pattern of the parameter, a part at a time (sweep.h)
  std::string infeed_text;
  std::string outfeed_text;      // literal lines: what must be sent out, in order
  std::vector<int64_t> donated;  // argument leaves that are given away
  // Answers that are judged without an engine, target facts that are promised for them, and what
  // they show: "lemma 9", "ruling 0071", "legal", "wrong" or "recorded".
  std::vector<CaseOutput> outputs;
  std::vector<std::string> facts;
  std::string from;
  // Literal lines that the documents print; the outputs must be these (and acceptable).
  std::string expect_text;
  // Not empty: why the sets cannot say anything about this case. It must be `inconclusive`.
  std::string inconclusive;
  std::string inconclusive_in_relaxed;  // the same of that profile, which allows more
  // Not empty: the module breaks this rule and must be refused; `control_text` must be accepted.
  std::string reject_rule;
  std::string control_text;
  // Not empty: this ruling leaves to the engine whether it takes the module, so that a refusal of a
  // valid module, or the taking of one that must not break anything, judges nothing.
  std::string open_ruling;
};

// A file that could not be read as cases.
struct BadFile {
  std::string prefix;  // of the addresses that it would have: "movement/pad"
  absl::Status error;
};
// All cases below a folder, sorted by address. Errors: syntax, a duplicate address, no clauses;
// with `bad` every mistake is noted there, and the case that has it is left out.
absl::StatusOr<std::vector<Case>> LoadCases(const std::string& folder,
                                            std::vector<BadFile>* bad = nullptr);
std::vector<std::string> AddressesOf(const std::vector<Case>& cases);
// For each case whose address another before it has: file and line of both.
std::vector<std::string> TakenAddresses(const std::vector<Case>& cases);
// The cases of one file's text; `area` and `stem` come from its path.
absl::StatusOr<std::vector<Case>> ParseCases(absl::string_view text, const std::string& area,
                                             const std::string& stem, const std::string& file);

// Of "type=bf16 type=f16,n=4096: reason" the reason where one of the words holds of a case with the
// parameters ":type=f16,n=4096", "" where none does; of "reason" alone the reason.
std::string InconclusiveReason(absl::string_view text, absl::string_view parameters);

// Does the query select the address? (CONTRACT.md: equal, a prefix before '/', ':' or ',', '*'.)
bool QueryMatches(absl::string_view query, absl::string_view address);

// The clause of a failure. The judge may know no more than its page ("elementwise_binary"); the one
// sentence of that page that the case is for is it then. Where the case has several, the page
// stays.
std::string ClauseOfCase(const std::string& clause, const std::vector<std::string>& clauses);

// Shard 1..count of an address: stable, the same on every machine.
int ShardOf(absl::string_view address, int count);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_CASE_H_
