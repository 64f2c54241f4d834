// SPDX-License-Identifier: Apache-2.0
// cholesky, triangular-solve and batch normalization. The kernels are in device/linear.h and
// device/block_norm.h.
#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

absl::Status CheckFloating(const OpContext& context) {
  const PrimitiveType type = context.in(0).type;
  if (IsFloat(type) || IsComplex(type)) return absl::OkStatus();
  return Unsupported(context.name(), ": element type ", PrimitiveTypeName(type));
}

}  // namespace

absl::StatusOr<StepDraft> MakeCholesky(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckFloating(context));
  const plan::ArrayType& type = context.in(0);
  hl::CholeskyArgs args = {};
  args.type = TypeNumber(type.type);
  args.lower = context.source().BoolOr(Attr::kLower, false) ? 1 : 0;
  args.size = type.dimensions.back();
  args.phases = static_cast<int>(2 * args.size + 1);
  const int64_t elements = type.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) -> absl::Status {
    if (elements == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer work, run.Allocate(elements * 16));
    hl::CholeskyArgs now = args;
    now.in = in[0];
    now.out = out[0];
    now.work = static_cast<hl::Complex*>(work->data());
    return run.Launch(hl::kCholeskyKernel, now, elements / (args.size * args.size));
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeTriangularSolve(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckFloating(context));
  const plan::ArrayType &a = context.in(0), &b = context.in(1);
  const absl::string_view transpose = context.source().WordOr(Attr::kTransposeA, "NO_TRANSPOSE");
  hl::SolveArgs args = {};
  args.type = TypeNumber(b.type);
  args.left = context.source().BoolOr(Attr::kLeftSide, false) ? 1 : 0;
  args.lower = context.source().BoolOr(Attr::kLower, false) ? 1 : 0;
  args.unit = context.source().BoolOr(Attr::kUnitDiagonal, false) ? 1 : 0;
  args.transposed = transpose != "NO_TRANSPOSE" ? 1 : 0;
  args.conjugated = transpose == "ADJOINT" ? 1 : 0;
  args.size = a.dimensions.back();
  args.systems = b.dimensions[b.rank() - (args.left != 0 ? 1 : 2)];
  const int64_t elements = b.elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) -> absl::Status {
    if (elements == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer work, run.Allocate(elements * 16));
    hl::SolveArgs now = args;
    now.a = in[0];
    now.b = in[1];
    now.out = out[0];
    now.work = static_cast<hl::Complex*>(work->data());
    return run.Launch(hl::kSolveKernel, now, elements / args.size);
  };
  return draft;
}

namespace {

constexpr int kSideBySide = 32;

hl::NormMode ModeOf(Opcode opcode) {
  if (opcode == Opcode::kBatchNormTraining) return hl::kNormTraining;
  return opcode == Opcode::kBatchNormGrad ? hl::kNormGradient : hl::kNormInference;
}

// The operands are operand, scale and offset; inference also has mean and variance. The gradient
// has operand, scale, mean, variance and grad_output.
void SetOperands(In in, Out out, hl::NormArgs& args) {
  args.x = in[0];
  args.scale = in[1];
  args.out = out[0];
  if (args.mode == hl::kNormGradient) {
    args.mean = in[2];
    args.variance = in[3];
    args.grad = in[4];
  } else {
    args.offset = in[2];
  }
  if (args.mode == hl::kNormInference) {
    args.mean = in[3];
    args.variance = in[4];
    return;
  }
  args.out_first = out[1];
  args.out_second = out[2];
}

}  // namespace

absl::StatusOr<StepDraft> MakeBatchNorm(const OpContext& context) {
  const plan::ArrayType& operand = context.in(0);
  if (!IsFloat(operand.type)) {
    return Unsupported(context.name(), ": element type ", PrimitiveTypeName(operand.type));
  }
  const int64_t feature = context.source().IntOr(Attr::kFeatureIndex, 0);
  hl::NormArgs args = {};
  args.type = TypeNumber(operand.type);
  args.mode = ModeOf(context.node.opcode);
  args.outer = args.inner = 1;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (d < feature) args.outer *= operand.dimensions[d];
    if (d > feature) args.inner *= operand.dimensions[d];
  }
  args.count = operand.dimensions[feature];
  // HLO defines epsilon as an f32.
  args.epsilon =
      static_cast<double>(static_cast<float>(context.source().FloatOr(Attr::kEpsilon, 0)));
  const int64_t elements = operand.elements;
  args.phases = hl::kNormPhases;
  // If `inner` is small, a block reads the elements of kSideBySide adjacent features together.
  args.features = args.inner >= kSideBySide ? 1 : kSideBySide;
  args.narrow = elements < kNarrowElements ? 1 : 0;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) -> absl::Status {
    hl::NormArgs now = args;
    SetOperands(in, out, now);
    HLOCTS_ASSIGN_OR_RETURN(const Buffer sums, run.Allocate(args.count * 16));
    now.sums = static_cast<double*>(sums->data());
    if (args.mode != hl::kNormInference) {
      const int64_t blocks = (args.count + args.features - 1) / args.features;
      HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kNormSumsKernel, now, blocks));
    }
    return run.Launch(hl::kNormKernel, now, elements);
  };
  return draft;
}

}  // namespace hlocts::cuda
