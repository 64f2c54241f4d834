// SPDX-License-Identifier: Apache-2.0
// Conversions of types of at most eight bits by tables of all their values.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_TABLE_CONVERT_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_TABLE_CONVERT_H_

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

// Sets what runs a conversion from an element that is a byte, or from a float of at least 16 bits
// and at most 32 to one; leaves the kernel alone where neither is so.
void UseTable(Kernel& kernel);

// Floats of at most eight bits.
void DecodeBytes(PrimitiveType type, const uint8_t* from, float* to, int64_t count);
void EncodeBytes(PrimitiveType type, const float* from, uint8_t* to, int64_t count);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_TABLE_CONVERT_H_
