// SPDX-License-Identifier: Apache-2.0
// Runs `eval`, `judge` and `diff` on an untrusted text in this process, with small limits. The
// result must be a value, a verdict or an error, never a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "spec/accuracy/profile.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Returns an approximate upper bound of the number of steps of one device: elements that are read,
// computed or written. A window or contraction costs one step per term. A computation that is
// called for each element costs its own steps per element. A loop is assumed to run `trips_max`
// iterations. An instruction on arrays larger than `bytes_max` costs nothing: it is rejected before
// allocation. The result depends only on shapes, and may be infinite.
double WorkOf(const Module& module, int64_t trips_max, int64_t bytes_max);

struct RobustnessCounts {
  int64_t texts = 0, readable = 0, valid = 0, run = 0;      // run: within the limits of work
  int64_t values = 0, judged = 0, engine = 0, refused = 0;  // engine: run on cpu; refused: rejected
  std::string ToText() const;
};

class RobustnessRun {
 public:
  RobustnessRun();
  void Run(const std::string& text, uint64_t seed);
  const RobustnessCounts& counts() const { return counts_; }

 private:
  void Judge(const Module& module, const backends::ExecuteRequest& request, Profile profile,
             bool engine_too);

  std::unique_ptr<backends::Backend> reference_, engine_;
  backends::LoadOptions load_;
  RobustnessCounts counts_;
};

}  // namespace hlocts::fuzz
