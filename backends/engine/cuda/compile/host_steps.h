// SPDX-License-Identifier: Apache-2.0
// Steps whose called computations contain loops, arrays or sorts. Their kernels run as loops on the
// host, which call the computation for each element.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// Host copies of a node's operands, and space for its results.
class HostCopies {
 public:
  explicit HostCopies(const OpContext& context);
  // Run calls the work on the copies and uploads the results. Pointers of tokens stay null.
  using Work = absl::FunctionRef<absl::Status(plan::In in, uint8_t* const* out)>;
  absl::Status Run(cuda::Run& run, In in, Out out, Work work) const;

 private:
  std::vector<int64_t> in_bytes_, out_bytes_;
};

// Returns true if a node calls a computation on elements that cannot be a program.
bool NeedsHost(const OpContext& context);
// Makes the step of the node on host copies of its operands.
absl::StatusOr<StepDraft> MakeHostStep(const OpContext& context);

// Returns a program that reads its values by the instructions `sources` and calls `function`, which
// was compiled for the host.
absl::StatusOr<std::vector<hl::Instr>> CallingProgram(const Function& function,
                                                      absl::Span<const hl::Instr> sources);

}  // namespace hlocts::cuda
