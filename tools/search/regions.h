// SPDX-License-Identifier: Apache-2.0
// The semantic regions that an input reaches in a module's instructions: classes of operands and
// results, the order of operands, digits lost by a subtraction, and positions of start indices in
// their range.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "reference/eval_hook.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// Numbers of regions. A number has the same meaning in every run of one module.
using Regions = std::set<uint64_t>;

// Observes evaluations of one module. Of large arrays, it observes a sample of the elements.
class RegionRecorder : public reference::EvalHook {
 public:
  explicit RegionRecorder(const Module& module);
  // Returns the regions reached since the last call.
  Regions Take() { return std::exchange(regions_, {}); }

  absl::Status BeforeInstruction(reference::EvalContext&, const Instruction&,
                                 absl::Span<Literal>) override {
    return absl::OkStatus();
  }
  absl::Status AfterInstruction(reference::EvalContext& context, const Instruction& instruction,
                                absl::Span<const Literal> operands, Literal& result) override;

 private:
  absl::flat_hash_map<const Instruction*, uint64_t> numbers_;
  std::mutex mutex_;  // each device has its own thread
  Regions regions_;
};

}  // namespace hlocts::tools
