// SPDX-License-Identifier: Apache-2.0
// Evaluators of the operations with a structure of their own; the rows of evaluators.def name them.
#ifndef HLOCTS_REFERENCE_OPS_STRUCTURED_H_
#define HLOCTS_REFERENCE_OPS_STRUCTURED_H_

#include "reference/eval_context.h"

namespace hlocts::reference {

#define HLOCTS_DECLARE_EVALUATOR(Function)                                               \
  absl::StatusOr<Literal> Function(EvalContext& context, const Instruction& instruction, \
                                   absl::Span<Literal> operands)

HLOCTS_DECLARE_EVALUATOR(EvaluateConvolution);
HLOCTS_DECLARE_EVALUATOR(EvaluateReduceWindow);
HLOCTS_DECLARE_EVALUATOR(EvaluateSelectAndScatter);
HLOCTS_DECLARE_EVALUATOR(EvaluateMap);
HLOCTS_DECLARE_EVALUATOR(EvaluateRaggedDot);
HLOCTS_DECLARE_EVALUATOR(EvaluateSort);
HLOCTS_DECLARE_EVALUATOR(EvaluateTopK);
HLOCTS_DECLARE_EVALUATOR(EvaluateGather);
HLOCTS_DECLARE_EVALUATOR(EvaluateScatter);
HLOCTS_DECLARE_EVALUATOR(EvaluateCholesky);
HLOCTS_DECLARE_EVALUATOR(EvaluateTriangularSolve);
HLOCTS_DECLARE_EVALUATOR(EvaluateFft);
HLOCTS_DECLARE_EVALUATOR(EvaluateBatchNormTraining);
HLOCTS_DECLARE_EVALUATOR(EvaluateBatchNormInference);
HLOCTS_DECLARE_EVALUATOR(EvaluateBatchNormGrad);
HLOCTS_DECLARE_EVALUATOR(EvaluateRng);
HLOCTS_DECLARE_EVALUATOR(EvaluateRngBitGenerator);
HLOCTS_DECLARE_EVALUATOR(EvaluateRngGetAndUpdateState);
HLOCTS_DECLARE_EVALUATOR(EvaluateCustomCall);
// Collectives and channels: by the world, or as the only device (reference/ops/world_ops.cc).
HLOCTS_DECLARE_EVALUATOR(EvaluateInWorld);
HLOCTS_DECLARE_EVALUATOR(EvaluateCollectiveDone);
HLOCTS_DECLARE_EVALUATOR(EvaluateReplicaId);
HLOCTS_DECLARE_EVALUATOR(EvaluatePartitionId);

#undef HLOCTS_DECLARE_EVALUATOR

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_STRUCTURED_H_
