// SPDX-License-Identifier: Apache-2.0
// The semantic regions of a module's instructions that an input reaches: classes of operands and
// results, their order, digits lost by a subtraction, the positions of start indices in their
// range.
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

// Region numbers, which have the same meaning in every run of one module.
using Regions = std::set<uint64_t>;

// Observes evaluations of one module. Samples the elements of large arrays.
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
  std::mutex mutex_;  // each device has a thread
  Regions regions_;
};

}  // namespace hlocts::tools
