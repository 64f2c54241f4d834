// SPDX-License-Identifier: Apache-2.0
// The operations that an engine does not support: a row per operation, by type. Derived from
// verdicts, so it says no more than the cases do.
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
  std::string type;       // the address's text after "type=", "" without it
  int64_t cases = 0, unsupported = 0;
  std::string reason;  // of an unsupported case
};

class Capabilities {
 public:
  void Add(const Verdict& verdict);
  // The rows of an engine, by operation and type.
  std::vector<CapabilityRow> Rows(const std::string& engine) const;
  // For each engine the rows of which every case is unsupported, a line per operation, and the
  // number of rows that are supported in part; "" where everything is supported.
  std::string ToText() const;

 private:
  std::map<std::string, std::map<std::pair<std::string, std::string>, CapabilityRow>> rows_;
};

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_CAPABILITIES_H_
