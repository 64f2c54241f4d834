// SPDX-License-Identifier: Apache-2.0
// custom-call: the host function of that name from the library the caller gave, on host copies of
// row-major buffers; void target(void* out, void** in), a tuple being an array of pointers.
#include "backends/engine/plan/custom_call.h"

#include <algorithm>
#include <deque>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

absl::StatusOr<StepDraft> MakeCustomCall(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(
      const plan::CustomCallTarget target,
      plan::CustomCallTarget::Of(context.source(), context.compiler.options().custom_calls));
  std::vector<int64_t> bytes, out_bytes;
  for (size_t k = 0; k < context.node.operands.size(); ++k) bytes.push_back(context.in(k).bytes);
  for (size_t k = 0; k < context.node.outputs.size(); ++k)
    out_bytes.push_back(context.out(k).bytes);
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out out) -> absl::Status {
    std::vector<std::vector<uint8_t>> copies(bytes.size()), results;
    std::vector<uint8_t*> leaves, result_leaves;
    for (size_t k = 0; k < bytes.size(); ++k) {
      if (in[k] != nullptr) {
        HLOCTS_ASSIGN_OR_RETURN(copies[k], ToHost(run, in[k], bytes[k]));
      }
      leaves.push_back(in[k] == nullptr ? nullptr : copies[k].data());
    }
    for (int64_t size : out_bytes) results.emplace_back(static_cast<size_t>(size) + 1);
    for (std::vector<uint8_t>& result : results) result_leaves.push_back(result.data());
    target.Call(leaves.data(), result_leaves.data());
    for (size_t k = 0; k < results.size(); ++k) {
      if (out[k] == nullptr) continue;
      HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], results[k].data(), out_bytes[k]));
    }
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cuda
