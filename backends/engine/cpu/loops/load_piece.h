// SPDX-License-Identifier: Apache-2.0
// Assembles blocks of an array from pieces of other arrays, as for pad and concatenate.
#pragma once

#include <cstdint>

#include "backends/engine/plan/segments.h"

namespace hlocts::cpu {

// Writes those of elements [start, start + count) of an assembled array that the piece covers.
// `array` contains the piece's elements, which have `width` bytes. `out` is the address of element
// `start`. Other elements remain unchanged.
void LoadPiece(const plan::Piece& piece, int width, const uint8_t* array, int64_t start,
               int64_t count, uint8_t* out);

// A simplified piece, and the index of the array that contains its elements.
struct LoadedPiece {
  int array;
  plan::Piece piece;
};
// Writes elements [start, start + count) of an assembled array: copies of the only element of array
// `filling`, then the pieces over them. `filling` is -1 if the pieces cover everything.
void Assemble(int filling, absl::Span<const LoadedPiece> pieces, int width,
              const uint8_t* const* arrays, int64_t start, int64_t count, uint8_t* out);

// Returns the address of elements [start, start + count) if one of the arrays contains them
// contiguously, else null.
const uint8_t* RunInPieces(absl::Span<const LoadedPiece> pieces, int width,
                           const uint8_t* const* arrays, int64_t start, int64_t count);

}  // namespace hlocts::cpu
