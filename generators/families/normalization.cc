// SPDX-License-Identifier: Apache-2.0
// Generates batch-norm-training, -inference and -grad. In checked streams, variances are positive.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

const Requirement kModerate = {-8, 8, false};
const Requirement kVariance = {0.25, 8, false};

constexpr int64_t kCountMin = 4;
constexpr double kMostOfUnits = 16;

struct Normalized {
  PrimitiveType type;
  Dims dims, features;
  int64_t feature_index;
  double epsilon;
  bool ordinary;
};

// Types whose range ordinary values never exceed. kWideTypes adds two less precise types.
constexpr TypeSet kPreciseTypes = TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kF64);
constexpr TypeSet kWideTypes =
    kPreciseTypes | TypeBit(PrimitiveType::kF16) | TypeBit(PrimitiveType::kBF16);

bool Draw(ModuleWriter& w, Opcode opcode, Normalized* drawn) {
  drawn->ordinary = w.DrawWithoutSpecials();
  const TypeSet ordinary = w.choose.OneIn(16) ? kWideTypes : kPreciseTypes;
  drawn->type = w.DrawType(drawn->ordinary ? ordinary : RowOf(opcode).types);
  if (drawn->type == PrimitiveType::kInvalid || w.scalars_only() || w.plan.exact()) return false;
  drawn->dims = w.DrawDims(1);
  drawn->feature_index = w.choose.Range(0, static_cast<int64_t>(drawn->dims.size()) - 1);
  drawn->features = {drawn->dims[drawn->feature_index]};
  const int64_t elements = ElementsOf(drawn->dims);
  const int64_t count = elements / std::max<int64_t>(drawn->features[0], 1);
  // With few elements per feature, results are almost constant, which is rarely worth a test.
  if (count < kCountMin && (elements > 64 || !w.choose.OneIn(64))) return false;
  // With more elements per feature, the error bound could exceed the result.
  if (drawn->ordinary && count * kMostOfUnits > ExactLimit(drawn->type)) return false;
  // The mean of no elements is undefined.
  if (elements == 0 && w.plan.checked()) return false;
  drawn->epsilon = w.choose.Below(2) ? 0.0009765625 : 0.125;
  return true;
}

Value* Operand(ModuleWriter& w, const Normalized& drawn, const Dims& dims,
               const Requirement& demand) {
  // All elements of a splat are equal and have variance 0, so most operands get varied elements.
  if (drawn.ordinary && dims == drawn.dims && w.choose.Below(4) != 0)
    return w.MakeNonConstant(drawn.type, dims, demand);
  return w.FindWithoutSpecials(drawn.type, dims, demand, drawn.ordinary);
}

void SetAttributes(Value* term, const Normalized& drawn) {
  term->instruction->Set(Attr::kEpsilon, drawn.epsilon);
  term->instruction->Set(Attr::kFeatureIndex, drawn.feature_index);
}

// Emits an operation with three results; `bound` is their largest magnitude.
void EmitTriple(ModuleWriter& w, Opcode opcode, const Normalized& drawn, const Terms& operands,
                double bound) {
  Shape features(drawn.type, drawn.features);
  Value* made =
      w.Emit(opcode, Shape::Tuple({Shape(drawn.type, drawn.dims), features, features}), operands);
  SetAttributes(made, drawn);
  ValueFacts facts = w.plan.checked() ? RangeFacts(-bound, bound) : ValueFacts();
  w.Elements(made, {facts, facts, facts});
}

}  // namespace

bool GenerateBatchNormTraining(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  Value* operand = Operand(w, drawn, drawn.dims, kModerate);
  Value* scale = Operand(w, drawn, drawn.features, kModerate);
  Value* offset = Operand(w, drawn, drawn.features, kModerate);
  // Bound: 8 (scale) times 16 / sqrt(epsilon), plus 8 (offset).
  EmitTriple(w, opcode, drawn, {operand, scale, offset}, 5e3);
  return true;
}

bool GenerateBatchNormInference(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  Terms operands = {Operand(w, drawn, drawn.dims, kModerate)};
  for (const Requirement& demand : {kModerate, kModerate, kModerate, kVariance}) {
    operands.push_back(Operand(w, drawn, drawn.features, demand));
  }
  ValueFacts facts = w.plan.checked() ? RangeFacts(-1e4, 1e4) : ValueFacts();
  SetAttributes(w.Emit(opcode, Shape(drawn.type, drawn.dims), operands, facts), drawn);
  return true;
}

bool GenerateBatchNormGrad(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  // In f16, sums of n products stay in range only if factors are small.
  const double most = drawn.type == PrimitiveType::kF16 ? 1 : 8, normal = 4 * most;
  const double n =
      static_cast<double>(ElementsOf(drawn.dims) / std::max<int64_t>(drawn.features[0], 1));
  const double bound = std::max(n * most * normal, 2 * most * (2 * most + normal * normal * most));
  if (drawn.ordinary && bound > WholeRange(drawn.type).high) return false;
  const Requirement demand = {-most, most, false};
  Value* operand = Operand(w, drawn, drawn.dims, demand);
  Value* scale = Operand(w, drawn, drawn.features, demand);
  Value* mean = Operand(w, drawn, drawn.features, demand);
  Value* variance = Operand(w, drawn, drawn.features, kVariance);
  Value* gradient = Operand(w, drawn, drawn.dims, demand);
  EmitTriple(w, opcode, drawn, {operand, scale, mean, variance, gradient}, bound);
  return true;
}

}  // namespace hlocts::generators
