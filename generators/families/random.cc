// SPDX-License-Identifier: Apache-2.0
// rng and rng-bit-generator: of the first only a distribution is known, of the second that bits are
// uniform; both are returned, nothing is computed from them.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

ValueFacts Opaque() {
  ValueFacts facts;
  facts.opaque = true;
  return facts;
}

}  // namespace

bool GenerateRng(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kRng));
  // Inside a computation the number of draws is the caller's affair.
  if (type == PrimitiveType::kInvalid || w.depth() > 0 || !w.plan.joint_operations) return false;
  const ValueFacts whole = WholeRange(type);
  bool normal = IsFloat(type) && whole.low < 0 && w.choose.Below(2) != 0;
  Dims dims = w.DrawDims();
  const double least = normal ? 0 : std::max(-2.0, whole.low);
  const double most = normal ? 1 : std::min(7.0, whole.high);
  // Any interval, an empty one too, where nothing is checked.
  bool any = !w.plan.checked() && w.choose.OneIn(4);
  Value* low = any ? w.FindOrMake(type, {}) : w.ScalarConstant(type, least);
  Value* high = any ? w.FindOrMake(type, {}) : w.ScalarConstant(type, most);
  Value* rng = w.Emit(Opcode::kRng, Shape(type, dims), {low, high}, Opaque());
  rng->instruction->Set(Attr::kDistribution, Word{normal ? "rng_normal" : "rng_uniform"});
  return true;
}

bool GenerateRngBitGenerator(ModuleWriter& w, Opcode) {
  static constexpr absl::string_view kAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
  PrimitiveType type = w.DrawType(GeneratedTypes(Opcode::kRngBitGenerator));
  if (type == PrimitiveType::kInvalid || w.depth() > 0 || !w.plan.joint_operations) return false;
  absl::string_view algorithm = w.choose.Pick(kAlgorithms);
  int64_t words = algorithm == "rng_philox" && w.choose.Below(2) ? 3 : 2;
  Value* state = w.FindOrMake(PrimitiveType::kU64, {words});
  Shape data(type, w.DrawDims());
  Value* rng =
      w.Emit(Opcode::kRngBitGenerator, Shape::Tuple({state->shape(), data}), {state}, Opaque());
  rng->instruction->Set(Attr::kAlgorithm, Word{std::string(algorithm)});
  w.Elements(rng, {Opaque(), Opaque()});
  return true;
}

}  // namespace hlocts::generators
