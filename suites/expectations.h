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

// suites/expectations/<engine>.textproto, for the recorded name of an engine: its label, or what
// stands before '@', ':' or '?'.
std::string ExpectationsPath(const std::string& backend);

class ExpectationList {
 public:
  ExpectationList();
  ~ExpectationList();
  ExpectationList(ExpectationList&&) noexcept;
  ExpectationList& operator=(ExpectationList&&) noexcept;

  // A missing file is an empty list, or with `must_exist` an error. Errors: syntax, no text at all,
  // an entry without verdict, kind, clause or reason.
  static absl::StatusOr<ExpectationList> Load(const std::string& path, bool must_exist = false);

  // Marks the verdict `expected` when it is a pass nobody expects to fail, or as an entry says.
  // An entry that expects something else than what came (a pass, say) leaves it unexpected and says
  // so in `reason`. `today` is YYYY-MM-DD when expiry counts, else "".
  void Apply(reports::Verdict& verdict, const std::string& today) const;
  // Does an entry with this `signature` (of a failure found by fuzzing; * matches any run) explain
  // the verdict? `needs`: what the smallest module holds; null while it is not known.
  bool Explains(const std::string& signature, const reports::Verdict& verdict,
                const std::set<std::string>* needs) const;
  // "FILE:LINE: "QUERY" selects no case; nearest: ..." of each query that selects none of these.
  std::vector<std::string> WithoutCase(const std::vector<std::string>& addresses) const;
  // Of a pass: the release since which a failure that an entry knows of earlier ones is gone; "" of
  // others.
  std::string FixedSince(const reports::Verdict& verdict) const;
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_EXPECTATIONS_H_
