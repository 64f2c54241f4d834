// SPDX-License-Identifier: Apache-2.0
// batch-norm-training, -inference, -grad: variances are positive where that is checked.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

const Requirement kModerate = {-8, 8, false};
const Requirement kVariance = {0.25, 8, false};

struct Normalized {
  PrimitiveType type;
  Dims dims, features;
  int64_t feature_index;
  double epsilon;
};

// Types whose range checked streams surely keep to.
constexpr TypeSet kWideTypes = TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kF64) |
                               TypeBit(PrimitiveType::kF16) | TypeBit(PrimitiveType::kBF16);

bool Draw(ModuleWriter& w, Opcode opcode, Normalized* drawn) {
  drawn->type = w.DrawType(w.plan.checked() ? kWideTypes : RowOf(opcode).types);
  if (drawn->type == PrimitiveType::kInvalid || w.scalars_only() || w.plan.exact()) return false;
  drawn->dims = w.DrawDims(1);
  drawn->feature_index = w.choose.Range(0, static_cast<int64_t>(drawn->dims.size()) - 1);
  drawn->features = {drawn->dims[drawn->feature_index]};
  // One element a feature is normalized to nothing: an edge worth a few elements, not thousands.
  const int64_t elements = ElementsOf(drawn->dims);
  if (elements > 64 && elements == drawn->features[0]) return false;
  // Of no elements there is no mean.
  if (elements == 0 && w.plan.checked()) return false;
  drawn->epsilon = w.choose.Below(2) ? 0.0009765625 : 0.125;
  return true;
}

void SetAttributes(Value* term, const Normalized& drawn) {
  term->instruction->Set(Attr::kEpsilon, drawn.epsilon);
  term->instruction->Set(Attr::kFeatureIndex, drawn.feature_index);
}

// `bound`: of the magnitudes of the three.
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
  Value* operand = w.FindOrMake(drawn.type, drawn.dims, kModerate);
  Value* scale = w.FindOrMake(drawn.type, drawn.features, kModerate);
  Value* offset = w.FindOrMake(drawn.type, drawn.features, kModerate);
  // 8 times at most 16 / sqrt(epsilon), and 8 more.
  EmitTriple(w, opcode, drawn, {operand, scale, offset}, 5e3);
  return true;
}

bool GenerateBatchNormInference(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  Terms operands = {w.FindOrMake(drawn.type, drawn.dims, kModerate)};
  for (const Requirement& demand : {kModerate, kModerate, kModerate, kVariance}) {
    operands.push_back(w.FindOrMake(drawn.type, drawn.features, demand));
  }
  ValueFacts facts = w.plan.checked() ? RangeFacts(-1e4, 1e4) : ValueFacts();
  SetAttributes(w.Emit(opcode, Shape(drawn.type, drawn.dims), operands, facts), drawn);
  return true;
}

bool GenerateBatchNormGrad(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  // Sums of n products: 16 bits with five for the exponent hold them where the factors are small.
  const double most = drawn.type == PrimitiveType::kF16 ? 1 : 8, normal = 4 * most;
  const double n =
      static_cast<double>(ElementsOf(drawn.dims) / std::max<int64_t>(drawn.features[0], 1));
  const double bound = std::max(n * most * normal, 2 * most * (2 * most + normal * normal * most));
  if (w.plan.checked() && bound > WholeRange(drawn.type).high) return false;
  const Requirement demand = {-most, most, false};
  Value* operand = w.FindOrMake(drawn.type, drawn.dims, demand);
  Value* scale = w.FindOrMake(drawn.type, drawn.features, demand);
  Value* mean = w.FindOrMake(drawn.type, drawn.features, demand);
  Value* variance = w.FindOrMake(drawn.type, drawn.features, kVariance);
  Value* gradient = w.FindOrMake(drawn.type, drawn.dims, demand);
  EmitTriple(w, opcode, drawn, {operand, scale, mean, variance, gradient}, bound);
  return true;
}

}  // namespace hlocts::generators
