// SPDX-License-Identifier: Apache-2.0
// Selects the kernel of an instruction. Narrow floats are computed in f32, which is so precise that
// the second rounding, to the narrow type, is harmless. Sub-byte integers are computed as bytes.
#include <cstring>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/elementwise/wrappers.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts::cpu {
namespace {

// Sets `kernel` to a kernel of VectorArithmetic, which works on elements as stored. If it has two
// operands, either may be a single element.
void TakeArithmetic(Opcode opcode, KernelFunction run, Kernel& kernel) {
  kernel.run = run;
  if (run == nullptr || kernel.parameters.operand_count != 2) return;
  kernel.singles = 1 | 2;
  kernel.paired = PairedOf(opcode);
}

void ResolveSignBit(Opcode opcode, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  const uint64_t sign = FormatOf(type).sign_mask();
  const bool clears = opcode == Opcode::kAbs;
  kernel.parameters.numbers[0] = static_cast<int64_t>(clears ? ~sign : sign);
  kernel.parameters.inner =
      VectorArithmetic(clears ? Opcode::kAnd : Opcode::kXor,
                       StorageBytes(type) == 1 ? PrimitiveType::kU8 : PrimitiveType::kU16);
  kernel.run = WithMask;
}

void ResolveSubByte(Opcode opcode, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  const bool bits = ops::IsHighBitsRead(opcode);
  const bool shifts_sign = opcode == Opcode::kShiftRightArithmetic;
  const PrimitiveType byte = bits          ? PrimitiveType::kU8
                             : shifts_sign ? PrimitiveType::kS8
                                           : ByteType(type);
  kernel.parameters.numbers[0] = bits ? kZeroExtended : shifts_sign ? kSignExtended : kAsStored;
  if (opcode == Opcode::kCountLeadingZeros) kernel.parameters.numbers[1] = 8 - BitWidth(type);
  KernelFunction inner = VectorArithmetic(opcode, byte);
  if (inner == nullptr) inner = VectorDivision(opcode, byte);
  if (inner == nullptr) inner = IntegerKernel(opcode, byte);
  kernel.parameters.inner = inner;
  kernel.run = inner != nullptr ? ThroughByte : nullptr;
}

void ResolveComplex(Opcode opcode, const MathOptions& options, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  if (ops::IsSum(opcode) || opcode == Opcode::kNegate) {
    kernel.parameters.inner = VectorArithmetic(opcode, ComponentType(type));
    kernel.run = OnParts;
    return;
  }
  kernel.run = type == PrimitiveType::kC64 && !options.strict ? VectorC64(opcode) : nullptr;
  if (kernel.run == nullptr) kernel.run = ComplexKernel(opcode, type);
}

void ResolveFloat(Opcode opcode, const MathOptions& options, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  const bool narrow = IsNarrowFloat(type);
  if (opcode == Opcode::kComplex) {
    kernel.run = ComplexKernel(opcode, type);
    return;
  }
  if (narrow && opcode == Opcode::kReal) {
    kernel.run = CopyBytes;
    return;
  }
  if (narrow && ops::IsSignChange(opcode) && FormatOf(type).has_negative_zero()) {
    ResolveSignBit(opcode, kernel);
    return;
  }
  const PrimitiveType computed = type == PrimitiveType::kF64 ? type : PrimitiveType::kF32;
  KernelFunction function = VectorArithmetic(opcode, computed);
  if (function != nullptr && !narrow) return TakeArithmetic(opcode, function, kernel);
  if (function == nullptr && !options.strict) {
    if (computed == PrimitiveType::kF32) function = VectorPolynomial(opcode);
    if (function == nullptr) function = VectorMath(opcode, computed);
  }
  if (function == nullptr && narrow && options.strict) {
    kernel.parameters.inner = RealFunctionKernel(opcode, PrimitiveType::kF64, false);
    kernel.run = kernel.parameters.inner != nullptr ? ThroughF64 : nullptr;
    return;
  }
  if (function == nullptr) function = RealFunctionKernel(opcode, computed, options.strict);
  if (narrow) {
    WrapInF32(kernel, function);
  } else {
    kernel.run = function;
  }
}

void ResolveByType(Opcode opcode, const MathOptions& options, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  if (type == PrimitiveType::kPred) {
    TakeArithmetic(opcode, VectorArithmetic(opcode, type), kernel);
  } else if (IsInteger(type) && opcode == Opcode::kMulhi) {
    kernel.run = MulhiKernel;
  } else if (IsInteger(type) && IsSubByte(type)) {
    ResolveSubByte(opcode, kernel);
  } else if (IsInteger(type)) {
    TakeArithmetic(opcode, VectorArithmetic(opcode, type), kernel);
    if (kernel.run == nullptr) kernel.run = VectorDivision(opcode, type);
    if (kernel.run == nullptr) kernel.run = IntegerKernel(opcode, type);
  } else if (IsFloat(type)) {
    ResolveFloat(opcode, options, kernel);
  } else if (IsComplex(type)) {
    ResolveComplex(opcode, options, kernel);
  }
}

void ResolveClamp(Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  if (IsNarrowFloat(type)) {
    WrapInF32(kernel, VectorClamp(PrimitiveType::kF32));
  } else {
    kernel.run = VectorClamp(IsSubByte(type) ? ByteType(type) : type);
  }
}

void ResolveOther(const Instruction& instruction, Kernel& kernel) {
  KernelParameters& p = kernel.parameters;
  const std::optional<ops::TypedOperation> operation = ops::TypedOperationOf(instruction.opcode());
  if (!operation.has_value()) return;
  switch (*operation) {
    case ops::TypedOperation::kCompare: {
      Direction direction;
      if (!DirectionOf(instruction, direction)) return;
      kernel = CompareKernel(direction, p.operand_type,
                             instruction.WordOr(Attr::kType, "") == "TOTALORDER");
      return;
    }
    case ops::TypedOperation::kSelect:
      kernel.run = VectorSelect(StorageBytes(p.result_type));
      kernel.singles = 2 | 4;
      return;
    case ops::TypedOperation::kClamp:
      return ResolveClamp(kernel);
    case ops::TypedOperation::kConvert:
      if (p.operand_type == p.result_type) {
        kernel.run = CopyBytes;
      } else {
        kernel = ConvertKernel(p.operand_type, p.result_type);
      }
      return;
    case ops::TypedOperation::kBitcastConvert:
      if (BitWidth(p.operand_type) == BitWidth(p.result_type)) kernel.run = SameBits;
      return;
    case ops::TypedOperation::kReducePrecision:
      p.numbers[0] = instruction.IntOr(Attr::kExponentBits, 0);
      p.numbers[1] = instruction.IntOr(Attr::kMantissaBits, 0);
      kernel.run = ReducePrecisionKernel;
      return;
    case ops::TypedOperation::kStochasticConvert:  // this engine does not support it
      return;
  }
}

}  // namespace

Kernel LineKernel(PrimitiveType type) {
  Kernel kernel = ConvertKernel(PrimitiveType::kS64, type);
  kernel.parameters.inner = kernel.run;
  const KernelFunction direct = VectorLine(type);
  kernel.run = direct != nullptr ? direct : LineThroughS64;
  return kernel;
}

void FillElements(const void* element, int width, int64_t count, void* out) {
  constexpr int64_t kSetBytes = 2048;  // memset writes long arrays without reading them first
  const auto* bytes = static_cast<const uint8_t*>(element);
  if (count * width >= kSetBytes && std::memcmp(bytes, bytes + 1, width - 1) == 0) {
    std::memset(out, *bytes, static_cast<size_t>(count * width));
    return;
  }
  static const KernelFunction kByWidth[] = {VectorFill(1), VectorFill(2), VectorFill(4),
                                            VectorFill(8), VectorFill(16)};
  const int row = width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4;
  kByWidth[row]({}, element, nullptr, nullptr, out, count);
}

Kernel CopyKernel(int width) {
  constexpr PrimitiveType kByWidth[] = {PrimitiveType::kU8, PrimitiveType::kU16,
                                        PrimitiveType::kU32, PrimitiveType::kU64,
                                        PrimitiveType::kC128};
  Kernel kernel;
  kernel.run = CopyBytes;
  for (PrimitiveType type : kByWidth) {
    if (StorageBytes(type) == width) kernel.parameters.result_type = type;
  }
  return kernel;
}

Kernel RotationKernel(PrimitiveType type) {
  Kernel kernel;
  kernel.parameters.operand_type = kernel.parameters.result_type = type;
  kernel.parameters.operand_count = 2;
  kernel.run = VectorRotation(type);
  kernel.singles = 1 | 2;
  kernel.paired = Paired::kRotate;
  return kernel;
}

Kernel PairKernel(const Kernel& first, const Kernel& second, bool right) {
  Kernel kernel;
  kernel.parameters = second.parameters;
  if (first.parameters.operand_type == second.parameters.operand_type) {
    kernel.run = VectorPair(second.parameters.operand_type, first.paired, second.paired, right);
  }
  kernel.singles = 1 | 2 | 4;
  kernel.repeats = true;
  return kernel;
}

Kernel ArithmeticKernel(Opcode opcode, PrimitiveType type, const MathOptions& options) {
  Kernel kernel;
  kernel.parameters.operand_type = kernel.parameters.result_type = type;
  kernel.parameters.operand_count = 2;
  ResolveByType(opcode, options, kernel);
  return kernel;
}

absl::StatusOr<Kernel> ResolveKernel(const Instruction& instruction, const ElementTypes& types,
                                     const MathOptions& options) {
  Kernel kernel;
  kernel.parameters.operand_type = types.operand_type;
  kernel.parameters.result_type = types.result_type;
  kernel.parameters.operand_count = types.operand_count;
  if (RowOf(instruction.opcode()).family == Family::kElementwiseOther) {
    ResolveOther(instruction, kernel);
  } else {
    ResolveByType(instruction.opcode(), options, kernel);
  }
  if (kernel.run == nullptr) {
    return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()), " from ",
                       PrimitiveTypeName(types.operand_type), " to ",
                       PrimitiveTypeName(types.result_type), " is not defined");
  }
  return kernel;
}

}  // namespace hlocts::cpu
