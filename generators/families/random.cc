// rng and rng-bit-generator: of the first only a distribution is known, of the second that bits are
// uniform; both are returned, nothing is computed from them.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts {
namespace {

ValueFacts Opaque() {
  ValueFacts facts;
  facts.opaque = true;
  return facts;
}

}  // namespace

bool GenerateRng(ModuleWriter& w, Opcode) {
  TypeSet types = TypeBit(PrimitiveType::kF32) | TypeBit(PrimitiveType::kS32) | TypeBit(PrimitiveType::kF64);
  PrimitiveType type = w.DrawType(types);
  // Inside a computation the number of draws is the caller's affair.
  if (type == PrimitiveType::kInvalid || w.depth() > 0 || !w.plan.joint_operations) return false;
  bool normal = IsFloat(type) && w.choose.Below(2) != 0;
  Dims dims = w.DrawDims();
  Term* low = w.ScalarConstant(type, normal ? 0 : -2);
  Term* high = w.ScalarConstant(type, normal ? 1 : 7);
  Term* rng = w.Emit(Opcode::kRng, Shape(type, dims), {low, high}, Opaque());
  rng->instruction->Set(Attr::kDistribution, Word{normal ? "rng_normal" : "rng_uniform"});
  return true;
}

bool GenerateRngBitGenerator(ModuleWriter& w, Opcode) {
  static constexpr absl::string_view kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
  PrimitiveType type = w.DrawType(TypeBit(PrimitiveType::kU32) | TypeBit(PrimitiveType::kU64) |
                                  TypeBit(PrimitiveType::kU8) | TypeBit(PrimitiveType::kU16));
  if (type == PrimitiveType::kInvalid || w.depth() > 0 || !w.plan.joint_operations) return false;
  absl::string_view algorithm = w.choose.Pick(kAlgorithms);
  int64_t words = algorithm == "rng_philox" && w.choose.Below(2) ? 3 : 2;
  Term* state = w.Fresh(PrimitiveType::kU64, {words});
  Shape data(type, w.DrawDims());
  Term* rng = w.Emit(Opcode::kRngBitGenerator, Shape::Tuple({state->shape(), data}), {state}, Opaque());
  rng->instruction->Set(Attr::kAlgorithm, Word{std::string(algorithm)});
  w.Elements(rng, {Opaque(), Opaque()});
  return true;
}

}  // namespace hlocts
