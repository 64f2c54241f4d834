// SPDX-License-Identifier: Apache-2.0
// Known, explained verdicts of an engine (expectations.proto).
#ifndef HLOCTS_SUITES_EXPECTATIONS_H_
#define HLOCTS_SUITES_EXPECTATIONS_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/verdict.h"
#include "reports/verdict_fwd.h"
#include "spec/base/status.h"

namespace hlocts::suites {

// suites/expectations/<engine>.textproto, for the recorded name of an engine: its label, or the
// part before '@', ':' or '?'.
std::string ExpectationsPath(const std::string& backend);

class ExpectationList {
 public:
  ExpectationList();
  ~ExpectationList();
  ExpectationList(ExpectationList&&) noexcept;
  ExpectationList& operator=(ExpectationList&&) noexcept;

  // A missing file is an empty list, or with `must_exist` an error. Errors: syntax, an empty text,
  // an entry without verdict, kind, clause or reason.
  static absl::StatusOr<ExpectationList> Load(const std::string& path, bool must_exist = false);

  // Marks the verdict `expected` when it is a pass without an entry, or as an entry says. A verdict
  // other than that of its entry (a pass, say) stays unexpected, and `reason` says so. `today` is
  // YYYY-MM-DD when expiry counts, else "".
  void Apply(reports::Verdict& verdict, const std::string& today) const;
  // Returns true if an entry with this `signature` (of a failure found by fuzzing; * matches any
  // run) explains the verdict. `needs`: the contents of the smallest module; null while unknown.
  bool Explains(const std::string& signature, const reports::Verdict& verdict,
                const std::set<std::string>* needs) const;
  // "FILE:LINE: "QUERY" selects no case; nearest: ..." for each query that selects none of these.
  std::vector<std::string> WithoutCase(const std::vector<std::string>& addresses) const;
  // For a pass: the release that fixed a failure which an entry records for earlier releases;
  // otherwise "".
  std::string FixedSince(const reports::Verdict& verdict) const;
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_EXPECTATIONS_H_
