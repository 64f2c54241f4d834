// SPDX-License-Identifier: Apache-2.0
// Runs one input of a libFuzzer target that tests an engine: generates a module and runs it in this
// process. For a finding, stores a bundle and aborts, as libFuzzer expects. Targets that link this
// file mutate the decisions of the generator. For libFuzzer, an input is new if its module has new
// kinds of instructions.
//
// A target consists of fuzz_<name>_fuzzer.cc, the property FUZZER_DEPS_fuzz_<name> in
// ../CMakeLists.txt and an options file in ci/oss-fuzz. The targets for parsers check that any
// bytes are rejected or survive writing and reading. fuzz_diff_cpu and fuzz_metamorphic generate
// modules from bytes. ci/test replays a fixed number of inputs. An input that showed a defect is
// kept in ../corpus/<target> under a name that describes it. Build:
//   cmake --preset asan-fuzz && cmake --build --preset asan-fuzz --target fuzz_hlo_text
#pragma once

#include <memory>

#include "fuzz/triage/trial.h"
#include "generators/decision_mutator.h"

namespace hlocts::fuzz {

class InProcessFuzz {
 public:
  // `backend` is the name of the engine, such as "cpu?isolation=none". Bundles are stored in
  // $HLOCTS_FUZZ_OUT, or in "findings".
  explicit InProcessFuzz(std::string backend);

  void Diff(absl::string_view bytes);      // runs and judges a module
  void Variants(absl::string_view bytes);  // also runs a variant, and judges outputs that differ

 private:
  Sample Make(absl::string_view bytes);
  void Stop(const Sample& sample, TrialResult result, std::string origin);

  std::string name_;
  std::unique_ptr<backends::Backend> engine_;
  TrialOptions options_;
};

}  // namespace hlocts::fuzz
