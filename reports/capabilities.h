// SPDX-License-Identifier: Apache-2.0
// What an engine says that it cannot: a row an operation, its types apart. Made of verdicts, so it
// says no more than the cases did.
#ifndef HLOCTS_REPORTS_CAPABILITIES_H_
#define HLOCTS_REPORTS_CAPABILITIES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/verdict_fwd.h"

namespace hlocts::reports {

struct CapabilityRow {
  std::string operation;  // "elementwise/tanh"
  std::string type;       // what the address says after "type=", "" where it says none
  int64_t cases = 0, unsupported = 0;
  std::string reason;  // of one that is unsupported
};

class Capabilities {
 public:
  void Add(const Verdict& verdict);
  // Of an engine, by operation and type.
  std::vector<CapabilityRow> Rows(const std::string& engine) const;
  // For each engine the rows of which every case is unsupported, a line an operation, and how many
  // rows are supported in part; "" where all is supported.
  std::string ToText() const;

 private:
  std::map<std::string, std::map<std::pair<std::string, std::string>, CapabilityRow>> rows_;
};

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_CAPABILITIES_H_
