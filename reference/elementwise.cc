// SPDX-License-Identifier: Apache-2.0
#include "reference/elementwise.h"

#include <cstring>

#include "reference/kernels/codec.h"
#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/ops/groups.h"
#include "spec/ops/op_table.h"

namespace hlocts::reference {
namespace {

// Runs the inner kernel on doubles for any float type and rounds once at the end.
void ThroughDouble(const ElementwiseOp& op, const void* const* operands, void* result,
                   int64_t count) {
  double decoded[3][kBlock], computed[kBlock];
  const void* inner_operands[3] = {decoded[0], decoded[1], decoded[2]};
  int from = StorageBytes(op.operand_type), to = StorageBytes(op.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int i = 0; i < op.operand_count; ++i) {
      DecodeFloats(op.operand_type, static_cast<const uint8_t*>(operands[i]) + at * from,
                   decoded[i], n);
    }
    uint8_t* out = static_cast<uint8_t*>(result) + at * to;
    if (op.result_type == PrimitiveType::kPred) {
      op.inner(op, inner_operands, out, n);
    } else {
      op.inner(op, inner_operands, computed, n);
      EncodeFloats(op.result_type, computed, out, n);
    }
  }
}

// The form in which an operation reads a sub-byte integer as a byte.
enum Extension : int64_t { kAsStored, kZeroExtended, kSignExtended };

// Runs the kernel for bytes on sub-byte integers and wraps the result to their width. If the
// operation reads the unused high bits, parameters[0] (an Extension) states how they are filled.
// parameters[1] is subtracted from the result (count-leading-zeros counts the unused bits, too).
void ThroughByte(const ElementwiseOp& op, const void* const* operands, void* result,
                 int64_t count) {
  uint8_t extended[2][kBlock], computed[kBlock];
  int64_t widened[kBlock];
  const void* inner_operands[2] = {extended[0], extended[1]};
  int width = BitWidth(op.operand_type);
  uint8_t mask = op.parameters[0] == kAsStored ? 0xff : static_cast<uint8_t>((1 << width) - 1);
  uint8_t sign = op.parameters[0] == kSignExtended ? static_cast<uint8_t>(1 << (width - 1)) : 0;
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int k = 0; k < op.operand_count; ++k) {
      const uint8_t* x = static_cast<const uint8_t*>(operands[k]) + at;
      for (int64_t i = 0; i < n; ++i) {
        extended[k][i] = static_cast<uint8_t>(((x[i] & mask) ^ sign) - sign);
      }
    }
    op.inner(op, inner_operands, computed, n);
    for (int64_t i = 0; i < n; ++i) {
      widened[i] = computed[i] - op.parameters[1];
    }
    EncodeIntegers(op.result_type, widened, static_cast<uint8_t*>(result) + at, n);
  }
}

// Clears or flips the sign bit of narrow floats (abs and negate); NaNs keep their other bits.
template <typename Bits>
void ClearOrFlip(const ElementwiseOp& op, const void* const* operands, void* result,
                 int64_t count) {
  const Bits* x = static_cast<const Bits*>(operands[0]);
  Bits* out = static_cast<Bits*>(result);
  Bits clear = static_cast<Bits>(op.parameters[0]), flip = static_cast<Bits>(op.parameters[1]);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Bits>((x[i] & ~clear) ^ flip);
}

// Copies bits to another type of the same width.
void SameWidthBits(const ElementwiseOp& op, const void* const* operands, void* result,
                   int64_t count) {
  if (op.result_type == PrimitiveType::kPred) {
    const uint8_t* x = static_cast<const uint8_t*>(operands[0]);
    for (int64_t i = 0; i < count; ++i) static_cast<uint8_t*>(result)[i] = x[i] != 0;
  } else if (IsInteger(op.result_type) && IsSubByte(op.result_type)) {
    int64_t bits[kBlock];
    for (int64_t at = 0; at < count; at += kBlock) {
      int64_t n = count - at < kBlock ? count - at : kBlock;
      DecodeIntegers(op.operand_type, static_cast<const uint8_t*>(operands[0]) + at, bits, n);
      EncodeIntegers(op.result_type, bits, static_cast<uint8_t*>(result) + at, n);
    }
  } else if (IsSubByte(op.result_type)) {
    const uint8_t* x = static_cast<const uint8_t*>(operands[0]);
    uint8_t mask = static_cast<uint8_t>((1 << BitWidth(op.result_type)) - 1);
    for (int64_t i = 0; i < count; ++i) static_cast<uint8_t*>(result)[i] = x[i] & mask;
  } else {
    std::memmove(result, operands[0], static_cast<size_t>(count * StorageBytes(op.result_type)));
  }
}

bool IsNarrowFloatType(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }
PrimitiveType ByteType(PrimitiveType type) {
  return IsSigned(type) ? PrimitiveType::kS8 : PrimitiveType::kU8;
}

void WrapInDouble(ElementwiseOp& op, Kernel inner) {
  op.inner = inner;
  op.run = inner ? ThroughDouble : nullptr;
}

void ResolveSubByte(Opcode opcode, ElementwiseOp& op) {
  PrimitiveType byte = ByteType(op.operand_type);
  op.parameters[0] = kAsStored;
  if (ops::IsHighBitsRead(opcode)) {
    op.parameters[0] = kZeroExtended, byte = PrimitiveType::kU8;
  } else if (opcode == Opcode::kShiftRightArithmetic) {
    op.parameters[0] = kSignExtended, byte = PrimitiveType::kS8;
  }
  op.inner = IntegerKernel(opcode, byte);
  op.parameters[1] = opcode == Opcode::kCountLeadingZeros ? 8 - BitWidth(op.operand_type) : 0;
  op.run = op.inner ? ThroughByte : nullptr;
}

void ResolveInteger(Opcode opcode, ElementwiseOp& op) {
  if (opcode == Opcode::kMulhi) {
    op.run = MulhiKernel;
  } else if (IsSubByte(op.operand_type)) {
    ResolveSubByte(opcode, op);
  } else {
    op.run = IntegerKernel(opcode, op.operand_type);
  }
}

void ResolveSignBit(Opcode opcode, const FloatFormat& format, ElementwiseOp& op) {
  const bool clears = opcode == Opcode::kAbs;
  op.parameters[clears ? 0 : 1] = static_cast<int64_t>(format.sign_mask());
  op.parameters[clears ? 1 : 0] = 0;
  op.run = StorageBytes(op.operand_type) == 1 ? ClearOrFlip<uint8_t> : ClearOrFlip<uint16_t>;
}

void ResolveFloat(Opcode opcode, ElementwiseOp& op) {
  PrimitiveType type = op.operand_type;
  if (opcode == Opcode::kComplex) {
    op.run = ComplexKernel(opcode, type);
  } else if (!IsNarrowFloatType(type)) {
    op.run = FloatArithmeticKernel(opcode, type);
    if (op.run) return;
    if (type == PrimitiveType::kF64) {
      op.run = AccurateFunctionKernel(opcode);
    } else {
      WrapInDouble(op, FastFunctionKernel(opcode));
    }
  } else if (opcode == Opcode::kReal) {
    op.run = SameWidthBits;
  } else if (ops::IsSignChange(opcode) && FormatOf(type).has_negative_zero()) {
    ResolveSignBit(opcode, FormatOf(type), op);
  } else {
    Kernel exact = FloatArithmeticKernel(opcode, PrimitiveType::kF64);
    WrapInDouble(op, exact ? exact : FastFunctionKernel(opcode));
  }
}

void ResolveComplex(Opcode opcode, ElementwiseOp& op) {
  op.run = ComplexKernel(opcode, op.operand_type);
  if (!op.run) op.run = ComplexFunctionKernel(opcode, op.operand_type);
}

bool DirectionOf(const Instruction& instruction, Direction& direction) {
  absl::string_view word = instruction.WordOr(Attr::kDirection, "");
  constexpr absl::string_view kWords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  for (int i = 0; i < 6; ++i) {
    if (word == kWords[i]) return direction = static_cast<Direction>(i), true;
  }
  return false;
}

// Resolves compare. The element type determines how operands are read. The `type` attribute matters
// only for the total order of floats.
void ResolveCompare(const Instruction& instruction, ElementwiseOp& op) {
  Direction direction;
  if (!DirectionOf(instruction, direction)) return;
  PrimitiveType type = op.operand_type;
  if (IsSubByte(type) && IsInteger(type)) type = ByteType(type);
  if (IsFloat(type) && instruction.WordOr(Attr::kType, "") == "TOTALORDER") {
    op.run = TotalOrderKernel(direction);
  } else if (IsNarrowFloatType(type)) {
    WrapInDouble(op, CompareKernel(direction, PrimitiveType::kF64));
  } else {
    op.run = CompareKernel(direction, type);
  }
}

void ResolveClamp(ElementwiseOp& op) {
  PrimitiveType type = op.operand_type;
  if (IsNarrowFloatType(type)) {
    WrapInDouble(op, ClampKernel(PrimitiveType::kF64));
  } else {
    op.run = ClampKernel(IsSubByte(type) ? ByteType(type) : type);
  }
}

void ResolveOther(const Instruction& instruction, ElementwiseOp& op) {
  const std::optional<ops::TypedOperation> operation = ops::TypedOperationOf(instruction.opcode());
  if (!operation.has_value()) return;
  switch (*operation) {
    case ops::TypedOperation::kCompare:
      return ResolveCompare(instruction, op);
    case ops::TypedOperation::kSelect:
      op.run = SelectKernel(StorageBytes(op.result_type));
      return;
    case ops::TypedOperation::kClamp:
      return ResolveClamp(op);
    case ops::TypedOperation::kConvert:
      op.run = ConvertKernel(op.operand_type, op.result_type);
      return;
    case ops::TypedOperation::kBitcastConvert:
      if (BitWidth(op.operand_type) == BitWidth(op.result_type)) op.run = SameWidthBits;
      return;
    case ops::TypedOperation::kReducePrecision:
      op.parameters[0] = instruction.IntOr(Attr::kExponentBits, 0);
      op.parameters[1] = instruction.IntOr(Attr::kMantissaBits, 0);
      // A bit count above 64 has the effect of 64.
      for (int64_t& bits : op.parameters) bits = std::min<int64_t>(bits, 64);
      op.run = ReducePrecisionKernel;
      return;
    case ops::TypedOperation::kStochasticConvert:
      return;
  }
}

void ResolveByType(Opcode opcode, ElementwiseOp& op) {
  if (op.operand_type == PrimitiveType::kPred) {
    op.run = PredKernel(opcode);
  } else if (IsInteger(op.operand_type)) {
    ResolveInteger(opcode, op);
  } else if (IsFloat(op.operand_type)) {
    ResolveFloat(opcode, op);
  } else if (IsComplex(op.operand_type)) {
    ResolveComplex(opcode, op);
  }
}

}  // namespace

bool IsElementwise(Opcode opcode) {
  return ops::IsElementwiseFamily(opcode) && opcode != Opcode::kStochasticConvert;
}

ElementwiseOp BinaryOp(Opcode opcode, PrimitiveType type) {
  ElementwiseOp op;
  op.operand_type = op.result_type = type;
  op.operand_count = 2;
  ResolveByType(opcode, op);
  return op;
}

absl::StatusOr<ElementwiseOp> ResolveElementwise(const Instruction& instruction) {
  ElementwiseOp op;
  bool is_choice = instruction.opcode() == Opcode::kSelect;
  op.operand_type = instruction.operand(is_choice ? 1 : 0).shape().element_type();
  op.result_type = instruction.shape().element_type();
  op.operand_count = static_cast<int>(instruction.operand_count());
  if (RowOf(instruction.opcode()).family == Family::kElementwiseOther) {
    ResolveOther(instruction, op);
  } else {
    ResolveByType(instruction.opcode(), op);
  }
  if (!op.run) {
    return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()), " from ",
                       PrimitiveTypeName(op.operand_type), " to ",
                       PrimitiveTypeName(op.result_type), " is not defined");
  }
  return op;
}

}  // namespace hlocts::reference
