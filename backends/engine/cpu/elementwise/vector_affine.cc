// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/affine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_affine.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

template <typename T>
void AffineLoop(const Affine<T>& affine, bool one_for_all, const T* x, int64_t count, T* out) {
  const T *mean = affine.mean, *factor = affine.factor, *offset = affine.offset;
  if (one_for_all) {
    const T m = *mean, f = *factor, o = *offset;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - m) * f + o;
  } else {
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) out[i] = (x[i] - mean[i]) * factor[i] + offset[i];
  }
}
void OfF32(const Affine<float>& affine, bool one_for_all, const float* x, int64_t count,
           float* out) {
  AffineLoop(affine, one_for_all, x, count, out);
}
void OfF64(const Affine<double>& affine, bool one_for_all, const double* x, int64_t count,
           double* out) {
  AffineLoop(affine, one_for_all, x, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(OfF32);
HWY_EXPORT(OfF64);

template <>
void ApplyAffine(const Affine<float>& affine, bool one_for_all, const float* x, int64_t count,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(OfF32)(affine, one_for_all, x, count, out);
}
template <>
void ApplyAffine(const Affine<double>& affine, bool one_for_all, const double* x, int64_t count,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(OfF64)(affine, one_for_all, x, count, out);
}

}  // namespace hlocts::cpu
#endif
