// batch-norm-training, -inference, -grad: variances are positive where that is licensed.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts {
namespace {

const Demand kModerate = {-8, 8, false};
const Demand kVariance = {0.25, 8, false};

struct Normalized {
  PrimitiveType type;
  Dims dims, features;
  int64_t feature_index;
  double epsilon;
};

// Types whose range licensed streams surely keep to.
constexpr TypeSet kWideTypes = TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kF64) |
                               TypeBit(PrimitiveType::kF16) | TypeBit(PrimitiveType::kBF16);

bool Draw(ModuleWriter& w, Opcode opcode, Normalized* drawn) {
  drawn->type = w.DrawType(w.plan.licensed() ? kWideTypes : RowOf(opcode).types);
  if (drawn->type == PrimitiveType::kInvalid || w.scalars_only() || w.plan.exact()) return false;
  drawn->dims = w.DrawDims(1);
  drawn->feature_index = w.choose.Range(0, static_cast<int64_t>(drawn->dims.size()) - 1);
  drawn->features = {drawn->dims[drawn->feature_index]};
  // One element a feature is normalized to nothing: an edge worth a few elements, not thousands.
  const int64_t elements = ElementsOf(drawn->dims);
  if (elements > 64 && elements == drawn->features[0]) return false;
  // Of no elements there is no mean.
  if (elements == 0 && w.plan.licensed()) return false;
  drawn->epsilon = w.choose.Below(2) ? 0.0009765625 : 0.125;
  return true;
}

void SetAttributes(Term* term, const Normalized& drawn) {
  term->instruction->Set(Attr::kEpsilon, drawn.epsilon);
  term->instruction->Set(Attr::kFeatureIndex, drawn.feature_index);
}

// `bound`: of the magnitudes of the three.
void EmitTriple(ModuleWriter& w, Opcode opcode, const Normalized& drawn, const Terms& operands,
                double bound) {
  Shape features(drawn.type, drawn.features);
  Term* made =
      w.Emit(opcode, Shape::Tuple({Shape(drawn.type, drawn.dims), features, features}), operands);
  SetAttributes(made, drawn);
  ValueFacts facts = w.plan.licensed() ? RangeFacts(-bound, bound) : ValueFacts();
  w.Elements(made, {facts, facts, facts});
}

}  // namespace

bool GenerateBatchNormTraining(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  Term* operand = w.Obtain(drawn.type, drawn.dims, kModerate);
  Term* scale = w.Obtain(drawn.type, drawn.features, kModerate);
  Term* offset = w.Obtain(drawn.type, drawn.features, kModerate);
  // 8 times at most 16 / sqrt(epsilon), and 8 more.
  EmitTriple(w, opcode, drawn, {operand, scale, offset}, 5e3);
  return true;
}

bool GenerateBatchNormInference(ModuleWriter& w, Opcode opcode) {
  Normalized drawn;
  if (!Draw(w, opcode, &drawn)) return false;
  Terms operands = {w.Obtain(drawn.type, drawn.dims, kModerate)};
  for (const Demand& demand : {kModerate, kModerate, kModerate, kVariance}) {
    operands.push_back(w.Obtain(drawn.type, drawn.features, demand));
  }
  ValueFacts facts = w.plan.licensed() ? RangeFacts(-1e4, 1e4) : ValueFacts();
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
  if (w.plan.licensed() && bound > WholeRange(drawn.type).high) return false;
  const Demand demand = {-most, most, false};
  Term* operand = w.Obtain(drawn.type, drawn.dims, demand);
  Term* scale = w.Obtain(drawn.type, drawn.features, demand);
  Term* mean = w.Obtain(drawn.type, drawn.features, demand);
  Term* variance = w.Obtain(drawn.type, drawn.features, kVariance);
  Term* gradient = w.Obtain(drawn.type, drawn.dims, demand);
  EmitTriple(w, opcode, drawn, {operand, scale, mean, variance, gradient}, bound);
  return true;
}

}  // namespace hlocts
