#include "generators/op_generators.h"

#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

struct Table {
  OpGenerator of[kOpcodeCount] = {};
  std::vector<Opcode> opcodes;
};

Table MakeTable() {
  Table table;
  for (Opcode opcode : AllOpcodes()) {
    Family family = RowOf(opcode).family;
    if (family == Family::kElementwiseUnary) table.of[static_cast<int>(opcode)] = GenerateUnary;
    if (family == Family::kElementwiseBinary) table.of[static_cast<int>(opcode)] = GenerateBinary;
  }
#define HLOCTS_OP_GENERATOR(opcode, function) \
  table.of[static_cast<int>(Opcode::opcode)] = function;
#include "generators/op_generators.def"
#undef HLOCTS_OP_GENERATOR
  for (Opcode opcode : AllOpcodes()) {
    if (table.of[static_cast<int>(opcode)] && RowOf(opcode).weight > 0) table.opcodes.push_back(opcode);
  }
  return table;
}

const Table& TheTable() {
  static const Table* const table = new Table(MakeTable());
  return *table;
}

}  // namespace

OpGenerator OpGeneratorOf(Opcode opcode) { return TheTable().of[static_cast<int>(opcode)]; }
const std::vector<Opcode>& GeneratedOpcodes() { return TheTable().opcodes; }

}  // namespace hlocts
