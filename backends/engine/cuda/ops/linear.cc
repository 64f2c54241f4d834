// SPDX-License-Identifier: Apache-2.0
// cholesky and triangular-solve, by libraries where these take them, and batch normalization;
// general kernels in device/linear.h.
#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

absl::Status CheckFloating(const OpContext& context) {
  const PrimitiveType type = context.in(0).type;
  if (IsFloat(type) || IsComplex(type)) return absl::OkStatus();
  return Unsupported(context.name(), ": element type ", PrimitiveTypeName(type));
}

constexpr int64_t kSizeForLibrary = 32;

bool IsLibraryType(int type) {
  return type == hl::kF32 || type == hl::kF64 || type == hl::kC64 || type == hl::kC128;
}

// Where the matrices of a batch begin, for libraries; nothing for one matrix.
absl::StatusOr<Buffer> Addresses(Run& run, const void* first, int64_t bytes, int64_t batch) {
  if (batch <= 1) return Buffer();
  HLOCTS_ASSIGN_OR_RETURN(Buffer list, run.Allocate(batch * int64_t{sizeof(void*)}));
  const hl::AddressArgs args = {static_cast<char*>(const_cast<void*>(first)), bytes,
                                static_cast<void**>(list->data())};
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kAddressesKernel, args, batch));
  return list;
}
void* DataOf(const Buffer& buffer) { return buffer != nullptr ? buffer->data() : nullptr; }

// A library sees the transpose: of a Hermitian matrix the conjugate, whose lower factor, read by
// rows, is the upper one of the matrix itself.
absl::StatusOr<bool> FactorByLibrary(Run& run, const hl::CholeskyArgs& args, int64_t elements,
                                     In in, Out out) {
  const int64_t n = args.size, batch = elements / (n * n), width = hl::BytesOf(args.type);
  HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[0], in[0], elements * width));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer bad, run.Allocate(batch * 4));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer list, Addresses(run, out[0], n * n * width, batch));
  const CholeskyPlan plan = {args.type, args.lower, n, n, batch, n * n};
  HLOCTS_ASSIGN_OR_RETURN(const bool done,
                          run.CallLibrary(plan, {}, {out[0], bad->data(), DataOf(list)}));
  if (!done) return false;
  const hl::FactorArgs finish = {args.type, args.lower, n, static_cast<int*>(bad->data()), out[0]};
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kFactorCheckKernel, finish, batch));
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kFactorFinishKernel, finish, elements));
  return true;
}

// Transposed, op(A) X = B is X' op(A)' = B': the other side, the other triangle of what is stored,
// and the same operation.
absl::StatusOr<bool> SolveByLibrary(Run& run, const hl::SolveArgs& args, int64_t elements, In in,
                                    Out out) {
  const int64_t n = args.size, batch = elements / (n * args.systems),
                width = hl::BytesOf(args.type);
  TriangularPlan plan = {};
  plan.type = args.type;
  plan.right = args.left;
  plan.upper = args.lower;
  plan.transposition = args.conjugated != 0 ? kAdjoint : args.transposed != 0 ? kTransposed : kAsIs;
  plan.unit = args.unit;
  plan.m = args.left != 0 ? args.systems : n;
  plan.n = args.left != 0 ? n : args.systems;
  plan.lda = n;
  plan.ldb = plan.m;
  plan.batch = batch;
  plan.stride_a = n * n;
  plan.stride_b = n * args.systems;
  HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[0], in[1], elements * width));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer as, Addresses(run, in[0], n * n * width, batch));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer bs, Addresses(run, out[0], plan.stride_b * width, batch));
  return run.CallLibrary(plan, {in[0], DataOf(as)}, {out[0], DataOf(bs)});
}

}  // namespace

absl::StatusOr<StepDraft> MakeCholesky(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckFloating(context));
  const plan::ArrayType& type = context.in(0);
  hl::CholeskyArgs args = {};
  args.type = TypeNumber(type.type);
  args.lower = context.source().BoolOr(Attr::kLower, false) ? 1 : 0;
  args.size = type.dimensions.back();
  const int64_t elements = type.elements;
  const bool library =
      IsLibraryType(args.type) && context.compiler.WantsLibrary(args.size, 1, kSizeForLibrary);
  StepDraft draft;
  draft.work = [args, elements, library](Run& run, In in, Out out) -> absl::Status {
    if (elements == 0) return absl::OkStatus();
    if (library) {
      HLOCTS_ASSIGN_OR_RETURN(const bool done, FactorByLibrary(run, args, elements, in, out));
      if (done) return absl::OkStatus();
    }
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
  const bool library = IsLibraryType(args.type) && a.type == b.type &&
                       context.compiler.WantsLibrary(args.size, 1, kSizeForLibrary);
  StepDraft draft;
  draft.work = [args, elements, library](Run& run, In in, Out out) -> absl::Status {
    if (elements == 0) return absl::OkStatus();
    if (library) {
      HLOCTS_ASSIGN_OR_RETURN(const bool done, SolveByLibrary(run, args, elements, in, out));
      if (done) return absl::OkStatus();
    }
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

// Training: operand, scale, offset; inference: ... mean, variance; gradient: operand, scale, mean,
// variance, grad.
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
  // epsilon is an f32 in the language.
  args.epsilon =
      static_cast<double>(static_cast<float>(context.source().FloatOr(Attr::kEpsilon, 0)));
  const int64_t elements = operand.elements;
  args.phases = hl::kNormPhases;
  // Where a feature's elements do not lie side by side, those of its neighbours do.
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
