// SPDX-License-Identifier: Apache-2.0
// Generates cholesky, triangular-solve and fft. Their results are judged as a whole (by residual or
// norm). Checked streams therefore pass them to no other operation.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "generators/fact_literals.h"
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

ValueFacts Joint(ModuleWriter& w) {
  ValueFacts facts;
  facts.opaque = w.plan.checked();
  return facts;
}

// Draws a type. If `ordinary`, the type is precise enough for a meaningful residual.
PrimitiveType DrawSolvable(ModuleWriter& w, Opcode opcode, bool ordinary) {
  constexpr TypeSet kPrecise = TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kF64) |
                               TypeBit(PrimitiveType::kC64) | TypeBit(PrimitiveType::kC128);
  return w.DrawType(ordinary ? kPrecise : RowOf(opcode).types);
}

double SmallNumber(ModuleWriter& w) {
  return std::ldexp(static_cast<double>(w.data().Below(17)) - 8, -4);
}

void Store(PrimitiveType component, double value, uint8_t* to) {
  Literal element = ScalarLiteral(component, value);
  std::memcpy(to, element.raw_data(), element.raw_size());
}

// Returns well-conditioned n x n matrices: diagonal elements are n + 1, all others at most 1/2 in
// magnitude. They are Hermitian and diagonally dominant, and therefore positive definite.
Value* DominantMatrices(ModuleWriter& w, PrimitiveType type, const Dims& dims) {
  Shape shape(type, dims);
  PrimitiveType component = ComponentType(type);
  Literal literal(shape);
  int64_t n = dims.back(), stride = StorageBytes(type),
          matrices = n == 0 ? 0 : ElementsOf(dims) / (n * n);
  uint8_t* to = literal.mutable_raw_data();
  for (int64_t m = 0; m < matrices; ++m) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        double value = i == j ? static_cast<double>(n) + 1 : SmallNumber(w);
        uint8_t *lower = to + ((m * n + i) * n + j) * stride,
                *upper = to + ((m * n + j) * n + i) * stride;
        Store(component, value, lower);
        Store(component, value, upper);
        if (!IsComplex(type) || i == j) continue;
        double imaginary = SmallNumber(w);
        Store(component, imaginary, lower + stride / 2);
        Store(component, -imaginary, upper + stride / 2);
      }
    }
  }
  ValueFacts facts = RangeFacts(-1, static_cast<double>(n) + 1);
  facts.bits_known = true;
  return w.Constant(std::move(literal), facts);
}

// Returns the dimensions of an existing square matrix (or batch of them), or new dimensions.
Dims MatrixDims(ModuleWriter& w) {
  constexpr int64_t kSizeMax = 5;
  Dims dims = w.DrawDims(2);
  const size_t rank = dims.size();
  if (dims[rank - 1] == dims[rank - 2] && dims[rank - 1] > 0 && dims[rank - 1] <= kSizeMax &&
      ElementsOf(dims) <= 8 * kSizeMax)
    return dims;
  dims.clear();
  const int64_t n = w.choose.Range(1, 4);
  if (w.choose.OneIn(3)) dims.push_back(w.choose.Range(1, 2));
  dims.insert(dims.end(), 2, n);
  return dims;
}

Value* Matrices(ModuleWriter& w, PrimitiveType type, const Dims& dims, bool ordinary) {
  return ordinary ? DominantMatrices(w, type, dims) : w.FindOrMake(type, dims);
}

}  // namespace

bool GenerateCholesky(ModuleWriter& w, Opcode opcode) {
  const bool ordinary = w.DrawWithoutSpecials();
  PrimitiveType type = DrawSolvable(w, opcode, ordinary);
  if (type == PrimitiveType::kInvalid || w.scalars_only() || !w.plan.joint_operations) return false;
  Dims dims = MatrixDims(w);
  Value* cholesky =
      w.Emit(Opcode::kCholesky, Shape(type, dims), {Matrices(w, type, dims, ordinary)}, Joint(w));
  // `lower` selects one triangle of the result; the other triangle is unspecified.
  if (w.choose.Below(2)) cholesky->instruction->Set(Attr::kLower, w.choose.Below(2) == 0);
  return true;
}

bool GenerateTriangularSolve(ModuleWriter& w, Opcode opcode) {
  static constexpr absl::string_view kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const bool ordinary = w.DrawWithoutSpecials();
  PrimitiveType type = DrawSolvable(w, opcode, ordinary);
  if (type == PrimitiveType::kInvalid || w.scalars_only() || !w.plan.joint_operations) return false;
  int64_t others = w.choose.Range(1, 3);
  Dims dims = MatrixDims(w), b_dims = dims;
  bool left_side = w.choose.Below(2) != 0;
  b_dims[b_dims.size() - (left_side ? 1 : 2)] = others;
  Value* a = Matrices(w, type, dims, ordinary);
  Value* b = w.FindWithoutSpecials(type, b_dims, {-100, 100, false}, ordinary);
  Instruction* solve =
      w.Emit(Opcode::kTriangularSolve, Shape(type, b_dims), {a, b}, Joint(w))->instruction;
  solve->Set(Attr::kLeftSide, left_side);
  solve->Set(Attr::kLower, w.choose.Below(2) != 0);
  solve->Set(Attr::kUnitDiagonal, w.choose.OneIn(4));
  solve->Set(Attr::kTransposeA, Word{std::string(w.choose.Pick(kTransposes))});
  return true;
}

namespace {

// Draws the dimensions of an operand. Returns {} if it selects an existing value that is too large.
Dims TransformedDims(ModuleWriter& w) {
  constexpr int64_t kLengthMax = 32;
  Dims dims;
  if (w.choose.Below(2)) {
    dims = w.DrawDims(1, 3);
    bool fit = std::all_of(dims.begin(), dims.end(),
                           [](int64_t size) { return size > 0 && size <= kLengthMax; });
    return fit ? dims : Dims();
  }
  if (w.choose.OneIn(3)) dims.push_back(w.choose.Range(1, 3));
  for (size_t axes = w.choose.Weighted({6, 2, 1}) + 1; axes > 0; --axes)
    dims.push_back(w.choose.Range(1, 9));
  return dims;
}

}  // namespace

bool GenerateFft(ModuleWriter& w, Opcode) {
  static constexpr absl::string_view kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  PrimitiveType component = w.DrawType(TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kF64));
  if (component == PrimitiveType::kInvalid || w.scalars_only() || !w.plan.joint_operations)
    return false;
  PrimitiveType complex = ComplexTypeOf(component);
  absl::string_view kind = w.choose.Pick(kTypes);
  Dims operand_dims = TransformedDims(w), result_dims = operand_dims;
  if (operand_dims.empty() || !w.Fits(operand_dims)) return false;
  if (kind == "IRFFT") result_dims.back() = std::max<int64_t>(2 * (result_dims.back() - 1), 1);
  if (kind == "IRFFT" && w.choose.Below(2)) result_dims.back() |= 1;  // makes the length odd
  if (kind == "RFFT") result_dims.back() = result_dims.back() / 2 + 1;
  const Dims& dims = kind == "IRFFT" ? result_dims : operand_dims;
  const int64_t rank = static_cast<int64_t>(dims.size());
  const int64_t axes =
      std::min<int64_t>(rank, 1 + static_cast<int64_t>(w.choose.Weighted({6, 2, 1})));
  const Dims lengths(dims.end() - axes, dims.end());
  Value* operand = w.FindWithoutSpecials(kind == "RFFT" ? component : complex, operand_dims,
                                         {-1000, 1000, false}, w.DrawWithoutSpecials());
  // IRFFT ignores the non-Hermitian part of its operand, but that part would widen the bound.
  if (kind == "IRFFT" && axes == 1 && w.choose.Below(4) != 0) {
    const Shape real(component, operand_dims);
    Value* parts = w.FindWithoutSpecials(component, operand_dims, {-1000, 1000, false}, true);
    Value* none =
        w.Constant(LiteralWithFacts(real, RangeFacts(0, 0), false, w.data()), RangeFacts(0, 0));
    operand = w.Emit(Opcode::kComplex, Shape(complex, operand_dims), {parts, none},
                     RangeFacts(-1000, 1000));
  }
  PrimitiveType type = kind == "IRFFT" ? component : complex;
  Instruction* fft =
      w.Emit(Opcode::kFft, Shape(type, result_dims), {operand}, Joint(w))->instruction;
  fft->Set(Attr::kFftType, Word{std::string(kind)});
  fft->Set(Attr::kFftLength, lengths);
  return true;
}

}  // namespace hlocts::generators
