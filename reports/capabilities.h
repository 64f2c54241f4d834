// SPDX-License-Identifier: Apache-2.0
// Declares the table of operations that an engine does not support, with an entry per operation and
// type. The table is derived from verdicts and covers only the operations of their cases.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/verdict_fwd.h"

namespace hlocts::reports {

struct CapabilityRow {
  std::string operation;  // "elementwise/tanh"
  std::string type;       // the text after "type=" in the address, or ""
  int64_t cases = 0, unsupported = 0;
  std::string reason;  // why one of the cases is unsupported
};

class Capabilities {
 public:
  void Add(const Verdict& verdict);
  // Returns the entries of an engine, sorted by operation and type.
  std::vector<CapabilityRow> Rows(const std::string& engine) const;
  // Returns, for each engine, a line per operation with the types whose cases are all unsupported,
  // and the number of entries with some unsupported cases. Returns "" if everything is supported.
  std::string ToText() const;

 private:
  std::map<std::string, std::map<std::pair<std::string, std::string>, CapabilityRow>> rows_;
};

}  // namespace hlocts::reports
