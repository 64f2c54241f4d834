// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/strips.h"

#include <algorithm>
#include <iterator>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/strips.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Narrower vectors have neither shifts by vectors nor gathers.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

using DU = hn::ScalableTag<uint32_t>;
using DS = hn::ScalableTag<int32_t>;
using U = hn::Vec<DU>;
using S = hn::Vec<DS>;
constexpr int64_t kLanes = HWY_LANES(uint32_t);
constexpr int64_t kStrip = 4 * kLanes;

HWY_INLINE S Signed(U x) { return hn::BitCast(DS(), x); }
HWY_INLINE U Unsigned(S x) { return hn::BitCast(DU(), x); }
struct Strip {
  U a, b, c, d;

  template <class F>
  HWY_INLINE void Apply(const uint32_t* m, F f) {
    a = f(a, hn::LoadU(DU(), m));
    b = f(b, hn::LoadU(DU(), m + kLanes));
    c = f(c, hn::LoadU(DU(), m + 2 * kLanes));
    d = f(d, hn::LoadU(DU(), m + 3 * kLanes));
  }
  HWY_INLINE void Count(uint32_t first) {
    a = hn::Iota(DU(), first);
    b = hn::Add(a, hn::Set(DU(), kLanes));
    c = hn::Add(a, hn::Set(DU(), 2 * kLanes));
    d = hn::Add(a, hn::Set(DU(), 3 * kLanes));
  }
  template <class F>
  HWY_INLINE void Write(uint32_t* m, F f) const {
    hn::StoreU(f(a), DU(), m);
    hn::StoreU(f(b), DU(), m + kLanes);
    hn::StoreU(f(c), DU(), m + 2 * kLanes);
    hn::StoreU(f(d), DU(), m + 3 * kLanes);
  }
};

HWY_INLINE U Taken(const StripOp& op, S place) {
  return hn::GatherIndex(DU(), static_cast<const uint32_t*>(op.table), place);
}

// Places out of the table mean its first or last element.
HWY_INLINE U TakenSigned(const StripOp& op, U place) {
  const S last = hn::Set(DS(), static_cast<int32_t>(op.number));
  return Taken(op, hn::Min(hn::Max(Signed(place), hn::Zero(DS())), last));
}
HWY_INLINE U TakenUnsigned(const StripOp& op, U place) {
  return Taken(op, Signed(hn::Min(place, hn::Set(DU(), static_cast<uint32_t>(op.number)))));
}

#define HLOCTS_STRIP_CASE(code, expression) \
  case StripCode::code:                     \
    strip.Apply(m, [](U x, U y) HWY_ATTR {  \
      (void)x;                              \
      return expression;                    \
    });                                     \
    break

// One strip through the chain.
HWY_INLINE void RunStrip(const StripOp* op, int64_t first) {
  Strip strip = {hn::Zero(DU()), hn::Zero(DU()), hn::Zero(DU()), hn::Zero(DU())};
  const int64_t bytes = first * static_cast<int64_t>(sizeof(uint32_t));
  for (;; ++op) {
    auto* m = reinterpret_cast<uint32_t*>(op->at + (bytes & op->moves));
    switch (op->code) {
      case StripCode::kLine:
        strip.Count(static_cast<uint32_t>(op->number + first));
        break;
      case StripCode::kStore:
        strip.Write(m, [](U x) HWY_ATTR { return x; });
        break;
        HLOCTS_STRIP_CASE(kLoad, y);
        HLOCTS_STRIP_CASE(kAdd, hn::Add(x, y));
        HLOCTS_STRIP_CASE(kSubtract, hn::Sub(x, y));
        HLOCTS_STRIP_CASE(kMultiply, hn::Mul(x, y));
        HLOCTS_STRIP_CASE(kAnd, hn::And(x, y));
        HLOCTS_STRIP_CASE(kOr, hn::Or(x, y));
        HLOCTS_STRIP_CASE(kXor, hn::Xor(x, y));
        // By 32 bits or more these instructions leave nothing, as the acceptance rules want it.
        HLOCTS_STRIP_CASE(kShiftLeft, hn::Shl(x, y));
        HLOCTS_STRIP_CASE(kShiftRight, hn::Shr(x, y));
        HLOCTS_STRIP_CASE(kMaximumSigned, Unsigned(hn::Max(Signed(x), Signed(y))));
        HLOCTS_STRIP_CASE(kMinimumSigned, Unsigned(hn::Min(Signed(x), Signed(y))));
        HLOCTS_STRIP_CASE(kMaximumUnsigned, hn::Max(x, y));
        HLOCTS_STRIP_CASE(kMinimumUnsigned, hn::Min(x, y));
      case StripCode::kGatherSigned:
        return strip.Write(m, [&](U x) HWY_ATTR { return TakenSigned(*op, x); });
      case StripCode::kGatherUnsigned:
        return strip.Write(m, [&](U x) HWY_ATTR { return TakenUnsigned(*op, x); });
      case StripCode::kEnd:
        return;
    }
  }
}
#undef HLOCTS_STRIP_CASE

void RunStrips(const StripOp* ops, int64_t begin, int64_t end) {
  for (int64_t first = begin; first < end; first += kStrip) RunStrip(ops, first);
}
StripTable StripsHere() { return {kStrip, RunStrips}; }

#else
StripTable StripsHere() { return {}; }
#endif

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(StripsHere);

const StripTable& Strips() {
  static const StripTable table = HWY_DYNAMIC_DISPATCH(StripsHere)();
  return table;
}

namespace {

struct CodeRow {
  KernelFunction kernel;
  StripOperation operation;
};

}  // namespace

std::optional<StripOperation> StripOperationOf(KernelFunction kernel) {
  using P = PrimitiveType;
  using C = StripCode;
  static const CodeRow rows[] = {
      {VectorArithmetic(Opcode::kAdd, P::kU32), {C::kAdd, true}},
      {VectorArithmetic(Opcode::kSubtract, P::kU32), {C::kSubtract, false}},
      {VectorArithmetic(Opcode::kMultiply, P::kU32), {C::kMultiply, true}},
      {VectorArithmetic(Opcode::kAnd, P::kU32), {C::kAnd, true}},
      {VectorArithmetic(Opcode::kOr, P::kU32), {C::kOr, true}},
      {VectorArithmetic(Opcode::kXor, P::kU32), {C::kXor, true}},
      {VectorArithmetic(Opcode::kShiftLeft, P::kU32), {C::kShiftLeft, false}},
      {VectorArithmetic(Opcode::kShiftRightLogical, P::kU32), {C::kShiftRight, false}},
      {VectorArithmetic(Opcode::kMaximum, P::kS32), {C::kMaximumSigned, true}},
      {VectorArithmetic(Opcode::kMinimum, P::kS32), {C::kMinimumSigned, true}},
      {VectorArithmetic(Opcode::kMaximum, P::kU32), {C::kMaximumUnsigned, true}},
      {VectorArithmetic(Opcode::kMinimum, P::kU32), {C::kMinimumUnsigned, true}},
  };
  const auto* found = std::find_if(std::begin(rows), std::end(rows),
                                   [&](const CodeRow& row) { return row.kernel == kernel; });
  if (found == std::end(rows)) return std::nullopt;
  return found->operation;
}

bool IsStripLine(KernelFunction kernel) { return kernel == VectorLine(PrimitiveType::kU32); }

}  // namespace hlocts::cpu
#endif
