// SPDX-License-Identifier: Apache-2.0
// What the libFuzzer targets that run engines do with one input: decisions become a module, which
// runs in this process; a finding is stored as a bundle and ends the process, as libFuzzer wants
// it. Who links this has libFuzzer mutate decisions, and keep inputs that show new kinds of
// instructions.
//
// A target is fuzz_<name>_fuzzer.cc with one property, FUZZER_DEPS_fuzz_<name> in ../CMakeLists.txt
// and an options file in ci/oss-fuzz. Readers must reject or round-trip any bytes; fuzz_diff_cpu
// and fuzz_metamorphic turn decisions into modules. Build: `cmake --preset asan-fuzz && cmake
// --build --preset asan-fuzz --target fuzz_hlo_text`. ci/test replays a fixed number of inputs; an
// input that showed a defect is kept in ../corpus/<target> under a name that describes it.
#ifndef HLOCTS_FUZZ_TARGETS_IN_PROCESS_H_
#define HLOCTS_FUZZ_TARGETS_IN_PROCESS_H_

#include <memory>

#include "fuzz/triage/trial.h"
#include "generators/decision_mutator.h"

namespace hlocts::fuzz {

class InProcessFuzz {
 public:
  // `backend` by its name, e.g. "cpu?isolation=none". Bundles go below $HLOCTS_FUZZ_OUT, else below
  // "findings".
  explicit InProcessFuzz(std::string backend);

  void Diff(absl::string_view bytes);   // one run, judged
  void Twins(absl::string_view bytes);  // a run and one of a variant, judged if they differ

 private:
  Sample Make(absl::string_view bytes);
  void Stop(const Sample& sample, TrialResult result, std::string origin);

  std::string name_;
  std::unique_ptr<backends::Backend> engine_;
  TrialOptions options_;
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TARGETS_IN_PROCESS_H_
