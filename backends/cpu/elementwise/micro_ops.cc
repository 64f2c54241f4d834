#include "backends/cpu/elementwise/micro_ops.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "backends/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/elementwise/micro_ops.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

// At least as wide as the vectors of the instruction set and at most as wide as the padding.
constexpr int kBytes = HWY_LANES(uint8_t) < 16 ? 16 : HWY_LANES(uint8_t);
static_assert(kBytes <= kMicroPadding);

template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;
using Last = Vector<float>;  // how the last result travels
// The chain to go on with, where the compiler cannot jump there; else null.
using Result = const MicroChain*;
// `left`: steps that the loop may still make; `here` and `next`: where this chain and the one after
// the turn begin (in registers: each turn would wait for them if they came from memory).
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
// A call in the last place is a jump: promised by clang, done by gcc when it optimises. Without it
// each turn of a loop returns to the start of the program, so that the stack does not grow.
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

#define HLOCTS_MICRO(Name, expression)            \
  struct Name {                                   \
    template <typename V>                         \
    static HWY_INLINE V Apply(const V& x, const V& y) { \
      return expression;                          \
    }                                             \
  };
HLOCTS_MICRO(Add, x + y)
HLOCTS_MICRO(Subtract, x - y)
HLOCTS_MICRO(Multiply, x* y)
HLOCTS_MICRO(Divide, x / y)
HLOCTS_MICRO(And, x& y)
HLOCTS_MICRO(Or, x | y)
HLOCTS_MICRO(Xor, x ^ y)
// A NaN in either operand is the result, as in vector_functors-inl.h.
HLOCTS_MICRO(Maximum, ((x != x) | (x > y)) ? x : y)
HLOCTS_MICRO(Minimum, ((x != x) | (x < y)) ? x : y)

// The operand that instruction `op` reads at `place`, from memory or a register.
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
  const V x = Operand<V, kOperands == MicroOperands::kLastFirst,
                      kOperands == MicroOperands::kBeforeFirst>(op->a, last, before);
  const V y = Operand<V, kOperands == MicroOperands::kLastSecond,
                      kOperands == MicroOperands::kBeforeSecond>(op->b, last, before);
  const V r = F::Apply(x, y);
  __builtin_memcpy(op->out, &r, sizeof(r));
  HLOCTS_NEXT(BitsAs<Last>(r), last);
}
template <class F, class G, typename T, MicroOperands kOperands, bool kIsFirst>
Result Two(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  using V = Vector<T>;
  const V x = Operand<V, kOperands == MicroOperands::kLastFirst,
                      kOperands == MicroOperands::kBeforeFirst>(op->a, last, before);
  const V r = F::Apply(x, LoadAs<V>(op->b));
  __builtin_memcpy(op->out, &r, sizeof(r));
  ++op;
  const V s = kIsFirst ? G::Apply(r, LoadAs<V>(op->b)) : G::Apply(LoadAs<V>(op->a), r);
  __builtin_memcpy(op->out, &s, sizeof(s));
  HLOCTS_NEXT(BitsAs<Last>(s), last);  // r is mostly of no further use: what came before stays
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
Result Call(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  const MicroCall& call = *static_cast<const MicroCall*>(op->a);
  call.kernel(call.a, call.b, call.c, call.out, call.count);
  HLOCTS_NEXT(Last{}, Last{});
}
// May hold loops of its own, which draw on the same budget.
Result Thunk(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  const MicroThunk& thunk = *static_cast<const MicroThunk*>(op->a);
  *thunk.steps_left = left;
  if (!thunk.run(thunk.context)) return nullptr;
  left = *thunk.steps_left;
  HLOCTS_NEXT(Last{}, Last{});
}
Result End(const MicroOp* op, Last, Last, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  *static_cast<int64_t*>(op->out) = left;
  return nullptr;
}

// Whether another step is to be made; else the loop has ended, by its condition or its budget.
HWY_INLINE bool GoesOn(const MicroTurn& turn, bool holds, int64_t& left) {
  if (holds && --left >= 0) return true;
  *turn.steps_left = left;
  *turn.final_state = turn.state;
  return false;
}
// Where there are no jumps the start of the next chain reads the budget from memory.
HWY_INLINE Result Returned(const MicroTurn& turn, int64_t left) {
  *turn.steps_left = left;
  return turn.next;
}
Result Turn(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  const MicroTurn& turn = *static_cast<const MicroTurn*>(op->out);
  if (!GoesOn(turn, *static_cast<const uint8_t*>(op->a) != 0, left)) return nullptr;
  if constexpr (!kJumps) return Returned(turn, left);
  HLOCTS_JUMP reinterpret_cast<Function>(next->run)(next, last, before, left, next, here);
}
template <class F, MicroOperands kOperands>
Result AddAndTurnIf(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  using V = Vector<uint32_t>;
  const V x = Operand<V, kOperands == MicroOperands::kLastFirst,
                      kOperands == MicroOperands::kBeforeFirst>(op->a, last, before);
  const V r = x + LoadAs<V>(op->b);
  __builtin_memcpy(op->out, &r, sizeof(r));
  ++op;
  int32_t y;
  std::memcpy(&y, op->b, sizeof(y));
  const MicroTurn& turn = *static_cast<const MicroTurn*>(op->out);
  if (!GoesOn(turn, F::Apply(static_cast<int32_t>(r[0]), y), left)) return nullptr;
  if constexpr (!kJumps) return Returned(turn, left);
  HLOCTS_JUMP reinterpret_cast<Function>(next->run)(next, BitsAs<Last>(r), last, left, next, here);
}
template <class F, typename T>
Result TurnIf(const MicroOp* op, Last last, Last before, int64_t left, const MicroOp* here,
       const MicroOp* next) {
  T x, y;
  std::memcpy(&x, op->a, sizeof(x));
  std::memcpy(&y, op->b, sizeof(y));
  const MicroTurn& turn = *static_cast<const MicroTurn*>(op->out);
  if (!GoesOn(turn, F::Apply(x, y), left)) return nullptr;
  if constexpr (!kJumps) return Returned(turn, left);
  HLOCTS_JUMP reinterpret_cast<Function>(next->run)(next, last, before, left, next, here);
}
#define HLOCTS_MICRO_RELATION(Name, op)   \
  struct Name {                           \
    template <typename T>                 \
    static HWY_INLINE bool Apply(T x, T y) { \
      return x op y;                      \
    }                                     \
  };
HLOCTS_MICRO_RELATION(Eq, ==)
HLOCTS_MICRO_RELATION(Ne, !=)
HLOCTS_MICRO_RELATION(Lt, <)
HLOCTS_MICRO_RELATION(Le, <=)
HLOCTS_MICRO_RELATION(Gt, >)
HLOCTS_MICRO_RELATION(Ge, >=)

struct BinaryRow {
  KernelFunction kernel;
  Function one[5];  // by MicroOperands
  Function many;
};
template <class F, typename T>
BinaryRow RowOf(Opcode opcode, PrimitiveType type) {
  using Operands = MicroOperands;
  return {VectorArithmetic(opcode, type),
          {One<F, T, Operands::kMemory>, One<F, T, Operands::kLastFirst>,
           One<F, T, Operands::kLastSecond>, One<F, T, Operands::kBeforeFirst>,
           One<F, T, Operands::kBeforeSecond>},
          Many<F, T>};
}

const BinaryRow* FindBinary(KernelFunction kernel) {
  using P = PrimitiveType;
  static const BinaryRow rows[] = {
      RowOf<Add, float>(Opcode::kAdd, P::kF32),
      RowOf<Subtract, float>(Opcode::kSubtract, P::kF32),
      RowOf<Multiply, float>(Opcode::kMultiply, P::kF32),
      RowOf<Divide, float>(Opcode::kDivide, P::kF32),
      RowOf<Maximum, float>(Opcode::kMaximum, P::kF32),
      RowOf<Minimum, float>(Opcode::kMinimum, P::kF32),
      RowOf<Add, double>(Opcode::kAdd, P::kF64),
      RowOf<Subtract, double>(Opcode::kSubtract, P::kF64),
      RowOf<Multiply, double>(Opcode::kMultiply, P::kF64),
      RowOf<Divide, double>(Opcode::kDivide, P::kF64),
      RowOf<Maximum, double>(Opcode::kMaximum, P::kF64),
      RowOf<Minimum, double>(Opcode::kMinimum, P::kF64),
      RowOf<Add, uint32_t>(Opcode::kAdd, P::kU32),
      RowOf<Subtract, uint32_t>(Opcode::kSubtract, P::kU32),
      RowOf<Multiply, uint32_t>(Opcode::kMultiply, P::kS32),
      RowOf<And, uint32_t>(Opcode::kAnd, P::kU32),
      RowOf<Or, uint32_t>(Opcode::kOr, P::kU32),
      RowOf<Xor, uint32_t>(Opcode::kXor, P::kU32),
      RowOf<Maximum, int32_t>(Opcode::kMaximum, P::kS32),
      RowOf<Minimum, int32_t>(Opcode::kMinimum, P::kS32),
      RowOf<Add, uint64_t>(Opcode::kAdd, P::kU64),
      RowOf<Subtract, uint64_t>(Opcode::kSubtract, P::kU64),
      RowOf<And, uint64_t>(Opcode::kAnd, P::kU64),
      RowOf<Xor, uint64_t>(Opcode::kXor, P::kU64),
      RowOf<And, uint8_t>(Opcode::kAnd, P::kPred),
      RowOf<Or, uint8_t>(Opcode::kOr, P::kPred),
  };
  const auto* found = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const BinaryRow& row) { return row.kernel == kernel; });
  return found == std::end(rows) ? nullptr : found;
}

void (*Binary(KernelFunction kernel, MicroOperands operands, bool one_vector))() {
  const BinaryRow* row = FindBinary(kernel);
  if (row == nullptr) return nullptr;
  const Function function = one_vector ? row->one[static_cast<int>(operands)] : row->many;
  return reinterpret_cast<void (*)()>(function);
}

struct PairRow {
  KernelFunction second;
  Function functions[3][2];  // by operands of the first, and by the place of its result
};
template <class F, class G, typename T>
PairRow PairOf(KernelFunction second) {
  using Operands = MicroOperands;
  return {second,
          {{Two<F, G, T, Operands::kMemory, false>, Two<F, G, T, Operands::kMemory, true>},
           {Two<F, G, T, Operands::kLastFirst, false>, Two<F, G, T, Operands::kLastFirst, true>},
           {Two<F, G, T, Operands::kBeforeFirst, false>,
            Two<F, G, T, Operands::kBeforeFirst, true>}}};
}
template <class F, typename T>
const PairRow* FindSecond(PrimitiveType type, KernelFunction second) {
  static const PairRow rows[] = {
      PairOf<F, Add, T>(VectorArithmetic(Opcode::kAdd, type)),
      PairOf<F, Subtract, T>(VectorArithmetic(Opcode::kSubtract, type)),
      PairOf<F, Multiply, T>(VectorArithmetic(Opcode::kMultiply, type)),
      PairOf<F, Maximum, T>(VectorArithmetic(Opcode::kMaximum, type)),
      PairOf<F, Minimum, T>(VectorArithmetic(Opcode::kMinimum, type)),
  };
  const auto* found = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const PairRow& row) { return row.second == second; });
  return found == std::end(rows) ? nullptr : found;
}
template <typename T>
const PairRow* FindPair(PrimitiveType type, KernelFunction first, KernelFunction second) {
  if (first == VectorArithmetic(Opcode::kAdd, type)) return FindSecond<Add, T>(type, second);
  if (first == VectorArithmetic(Opcode::kSubtract, type)) {
    return FindSecond<Subtract, T>(type, second);
  }
  return first == VectorArithmetic(Opcode::kMultiply, type)
             ? FindSecond<Multiply, T>(type, second)
             : nullptr;
}
void (*PairFor(KernelFunction first, KernelFunction second, MicroOperands operands,
               bool is_first))() {
  const PairRow* row = FindPair<float>(PrimitiveType::kF32, first, second);
  if (row == nullptr) row = FindPair<double>(PrimitiveType::kF64, first, second);
  const int by_operands = operands == MicroOperands::kMemory        ? 0
                          : operands == MicroOperands::kLastFirst   ? 1
                          : operands == MicroOperands::kBeforeFirst ? 2
                                                                    : -1;
  if (row == nullptr || by_operands < 0) return nullptr;
  return reinterpret_cast<void (*)()>(row->functions[by_operands][is_first ? 1 : 0]);
}

template <MicroOperands kOperands>
Function AddAndTurning(int direction) {
  constexpr Function kFunctions[] = {AddAndTurnIf<Eq, kOperands>, AddAndTurnIf<Ne, kOperands>,
                                     AddAndTurnIf<Lt, kOperands>, AddAndTurnIf<Le, kOperands>,
                                     AddAndTurnIf<Gt, kOperands>, AddAndTurnIf<Ge, kOperands>};
  return kFunctions[direction];
}
void (*AddAndTurningIf(KernelFunction add, KernelFunction compare, MicroOperands operands))() {
  if (add != VectorArithmetic(Opcode::kAdd, PrimitiveType::kS32)) return nullptr;
  for (int d = 0; d < 6; ++d) {
    if (VectorCompare(static_cast<Direction>(d), PrimitiveType::kS32) != compare) continue;
    return reinterpret_cast<void (*)()>(
        operands == MicroOperands::kLastFirst     ? AddAndTurning<MicroOperands::kLastFirst>(d)
        : operands == MicroOperands::kBeforeFirst ? AddAndTurning<MicroOperands::kBeforeFirst>(d)
                                                  : AddAndTurning<MicroOperands::kMemory>(d));
  }
  return nullptr;
}

template <typename T>
Function Turning(KernelFunction kernel, PrimitiveType type) {
  constexpr Function kFunctions[] = {TurnIf<Eq, T>, TurnIf<Ne, T>, TurnIf<Lt, T>,
                                     TurnIf<Le, T>, TurnIf<Gt, T>, TurnIf<Ge, T>};
  for (int d = 0; d < 6; ++d) {
    if (VectorCompare(static_cast<Direction>(d), type) == kernel) return kFunctions[d];
  }
  return nullptr;
}
void (*TurningIf(KernelFunction kernel))() {
  Function found = Turning<int32_t>(kernel, PrimitiveType::kS32);
  if (found == nullptr) found = Turning<uint32_t>(kernel, PrimitiveType::kU32);
  if (found == nullptr) found = Turning<int64_t>(kernel, PrimitiveType::kS64);
  if (found == nullptr) found = Turning<float>(kernel, PrimitiveType::kF32);
  return reinterpret_cast<void (*)()>(found);
}

// The function for elements of a width; null for 16 bytes.
#define HLOCTS_BY_WIDTH(name, function)                          \
  void (*name(int width))() {                                    \
    switch (width) {                                             \
      case 1:                                                    \
        return reinterpret_cast<void (*)()>(function<uint8_t>);  \
      case 2:                                                    \
        return reinterpret_cast<void (*)()>(function<uint16_t>); \
      case 4:                                                    \
        return reinterpret_cast<void (*)()>(function<uint32_t>); \
      case 8:                                                    \
        return reinterpret_cast<void (*)()>(function<uint64_t>); \
      default:                                                   \
        return nullptr;                                          \
    }                                                            \
  }
HLOCTS_BY_WIDTH(SplatOf, Splat)
HLOCTS_BY_WIDTH(ElementOf, ReadElement)
HLOCTS_BY_WIDTH(PutElementOf, PutElement)
#undef HLOCTS_BY_WIDTH

void RunFrom(const MicroChain& first, const int64_t& steps_left) {
  const MicroChain* chain = &first;
  while (chain != nullptr) {
    const Last last = chain->last == nullptr ? Last{} : LoadAs<Last>(chain->last);
    const Last before = chain->before == nullptr ? Last{} : LoadAs<Last>(chain->before);
    chain = reinterpret_cast<Function>(chain->first->run)(chain->first, last, before, steps_left,
                                                           chain->first, chain->next);
  }
}

const MicroTable* Table() {
  static const MicroTable table = {kBytes,
                                   Binary,
                                   PairFor,
                                   AddAndTurningIf,
                                   TurningIf,
                                   SplatOf,
                                   ElementOf,
                                   PutElementOf,
                                   reinterpret_cast<void (*)()>(Call),
                                   reinterpret_cast<void (*)()>(Thunk),
                                   reinterpret_cast<void (*)()>(Turn),
                                   reinterpret_cast<void (*)()>(End),
                                   RunFrom};
  return &table;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Table);
const MicroTable& MicroOps() {
  static const MicroTable& table = *HWY_DYNAMIC_DISPATCH(Table)();
  return table;
}
}  // namespace hlocts::cpu
#endif
