// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/ops/gemm.h"

#include <algorithm>

namespace hlocts::cuda {

int64_t SizeOf(const DotOperand& o, const std::vector<int64_t>& dimensions) {
  int64_t size = 1;
  for (int64_t d : dimensions) size *= o.dimensions[d];
  return size;
}

namespace {

// Dimensions walked as one: how many elements, how far apart.
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
  int operands = 0, result = 0;  // of the product; 0: none
};
// Narrower floats than f16 are numbers of f16 (but f8e8m0fnu's): products exact, sums in f32.
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

// A matrix of rows x columns that lies with one of its dimensions side by side.
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

// Where it lies otherwise, or in another type: packed as [batch, rows, columns]. adjoin: its
// columns must lie side by side.
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

// What cuBLASLt wants of the sides of s8 products (TakesIntegers).
constexpr int64_t kIntegerSide = 4;
int64_t RoundedUp(int64_t size) { return (size + kIntegerSide - 1) / kIntegerSide * kIntegerSide; }

// Of the product, flattened: `rows` are the left operand's, `columns` the right one's.
struct Sides {
  int64_t batch = 1, rows = 1, columns = 1, terms = 1;
};

// The matrix with zeros behind its rows and columns, which add nothing to sums.
Matrix Padded(const Matrix& m, int64_t batch, const int64_t (&from)[2], const int64_t (&to)[2],
              Packing& packing) {
  if (from[0] == to[0] && from[1] == to[1] && m.leading % kIntegerSide == 0) return m;
  hl::PadShape& shape = packing.pad.shape;
  packing.padded_elements = batch * to[0] * to[1];
  packing.pad.bytes = 1;
  shape = {3,
           packing.padded_elements < kNarrowElements ? 1 : 0,
           {batch, to[0], to[1]},
           {},
           {},
           {batch, from[0], from[1]},
           {m.batch_stride, m.leading, 1}};
  return Matrix{true, to[1], to[0] * to[1]};
}

// Both operands of s8, and the sides that they have then.
absl::StatusOr<Sides> PadIntegers(Compiler& compiler, const Sides& s, Matrix& left, Matrix& right,
                                  GemmJob& job) {
  const Sides to = {s.batch, s.rows, RoundedUp(s.columns), RoundedUp(s.terms)};
  left = Padded(left, s.batch, {s.rows, s.terms}, {to.rows, to.terms}, job.lhs);
  right = Padded(right, s.batch, {s.columns, s.terms}, {to.columns, to.terms}, job.rhs);
  const uint8_t zero = 0;
  HLOCTS_ASSIGN_OR_RETURN(job.zero, compiler.Upload(&zero, 1));
  return to;
}

// The result is row-major [batch, rows, columns], which a library sees as column-major columns x
// rows: it is asked for the product of the transposes, rhs first. Of s8 it takes one form: both
// operands with their terms side by side.
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

absl::StatusOr<const void*> Pack(Run& run, const Packing& packing, const void* zero, const void* in,
                                 Buffer (&memory)[2]) {
  if (packing.needed) {
    HLOCTS_ASSIGN_OR_RETURN(memory[0],
                            run.Allocate(packing.elements * hl::BytesOf(packing.cast.to)));
    hl::CastArgs now = packing.cast;
    now.in = in;
    now.out = memory[0]->data();
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kCastKernel, now, packing.elements));
    in = memory[0]->data();
  }
  if (packing.padded_elements == 0) return in;
  HLOCTS_ASSIGN_OR_RETURN(memory[1], run.Allocate(packing.padded_elements * packing.pad.bytes));
  hl::PadArgs now = packing.pad;
  now.in = in;
  now.value = zero;
  now.out = memory[1]->data();
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPadKernel, now, packing.padded_elements));
  return memory[1]->data();
}

// The result's part of what the library writes, in the result's type.
absl::Status SetLast(const plan::ArrayType& out, int64_t columns, GemmJob& job) {
  const GemmPlan& p = job.plan;
  job.out_elements = out.elements;
  job.copies = TypeNumber(out.type) != p.result || columns != p.m;
  plan::View view;
  view.dimensions = {{p.batch, p.stride_c}, {p.n, p.ldc}, {columns, 1}};
  HLOCTS_ASSIGN_OR_RETURN(job.last.view, DeviceView(view));
  job.last.from = p.result;
  job.last.to = TypeNumber(out.type);
  return absl::OkStatus();
}

}  // namespace

std::optional<GemmJob> PlanGemm(const OpContext& context, const DotOperand& lhs,
                                const DotOperand& rhs) {
  const plan::ArrayType& out = context.out(0);
  const PrimitiveType a = context.in(0).type, b = context.in(1).type;
  const GemmTypes types = TypesOf(a, b, out.type);
  Sides sides = {SizeOf(lhs, lhs.batch), SizeOf(lhs, lhs.free), SizeOf(rhs, rhs.free),
                 SizeOf(lhs, lhs.contracting)};
  if (types.operands == 0 || sides.terms == 0 || out.elements == 0) return std::nullopt;
  if (!context.compiler.WantsLibrary(out.elements, sides.terms, Compiler::kProductsForLibrary)) {
    return std::nullopt;
  }
  GemmJob job;
  job.plan.type = types.operands;
  job.plan.result = types.result;
  job.plan.tf32 = context.compiler.options().tf32 ? 1 : 0;
  const bool whole = types.operands == hl::kS8;
  auto left = Packed(lhs, lhs.free, lhs.contracting, a, types.operands, whole, job.lhs);
  auto right = whole ? Packed(rhs, rhs.free, rhs.contracting, b, types.operands, whole, job.rhs)
                     : Packed(rhs, rhs.contracting, rhs.free, b, types.operands, false, job.rhs);
  if (!left || !right) return std::nullopt;
  const int64_t columns = sides.columns;
  if (whole) {
    auto padded = PadIntegers(context.compiler, sides, *left, *right, job);
    if (!padded.ok()) return std::nullopt;
    sides = *padded;
  }
  SetPlan(sides, *left, *right, job.plan);
  if (whole && !TakesIntegers(job.plan)) return std::nullopt;
  if (!SetLast(out, columns, job).ok()) return std::nullopt;
  return job;
}

absl::StatusOr<bool> GemmJob::operator()(Run& run, In in, void* out) const {
  Buffer left_memory[2], right_memory[2], whole;
  const void* nought = zero != nullptr ? zero->data() : nullptr;
  HLOCTS_ASSIGN_OR_RETURN(const void* left, Pack(run, lhs, nought, in[0], left_memory));
  HLOCTS_ASSIGN_OR_RETURN(const void* right, Pack(run, rhs, nought, in[1], right_memory));
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
