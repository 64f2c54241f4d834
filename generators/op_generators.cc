// SPDX-License-Identifier: Apache-2.0
#include "generators/op_generators.h"

#include "spec/ops/op_table.h"

namespace hlocts::generators {
namespace {

constexpr TypeSet Types(std::initializer_list<PrimitiveType> types) {
  TypeSet set = 0;
  for (PrimitiveType type : types) set |= TypeBit(type);
  return set;
}
constexpr TypeSet kComponents = Types({PrimitiveType::kF32, PrimitiveType::kF64});
constexpr TypeSet kComplexTypes = Types({PrimitiveType::kC64, PrimitiveType::kC128});
constexpr TypeSet kPredicate = Types({PrimitiveType::kPred});

// An opcode that allows fewer types in spec/infer than in spec/ops.
struct NarrowedRow {
  Opcode opcode;
  TypeSet types;
};
constexpr NarrowedRow kNarrowed[] = {
    {Opcode::kIota, ~kPredicate},                 // iota.5
    {Opcode::kClamp, ~kComplexTypes},             // clamp needs an ordered type
    {Opcode::kSubtract, ~kPredicate},             // ruling 0079
    {Opcode::kComplex, kComponents},              // elementwise_binary.17
    {Opcode::kFft, kComponents | kComplexTypes},  // fft.10
    {Opcode::kRng, ~kComplexTypes},               // rng_uniform.2
    {Opcode::kConditional,
     Types({PrimitiveType::kPred, PrimitiveType::kS32})},  // conditional.2, .17
    {Opcode::kGetTupleElement, 0},                         // its operand is always a tuple
    {Opcode::kBitcastConvert, ~kPredicate},  // the engine chooses the width of pred (ruling 0038)
};

struct Generators {
  OpGenerator of[kOpcodeCount] = {};
  std::vector<Opcode> opcodes;
};

Generators MakeGenerators() {
  Generators table;
  for (Opcode opcode : AllOpcodes()) {
    Family family = RowOf(opcode).family;
    if (family == Family::kElementwiseUnary) table.of[static_cast<int>(opcode)] = GenerateUnary;
    if (family == Family::kElementwiseBinary) table.of[static_cast<int>(opcode)] = GenerateBinary;
  }
#define HLOCTS_OP_GENERATOR(opcode, function) table.of[static_cast<int>(Opcode::opcode)] = function;
#include "generators/op_generators.def"
#undef HLOCTS_OP_GENERATOR
  for (Opcode opcode : AllOpcodes()) {
    if (table.of[static_cast<int>(opcode)] && RowOf(opcode).weight > 0)
      table.opcodes.push_back(opcode);
  }
  return table;
}

const Generators& AllGenerators() {
  static const Generators* const table = new Generators(MakeGenerators());
  return *table;
}

TypeSet ArrayTypes() {
  TypeSet arrays = 0;
  for (PrimitiveType type : AllPrimitiveTypes()) arrays |= IsArrayType(type) ? TypeBit(type) : 0;
  return arrays;
}

}  // namespace

TypeSet GeneratedTypes(Opcode opcode) {
  static const TypeSet kArrays = ArrayTypes();
  TypeSet types = RowOf(opcode).types & kArrays;
  for (const NarrowedRow& row : kNarrowed) {
    if (row.opcode == opcode) types &= row.types;
  }
  return types;
}

OpGenerator OpGeneratorOf(Opcode opcode) { return AllGenerators().of[static_cast<int>(opcode)]; }
const std::vector<Opcode>& GeneratedOpcodes() { return AllGenerators().opcodes; }

}  // namespace hlocts::generators
