// SPDX-License-Identifier: Apache-2.0
// The register tiles of convolution along rows: some output features by some vectors of
// neighbouring outputs. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROW_TILE_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROW_TILE_ISA_H_

#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// A tile's sums: what the registers hold beside the vectors of the input.
inline constexpr int kTileSums = kVectorRegisters == 32 ? 16 : 8;
inline constexpr int kTileFeatures = kTileSums / 2;

// What a tile reads: rows of the input, each with the weights [tap][feature] of its taps.
template <typename T>
struct RowTileInput {
  std::vector<const T*> rows, weights;
  absl::Span<const int64_t> taps;  // where each begins in a row
};

// sums of kFeatures features at places [x, x + kVectors lanes), stored at out + f * out_row.
template <typename T, int kFeatures, int kVectors>
void RowTile(const RowTileInput<T>& input, int64_t x, T* __restrict out, int64_t out_row) {
  Vec<T> sums[kFeatures][kVectors] = {};
  for (size_t r = 0; r < input.rows.size(); ++r) {
    const T* weights = input.weights[r];
    for (const int64_t tap : input.taps) {
      const T* row = input.rows[r] + tap + x;
      Vec<T> columns[kVectors];
      HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) columns[v] = Load(row + v * kLanes<T>);
      HLOCTS_UNROLL for (int f = 0; f < kFeatures; ++f) {
        const Vec<T> weight = Splat(weights[f]);
        HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) sums[f][v] += weight * columns[v];
      }
      weights += kFeatures;
    }
  }
  HLOCTS_UNROLL for (int f = 0; f < kFeatures; ++f) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      Store(out + f * out_row + v * kLanes<T>, sums[f][v]);
    }
  }
}

// At most kVectors, and half as many while they are enough for `count` places.
template <typename T, int kFeatures, int kVectors = kTileSums / kFeatures>
void RunRowTile(int64_t count, const RowTileInput<T>& input, int64_t x, T* out, int64_t out_row) {
  if constexpr (kVectors > 1) {
    if (count <= kVectors / 2 * kLanes<T>) {
      return RunRowTile<T, kFeatures, kVectors / 2>(count, input, x, out, out_row);
    }
  }
  RowTile<T, kFeatures, kVectors>(input, x, out, out_row);
}

// `features`: kTileFeatures, half as many or one.
template <typename T>
void RunRowTile(int64_t features, int64_t count, const RowTileInput<T>& input, int64_t x, T* out,
                int64_t out_row) {
  if (features == 1) return RunRowTile<T, 1>(count, input, x, out, out_row);
  if (features == kTileFeatures) return RunRowTile<T, kTileFeatures>(count, input, x, out, out_row);
  RunRowTile<T, kTileFeatures / 2>(count, input, x, out, out_row);
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_ROW_TILE_ISA_H_
