// SPDX-License-Identifier: Apache-2.0
// Steps whose called computations contain while loops, arrays or sorts. Their kernels run as loops
// on the host that call the computation for each element.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

// The sizes of a node's operands and results, for steps that work on host copies of them.
class HostCopies {
 public:
  explicit HostCopies(const OpContext& context);
  // Downloads the operands, calls `work`, and uploads the results. Pointers of tokens are null.
  using Work = absl::FunctionRef<absl::Status(plan::In in, uint8_t* const* out)>;
  absl::Status Run(cuda::Run& run, In in, Out out, Work work) const;

 private:
  std::vector<int64_t> in_bytes_, out_bytes_;
};

// Returns true if a node calls a computation on scalars that cannot be a program.
bool NeedsHost(const OpContext& context);
// Makes a step that executes the node on host copies of its operands.
absl::StatusOr<StepDraft> MakeHostStep(const OpContext& context);

// Returns a program that reads its arguments with the instructions `sources` and calls `function`,
// which was compiled for the host.
absl::StatusOr<std::vector<hl::Instr>> CallingProgram(const Function& function,
                                                      absl::Span<const hl::Instr> sources);

}  // namespace hlocts::cuda
