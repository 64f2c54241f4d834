// SPDX-License-Identifier: Apache-2.0
// Generates rng, whose distribution is defined, and rng-bit-generator, whose bits are uniform.
// Modules return their results and compute nothing from them.
#include "generators/module_writer.h"
#include "generators/op_generators.h"

namespace hlocts::generators {
namespace {

ValueFacts Opaque() {
  ValueFacts facts;
  facts.opaque = true;
  return facts;
}

// The range of the number of elements if the distribution is to be judged.
constexpr int64_t kDrawsMin = 72, kDrawsMost = 160;

TypeSet WithoutCoarseFloats(TypeSet types) {
  for (int k = 0; k < 64; ++k) {
    const PrimitiveType type = static_cast<PrimitiveType>(k);
    if (Contains(types, type) && IsFloat(type) && BitWidth(type) <= 8) types &= ~TypeBit(type);
  }
  return types;
}

Dims DrawMany(ModuleWriter& w, bool many) {
  Dims dims = w.DrawDims();
  if (!many || ElementsOf(dims) >= kDrawsMin) return dims;
  return {w.choose.Range(kDrawsMin, kDrawsMost)};
}

}  // namespace

bool GenerateRng(ModuleWriter& w, Opcode) {
  const bool telling = !w.choose.OneIn(16);
  const TypeSet types = GeneratedTypes(Opcode::kRng);
  PrimitiveType type = w.DrawType(telling ? WithoutCoarseFloats(types) : types);
  // Excludes called computations: they may run several times and draw more numbers.
  if (type == PrimitiveType::kInvalid || w.depth() > 0 || !w.plan.joint_operations) return false;
  const ValueFacts whole = WholeRange(type);
  bool normal = IsFloat(type) && whole.low < 0 && w.choose.Below(2) != 0;
  const Dims dims = DrawMany(w, telling);
  const double least = normal ? 0 : std::max(-2.0, whole.low);
  const double most = normal ? 1 : std::min(7.0, whole.high);
  // If the result is not checked, any interval is permitted, even an empty one.
  bool any = !telling && !w.plan.checked();
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
