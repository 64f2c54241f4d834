// SPDX-License-Identifier: Apache-2.0
// Vector kernels of select, clamp, iota and fill. They are compiled like those of
// vector_arithmetic.cc.
#include "backends/engine/cpu/elementwise/families.h"
#include "spec/ir/element_width.h"
#include "spec/ir/number_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_kernels.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_functors-inl.h"
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

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
KernelFunction Select(int width) {
  return VisitWidth(width, [](auto zero) -> KernelFunction { return SelectLoop<decltype(zero)>; });
}

// Computes min(max(low, x), high). If an operand is NaN, the result is NaN.
template <typename T>
void ClampLoop(HLOCTS_ARGUMENTS) {
  const T* low = static_cast<const T*>(a);
  const T* x = static_cast<const T*>(b);
  const T* high = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  // Compilers vectorize two loops, but not one loop that computes both operations.
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
  return VisitNumberType<KernelFunction>(
      PredAsByte(type), [](auto zero) -> KernelFunction { return ClampLoop<decltype(zero)>; });
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

template <typename T>
void FillLoop(HLOCTS_ARGUMENTS) {
  (void)b, (void)c;
  const T element = *static_cast<const T*>(a);
  T* r = static_cast<T*>(out);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) r[i] = element;
}
KernelFunction Filling(int width) {
  return VisitWidth(width, [](auto zero) -> KernelFunction { return FillLoop<decltype(zero)>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Select);
HWY_EXPORT(Clamp);
HWY_EXPORT(Line);
HWY_EXPORT(Filling);

KernelFunction VectorSelect(int width) { return HWY_DYNAMIC_DISPATCH(Select)(width); }
KernelFunction VectorClamp(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Clamp)(type); }
KernelFunction VectorLine(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Line)(type); }
KernelFunction VectorFill(int width) { return HWY_DYNAMIC_DISPATCH(Filling)(width); }
}  // namespace hlocts::cpu
#endif
