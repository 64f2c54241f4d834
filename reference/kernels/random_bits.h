// SPDX-License-Identifier: Apache-2.0
// The two counter-based generators of RngBitGenerator (rng_bit_generator.13-16; Salmon et al. 2011,
// "Parallel random numbers: as easy as 1, 2, 3"): a bijection of a counter, chosen by a key.
#ifndef HLOCTS_REFERENCE_KERNELS_RANDOM_BITS_H_
#define HLOCTS_REFERENCE_KERNELS_RANDOM_BITS_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"

namespace hlocts::reference {

// Words from the least significant up. 20 rounds and 10 rounds.
std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// The arrays that XLA makes of them (ruling 0030, target fact rng.xla_layout). Each fills `out`,
// one word per element of an array of `dimensions` in row-major order, of which an array of a
// narrower type takes the low bits; `wide` asks for 64 bits instead of 32. Each gives back how far
// the counter has moved.

// ThreeFry on the 64-bit counter. 64-bit elements take counter + linear index. Narrower ones come
// in pairs from one counter value: the first dimension of even size, or else the largest one, is
// split into pairs of neighbours.
uint64_t ThreeFryBits(uint64_t key, uint64_t counter, absl::Span<const int64_t> dimensions,
                      bool wide, absl::Span<uint64_t> out);
// Philox on the 128-bit counter, low word first: 128 bits of output follow each other in the array.
uint64_t PhiloxBits(uint64_t key, std::array<uint64_t, 2> counter, bool wide,
                    absl::Span<uint64_t> out);
// counter + steps, modulo 2^128.
std::array<uint64_t, 2> AdvancePhilox(std::array<uint64_t, 2> counter, uint64_t steps);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_KERNELS_RANDOM_BITS_H_
