// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/ops/gemm.h"

namespace hlocts::cuda {

int64_t SizeOf(const DotOperand& o, const std::vector<int64_t>& dimensions) {
  int64_t size = 1;
  for (int64_t d : dimensions) size *= o.dimensions[d];
  return size;
}

namespace {

// Several dimensions that are traversed as one, with the number of elements and their stride.
struct Axis {
  int64_t size = 1, stride = 0;
};
std::optional<Axis> AxisOf(const DotOperand& o, const std::vector<int64_t>& dimensions) {
  Axis axis;
  for (size_t k = dimensions.size(); k-- > 0;) {
    const int64_t size = o.dimensions[dimensions[k]], stride = o.strides[dimensions[k]];
    if (size == 1) continue;
    if (axis.size == 1) {
      axis = {size, stride};
      continue;
    }
    if (stride != axis.size * axis.stride) return std::nullopt;
    axis.size *= size;
  }
  return axis;
}

struct GemmTypes {
  int operands = 0, result = 0;  // types of the library's product; 0 if unsupported
};
// Floats of up to 8 bits except f8e8m0fnu are multiplied as f16: products are exact, sums are f32.
GemmTypes TypesOf(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType out) {
  const int a = TypeNumber(lhs), b = TypeNumber(rhs), c = TypeNumber(out);
  const bool same = a == b;
  switch (a) {
    case hl::kF64:
    case hl::kC64:
    case hl::kC128:
      return same && b == c ? GemmTypes{a, a} : GemmTypes();
    case hl::kS8:
      return same && c == hl::kS32 ? GemmTypes{a, c} : GemmTypes();
    default:
      break;
  }
  if (hl::ClassOf(a) != hl::kClassFloat || hl::ClassOf(b) != hl::kClassFloat) return {};
  if (hl::ClassOf(c) != hl::kClassFloat) return {};
  const auto as_half = [](int type) {
    return type == hl::kF16 || (hl::BitsOf(type) <= 8 && type != hl::kF8E8M0FNU);
  };
  const int operands = a == hl::kBF16 && b == hl::kBF16 ? hl::kBF16
                       : as_half(a) && as_half(b)       ? hl::kF16
                                                        : hl::kF32;
  return {operands, c == operands ? c : hl::kF32};
}

// A matrix whose rows or columns are contiguous.
struct Matrix {
  bool columns_adjoin = true;
  int64_t leading = 1, batch_stride = 0;
};
std::optional<Matrix> MatrixOf(const DotOperand& o, const std::vector<int64_t>& rows,
                               const std::vector<int64_t>& columns) {
  const auto batch = AxisOf(o, o.batch), r = AxisOf(o, rows), c = AxisOf(o, columns);
  if (!batch || !r || !c) return std::nullopt;
  Matrix m;
  m.batch_stride = batch->stride;
  const bool c_adjoin = c->size == 1 || c->stride == 1, r_adjoin = r->size == 1 || r->stride == 1;
  if (c_adjoin && (r->size == 1 || r->stride >= c->size)) {
    m.leading = r->size == 1 ? c->size : r->stride;
    return m;
  }
  if (r_adjoin && (c->size == 1 || c->stride >= r->size)) {
    m.columns_adjoin = false;
    m.leading = c->size == 1 ? r->size : c->stride;
    return m;
  }
  return std::nullopt;
}

// Returns the operand as a matrix. If its layout or type is unsuitable, `packing` copies it to
// [batch, rows, columns]. If `adjoin`, the columns must be contiguous.
std::optional<Matrix> Packed(const DotOperand& o, const std::vector<int64_t>& rows,
                             const std::vector<int64_t>& columns, PrimitiveType from, int to,
                             bool adjoin, Packing& packing) {
  const auto as_is = MatrixOf(o, rows, columns);
  if (as_is.has_value() && TypeNumber(from) == to && (as_is->columns_adjoin || !adjoin)) {
    return as_is;
  }
  plan::View view;
  for (const std::vector<int64_t>* list : {&o.batch, &rows, &columns}) {
    for (int64_t d : *list) view.dimensions.push_back({o.dimensions[d], o.strides[d]});
  }
  auto place = DeviceView(view);
  if (!place.ok()) return std::nullopt;
  packing.needed = true;
  packing.cast.view = *place;
  packing.cast.from = TypeNumber(from);
  packing.cast.to = to;
  packing.elements = view.elements();
  return Matrix{true, SizeOf(o, columns), SizeOf(o, rows) * SizeOf(o, columns)};
}

// The sizes of a product's flattened dimensions. lhs has `rows`, rhs has `columns`.
struct Sides {
  int64_t batch = 1, rows = 1, columns = 1, terms = 1;
};

// The result is row-major [batch, rows, columns]. A library interprets this memory as a
// column-major matrix of columns x rows. It therefore computes the transposed product, with rhs as
// A. For s8 the library supports only operands whose terms are contiguous.
void SetPlan(const Sides& s, const Matrix& left, const Matrix& right, GemmPlan& p) {
  p.m = s.columns;
  p.n = s.rows;
  p.k = s.terms;
  p.batch = s.batch;
  p.transpose_a = p.type == hl::kS8 || !right.columns_adjoin ? 1 : 0;
  p.transpose_b = left.columns_adjoin ? 0 : 1;
  p.lda = right.leading;
  p.ldb = left.leading;
  p.ldc = p.m;
  p.stride_a = right.batch_stride;
  p.stride_b = left.batch_stride;
  p.stride_c = p.m * p.n;
}

absl::StatusOr<const void*> Pack(Run& run, const Packing& packing, const void* in, Buffer& memory) {
  if (!packing.needed) return in;
  HLOCTS_ASSIGN_OR_RETURN(memory, run.Allocate(packing.elements * hl::BytesOf(packing.cast.to)));
  hl::CastArgs now = packing.cast;
  now.in = in;
  now.out = memory->data();
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kCastKernel, now, packing.elements));
  return memory->data();
}

}  // namespace

std::optional<GemmJob> PlanGemm(const OpContext& context, const DotOperand& lhs,
                                const DotOperand& rhs) {
  const plan::ArrayType& out = context.out(0);
  const PrimitiveType a = context.in(0).type, b = context.in(1).type;
  const GemmTypes types = TypesOf(a, b, out.type);
  const Sides sides = {SizeOf(lhs, lhs.batch), SizeOf(lhs, lhs.free), SizeOf(rhs, rhs.free),
                       SizeOf(lhs, lhs.contracting)};
  if (types.operands == 0 || sides.terms == 0 || out.elements == 0) return std::nullopt;
  if (!context.compiler.ShouldUseLibrary(out.elements, sides.terms,
                                         Compiler::kProductsForLibrary)) {
    return std::nullopt;
  }
  GemmJob job;
  job.plan.type = types.operands;
  job.plan.result = types.result;
  job.plan.tf32 = context.compiler.options().tf32 ? 1 : 0;
  const bool whole = types.operands == hl::kS8;
  const auto left = Packed(lhs, lhs.free, lhs.contracting, a, types.operands, whole, job.lhs);
  const auto right =
      whole ? Packed(rhs, rhs.free, rhs.contracting, b, types.operands, whole, job.rhs)
            : Packed(rhs, rhs.contracting, rhs.free, b, types.operands, false, job.rhs);
  if (!left || !right) return std::nullopt;
  SetPlan(sides, *left, *right, job.plan);
  if (whole && !TakesIntegers(job.plan)) return std::nullopt;
  job.out_elements = out.elements;
  job.copies = TypeNumber(out.type) != types.result;
  const auto view = DeviceView(plan::View::Dense({out.elements}));
  if (!view.ok()) return std::nullopt;
  job.last.view = *view;
  job.last.from = types.result;
  job.last.to = TypeNumber(out.type);
  return job;
}

absl::StatusOr<bool> GemmJob::operator()(Run& run, In in, void* out) const {
  Buffer left_memory, right_memory, whole;
  HLOCTS_ASSIGN_OR_RETURN(const void* left, Pack(run, lhs, in[0], left_memory));
  HLOCTS_ASSIGN_OR_RETURN(const void* right, Pack(run, rhs, in[1], right_memory));
  void* product = out;
  if (copies) {
    HLOCTS_ASSIGN_OR_RETURN(whole,
                            run.Allocate(plan.batch * plan.stride_c * hl::BytesOf(plan.result)));
    product = whole->data();
  }
  HLOCTS_ASSIGN_OR_RETURN(const bool done, run.CallLibrary(plan, {right, left}, {product}));
  if (!done || !copies) return done;
  hl::CastArgs now = last;
  now.in = product;
  now.out = out;
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kCastKernel, now, out_elements));
  return true;
}

}  // namespace hlocts::cuda
