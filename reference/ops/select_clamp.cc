// SPDX-License-Identifier: Apache-2.0
// Implements select and clamp.

#include "reference/number_system.h"
#include "reference/ops/families.h"
#include "spec/ir/number_type.h"

namespace hlocts::reference {
namespace {

// select.*: copies the bits of on_true if pred is true, else the bits of on_false.
template <typename T>
void SelectLoop(const ElementwiseOp&, const void* const* operands, void* result, int64_t count) {
  const uint8_t* pred = static_cast<const uint8_t*>(operands[0]);
  const T* on_true = static_cast<const T*>(operands[1]);
  const T* on_false = static_cast<const T*>(operands[2]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < count; ++i) {
    T yes = on_true[i], no = on_false[i];  // reads both, which avoids a branch
    out[i] = pred[i] ? yes : no;
  }
}

// clamp.*: min(max(low, x), high). low > high yields high (ruling 0004). Either of two zeros may be
// the result (ruling 0003). A NaN in any operand yields NaN: the comparisons below propagate it.
template <typename T>
T Clamp(T low, T x, T high) {
  T raised = low > x || low != low ? low : x;
  return raised > high || high != high ? (raised != raised ? raised : high) : raised;
}

template <typename T>
void ClampLoop(const ElementwiseOp&, const void* const* operands, void* result, int64_t count) {
  const T* low = static_cast<const T*>(operands[0]);
  const T* x = static_cast<const T*>(operands[1]);
  const T* high = static_cast<const T*>(operands[2]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < count; ++i) out[i] = Clamp(low[i], x[i], high[i]);
}

}  // namespace

Kernel SelectKernel(int storage_bytes) {
  return DispatchStorage(storage_bytes,
                         [](auto zero) -> Kernel { return SelectLoop<decltype(zero)>; });
}

Kernel ClampKernel(PrimitiveType type) {
  return VisitNumberType<Kernel>(PredAsByte(type),
                                 [](auto zero) -> Kernel { return ClampLoop<decltype(zero)>; });
}

}  // namespace hlocts::reference
