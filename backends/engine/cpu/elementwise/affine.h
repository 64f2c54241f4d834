// SPDX-License-Identifier: Apache-2.0
// (x - mean) * factor + offset: what normalizations do to their elements.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_AFFINE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_AFFINE_H_

#include <cstdint>

namespace hlocts::cpu {

template <typename T>
struct Affine {
  const T *mean, *factor, *offset;
};

// out[i] is made of x[i] and number i of each array of `affine`, or of the first one if that stands
// for all. out may be x. Multiplication and addition are one where the instruction set can.
template <typename T>  // float or double
void ApplyAffine(const Affine<T>& affine, bool one_for_all, const T* x, int64_t count, T* out);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_AFFINE_H_
