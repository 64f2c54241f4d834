// SPDX-License-Identifier: Apache-2.0
// Vector kernels for products and magnitudes of c64. If a square in a vector is out of range, the
// scalar code of complex.cc processes that vector.
#include <algorithm>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_complex.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace c64 {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vf = hn::Vec<Floats>;
constexpr float kLarge = 0x1p60f;

// Returns true in lanes with |x| < bound. A NaN yields false.
HWY_INLINE auto Below(Vf x, float bound) { return hn::Abs(x) < hn::Set(Floats(), bound); }

// Multiplies two vectors of numbers. Run returns false if a number is out of range.
struct Multiply {
  static constexpr Opcode kOpcode = Opcode::kMultiply;
  static constexpr int64_t kResult = 2;  // number of floats in a result
  static HWY_INLINE bool Run(const float* x, const float* y, float* out) {
    const Floats f;
    Vf a, b, c, d;
    hn::LoadInterleaved2(f, x, a, b);
    hn::LoadInterleaved2(f, y, c, d);
    const auto safe = hn::And(hn::And(Below(a, kLarge), Below(b, kLarge)),
                              hn::And(Below(c, kLarge), Below(d, kLarge)));
    if (HWY_UNLIKELY(!hn::AllTrue(f, safe))) return false;
    hn::StoreInterleaved2(hn::MulSub(a, c, b * d), hn::MulAdd(a, d, b * c), f, out);
    return true;
  }
};
// Computes sqrt(a^2 + b^2) within one ulp. The larger part must be zero, or so large that the
// smaller part is negligible if its square underflows.
struct Magnitude {
  static constexpr Opcode kOpcode = Opcode::kAbs;
  static constexpr int64_t kResult = 1;
  static HWY_INLINE bool Run(const float* x, const float*, float* out) {
    const Floats f;
    Vf a, b;
    hn::LoadInterleaved2(f, x, a, b);
    const auto bounded = hn::And(Below(a, kLarge), Below(b, kLarge));
    const Vf larger = hn::Max(hn::Abs(a), hn::Abs(b));
    const auto whole = hn::Or(larger > hn::Set(f, 0x1p-50f), larger == hn::Zero(f));
    if (HWY_UNLIKELY(!hn::AllTrue(f, hn::And(bounded, whole)))) return false;
    hn::StoreU(hn::Sqrt(hn::MulAdd(a, a, b * b)), f, out);
    return true;
  }
};

template <class F>
void PartsLoop(HLOCTS_ARGUMENTS) {
  (void)c;
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  const float *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
  float* r = static_cast<float*>(out);
  const KernelFunction one_by_one = ComplexKernel(F::kOpcode, PrimitiveType::kC64);
  for (int64_t i = 0; i < count; i += lanes) {
    const float* with = y == nullptr ? y : y + 2 * i;
    if (i + lanes <= count && F::Run(x + 2 * i, with, r + F::kResult * i)) continue;
    one_by_one(p, x + 2 * i, with, nullptr, r + F::kResult * i, std::min(lanes, count - i));
  }
}

}  // namespace c64

KernelFunction OfC64(Opcode opcode) {
  if (opcode == Opcode::kMultiply) return c64::PartsLoop<c64::Multiply>;
  if (opcode == Opcode::kAbs) return c64::PartsLoop<c64::Magnitude>;
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(OfC64);
KernelFunction VectorC64(Opcode opcode) { return HWY_DYNAMIC_DISPATCH(OfC64)(opcode); }
}  // namespace hlocts::cpu
#endif
