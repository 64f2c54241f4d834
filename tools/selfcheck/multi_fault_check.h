// SPDX-License-Identifier: Apache-2.0
// Many planted faults in one engine: does sorting into buckets tell them apart?
#ifndef HLOCTS_TOOLS_SELFCHECK_MULTI_FAULT_CHECK_H_
#define HLOCTS_TOOLS_SELFCHECK_MULTI_FAULT_CHECK_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/selfcheck/fuzz_check.h"

namespace hlocts::tools {

struct MultiFaultReport {
  int64_t modules = 0;
  int64_t findings = 0;  // also those whose signature was met before
  int64_t asked = 0,
          pure = 0;  // findings whose cause was looked up; those caused by their bucket's fault
  // Bucket and the faults that alone make its module fail.
  std::map<std::string, std::set<std::string>> buckets;
  std::map<std::string, int64_t> strays;  // bucket and causes of findings that are not its owner's
  std::set<std::string> signatures;       // after shrinking
  double seconds = 0;
};

// A campaign of `options.seconds` of processor time on an engine that has all these faults.
MultiFaultReport CheckMultiFault(const std::vector<std::string>& faults,
                                 const FuzzCheckOptions& options);
std::string MultiFaultText(const MultiFaultReport& report, const std::vector<std::string>& faults);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_MULTI_FAULT_CHECK_H_
