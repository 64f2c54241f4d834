// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/verifier.h"

#include "spec/infer/infer.h"
#include "spec/infer/verifier_parts.h"

namespace hlocts {

absl::Status VerifyModule(const Module& module) {
  HLOCTS_RETURN_IF_ERROR(VerifyStructure(module));
  ShapeInference inference;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      HLOCTS_RETURN_IF_ERROR(inference.Verify(*instruction));
    }
  }
  HLOCTS_RETURN_IF_ERROR(VerifyInteraction(module));
  return VerifyHeader(module);
}

}  // namespace hlocts
