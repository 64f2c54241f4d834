// SPDX-License-Identifier: Apache-2.0
// The functions that make instructions, by opcode (op_generators.def); one file per family in
// families/. A function draws what it needs and emits; false: not possible here (types, nesting,
// stream).
#ifndef HLOCTS_GENERATORS_OP_GENERATORS_H_
#define HLOCTS_GENERATORS_OP_GENERATORS_H_

#include <vector>

#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {

class ModuleWriter;
using OpGenerator = bool (*)(ModuleWriter& writer, Opcode opcode);

// nullptr: no generator makes this opcode.
OpGenerator OpGeneratorOf(Opcode opcode);
// All opcodes with a generator and a weight in spec/ops.
const std::vector<Opcode>& GeneratedOpcodes();
// Element types that operand 0 of the opcode may have (for random operations: the drawn type).
TypeSet GeneratedTypes(Opcode opcode);

// A function that serves several opcodes is declared several times, which is the same.
#define HLOCTS_OP_GENERATOR(opcode, function) bool function(ModuleWriter&, Opcode);
#include "generators/op_generators.def"
#undef HLOCTS_OP_GENERATOR
bool GenerateUnary(ModuleWriter&, Opcode);
bool GenerateBinary(ModuleWriter&, Opcode);
// Generates operations in combinations that programs contain and compilers rewrite; counts as one
// of Grow's.
bool GenerateIdiom(ModuleWriter& writer);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_OP_GENERATORS_H_
