// SPDX-License-Identifier: Apache-2.0
// The known verdicts of an engine, each with a reason (expectations.proto).
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reports/verdict.h"
#include "reports/verdict_fwd.h"
#include "spec/base/status.h"

namespace hlocts::expectations {
class Expectation;
}
namespace hlocts::engines {
class Engine;
class EngineList;
}  // namespace hlocts::engines

namespace hlocts::suites {

// Returns suites/expectations/<engine>.textproto. `backend` is the recorded name of an engine.
// <engine> is the label in this name or, if there is none, the part before '@', ':' or '?'.
std::string ExpectationsPath(const std::string& backend);

// Returns the engine of a verdict, or null. For an alias, the recorded version selects the release.
const engines::Engine* EngineOf(const engines::EngineList& list, const reports::Verdict& verdict);

// Returns true if the condition of an entry is true for the engine of the verdict.
bool ConditionHolds(const expectations::Expectation& entry, const reports::Verdict& verdict);

// The clause of a generated entry for a case that names none.
inline constexpr char kUnknownClause[] = "unknown";

class ExpectationList {
 public:
  ExpectationList();
  ~ExpectationList();
  ExpectationList(ExpectationList&&) noexcept;
  ExpectationList& operator=(ExpectationList&&) noexcept;

  // Loads a list. If the file is missing, returns an empty list, or an error if `must_exist`. Fails
  // for syntax errors and for entries that lack a text, verdict, kind, clause or reason, or name no
  // clause of the documents (kUnknownClause is accepted).
  static absl::StatusOr<ExpectationList> Load(const std::string& path, bool must_exist = false);

  // Marks the verdict `expected` if an entry expects it, or if it is no failure and has no entry.
  // Otherwise (e.g. if a case passes that should fail) leaves it unexpected, and sets `wanted` to
  // what entries expect. `today` is YYYY-MM-DD if entries may expire, else "".
  void Apply(reports::Verdict& verdict, const std::string& today) const;
  // Returns true if Apply would mark the verdict of an earlier run as it is marked.
  bool AppliesAlike(const reports::Verdict& earlier, const std::string& today) const;
  // Returns an entry that explains the verdict of a failure, or null: the entry of the verdict's
  // case, otherwise one whose signature, in which * matches any text, matches `signature`. `needs`
  // has the properties of the smallest module, or is null. If several entries match, returns the
  // one whose signature and needs state the most characters. A signature counts only if `fits`,
  // unless null, returns true for its entry.
  using Fits = std::function<bool(const expectations::Expectation&)>;
  const expectations::Expectation* Explaining(const std::string& signature,
                                              const reports::Verdict& verdict,
                                              const std::set<std::string>* needs,
                                              const Fits& fits = nullptr) const;
  // Returns "FILE:LINE: "QUERY" selects no case; nearest: ..." for each query that selects no case.
  std::vector<std::string> WithoutCase(const std::vector<std::string>& addresses) const;
  // If the verdict is a pass and an entry names the earlier releases on which the case fails,
  // returns the release that fixed the failure, otherwise "".
  std::string FixedSince(const reports::Verdict& verdict) const;
  size_t size() const;

 private:
  // Adds the signatures of the list that `signatures_of` of the list at `path` names.
  absl::Status AddSignatures(const std::string& path);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hlocts::suites
