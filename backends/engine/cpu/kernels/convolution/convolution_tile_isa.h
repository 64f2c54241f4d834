// SPDX-License-Identifier: Apache-2.0
// The register tiles of convolution: several output pixels by two vectors of output features, each
// pixel reading its input through one pointer per window tap. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TILE_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TILE_ISA_H_

#include "backends/engine/cpu/kernels/gemm/gemm_tile_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int kPixels = kVectorRegisters == 32 ? 12 : 6;

// outputs[i][j] = sum over taps t and channels c of rows[t * kPixels + i][c] * weights[t][c][j].
template <typename T, int kRows>
void ConvolutionTile(int64_t taps, int64_t channels, const T* const* rows,
                     const T* __restrict weights, SumOf<T>* const* outputs) {
  constexpr int kWidth = kTileColumns<T>;
  Vec<SumOf<T>> sums[kRows][kTileVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      sums[i][v] = Vec<SumOf<T>>{};
      __builtin_prefetch(outputs[i] + v * kLanes<T>, 1);
    }
  }
  for (int64_t t = 0; t < taps; ++t, rows += kPixels) {
    for (int64_t c = 0; c < channels; ++c, weights += kWidth) {
      Vec<T> columns[kTileVectors];
      HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
        columns[v] = Load(weights + v * kLanes<T>);
        __builtin_prefetch(weights + kRowsAhead * kWidth + v * kLanes<T>);
      }
      HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
        const Vec<T> x = Splat(rows[i][c]);
        HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
          sums[i][v] = MultiplyAdd<T>(sums[i][v], x, columns[v]);
        }
      }
    }
  }
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      Store(outputs[i] + v * kLanes<T>, sums[i][v]);
    }
  }
}

// Whole tiles of pixels, or single ones.
template <typename T>
void RunConvolutionTile(int pixels, int64_t taps, int64_t channels, const T* const* rows,
                        const T* weights, SumOf<T>* const* outputs) {
  if (pixels == kPixels) {
    return ConvolutionTile<T, kPixels>(taps, channels, rows, weights, outputs);
  }
  for (int i = 0; i < pixels; ++i) {
    ConvolutionTile<T, 1>(taps, channels, rows + i, weights, outputs + i);
  }
}

// One pixel of a depthwise convolution: output[c] = sum over taps of rows[t * kPixels][c] *
// weights[t * channels + c].
template <typename T, int kVectors>
void DepthwiseBlock(int64_t taps, const T* const* rows, int64_t c, const T* __restrict weights,
                    int64_t weight_row, T* __restrict output) {
  Vec<T> sums[kVectors];
  HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) sums[v] = Vec<T>{};
  for (int64_t t = 0; t < taps; ++t, weights += weight_row) {
    const T* in = rows[t * kPixels] + c;
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[v] += Load(in + v * kLanes<T>) * Load(weights + c + v * kLanes<T>);
    }
  }
  HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) Store(output + c + v * kLanes<T>, sums[v]);
}

template <typename T>
void DepthwisePixel(int64_t taps, int64_t channels, const T* const* rows, const T* weights,
                    T* output) {
  int64_t c = 0;
  for (; c + 4 * kLanes<T> <= channels; c += 4 * kLanes<T>) {
    DepthwiseBlock<T, 4>(taps, rows, c, weights, channels, output);
  }
  for (; c + kLanes<T> <= channels; c += kLanes<T>) {
    DepthwiseBlock<T, 1>(taps, rows, c, weights, channels, output);
  }
  for (; c < channels; ++c) {
    T sum = 0;
    for (int64_t t = 0; t < taps; ++t) sum += rows[t * kPixels][c] * weights[t * channels + c];
    output[c] = sum;
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_TILE_ISA_H_
