// SPDX-License-Identifier: Apache-2.0
// The functions that generate instructions, by opcode (op_generators.def). Each family has a file
// in families/. A function draws operands and attributes and adds the instruction, or returns false
// if the types, the nesting or the stream exclude the operation.
#pragma once

#include <vector>

#include "spec/ir/opcode.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {

class ModuleWriter;
using OpGenerator = bool (*)(ModuleWriter& writer, Opcode opcode);

// Returns nullptr if the opcode has no generator.
OpGenerator OpGeneratorOf(Opcode opcode);
// Returns all opcodes with a generator and a weight in spec/ops.
const std::vector<Opcode>& GeneratedOpcodes();
// Returns the element types of the opcode's operand 0; for random operations, of the result.
TypeSet GeneratedTypes(Opcode opcode);

// Functions for several opcodes are declared several times, which is harmless.
#define HLOCTS_OP_GENERATOR(opcode, function) bool function(ModuleWriter&, Opcode);
#include "generators/op_generators.def"
#undef HLOCTS_OP_GENERATOR
bool GenerateUnary(ModuleWriter&, Opcode);
bool GenerateBinary(ModuleWriter&, Opcode);
// Generates a combination of operations that compilers rewrite. Grow counts it as one instruction.
bool GenerateIdiom(ModuleWriter& writer);

}  // namespace hlocts::generators
