// SPDX-License-Identifier: Apache-2.0
// The functions that generate instructions, by opcode (op_generators.def). Each family has a file
// in families/. A function draws the operands and attributes and adds the instruction. It returns
// false if types, nesting or the stream forbid the operation.
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
// Returns the element types of operand 0 of the opcode (of the result, for random operations).
TypeSet GeneratedTypes(Opcode opcode);

// Functions that serve several opcodes are declared repeatedly, which is harmless.
#define HLOCTS_OP_GENERATOR(opcode, function) bool function(ModuleWriter&, Opcode);
#include "generators/op_generators.def"
#undef HLOCTS_OP_GENERATOR
bool GenerateUnary(ModuleWriter&, Opcode);
bool GenerateBinary(ModuleWriter&, Opcode);
// Generates operations that programs combine and compilers rewrite. Grow counts them as one.
bool GenerateIdiom(ModuleWriter& writer);

}  // namespace hlocts::generators
