// SPDX-License-Identifier: Apache-2.0
// hlocts selfcheck fuzz: planted faults as engines of campaigns.
#ifndef HLOCTS_TOOLS_SELFCHECK_SELFCHECK_FUZZ_H_
#define HLOCTS_TOOLS_SELFCHECK_SELFCHECK_FUZZ_H_

#include <cstdint>
#include <string>
#include <vector>

namespace hlocts::tools {

struct SelfcheckFuzzOptions {
  std::vector<std::string> faults;
  uint64_t seed = 1;
  double seconds = 60;  // processor time of each fault's campaign
  int jobs = 1;
  std::string out;      // folder of fuzz.txt; "" for none
  std::string bundles;  // folder that keeps the shrunk modules; "" for none
};
int RunSelfcheckFuzz(const SelfcheckFuzzOptions& options);
// Forty of them at once, spread over the list: are they told apart?
int RunSelfcheckMultiFault(const SelfcheckFuzzOptions& options);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_SELFCHECK_FUZZ_H_
