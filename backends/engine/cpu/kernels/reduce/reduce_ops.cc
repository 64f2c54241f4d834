// SPDX-License-Identifier: Apache-2.0
// The known computations on runs of elements, for every type in which reductions are computed.
#include "backends/engine/cpu/kernels/reduce/reduce_ops.h"

#include <complex>
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "spec/ir/element_width.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/reduce/reduce_ops.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"
#include "backends/engine/cpu/kernels/transpose/transpose-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

// Operations on scalars and on vectors. Applying one to its Identity and x returns x.
struct AddOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return a + b;
  }
  template <typename T>
  static T Identity() {
    return std::is_floating_point_v<T> ? T(-0.0) : T(0);
  }
};
struct MultiplyOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return a * b;
  }
  template <typename T>
  static T Identity() {
    return T(1);
  }
};
// Returns a NaN if an operand is NaN.
struct MinimumOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return ((a < b) | (a != a)) ? a : b;
  }
  template <typename T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};
struct MaximumOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return ((a > b) | (a != a)) ? a : b;
  }
  template <typename T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};
struct AndOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return a & b;
  }
  template <typename T>
  static T Identity() {
    return static_cast<T>(~T(0));
  }
};
struct OrOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return a | b;
  }
  template <typename T>
  static T Identity() {
    return T(0);
  }
};
struct XorOp {
  template <typename V>
  HLOCTS_INLINE static V Apply(V a, V b) {
    return a ^ b;
  }
  template <typename T>
  static T Identity() {
    return T(0);
  }
};

template <typename Op, typename T>
HLOCTS_INLINE T ApplyScalar(T a, T b) {
  if constexpr (std::is_integral_v<T> && std::is_same_v<Op, MultiplyOp> && sizeof(T) < 4) {
    return static_cast<T>(static_cast<uint32_t>(a) * b);  // avoids overflow of promoted ints
  } else {
    return static_cast<T>(Op::template Apply<T>(a, b));
  }
}

template <typename Op, typename T>
struct ReduceLoops {
  static void Fill(void* to, int64_t count) {
    T* out = static_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) out[i] = Op::template Identity<T>();
  }

  static void Row(const void* from, int64_t count, void* accumulator) {
    Rows(from, 0, 1, count, accumulator);
  }

  static void Rows(const void* from, int64_t row_bytes, int64_t rows, int64_t count,
                   void* accumulators) {
    const char* row = static_cast<const char*>(from);
    T* to = static_cast<T*>(accumulators);
    if constexpr (kIsComplex<T>) {
      ShortRows(row, row_bytes, rows, count, to);
    } else {
      if (count < kLanes<T>) return ShortRows(row, row_bytes, rows, count, to);
      if constexpr (sizeof(T) >= 4) {
        for (; rows >= kLanes<T>; rows -= kLanes<T>, to += kLanes<T>) {
          row = RowsTogether(row, row_bytes, count, to);
        }
      }
      for (; rows > 0; --rows, ++to, row += row_bytes) {
        *to = ApplyScalar<Op>(*to, FoldedLanes(RowVector(row, count))[0]);
      }
    }
  }

  // kCount is the number of elements of a row if it is known at compile time, else 0.
  template <int kCount>
  static void ShortRowsOf(const char* row, int64_t row_bytes, int64_t rows, int64_t count,
                          T* __restrict to) {
    if constexpr (kCount > 0) count = kCount;
    for (; rows > 0; --rows, ++to, row += row_bytes) {
      const T* in = reinterpret_cast<const T*>(row);
      T result = *to;
      for (int64_t i = 0; i < count; ++i) result = ApplyScalar<Op>(result, in[i]);
      *to = result;
    }
  }
  static void ShortRows(const char* row, int64_t row_bytes, int64_t rows, int64_t count, T* to) {
    switch (count) {
      case 2:
        return ShortRowsOf<2>(row, row_bytes, rows, count, to);
      case 3:
        return ShortRowsOf<3>(row, row_bytes, rows, count, to);
      case 4:
        return ShortRowsOf<4>(row, row_bytes, rows, count, to);
      default:
        return ShortRowsOf<0>(row, row_bytes, rows, count, to);
    }
  }

  // The number of vectors accumulated at a time. A row is read from one end to the other, because
  // memory is fastest in address order: alternating between rows or parts of a row costs 5 to 60 %.
  static constexpr int kVectors = 4, kStep = kVectors * kLanes<T>;

  // Reduces a row of at least one vector to a vector. The caller combines its lanes (FoldedLanes).
  static auto RowVector(const char* row, int64_t count) {
    const T* in = reinterpret_cast<const T*>(row);
    Vec<T> sums[kVectors];
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[v] = count < kStep ? Splat(Op::template Identity<T>()) : Load(in + v * kLanes<T>);
    }
    int64_t i = count < kStep ? 0 : kStep;
    for (; i + kStep <= count; i += kStep) {
      HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
        sums[v] = Op::Apply(sums[v], Load(in + i + v * kLanes<T>));
      }
    }
    for (; i + kLanes<T> <= count; i += kLanes<T>) sums[0] = Op::Apply(sums[0], Load(in + i));
    if (i < count) {
      T rest[kLanes<T>];
      Fill(rest, kLanes<T>);
      __builtin_memcpy(rest, in + i, (count - i) * sizeof(T));
      sums[1] = Op::Apply(sums[1], Load(rest));
    }
    return Op::Apply(Op::Apply(sums[0], sums[1]), Op::Apply(sums[2], sums[3]));
  }

  // Combines all lanes into lane 0, by halves.
  template <int kHalf = kLanes<T> / 2, typename V>
  HLOCTS_INLINE static V FoldedLanes(const V& v) {
    if constexpr (kHalf == 0) {
      return v;
    } else {
      const V upper = [&]<int... kLane>(std::integer_sequence<int, kLane...>) HLOCTS_INLINE_LAMBDA {
        return __builtin_shufflevector(v, v, (kHalf + kLane)...);
      }
      (std::make_integer_sequence<int, kLanes<T>>());
      return FoldedLanes<kHalf / 2>(V(Op::Apply(v, upper)));
    }
  }

  // Combines the lanes of each of kCount vectors by halves, in the order of FoldedLanes. The
  // results are lanes 0 to kCount - 1 of the first vector.
  template <int kCount, typename V>
  HLOCTS_INLINE static void FoldRows(V* v) {
    if constexpr (kCount > 1) {
      constexpr int kHalf = kCount / 2;
      [&]<int... kLane>(std::integer_sequence<int, kLane...>) HLOCTS_INLINE_LAMBDA {
        HLOCTS_UNROLL for (int i = 0; i < kHalf; ++i) {
          const V &a = v[2 * i], &b = v[2 * i + 1];
          v[i] = Op::Apply(
              __builtin_shufflevector(a, b, (kLane / kHalf * kCount + kLane % kHalf)...),
              __builtin_shufflevector(a, b, (kLane / kHalf * kCount + kLane % kHalf + kHalf)...));
        }
      }
      (std::make_integer_sequence<int, kLanes<T>>());
      FoldRows<kHalf>(v);
    }
  }

  // Reduces kLanes rows, in the order of single rows, and returns the address after them.
  static const char* RowsTogether(const char* row, int64_t row_bytes, int64_t count, T* to) {
    Vec<T> lanes[kLanes<T>];
    for (int r = 0; r < kLanes<T>; ++r, row += row_bytes) lanes[r] = RowVector(row, count);
    FoldRows<kLanes<T>>(lanes);
    Store(to, Op::Apply(Load(to), lanes[0]));
    return row;
  }

  // Combines kRows rows of `count` elements with each other, then with the accumulators `out`.
  template <int kRows>
  static void SomeRows(T* __restrict out, const char* rows, int64_t row_bytes, int64_t count) {
    const T* __restrict from[kRows];
    HLOCTS_UNROLL for (int r = 0; r < kRows; ++r) {
      from[r] = reinterpret_cast<const T*>(rows + r * row_bytes);
    }
    int64_t j = 0;
    if constexpr (!kIsComplex<T>) {
      for (; j + kLanes<T> <= count; j += kLanes<T>) {
        Vec<T> level[kRows];
        HLOCTS_UNROLL for (int r = 0; r < kRows; ++r) { level[r] = Load(from[r] + j); }
        HLOCTS_UNROLL for (int half = kRows / 2; half > 0; half /= 2) {
          HLOCTS_UNROLL for (int r = 0; r < half; ++r) {
            level[r] = Op::Apply(level[r], level[r + half]);
          }
        }
        Store(out + j, Op::Apply(Load(out + j), level[0]));
      }
    }
    for (; j < count; ++j) {
      for (int r = 0; r < kRows; ++r) out[j] = ApplyScalar<Op>(out[j], from[r][j]);
    }
  }

  static void Columns(void* accumulators, const void* rows, int64_t row_bytes, int64_t row_count,
                      int64_t count) {
    T* out = static_cast<T*>(accumulators);
    const char* row = static_cast<const char*>(rows);
    int64_t r = 0;
    for (; r + 8 <= row_count; r += 8, row += 8 * row_bytes) {
      SomeRows<8>(out, row, row_bytes, count);
    }
    for (; r < row_count; ++r, row += row_bytes) SomeRows<1>(out, row, row_bytes, count);
  }

  // Combines each lane with all lanes before it. The distance doubles in each step.
  template <int kDistance = 1, typename V>
  HLOCTS_INLINE static V ScannedLanes(const V& v) {
    if constexpr (kDistance >= kLanes<T>) {
      return v;
    } else {
      const V before = [&]<int... kLane>(std::integer_sequence<int, kLane...>)
          HLOCTS_INLINE_LAMBDA {
        return __builtin_shufflevector(Splat(Op::template Identity<T>()), v,
                                       (kLanes<T> - kDistance + kLane)...);
      }
      (std::make_integer_sequence<int, kLanes<T>>());
      return ScannedLanes<2 * kDistance>(V(Op::Apply(before, v)));
    }
  }

  // Sets to[i] = carry op from[0] op ... op from[i]. `carry` becomes the last of these.
  static void Scan(const void* from, int64_t count, void* to, void* carry) {
    const T* in = static_cast<const T*>(from);
    T* out = static_cast<T*>(to);
    T running = *static_cast<T*>(carry);
    int64_t i = 0;
    if constexpr (!kIsComplex<T>) {
      for (; i + kLanes<T> <= count; i += kLanes<T>) {
        const auto sums = Op::Apply(Splat(running), ScannedLanes(Load(in + i)));
        Store(out + i, sums);
        running = sums[kLanes<T> - 1];
      }
    }
    for (; i < count; ++i) out[i] = running = ApplyScalar<Op>(running, in[i]);
    *static_cast<T*>(carry) = running;
  }

  static ReduceOps Ops() { return {sizeof(T), Fill, Row, Rows, Columns, Scan}; }
};

template <typename Op>
ReduceOps BitwiseOps(PrimitiveType type) {
  return VisitUnsigned(StorageBytes(type),
                       [](auto zero) HWY_ATTR { return ReduceLoops<Op, decltype(zero)>::Ops(); });
}

template <typename Op>
ReduceOps ArithmeticOps(PrimitiveType type) {
  switch (ReduceComputeType(type)) {
    case PrimitiveType::kF32:
      return ReduceLoops<Op, float>::Ops();
    case PrimitiveType::kF64:
      return ReduceLoops<Op, double>::Ops();
    case PrimitiveType::kC64:
      return ReduceLoops<Op, std::complex<float>>::Ops();
    case PrimitiveType::kC128:
      return ReduceLoops<Op, std::complex<double>>::Ops();
    default:
      return BitwiseOps<Op>(type);
  }
}

template <typename Op>
ReduceOps OrderOps(PrimitiveType type) {
  switch (ReduceComputeType(type)) {
    case PrimitiveType::kF32:
      return ReduceLoops<Op, float>::Ops();
    case PrimitiveType::kF64:
      return ReduceLoops<Op, double>::Ops();
    default:
      break;
  }
  return VisitInteger(type,
                      [](auto zero) HWY_ATTR { return ReduceLoops<Op, decltype(zero)>::Ops(); });
}

ReduceOps OpsFor(ReduceKind kind, PrimitiveType type) {
  if (type == PrimitiveType::kPred) kind = KindOnBits(kind);
  switch (kind) {
    case ReduceKind::kAdd:
      return ArithmeticOps<AddOp>(type);
    case ReduceKind::kMultiply:
      return ArithmeticOps<MultiplyOp>(type);
    case ReduceKind::kMinimum:
      return OrderOps<MinimumOp>(type);
    case ReduceKind::kMaximum:
      return OrderOps<MaximumOp>(type);
    case ReduceKind::kAnd:
      return BitwiseOps<AndOp>(type);
    case ReduceKind::kOr:
      return BitwiseOps<OrOp>(type);
    default:
      return BitwiseOps<XorOp>(type);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(OpsFor);
ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(OpsFor)(kind, type);
}
}  // namespace hlocts::kernels
#endif
