// SPDX-License-Identifier: Apache-2.0
// The functions of micro_ops.h. They are compiled once for each instruction set.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/engine/cpu/elementwise/micro_ops.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

// The size of vectors in bytes: that of the instruction set, but at least 16.
constexpr int kBytes = HWY_LANES(uint8_t) < 16 ? 16 : HWY_LANES(uint8_t);
static_assert(kBytes <= kMicroPadding);

template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;
using Last = Vector<float>;  // the type in which the last results are passed
// The return type of instructions: null if they jump; else the next chain.
using Result = const MicroChain*;
// `left` is the number of steps that the loop may still execute. `here` is the start of this chain,
// and `next` that of the chain after the branch. Both are passed in registers, because loads from
// memory would delay each iteration.
using Function = Result (*)(const MicroOp* op, Last last, Last before, int64_t left,
                            const MicroOp* here, const MicroOp* next);

template <typename V>
HWY_INLINE V LoadAs(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
template <typename To, typename From>
HWY_INLINE To BitsAs(const From& from) {
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
// Clang always compiles these tail calls to jumps. gcc does so only with optimization and without
// AddressSanitizer. Without jumps, each iteration returns to the main loop in Run, so that the
// stack does not grow.
#if defined(__clang__)
#define HLOCTS_JUMP [[clang::musttail]] return
constexpr bool kJumps = true;
#elif defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define HLOCTS_JUMP return
constexpr bool kJumps = true;
#else
#define HLOCTS_JUMP return
constexpr bool kJumps = false;
#endif
#define HLOCTS_NEXT(last, before) \
  HLOCTS_JUMP reinterpret_cast<Function>(op[1].run)(op + 1, last, before, left, here, next)

#define HLOCTS_MICRO(Name, expression)                  \
  struct Name {                                         \
    template <typename V>                               \
    static HWY_INLINE V Apply(const V& x, const V& y) { \
      return expression;                                \
    }                                                   \
  };
HLOCTS_MICRO(Add, x + y)
HLOCTS_MICRO(Subtract, x - y)
HLOCTS_MICRO(Multiply, x* y)
HLOCTS_MICRO(Divide, x / y)
HLOCTS_MICRO(And, x& y)
HLOCTS_MICRO(Or, x | y)
HLOCTS_MICRO(Xor, x ^ y)
// Returns a NaN if an operand is NaN, as in vector_functors-inl.h.
HLOCTS_MICRO(Maximum, ((x != x) | (x > y)) ? x : y)
HLOCTS_MICRO(Minimum, ((x != x) | (x < y)) ? x : y)

// Returns the operand at address `place`: from memory, or from the register that contains it.
template <typename V, bool kLast, bool kBefore>
HWY_INLINE V Operand(const void* place, const Last& last, const Last& before) {
  if constexpr (kLast) {
    return BitsAs<V>(last);
  } else if constexpr (kBefore) {
    return BitsAs<V>(before);
  } else {
    return LoadAs<V>(place);
  }
}
template <class F, typename T, MicroOperands kOperands>
Result One(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
           const MicroOp* next) {
  using V = Vector<T>;
  const V x =
      Operand<V, kOperands == MicroOperands::kLastFirst, kOperands == MicroOperands::kBeforeFirst>(
          op->a, last, before);
  const V y = Operand<V, kOperands == MicroOperands::kLastSecond,
                      kOperands == MicroOperands::kBeforeSecond>(op->b, last, before);
  const V r = F::Apply(x, y);
  __builtin_memcpy(op->out, &r, sizeof(r));
  HLOCTS_NEXT(BitsAs<Last>(r), last);
}
template <class F, typename T>
Result Many(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
            const MicroOp* next) {
  using V = Vector<T>;
  const char *a = static_cast<const char*>(op->a), *b = static_cast<const char*>(op->b);
  char* out = static_cast<char*>(op->out);
  for (int64_t at = 0; at < op->vectors * kBytes; at += kBytes) {
    const V r = F::Apply(LoadAs<V>(a + at), LoadAs<V>(b + at));
    __builtin_memcpy(out + at, &r, sizeof(r));
  }
  HLOCTS_NEXT(last, before);
}
template <typename T>
Result Splat(const MicroOp* op, Last last, Last, int64_t left, const MicroOp* here,
             const MicroOp* next) {
  T element;
  std::memcpy(&element, op->a, sizeof(element));
  const Vector<T> r = element - Vector<T>{};
  char* out = static_cast<char*>(op->out);
  for (int64_t v = 0; v < op->vectors; ++v) __builtin_memcpy(out + v * kBytes, &r, sizeof(r));
  HLOCTS_NEXT(BitsAs<Last>(r), last);
}
HWY_INLINE uint8_t* PlaceOf(const MicroElement& element) {
  uint8_t* at = element.array;
  for (int k = 0; k < element.starts_count; ++k) {
    const MicroElement::Start& start = element.starts[k];
    int32_t i;
    std::memcpy(&i, start.at, sizeof(i));
    at += std::clamp<int64_t>(i, 0, start.last) * start.stride;
  }
  return at;
}
template <typename T>
Result ReadElement(const MicroOp* op, Last last, Last, int64_t left, const MicroOp* here,
                   const MicroOp* next) {
  T element;
  std::memcpy(&element, PlaceOf(*static_cast<const MicroElement*>(op->a)), sizeof(element));
  const Vector<T> r = element - Vector<T>{};
  __builtin_memcpy(op->out, &r, sizeof(r));
  HLOCTS_NEXT(BitsAs<Last>(r), last);
}
template <typename T>
Result PutElement(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
                  const MicroOp* next) {
  std::memcpy(PlaceOf(*static_cast<const MicroElement*>(op->a)), op->b, sizeof(T));
  HLOCTS_NEXT(last, before);
}
inline Result Call(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
                   const MicroOp* next) {
  const MicroCall& call = *static_cast<const MicroCall*>(op->a);
  call.kernel(call.a, call.b, call.c, call.out, call.count);
  HLOCTS_NEXT(Last{}, Last{});
}
// Runs a step. The step may contain loops, which share the budget `left`.
inline Result Thunk(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
                    const MicroOp* next) {
  const MicroThunk& thunk = *static_cast<const MicroThunk*>(op->a);
  *thunk.steps_left = left;
  if (!thunk.run(thunk.context)) return nullptr;
  left = *thunk.steps_left;
  HLOCTS_NEXT(Last{}, Last{});
}
inline Result End(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
                  const MicroOp* next) {
  *static_cast<int64_t*>(op->out) = left;
  return nullptr;
}

// Returns true if the loop continues. It ends if the condition is false or no step is left.
HWY_INLINE bool Continues(const MicroBranch& turn, bool holds, int64_t& left) {
  if (holds && --left >= 0) return true;
  *turn.steps_left = left;
  *turn.final_state = turn.state;
  return false;
}
// Stores the budget, because without jumps the next chain reads it from memory.
HWY_INLINE Result Returned(const MicroBranch& turn, int64_t left) {
  *turn.steps_left = left;
  return turn.next;
}
inline Result LoopBranch(const MicroOp* op, Last last, Last before, int64_t left,
                         const MicroOp* here, const MicroOp* next) {
  const MicroBranch& turn = *static_cast<const MicroBranch*>(op->out);
  if (!Continues(turn, *static_cast<const uint8_t*>(op->a) != 0, left)) return nullptr;
  if constexpr (!kJumps) return Returned(turn, left);
  HLOCTS_JUMP reinterpret_cast<Function>(next->run)(next, last, before, left, next, here);
}
template <class F, typename T>
Result ConditionalLoopBranch(const MicroOp* op, Last last, Last before, int64_t left,
                             const MicroOp* here, const MicroOp* next) {
  T x, y;
  std::memcpy(&x, op->a, sizeof(x));
  std::memcpy(&y, op->b, sizeof(y));
  const MicroBranch& turn = *static_cast<const MicroBranch*>(op->out);
  if (!Continues(turn, F::Apply(x, y), left)) return nullptr;
  if constexpr (!kJumps) return Returned(turn, left);
  HLOCTS_JUMP reinterpret_cast<Function>(next->run)(next, last, before, left, next, here);
}
#define HLOCTS_MICRO_RELATION(Name, op)      \
  struct Name {                              \
    template <typename T>                    \
    static HWY_INLINE bool Apply(T x, T y) { \
      return x op y;                         \
    }                                        \
  };
HLOCTS_MICRO_RELATION(Eq, ==)
HLOCTS_MICRO_RELATION(Ne, !=)
HLOCTS_MICRO_RELATION(Lt, <)
HLOCTS_MICRO_RELATION(Le, <=)
HLOCTS_MICRO_RELATION(Gt, >)
HLOCTS_MICRO_RELATION(Ge, >=)

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_INL_H_
