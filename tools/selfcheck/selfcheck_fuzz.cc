// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/selfcheck_fuzz.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "backends/selftest/faults/fault.h"
#include "spec/files/file_io.h"
#include "tools/cli/common.h"
#include "tools/selfcheck/fuzz_check.h"
#include "tools/selfcheck/multi_fault_check.h"

namespace hlocts::tools {
namespace {

int Keep(const SelfcheckFuzzOptions& options, const std::string& name, const std::string& text) {
  std::cout << text << std::flush;
  if (options.out.empty()) return kExitOk;
  std::filesystem::create_directories(options.out);
  absl::Status written = WriteFile(absl::StrCat(options.out, "/", name), text);
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace

int RunSelfcheckFuzz(const SelfcheckFuzzOptions& options) {
  FuzzCheckOptions check;
  check.campaign = PlantedCampaign(options.seed);
  check.seconds = options.seconds;
  check.jobs = options.jobs;
  check.bundles = options.bundles;
  std::vector<FuzzRecord> records = SearchFaults(options.faults, check);
  ShrinkFound(records, check);
  int kept = Keep(options, "fuzz.txt", FuzzCheckText(records, check));
  if (kept != kExitOk) return kept;
  return FuzzGoalsKept(records) ? kExitOk : kExitFailed;
}

int RunSelfcheckMultiFault(const SelfcheckFuzzOptions& options) {
  constexpr size_t kFaults = 40;
  const size_t all = options.faults.size(), count = std::min(kFaults, all);
  std::vector<std::string> faults;  // spread over all classes
  for (size_t i = 0; i < count; ++i) {
    size_t at = i * all / count;
    while (at + 1 < all && !backends::PermittedBy(options.faults[at]).empty()) ++at;
    faults.push_back(options.faults[at]);
  }
  FuzzCheckOptions check;
  check.campaign = PlantedCampaign(options.seed);
  check.seconds = options.seconds;
  check.bundles = options.bundles;
  return Keep(options, "multi_fault.txt", MultiFaultText(CheckMultiFault(faults, check), faults));
}

}  // namespace hlocts::tools
