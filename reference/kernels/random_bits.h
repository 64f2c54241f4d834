// SPDX-License-Identifier: Apache-2.0
// Implements the two counter-based generators of RngBitGenerator (rng_bit_generator.13-16; Salmon
// et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): bijections of a counter by a key.
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"

namespace hlocts::reference {

// Apply 20 rounds (ThreeFry) and 10 rounds (Philox). Words are ordered from the least significant.
std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// The functions below fill arrays as XLA does (ruling 0030, target fact rng.xla_layout). Each fills
// `out` with one word per element of an array of `dimensions` in row-major order; an array of a
// narrower type uses the low bits. `wide` selects 64 bits instead of 32. Each returns how far the
// counter has moved.

// Uses ThreeFry on the 64-bit counter. 64-bit elements use counter + linear index. Narrower
// elements come in pairs from one counter value: the pairs are neighbours along the first dimension
// of even size, or else along the largest one.
uint64_t ThreeFryBits(uint64_t key, uint64_t counter, absl::Span<const int64_t> dimensions,
                      bool wide, absl::Span<uint64_t> out);
// Uses Philox on the 128-bit counter, low word first. Its 128-bit outputs are consecutive.
uint64_t PhiloxBits(uint64_t key, std::array<uint64_t, 2> counter, bool wide,
                    absl::Span<uint64_t> out);
// Returns counter + steps modulo 2^128.
std::array<uint64_t, 2> AdvancePhilox(std::array<uint64_t, 2> counter, uint64_t steps);

}  // namespace hlocts::reference
