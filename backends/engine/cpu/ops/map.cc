// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/compile/op_list.h"

namespace hlocts::cpu {

absl::StatusOr<StepDraft> MakeMap(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const int64_t elements = context.out(0).elements;
  StepDraft draft;
  draft.run = [body, elements](Run& run, In in, Out out) {
    return body->Apply(run, in, out, elements);
  };
  return draft;
}

}  // namespace hlocts::cpu
