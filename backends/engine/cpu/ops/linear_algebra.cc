// SPDX-License-Identifier: Apache-2.0
// cholesky and triangular-solve, which kernels compute: in f32 for f16 and bf16; in double for f8,
// and for every type in the strict profile.
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {
namespace {

absl::Status CheckType(const OpContext& context) {
  const PrimitiveType type = context.in(0).type;
  if (IsFloat(type) || IsComplex(type)) return absl::OkStatus();
  return Unsupported(context.name(), ": element type ", PrimitiveTypeName(type));
}

// Returns the type in which the kernel computes. Arrays of other types are converted.
PrimitiveType ComputedType(const OpContext& context) {
  const PrimitiveType type = context.in(0).type;
  if (context.compiler.options().math.strict || BitWidth(type) < 16) return InDouble(type);
  return BitWidth(type) == 16 ? PrimitiveType::kF32 : type;
}

StepDraft Nothing() {
  StepDraft draft;
  draft.run = [](Run&, In, Out) { return absl::OkStatus(); };
  return draft;
}

}  // namespace

absl::StatusOr<StepDraft> MakeCholesky(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckType(context));
  const plan::ArrayType type = context.in(0);
  if (type.elements == 0) return Nothing();
  const kernels::Parallel parallel(context.compiler.options().threads);
  const PrimitiveType computed = ComputedType(context);
  kernels::CholeskyRequest request;
  request.type = computed;
  request.lower = context.source().BoolOr(Attr::kLower, false);
  request.size = type.dimensions.back();
  request.batch = type.elements / (request.size * request.size);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    const Converted a(type.type, computed, in[0], type.elements);
    return IntoConverted(computed, type.type, type.elements, out[0], [&](uint8_t* to) {
      kernels::CholeskyRequest now = request;
      now.operand = a.data<uint8_t>();
      now.output = to;
      return kernels::Cholesky(parallel, now);
    });
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeTriangularSolve(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckType(context));
  const plan::ArrayType a_type = context.in(0), b_type = context.in(1);
  if (b_type.elements == 0) return Nothing();
  const kernels::Parallel parallel(context.compiler.options().threads);
  const PrimitiveType computed = ComputedType(context);
  const absl::string_view transpose = context.source().WordOr(Attr::kTransposeA, "NO_TRANSPOSE");
  kernels::TriangularSolveRequest request;
  request.type = computed;
  request.left_side = context.source().BoolOr(Attr::kLeftSide, false);
  request.lower = context.source().BoolOr(Attr::kLower, false);
  request.unit_diagonal = context.source().BoolOr(Attr::kUnitDiagonal, false);
  request.transpose = transpose == "ADJOINT"        ? kernels::TransposeKind::kAdjoint
                      : transpose == "NO_TRANSPOSE" ? kernels::TransposeKind::kNone
                                                    : kernels::TransposeKind::kTranspose;
  request.rows = b_type.dimensions[b_type.rank() - 2];
  request.columns = b_type.dimensions[b_type.rank() - 1];
  request.batch = b_type.elements / (request.rows * request.columns);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    const Converted a(a_type.type, computed, in[0], a_type.elements),
        b(b_type.type, computed, in[1], b_type.elements);
    return IntoConverted(computed, b_type.type, b_type.elements, out[0], [&](uint8_t* to) {
      kernels::TriangularSolveRequest now = request;
      now.a = a.data<uint8_t>();
      now.b = b.data<uint8_t>();
      now.output = to;
      return kernels::TriangularSolve(parallel, now);
    });
  };
  return draft;
}

}  // namespace hlocts::cpu
