// SPDX-License-Identifier: Apache-2.0
// custom-call: the function of that name from the library the caller gave, applied to row-major
// buffers; void target(void* out, void** in), a tuple being an array of pointers.
#include "backends/engine/plan/custom_call.h"

#include <cstring>
#include <deque>

#include "backends/engine/cpu/compile/op_list.h"

namespace hlocts::cpu {

absl::StatusOr<StepDraft> MakeCustomCall(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(
      const plan::CustomCallTarget target,
      plan::CustomCallTarget::Of(context.source(), context.compiler.options().custom_calls));
  std::vector<int64_t> bytes, out_bytes;
  for (size_t k = 0; k < context.node.operands.size(); ++k) bytes.push_back(context.in(k).bytes);
  for (size_t k = 0; k < context.node.outputs.size(); ++k)
    out_bytes.push_back(context.out(k).bytes);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    // The function could write through its pointers: it gets copies.
    std::deque<std::vector<uint8_t>> copies;
    std::vector<uint8_t*> leaves;
    for (size_t k = 0; k < bytes.size(); ++k) {
      copies.emplace_back(bytes[k] + 1);
      if (bytes[k] > 0) std::memcpy(copies.back().data(), in[k], static_cast<size_t>(bytes[k]));
      leaves.push_back(in[k] == nullptr ? nullptr : copies.back().data());
    }
    for (size_t k = 0; k < out_bytes.size(); ++k) {
      if (out_bytes[k] > 0) std::memset(out[k], 0, static_cast<size_t>(out_bytes[k]));
    }
    target.Call(leaves.data(), out);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
