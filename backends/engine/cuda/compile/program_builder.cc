// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/program_builder.h"

#include <cstring>
#include <optional>

#include "backends/engine/plan/fusion.h"
#include "spec/ops/groups.h"

namespace hlocts::cuda {
namespace {

constexpr int kInstructionsMax = 4096;

std::optional<int> OpOf(Opcode opcode) {
#define HLOCTS_ELEMENT_OP(Name) \
  if (opcode == Opcode::k##Name) return hl::kOp##Name;
#include "backends/engine/cuda/compile/element_ops.def"
#undef HLOCTS_ELEMENT_OP
  return std::nullopt;
}

absl::Status SetAttributes(const Instruction& source, hl::Instr& n) {
  if (n.op == hl::kOpReducePrecision) {
    n.imm[0] = source.IntOr(Attr::kExponentBits, 0);
    n.imm[1] = source.IntOr(Attr::kMantissaBits, 0);
  }
  if (n.op != hl::kOpCompare) return absl::OkStatus();
  constexpr absl::string_view kWords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const absl::string_view word = source.WordOr(Attr::kDirection, "");
  for (int i = 0; i < 6; ++i) {
    if (word != kWords[i]) continue;
    n.imm[0] = i;
    if (source.WordOr(Attr::kType, "") == "TOTALORDER") n.op = hl::kOpCompareTotal;
    return absl::OkStatus();
  }
  return InvalidInput(source.name(), ": direction ", word);
}

int OperandCount(const hl::Instr& n) {
  if (n.op < hl::kOpResult) return 0;
  if (n.op == hl::kOpResult || n.op < hl::kOpAdd) return 1;
  return n.op < hl::kOpSelect ? 2 : 3;
}
int& OperandOf(hl::Instr& n, int k) { return k == 0 ? n.a : k == 1 ? n.b : n.c; }

bool IsOneElement(const plan::Graph& graph, plan::ValueId value) {
  return graph.type(value).elements == 1 && graph.type(value).type != PrimitiveType::kToken;
}

}  // namespace

absl::StatusOr<hl::View> DeviceView(const plan::View& view) {
  const plan::View simple = view.Simplified();
  if (simple.dimensions.size() > hl::kRankMax) {
    return Unsupported("expected a view of at most ", hl::kRankMax, " dimensions, found ",
                       simple.dimensions.size());
  }
  hl::View result = {simple.offset, static_cast<int>(simple.dimensions.size())};
  for (int d = 0; d < result.rank; ++d) {
    result.size[d] = simple.dimensions[d].size;
    result.stride[d] = simple.dimensions[d].stride;
  }
  result.narrow = simple.elements() < kNarrowElements ? 1 : 0;
  return result;
}

int ProgramBuilder::Add(hl::Instr instruction) {
  code_.push_back(instruction);
  return static_cast<int>(code_.size()) - 1;
}

int ProgramBuilder::Load(int array, int view, PrimitiveType type) {
  hl::Instr n;
  n.op = hl::kOpLoad;
  n.to = TypeNumber(type);
  n.a = array;
  n.b = view;
  return Add(n);
}
int ProgramBuilder::Line(int view, PrimitiveType type) {
  hl::Instr n;
  n.op = hl::kOpLine;
  n.to = TypeNumber(type);
  n.b = view;
  return Add(n);
}
int ProgramBuilder::Parameter(int number, PrimitiveType type) {
  hl::Instr n;
  n.op = hl::kOpParameter;
  n.to = TypeNumber(type);
  n.a = number;
  return Add(n);
}
int ProgramBuilder::Constant(PrimitiveType type, const uint8_t* element) {
  hl::Instr n;
  n.op = hl::kOpConstant;
  n.to = TypeNumber(type);
  if (type == PrimitiveType::kC64) {
    std::memcpy(&n.imm[0], element, 4);
    std::memcpy(&n.imm[1], element + 4, 4);
  } else {
    std::memcpy(n.imm, element, static_cast<size_t>(StorageBytes(type)));
  }
  return Add(n);
}

int ProgramBuilder::Apply(hl::Op op, PrimitiveType type, PrimitiveType result, int a, int b) {
  hl::Instr n;
  n.op = op;
  n.type = TypeNumber(type);
  n.to = TypeNumber(result);
  n.a = a;
  n.b = b;
  return Add(n);
}

absl::StatusOr<int> ProgramBuilder::Operation(const Instruction& source, PrimitiveType type,
                                              PrimitiveType result,
                                              absl::Span<const int> operands) {
  const std::optional<int> op = OpOf(source.opcode());
  hl::Instr n;
  n.op = op.value_or(0);
  n.type = TypeNumber(type);
  n.to = TypeNumber(result);
  if (!op.has_value() || OperandCount(n) != static_cast<int>(operands.size())) {
    return Unsupported(source.name(), ": ", OpcodeName(source.opcode()), " of elements");
  }
  const bool truth = type == PrimitiveType::kPred;
  const bool of_complex = IsComplex(type) || IsComplex(result);
  if (n.op == hl::kOpBitcastConvert && of_complex && type != result && BitWidth(type) == 128) {
    return Unsupported(source.name(), ": bitcast-convert of c128 is not supported");
  }
  if (truth && (n.op == hl::kOpSubtract || n.op == hl::kOpDivide || n.op == hl::kOpPower)) {
    return Unsupported(source.name(), ": ", OpcodeName(source.opcode()), " of pred");
  }
  HLOCTS_RETURN_IF_ERROR(SetAttributes(source, n));
  for (size_t k = 0; k < operands.size(); ++k) OperandOf(n, static_cast<int>(k)) = operands[k];
  return Add(n);
}

absl::StatusOr<std::vector<int>> ProgramBuilder::Inline(const plan::Graph& graph,
                                                        absl::Span<const int> arguments) {
  std::vector<int> values(graph.values.size(), -1);
  for (const plan::Node& node : graph.nodes) {
    if (node.removed) continue;
    const bool one = node.outputs.size() == 1 && IsOneElement(graph, node.outputs[0]);
    const plan::NodeKind kind = plan::KindOf(graph, node);
    const bool moves = kind == plan::NodeKind::kReshape || kind == plan::NodeKind::kView;
    if (!one || (moves && !IsOneElement(graph, node.operands[0])) ||
        kind == plan::NodeKind::kStructured) {
      return Unsupported("computation ", graph.name, ": ", OpcodeName(node.opcode),
                         " is not supported in an element-wise computation");
    }
    int& value = values[node.outputs[0]];
    const PrimitiveType type = graph.type(node.outputs[0]).type;
    if (node.IsParameter()) {
      value = arguments[node.parameter];
    } else if (node.IsConstant()) {
      value = Constant(type, graph.constants[node.constant].raw_data());
    } else if (kind == plan::NodeKind::kIota) {
      const uint8_t zeros[16] = {};
      value = Constant(type, zeros);
    } else if (moves) {
      value = values[node.operands[0]];
    } else {
      std::vector<int> operands;
      for (plan::ValueId operand : node.operands) operands.push_back(values[operand]);
      const plan::ValueId typed = node.operands[ops::TypedOperand(node.opcode)];
      HLOCTS_ASSIGN_OR_RETURN(value,
                              Operation(*node.source, graph.type(typed).type, type, operands));
    }
    if (code_.size() > kInstructionsMax)
      return Unsupported("computation ", graph.name, " is too long");
  }
  std::vector<int> results;
  for (plan::ValueId result : graph.results) results.push_back(values[result]);
  return results;
}

namespace {

// Returns for each value the last needed instruction that reads it, or -1 if there is none.
std::vector<int> LastUses(std::vector<hl::Instr>& all) {
  std::vector<int> last(all.size(), -1);
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].op != hl::kOpResult && last[i] < 0) continue;
    for (int k = 0; k < OperandCount(all[i]); ++k) {
      int& use = last[OperandOf(all[i], k)];
      if (use < 0) use = static_cast<int>(i);
    }
  }
  return last;
}

}  // namespace

// Omits unused values, and reuses a register after the last use of its value.
absl::StatusOr<std::vector<hl::Instr>> ProgramBuilder::Finish(absl::Span<const int> results) {
  std::vector<hl::Instr> all = code_;
  for (size_t r = 0; r < results.size(); ++r) {
    hl::Instr n;
    n.op = hl::kOpResult;
    n.a = results[r];
    n.imm[0] = static_cast<int64_t>(r);
    n.to = code_[results[r]].to;
    all.push_back(n);
  }
  std::vector<int> last = LastUses(all);
  std::vector<int> registers(all.size(), -1), free;
  for (int r = hl::kRegistersMax; r-- > 0;) free.push_back(r);
  std::vector<hl::Instr> code;
  for (size_t i = 0; i < all.size(); ++i) {
    hl::Instr n = all[i];
    if (n.op != hl::kOpResult && last[i] < 0) continue;
    for (int k = 0; k < OperandCount(n); ++k) {
      const int value = OperandOf(n, k);
      OperandOf(n, k) = registers[value];
      if (last[value] != static_cast<int>(i)) continue;
      last[value] = -2;  // the value may be an operand twice
      free.push_back(registers[value]);
    }
    if (n.op != hl::kOpResult) {
      if (free.empty()) return Unsupported("expected at most ", hl::kRegistersMax, " values");
      n.dst = registers[i] = free.back();
      free.pop_back();
    }
    code.push_back(n);
  }
  return code;
}

bool IsStraightLine(const plan::Graph& graph) {
  ProgramBuilder builder;
  std::vector<int> arguments;
  for (plan::ValueId parameter : graph.parameters) {
    arguments.push_back(
        builder.Parameter(static_cast<int>(arguments.size()), graph.type(parameter).type));
  }
  const absl::StatusOr<std::vector<int>> results = builder.Inline(graph, arguments);
  return results.ok() && builder.Finish(*results).ok();
}

}  // namespace hlocts::cuda
