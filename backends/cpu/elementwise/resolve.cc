// Which kernel computes an instruction. Narrow floats go through f32, which has digits enough that
// the two roundings are one; sub-byte integers through their byte.
#include <cstring>

#include "backends/cpu/elementwise/families.h"
#include "backends/cpu/elementwise/table_convert.h"
#include "spec/ir/float_format.h"
#include "spec/ops/op_table.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kBlock = 512;

bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && BitWidth(type) <= 16; }

void Decode(PrimitiveType type, const void* from, float* to, int64_t count) {
  if (KernelFunction convert = VectorConvert(type, PrimitiveType::kF32)) {
    return convert({}, from, nullptr, nullptr, to, count);
  }
  DecodeBytes(type, static_cast<const uint8_t*>(from), to, count);
}

void Encode(PrimitiveType type, const float* from, void* to, int64_t count) {
  if (KernelFunction convert = VectorConvert(PrimitiveType::kF32, type)) {
    return convert({}, from, nullptr, nullptr, to, count);
  }
  EncodeBytes(type, from, static_cast<uint8_t*>(to), count);
}

// The kernel of f32 on decoded elements; results of a float type are encoded again.
void ThroughF32(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count) {
  alignas(64) float decoded[3][kBlock], computed[kBlock];
  const void* operands[3] = {a, b, c};
  const int width = StorageBytes(p.operand_type), result_width = StorageBytes(p.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int k = 0; k < p.operand_count; ++k) {
      Decode(p.operand_type, static_cast<const uint8_t*>(operands[k]) + at * width, decoded[k], n);
    }
    uint8_t* result = static_cast<uint8_t*>(out) + at * result_width;
    if (p.result_type == PrimitiveType::kPred) {
      p.inner(p, decoded[0], decoded[1], decoded[2], result, n);
      continue;
    }
    p.inner(p, decoded[0], decoded[1], decoded[2], computed, n);
    Encode(p.result_type, computed, result, n);
  }
}

// The same by way of f64: functions in the strict profile, whose results an f32 in between could
// round to a tie.
void ThroughF64(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
                int64_t count) {
  constexpr int64_t kShort = 128;
  double decoded[3][kShort], computed[kShort];
  const uint8_t* operands[3] = {static_cast<const uint8_t*>(a), static_cast<const uint8_t*>(b),
                                static_cast<const uint8_t*>(c)};
  const int width = StorageBytes(p.operand_type);
  const KernelParameters from = {p.operand_type, PrimitiveType::kF64, 1, {0, 0}, nullptr};
  const KernelParameters to = {PrimitiveType::kF64, p.result_type, 1, {0, 0}, nullptr};
  for (int64_t at = 0; at < count; at += kShort) {
    const int64_t n = count - at < kShort ? count - at : kShort;
    for (int k = 0; k < p.operand_count; ++k) {
      GeneralConvert(from, operands[k] + at * width, nullptr, nullptr, decoded[k], n);
    }
    p.inner(p, decoded[0], decoded[1], decoded[2], computed, n);
    GeneralConvert(to, computed, nullptr, nullptr, static_cast<uint8_t*>(out) + at * width, n);
  }
}

// abs and negate where the format has a sign bit: `inner` takes numbers[0] as second operand.
void WithMask(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  KernelParameters single = p;
  single.single = 2;
  p.inner(single, a, p.numbers, nullptr, out, count);
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

void CopyBytes(const KernelParameters& p, const void* a, const void*, const void*, void* out,
               int64_t count) {
  if (count > 0) std::memmove(out, a, static_cast<size_t>(count) * StorageBytes(p.result_type));
}

uint8_t Extended(PrimitiveType type, uint8_t bits) {
  const int unused = 8 - BitWidth(type);
  const uint8_t shifted = static_cast<uint8_t>(bits << unused);
  return IsSigned(type) ? static_cast<uint8_t>(static_cast<int8_t>(shifted) >> unused)
                        : static_cast<uint8_t>(shifted >> unused);
}

// How an operation on sub-byte integers sees a byte that holds one.
enum Extension : int64_t { kAsStored, kZeroExtended, kSignExtended };

// Sub-byte integers: numbers[0] says how operands are wanted, numbers[1] is taken off the result
// (unused bits that count-leading-zeros has counted).
void ThroughByte(const KernelParameters& p, const void* a, const void* b, const void*, void* out,
                 int64_t count) {
  uint8_t read[2][kBlock];
  const void* operands[2] = {a, b};
  const int width = BitWidth(p.operand_type);
  const uint8_t mask =
      p.numbers[0] == kAsStored ? 0xff : static_cast<uint8_t>((1 << width) - 1);
  const uint8_t sign =
      p.numbers[0] == kSignExtended ? static_cast<uint8_t>(1 << (width - 1)) : 0;
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int k = 0; k < p.operand_count; ++k) {
      const uint8_t* x = static_cast<const uint8_t*>(operands[k]) + at;
      for (int64_t i = 0; i < n; ++i) {
        read[k][i] = static_cast<uint8_t>(((x[i] & mask) ^ sign) - sign);
      }
    }
    uint8_t* result = static_cast<uint8_t*>(out) + at;
    p.inner(p, read[0], read[1], nullptr, result, n);
    for (int64_t i = 0; i < n; ++i) {
      result[i] = Extended(p.result_type, static_cast<uint8_t>(result[i] - p.numbers[1]));
    }
  }
}

// The same bits in another type of as many: pred is normalised, unused bits of a byte are extended.
void SameBits(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  const uint8_t* x = static_cast<const uint8_t*>(a);
  uint8_t* r = static_cast<uint8_t*>(out);
  if (p.result_type == PrimitiveType::kPred) {
    for (int64_t i = 0; i < count; ++i) r[i] = x[i] != 0;
  } else if (IsSubByte(p.result_type)) {
    for (int64_t i = 0; i < count; ++i) r[i] = Extended(p.result_type, x[i]);
  } else {
    CopyBytes(p, a, nullptr, nullptr, out, count);
  }
}

template <typename Bits>
void KeysOf(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count) {
  const Bits* x = static_cast<const Bits*>(elements);
  const int width = BitWidth(type);
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  const bool plain = IsUnsigned(type) || type == PrimitiveType::kPred ||
                     (IsFloat(type) && !FormatOf(type).has_sign);
  const bool magnitude = IsFloat(type) && !plain;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = static_cast<uint64_t>(x[i]) & mask;
    const uint64_t flip = magnitude && (bits & sign) != 0 ? mask : sign;
    keys[i] = plain ? bits : bits ^ flip;
  }
}

template <class Less>
void CompareKeys(const KernelParameters& p, const void* a, const void* b, const void*, void* out,
                 int64_t count) {
  uint64_t x[kBlock], y[kBlock];
  const int width = StorageBytes(p.operand_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    TotalOrderKeys(p.operand_type, static_cast<const uint8_t*>(a) + at * width, x, n);
    TotalOrderKeys(p.operand_type, static_cast<const uint8_t*>(b) + at * width, y, n);
    for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(out)[at + i] = Less::Apply(x[i], y[i]);
  }
}
#define HLOCTS_KEY_RELATION(Name, op) \
  struct Name {                       \
    static uint8_t Apply(uint64_t x, uint64_t y) { return x op y; } \
  };
HLOCTS_KEY_RELATION(KeyEq, ==)
HLOCTS_KEY_RELATION(KeyNe, !=)
HLOCTS_KEY_RELATION(KeyLt, <)
HLOCTS_KEY_RELATION(KeyLe, <=)
HLOCTS_KEY_RELATION(KeyGt, >)
HLOCTS_KEY_RELATION(KeyGe, >=)
constexpr KernelFunction kTotalOrder[] = {CompareKeys<KeyEq>, CompareKeys<KeyNe>, CompareKeys<KeyLt>,
                                          CompareKeys<KeyLe>, CompareKeys<KeyGt>, CompareKeys<KeyGe>};

template <typename T, bool kEqual>
void CompareComplex(const KernelParameters&, const void* a, const void* b, const void*, void* out,
                    int64_t count) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  for (int64_t i = 0; i < count; ++i) {
    const bool equal = x[2 * i] == y[2 * i] && x[2 * i + 1] == y[2 * i + 1];
    static_cast<uint8_t*>(out)[i] = equal == kEqual;
  }
}

void LineThroughS64(const KernelParameters& p, const void* a, const void*, const void*, void* out,
                    int64_t count) {
  int64_t numbers[kBlock];
  const int64_t first = *static_cast<const int64_t*>(a);
  const int width = StorageBytes(p.result_type);
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = count - at < kBlock ? count - at : kBlock;
    for (int64_t i = 0; i < n; ++i) numbers[i] = first + at + i;
    p.inner(p, numbers, nullptr, nullptr, static_cast<uint8_t*>(out) + at * width, n);
  }
}

void WrapInF32(Kernel& kernel, KernelFunction inner) {
  kernel.parameters.inner = inner;
  kernel.run = inner != nullptr ? ThroughF32 : nullptr;
}

PrimitiveType ByteType(PrimitiveType type) {
  return IsSigned(type) ? PrimitiveType::kS8 : PrimitiveType::kU8;
}

void ResolveSubByte(Opcode opcode, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  const bool bits = opcode == Opcode::kShiftRightLogical || opcode == Opcode::kPopcnt ||
                    opcode == Opcode::kCountLeadingZeros;
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

// Sums, differences and negation of complex numbers: their parts, twice as many.
void OnParts(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
             int64_t count) {
  p.inner(p, a, b, c, out, 2 * count);
}
void ResolveComplex(Opcode opcode, const MathOptions& options, Kernel& kernel) {
  const PrimitiveType type = kernel.parameters.operand_type;
  if (opcode == Opcode::kAdd || opcode == Opcode::kSubtract || opcode == Opcode::kNegate) {
    kernel.parameters.inner = VectorArithmetic(opcode, ComponentType(type));
    kernel.run = OnParts;
    return;
  }
  kernel.run = type == PrimitiveType::kC64 && !options.strict ? VectorComplex(opcode) : nullptr;
  if (kernel.run == nullptr) kernel.run = ComplexKernel(opcode, type);
}

// Vector code within the default profile's bounds, where there is some.
KernelFunction DefaultMath(Opcode opcode, PrimitiveType type) {
  const bool wide = type == PrimitiveType::kF64;
  const KernelFunction function = wide ? VectorMathF64(opcode) : VectorMath(opcode);
  if (function != nullptr) return function;
  return wide ? VectorSineF64(opcode) : VectorMathWide(opcode);
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
  if (narrow && (opcode == Opcode::kAbs || opcode == Opcode::kNegate) &&
      FormatOf(type).has_negative_zero()) {
    ResolveSignBit(opcode, kernel);
    return;
  }
  const PrimitiveType computed = type == PrimitiveType::kF64 ? type : PrimitiveType::kF32;
  KernelFunction function = VectorArithmetic(opcode, computed);
  if (function == nullptr && !options.strict) function = DefaultMath(opcode, computed);
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
    kernel.run = VectorArithmetic(opcode, type);
  } else if (IsInteger(type) && opcode == Opcode::kMulhi) {
    kernel.run = MulhiKernel;
  } else if (IsInteger(type) && IsSubByte(type)) {
    ResolveSubByte(opcode, kernel);
  } else if (IsInteger(type)) {
    kernel.run = VectorArithmetic(opcode, type);
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
  switch (instruction.opcode()) {
    case Opcode::kCompare: {
      Direction direction;
      if (!DirectionOf(instruction, direction)) return;
      kernel = CompareKernel(direction, p.operand_type,
                             instruction.WordOr(Attr::kType, "") == "TOTALORDER");
      return;
    }
    case Opcode::kSelect:
      kernel.run = VectorSelect(StorageBytes(p.result_type));
      return;
    case Opcode::kClamp:
      return ResolveClamp(kernel);
    case Opcode::kConvert:
      if (p.operand_type == p.result_type) {
        kernel.run = CopyBytes;
      } else {
        kernel = ConvertKernel(p.operand_type, p.result_type);
      }
      return;
    case Opcode::kBitcastConvert:
      if (BitWidth(p.operand_type) == BitWidth(p.result_type)) kernel.run = SameBits;
      return;
    case Opcode::kReducePrecision:
      p.numbers[0] = instruction.IntOr(Attr::kExponentBits, 0);
      p.numbers[1] = instruction.IntOr(Attr::kMantissaBits, 0);
      kernel.run = ReducePrecisionKernel;
      return;
    default:
      return;
  }
}

// Those that vector_kernels.cc has loops for.
uint8_t SinglesOf(const Instruction& instruction, const Kernel& kernel) {
  const KernelParameters& p = kernel.parameters;
  if (instruction.opcode() == Opcode::kSelect) return 2 | 4;
  Direction direction;
  const bool compares = instruction.opcode() == Opcode::kCompare && DirectionOf(instruction, direction);
  const KernelFunction plain = compares ? VectorCompare(direction, p.operand_type)
                               : p.operand_count == 2
                                   ? VectorArithmetic(instruction.opcode(), p.operand_type)
                                   : nullptr;
  return kernel.run != nullptr && kernel.run == plain ? 1 | 2 : 0;
}

}  // namespace

bool DirectionOf(const Instruction& instruction, Direction& direction) {
  constexpr absl::string_view kWords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const absl::string_view word = instruction.WordOr(Attr::kDirection, "");
  for (int i = 0; i < 6; ++i) {
    if (word == kWords[i]) return direction = static_cast<Direction>(i), true;
  }
  return false;
}

void TotalOrderKeys(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count) {
  switch (StorageBytes(type)) {
    case 1:
      return KeysOf<uint8_t>(type, elements, keys, count);
    case 2:
      return KeysOf<uint16_t>(type, elements, keys, count);
    case 4:
      return KeysOf<uint32_t>(type, elements, keys, count);
    default:
      return KeysOf<uint64_t>(type, elements, keys, count);
  }
}

Kernel CompareKernel(Direction direction, PrimitiveType type, bool total_order) {
  Kernel kernel;
  kernel.parameters.operand_type = type;
  kernel.parameters.result_type = PrimitiveType::kPred;
  kernel.parameters.operand_count = 2;
  const bool equality = direction == Direction::kEq || direction == Direction::kNe;
  if (IsFloat(type) && total_order) {
    kernel.run = kTotalOrder[static_cast<int>(direction)];
  } else if (IsNarrowFloat(type)) {
    WrapInF32(kernel, VectorCompare(direction, PrimitiveType::kF32));
  } else if (type == PrimitiveType::kC64 && equality) {
    kernel.run = direction == Direction::kEq ? CompareComplex<float, true>
                                             : CompareComplex<float, false>;
  } else if (type == PrimitiveType::kC128 && equality) {
    kernel.run = direction == Direction::kEq ? CompareComplex<double, true>
                                             : CompareComplex<double, false>;
  } else {
    kernel.run = VectorCompare(direction, IsSubByte(type) ? ByteType(type) : type);
  }
  return kernel;
}

Kernel ShiftBothKernel(PrimitiveType type) {
  Kernel kernel;
  kernel.parameters.operand_type = kernel.parameters.result_type = type;
  kernel.parameters.operand_count = 3;
  kernel.run = VectorShiftBoth(type);
  kernel.singles = 2 | 4;
  return kernel;
}

Kernel RotationKernel(PrimitiveType type) {
  Kernel kernel;
  kernel.parameters.operand_type = kernel.parameters.result_type = type;
  kernel.parameters.operand_count = 2;
  kernel.run = VectorRotation(type);
  kernel.singles = 1 | 2;
  return kernel;
}

Kernel PairKernel(const Kernel& first, const Kernel& second, bool right) {
  Kernel kernel;
  kernel.parameters = second.parameters;
  kernel.run = VectorPair(first.run, second.run, right);
  kernel.singles = 1 | 2 | 4;
  if (kernel.run == nullptr) {
    kernel.run = VectorChoice(first.run, second.run);
    kernel.singles |= 8;
  }
  return kernel;
}

Kernel LineKernel(PrimitiveType type) {
  Kernel kernel = ConvertKernel(PrimitiveType::kS64, type);
  kernel.parameters.inner = kernel.run;
  const KernelFunction direct = VectorLine(type);
  kernel.run = direct != nullptr ? direct : LineThroughS64;
  return kernel;
}

void FillElements(const void* element, int width, int64_t count, void* out) {
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
    return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()), " of ",
                       PrimitiveTypeName(types.operand_type), " to ",
                       PrimitiveTypeName(types.result_type), " has no meaning here");
  }
  kernel.singles = SinglesOf(instruction, kernel);
  return kernel;
}

}  // namespace hlocts::cpu
