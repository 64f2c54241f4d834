// SPDX-License-Identifier: Apache-2.0
// Loads the elements that an array contributes to a block of a larger one.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOAD_PIECE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOAD_PIECE_H_

#include <cstdint>

#include "backends/engine/plan/segments.h"

namespace hlocts::cpu {

// Writes the elements [start, start + count) of the whole that show elements of `array`, `width`
// bytes each, to the contiguous `out`. Leaves the others unchanged.
void LoadPiece(const plan::Piece& piece, int width, const uint8_t* array, int64_t start,
               int64_t count, uint8_t* out);

// A piece, simplified, of the array of that number.
struct LoadedPiece {
  int array;
  plan::Piece piece;
};
// The whole's elements [start, start + count): the pieces on a filling, the one element of the
// array of that number (-1: they leave nothing open).
void Assemble(int filling, absl::Span<const LoadedPiece> pieces, int width,
              const uint8_t* const* arrays, int64_t start, int64_t count, uint8_t* out);

// The address of these elements in one of the arrays if they are contiguous there, else null.
const uint8_t* RunInPieces(absl::Span<const LoadedPiece> pieces, int width,
                           const uint8_t* const* arrays, int64_t start, int64_t count);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_LOOPS_LOAD_PIECE_H_
