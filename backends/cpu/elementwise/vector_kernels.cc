// Kernels that compilers turn into vector code, compiled once for each instruction set that is
// worth it; Highway's dispatch picks one when the program runs. Plain loops: what they compute does
// not depend on the instruction set.
#include <type_traits>

#include "backends/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/elementwise/vector_kernels.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

#define HLOCTS_UNARY(Name, expression) \
  struct Name {                        \
    template <typename T>              \
    static T Apply(T x) {              \
      return static_cast<T>(expression); \
    }                                  \
  };
#define HLOCTS_BINARY(Name, expression) \
  struct Name {                         \
    template <typename T>               \
    static T Apply(T x, T y) {          \
      return static_cast<T>(expression); \
    }                                   \
  };
#define HLOCTS_RELATION(Name, op)         \
  struct Name {                           \
    template <typename T>                 \
    static uint8_t Apply(T x, T y) {      \
      return static_cast<uint8_t>(x op y); \
    }                                     \
  };
HLOCTS_BINARY(Add, x + y)
HLOCTS_BINARY(Subtract, x - y)
HLOCTS_BINARY(Multiply, x* y)
HLOCTS_BINARY(Divide, x / y)
HLOCTS_BINARY(And, x& y)
HLOCTS_BINARY(Or, x | y)
HLOCTS_BINARY(Xor, x ^ y)
// A NaN in either operand is the result.
HLOCTS_BINARY(Maximum, x != x ? x : (x > y ? x : y))
HLOCTS_BINARY(Minimum, x != x ? x : (x < y ? x : y))
HLOCTS_BINARY(ShiftLeft, y < sizeof(T) * 8 ? static_cast<T>(x << (y & (sizeof(T) * 8 - 1))) : 0)
HLOCTS_BINARY(ShiftRight, y < sizeof(T) * 8 ? static_cast<T>(x >> (y & (sizeof(T) * 8 - 1))) : 0)
// By the width or more: the sign alone.
HLOCTS_BINARY(ShiftRightWithSign,
              static_cast<std::make_signed_t<T>>(x) >>
                  (y < sizeof(T) * 8 ? y : static_cast<T>(sizeof(T) * 8 - 1)))
HLOCTS_UNARY(Negate, -x)
HLOCTS_UNARY(NegateBits, 0 - x)
HLOCTS_UNARY(Not, ~x)
HLOCTS_UNARY(NotPred, x ^ 1)
HLOCTS_UNARY(AbsInteger, x < 0 ? 0 - x : x)
HLOCTS_UNARY(SignInteger, (x > 0) - (x < 0))
HLOCTS_RELATION(Eq, ==)
HLOCTS_RELATION(Ne, !=)
HLOCTS_RELATION(Lt, <)
HLOCTS_RELATION(Le, <=)
HLOCTS_RELATION(Gt, >)
HLOCTS_RELATION(Ge, >=)

// What compares as zero gives one, also a subnormal that is read as one.
struct SignFloat {
  static float Apply(float x) {
    const float zero = x != x ? x : __builtin_copysignf(0, x);
    return x > 0 ? 1 : x < 0 ? -1 : zero;
  }
  static double Apply(double x) {
    const double zero = x != x ? x : __builtin_copysign(0, x);
    return x > 0 ? 1 : x < 0 ? -1 : zero;
  }
};
struct AbsFloat {
  static float Apply(float x) { return __builtin_fabsf(x); }
  static double Apply(double x) { return __builtin_fabs(x); }
};
struct Sqrt {
  static float Apply(float x) { return __builtin_sqrtf(x); }
  static double Apply(double x) { return __builtin_sqrt(x); }
};
struct Floor {
  static float Apply(float x) { return __builtin_floorf(x); }
  static double Apply(double x) { return __builtin_floor(x); }
};
struct Ceil {
  static float Apply(float x) { return __builtin_ceilf(x); }
  static double Apply(double x) { return __builtin_ceil(x); }
};
struct RoundEven {
  static float Apply(float x) { return __builtin_nearbyintf(x); }
  static double Apply(double x) { return __builtin_nearbyint(x); }
};
struct RoundAway {
  static float Apply(float x) { return __builtin_roundf(x); }
  static double Apply(double x) { return __builtin_round(x); }
};
struct IsFinite {
  static uint8_t Apply(float x) { return __builtin_fabsf(x) <= 0x1.fffffep127f; }
  static uint8_t Apply(double x) { return __builtin_fabs(x) <= 0x1.fffffffffffffp1023; }
};
struct Keep {
  template <typename T>
  static T Apply(T x) {
    return x;
  }
};
struct Zero {
  template <typename T>
  static T Apply(T) {
    return 0;
  }
};

template <typename T>
KernelFunction OfBits(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryLoop<Add, T>;
    case Opcode::kSubtract:
      return BinaryLoop<Subtract, T>;
    case Opcode::kAnd:
      return BinaryLoop<And, T>;
    case Opcode::kOr:
      return BinaryLoop<Or, T>;
    case Opcode::kXor:
      return BinaryLoop<Xor, T>;
    case Opcode::kShiftLeft:
      return BinaryLoop<ShiftLeft, T>;
    case Opcode::kShiftRightLogical:
      return BinaryLoop<ShiftRight, T>;
    case Opcode::kShiftRightArithmetic:
      return BinaryLoop<ShiftRightWithSign, T>;
    case Opcode::kNegate:
      return UnaryLoop<NegateBits, T>;
    case Opcode::kNot:
      return UnaryLoop<Not, T>;
    default:
      return nullptr;
  }
}
// uint16 products would be promoted to int and overflow it.
template <typename T>
struct MultiplyBits {
  static T Apply(T x, T y) { return static_cast<T>(static_cast<uint64_t>(x) * y); }
};
template <>
struct MultiplyBits<uint32_t> {
  static uint32_t Apply(uint32_t x, uint32_t y) { return x * y; }
};

// Bits counted in pairs, in fours, in bytes, and these added up.
struct PopulationCount {
  template <typename T>
  static T Apply(T x) {
    constexpr T kAll = static_cast<T>(~T{0});
    constexpr T kPairs = kAll / 3, kFours = kAll / 5, kBytes = kAll / 17;
    x = static_cast<T>(x - ((x >> 1) & kPairs));
    x = static_cast<T>((x & kFours) + ((x >> 2) & kFours));
    x = static_cast<T>((x + (x >> 4)) & kBytes);
    if constexpr (sizeof(T) >= 2) x = static_cast<T>(x + (x >> 8));
    if constexpr (sizeof(T) >= 4) x = static_cast<T>(x + (x >> 16));
    if constexpr (sizeof(T) == 8) x = static_cast<T>(x + (x >> 32));
    return static_cast<T>(x & 0x7f);
  }
};

// The bits below the highest one that is set are set too; those above are what is left.
struct LeadingZeros {
  template <typename T>
  static T Apply(T x) {
    for (unsigned step = 1; step < sizeof(T) * 8; step *= 2) x = static_cast<T>(x | (x >> step));
    return PopulationCount::Apply(static_cast<T>(~x));
  }
};

template <typename T, typename U>
KernelFunction OfInteger(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCountLeadingZeros:
      return UnaryLoop<LeadingZeros, U>;
    case Opcode::kPopcnt:
      return UnaryLoop<PopulationCount, U>;
    case Opcode::kMultiply:
      return BinaryLoop<MultiplyBits<U>, U>;
    case Opcode::kMaximum:
      return BinaryLoop<Maximum, T>;
    case Opcode::kMinimum:
      return BinaryLoop<Minimum, T>;
    case Opcode::kSign:
      return UnaryLoop<SignInteger, T>;
    default:
      return OfBits<U>(opcode);
  }
}

// Abs of the least number is itself: computed unsigned.
template <typename T, typename U>
struct AbsWrap {
  static T Apply(T x) { return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x; }
};
template <typename T, typename U>
KernelFunction OfSigned(Opcode opcode) {
  if (opcode == Opcode::kAbs) return UnaryLoop<AbsWrap<T, U>, T>;
  return OfInteger<T, U>(opcode);
}
template <typename T>
KernelFunction OfUnsigned(Opcode opcode) {
  if (opcode == Opcode::kAbs) return UnaryLoop<Keep, T>;
  return OfInteger<T, T>(opcode);
}

template <typename T>
KernelFunction OfFloat(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryLoop<Add, T>;
    case Opcode::kSubtract:
      return BinaryLoop<Subtract, T>;
    case Opcode::kMultiply:
      return BinaryLoop<Multiply, T>;
    case Opcode::kDivide:
      return BinaryLoop<Divide, T>;
    case Opcode::kMaximum:
      return BinaryLoop<Maximum, T>;
    case Opcode::kMinimum:
      return BinaryLoop<Minimum, T>;
    case Opcode::kNegate:
      return UnaryLoop<Negate, T>;
    case Opcode::kAbs:
      return UnaryLoop<AbsFloat, T>;
    case Opcode::kSign:
      return UnaryLoop<SignFloat, T>;
    case Opcode::kSqrt:
      return UnaryLoop<Sqrt, T>;
    case Opcode::kFloor:
      return UnaryLoop<Floor, T>;
    case Opcode::kCeil:
      return UnaryLoop<Ceil, T>;
    case Opcode::kRoundNearestEven:
      return UnaryLoop<RoundEven, T>;
    case Opcode::kRoundNearestAfz:
      return UnaryLoop<RoundAway, T>;
    case Opcode::kIsFinite:
      return UnaryLoop<IsFinite, T, uint8_t>;
    case Opcode::kReal:
      return UnaryLoop<Keep, T>;
    case Opcode::kImag:
      return UnaryLoop<Zero, T>;
    default:
      return nullptr;
  }
}

KernelFunction OfPred(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return BinaryLoop<Or, uint8_t>;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return BinaryLoop<And, uint8_t>;
    case Opcode::kXor:
      return BinaryLoop<Xor, uint8_t>;
    case Opcode::kNot:
      return UnaryLoop<NotPred, uint8_t>;
    default:
      return nullptr;
  }
}

KernelFunction Arithmetic(Opcode opcode, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return OfPred(opcode);
    case PrimitiveType::kS8:
      return OfSigned<int8_t, uint8_t>(opcode);
    case PrimitiveType::kS16:
      return OfSigned<int16_t, uint16_t>(opcode);
    case PrimitiveType::kS32:
      return OfSigned<int32_t, uint32_t>(opcode);
    case PrimitiveType::kS64:
      return OfSigned<int64_t, uint64_t>(opcode);
    case PrimitiveType::kU8:
      return OfUnsigned<uint8_t>(opcode);
    case PrimitiveType::kU16:
      return OfUnsigned<uint16_t>(opcode);
    case PrimitiveType::kU32:
      return OfUnsigned<uint32_t>(opcode);
    case PrimitiveType::kU64:
      return OfUnsigned<uint64_t>(opcode);
    case PrimitiveType::kF32:
      return OfFloat<float>(opcode);
    case PrimitiveType::kF64:
      return OfFloat<double>(opcode);
    default:
      return nullptr;
  }
}

template <typename T>
KernelFunction CompareOf(Direction direction) {
  constexpr KernelFunction kTable[] = {
      BinaryLoop<Eq, T, uint8_t>, BinaryLoop<Ne, T, uint8_t>, BinaryLoop<Lt, T, uint8_t>,
      BinaryLoop<Le, T, uint8_t>, BinaryLoop<Gt, T, uint8_t>, BinaryLoop<Ge, T, uint8_t>};
  return kTable[static_cast<int>(direction)];
}

KernelFunction Compare(Direction direction, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
    case PrimitiveType::kU8:
      return CompareOf<uint8_t>(direction);
    case PrimitiveType::kU16:
      return CompareOf<uint16_t>(direction);
    case PrimitiveType::kU32:
      return CompareOf<uint32_t>(direction);
    case PrimitiveType::kU64:
      return CompareOf<uint64_t>(direction);
    case PrimitiveType::kS8:
      return CompareOf<int8_t>(direction);
    case PrimitiveType::kS16:
      return CompareOf<int16_t>(direction);
    case PrimitiveType::kS32:
      return CompareOf<int32_t>(direction);
    case PrimitiveType::kS64:
      return CompareOf<int64_t>(direction);
    case PrimitiveType::kF32:
      return CompareOf<float>(direction);
    case PrimitiveType::kF64:
      return CompareOf<double>(direction);
    default:
      return nullptr;
  }
}

template <typename T>
void SelectLoop(HLOCTS_ARGUMENTS) {
  const uint8_t* choose = static_cast<const uint8_t*>(a);
  const T* x = static_cast<const T*>(b);
  const T* y = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  if (p.single == 2) {
    const T yes = *x;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) {
      const T no = y[i];
      r[i] = choose[i] != 0 ? yes : no;
    }
  } else if (p.single == 4) {
    const T no = *y;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) {
      const T yes = x[i];
      r[i] = choose[i] != 0 ? yes : no;
    }
  } else {
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) {
      const T yes = x[i], no = y[i];
      r[i] = choose[i] != 0 ? yes : no;
    }
  }
}
struct Pair128 {
  uint64_t low, high;
};
KernelFunction Select(int width) {
  switch (width) {
    case 1:
      return SelectLoop<uint8_t>;
    case 2:
      return SelectLoop<uint16_t>;
    case 4:
      return SelectLoop<uint32_t>;
    case 8:
      return SelectLoop<uint64_t>;
    case 16:
      return SelectLoop<Pair128>;
    default:
      return nullptr;
  }
}

// a << b | a >> c: rotations, mostly. Both shifts at once, the amounts of one of them for all.
template <typename T>
void ShiftBothLoop(HLOCTS_ARGUMENTS) {
  const T* x = static_cast<const T*>(a);
  const T* left = static_cast<const T*>(b);
  const T* right = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  const auto shifted = [](T number, T by_left, T by_right) {
    return ShiftLeft::Apply(number, by_left) | ShiftRight::Apply(number, by_right);
  };
  if (p.single == 2) {
    const T all = *left;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = shifted(x[i], all, right[i]);
  } else if (p.single == 4) {
    const T all = *right;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = shifted(x[i], left[i], all);
  } else {
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = shifted(x[i], left[i], right[i]);
  }
}
KernelFunction ShiftBoth(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kU32:
    case PrimitiveType::kS32:
      return ShiftBothLoop<uint32_t>;
    case PrimitiveType::kU64:
    case PrimitiveType::kS64:
      return ShiftBothLoop<uint64_t>;
    default:
      return nullptr;
  }
}

// min(max(low, x), high): a NaN in any of the three is the result.
template <typename T>
void ClampLoop(HLOCTS_ARGUMENTS) {
  const T* low = static_cast<const T*>(a);
  const T* x = static_cast<const T*>(b);
  const T* high = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  // Two loops: compilers make vector code of each, but not of both in one.
  constexpr int64_t kStep = 256;
  T at_least[kStep];
  for (int64_t at = 0; at < count; at += kStep) {
    const int64_t n = count - at < kStep ? count - at : kStep;
    HLOCTS_LOOP
    for (int64_t i = 0; i < n; ++i) at_least[i] = Maximum::Apply(low[at + i], x[at + i]);
    HLOCTS_LOOP
    for (int64_t i = 0; i < n; ++i) r[at + i] = Minimum::Apply(at_least[i], high[at + i]);
  }
}
KernelFunction Clamp(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
    case PrimitiveType::kU8:
      return ClampLoop<uint8_t>;
    case PrimitiveType::kU16:
      return ClampLoop<uint16_t>;
    case PrimitiveType::kU32:
      return ClampLoop<uint32_t>;
    case PrimitiveType::kU64:
      return ClampLoop<uint64_t>;
    case PrimitiveType::kS8:
      return ClampLoop<int8_t>;
    case PrimitiveType::kS16:
      return ClampLoop<int16_t>;
    case PrimitiveType::kS32:
      return ClampLoop<int32_t>;
    case PrimitiveType::kS64:
      return ClampLoop<int64_t>;
    case PrimitiveType::kF32:
      return ClampLoop<float>;
    case PrimitiveType::kF64:
      return ClampLoop<double>;
    default:
      return nullptr;
  }
}

template <typename T, typename Wide>
void LineLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const Wide first = static_cast<Wide>(*static_cast<const int64_t*>(a));
  T* r = static_cast<T*>(out);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = static_cast<T>(first + static_cast<Wide>(i));
}
void FloatLine(const KernelParameters& p, const void* a, const void* b, const void* c, void* out,
               int64_t count) {
  const bool fits = *static_cast<const int64_t*>(a) + count <= INT32_MAX;
  return fits ? LineLoop<float, int32_t>(p, a, b, c, out, count)
              : LineLoop<float, int64_t>(p, a, b, c, out, count);
}
KernelFunction Line(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS32:
    case PrimitiveType::kU32:
      return LineLoop<uint32_t, uint32_t>;
    case PrimitiveType::kS64:
    case PrimitiveType::kU64:
      return LineLoop<uint64_t, uint64_t>;
    case PrimitiveType::kF32:
      return FloatLine;
    default:
      return nullptr;
  }
}

// The element at a, repeated.
template <typename T>
void FillLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const T element = *static_cast<const T*>(a);
  T* r = static_cast<T*>(out);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = element;
}
KernelFunction Filling(int width) {
  switch (width) {
    case 1:
      return FillLoop<uint8_t>;
    case 2:
      return FillLoop<uint16_t>;
    case 4:
      return FillLoop<uint32_t>;
    case 8:
      return FillLoop<uint64_t>;
    default:
      return FillLoop<Pair128>;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Arithmetic);
HWY_EXPORT(Compare);
HWY_EXPORT(Select);
HWY_EXPORT(ShiftBoth);
HWY_EXPORT(Clamp);
HWY_EXPORT(Line);
HWY_EXPORT(Filling);

KernelFunction VectorArithmetic(Opcode opcode, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Arithmetic)(opcode, type);
}
KernelFunction VectorCompare(Direction direction, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Compare)(direction, type);
}
KernelFunction VectorSelect(int width) { return HWY_DYNAMIC_DISPATCH(Select)(width); }
KernelFunction VectorShiftBoth(PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(ShiftBoth)(type);
}
KernelFunction VectorClamp(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Clamp)(type); }
KernelFunction VectorLine(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Line)(type); }
KernelFunction VectorFill(int width) { return HWY_DYNAMIC_DISPATCH(Filling)(width); }
}  // namespace hlocts::cpu
#endif
