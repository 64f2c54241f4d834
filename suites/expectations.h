// SPDX-License-Identifier: Apache-2.0
// Declares the known, explained verdicts of an engine (expectations.proto).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/verdict.h"
#include "reports/verdict_fwd.h"
#include "spec/base/status.h"

namespace hlocts::suites {

// Returns suites/expectations/<engine>.textproto. `backend` is the name of an engine in a record;
// <engine> is its label or, if it has none, the part before '@', ':' or '?'.
std::string ExpectationsPath(const std::string& backend);

class ExpectationList {
 public:
  ExpectationList();
  ~ExpectationList();
  ExpectationList(ExpectationList&&) noexcept;
  ExpectationList& operator=(ExpectationList&&) noexcept;

  // Loads a list. A missing file is an empty list, or an error with `must_exist`. Fails for syntax
  // errors and entries without text, verdict, kind, clause or reason.
  static absl::StatusOr<ExpectationList> Load(const std::string& path, bool must_exist = false);

  // Marks the verdict `expected` if it passes without an entry or is what an entry expects.
  // Otherwise (for example, if a case passes that should fail) it stays unexpected, and `reason`
  // says so. `today` is YYYY-MM-DD if entries may expire, else "".
  void Apply(reports::Verdict& verdict, const std::string& today) const;
  // Returns true if an entry with this `signature` (of a failure found by fuzzing; * matches any
  // run) explains the verdict. `needs` is what the smallest module contains, or null.
  bool Explains(const std::string& signature, const reports::Verdict& verdict,
                const std::set<std::string>* needs) const;
  // Returns "FILE:LINE: "QUERY" selects no case; nearest: ..." for each query without a match.
  std::vector<std::string> WithoutCase(const std::vector<std::string>& addresses) const;
  // Returns the release that fixed a failure for which an entry names earlier releases, if the
  // verdict is a pass; otherwise "".
  std::string FixedSince(const reports::Verdict& verdict) const;
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hlocts::suites
