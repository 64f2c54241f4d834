// SPDX-License-Identifier: Apache-2.0
// Direct convolution. A tile has several outputs, each with two vectors of features. An output
// reads the input through one pointer per tap. If the tap is in padding or a hole, the pointer
// refers to a row of zeros. The kernel is packed once. Depthwise convolutions compute one output at
// a time, and their vectors contain channels.
#include "backends/engine/cpu/kernels/convolution/direct.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/convolution/direct.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"
#include "hwy/highway.h"

// The size of a tile, and the functions that compute a tile.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_DIRECT_CC_ONCE_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_DIRECT_CC_ONCE_
namespace hlocts::kernels {
struct DirectTile {
  int64_t pixels, columns;
  // Computes outputs[i][j] = sum over taps t and channels c of rows[t * pixels + i][c] *
  // weights[t][c][j] for i < count and j < columns.
  void (*run)(int64_t count, int64_t taps, int64_t channels, const float* const* rows,
              const float* weights, float* const* outputs);
  // Computes output[c] = sum over taps t of rows[t * pixels][c] * weights[t][c].
  void (*depthwise)(int64_t taps, int64_t channels, const float* const* rows, const float* weights,
                    float* output);
};
}  // namespace hlocts::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

constexpr int kDirectPixels = kVectorRegisters == 32 ? 12 : 6, kDirectVectors = 2;
constexpr int kDirectColumns = kDirectVectors * kLanes<float>;

template <int kPixels>
void PixelsByFeatures(int64_t taps, int64_t channels, const float* const* rows,
                      const float* __restrict weights, float* const* outputs) {
  Vec<float> sums[kPixels][kDirectVectors];
  HLOCTS_UNROLL for (int i = 0; i < kPixels; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kDirectVectors; ++v) sums[i][v] = Vec<float>{};
  }
  for (int64_t t = 0; t < taps; ++t, rows += kDirectPixels) {
    for (int64_t c = 0; c < channels; ++c, weights += kDirectColumns) {
      Vec<float> columns[kDirectVectors];
      HLOCTS_UNROLL for (int v = 0; v < kDirectVectors; ++v) {
        columns[v] = Load(weights + v * kLanes<float>);
        __builtin_prefetch(weights + 8 * kDirectColumns + v * kLanes<float>);
      }
      HLOCTS_UNROLL for (int i = 0; i < kPixels; ++i) {
        const Vec<float> x = Splat(rows[i][c]);
        HLOCTS_UNROLL for (int v = 0; v < kDirectVectors; ++v) {
          sums[i][v] = sums[i][v] + x * columns[v];
        }
      }
    }
  }
  HLOCTS_UNROLL for (int i = 0; i < kPixels; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kDirectVectors; ++v) {
      Store(outputs[i] + v * kLanes<float>, sums[i][v]);
    }
  }
}

void RunTile(int64_t count, int64_t taps, int64_t channels, const float* const* rows,
             const float* weights, float* const* outputs) {
  if (count == kDirectPixels)
    return PixelsByFeatures<kDirectPixels>(taps, channels, rows, weights, outputs);
  for (int64_t i = 0; i < count; ++i)
    PixelsByFeatures<1>(taps, channels, rows + i, weights, outputs + i);
}

template <int kVectors>
HLOCTS_INLINE void Channels(int64_t taps, int64_t channels, const float* const* rows, int64_t c,
                            const float* weights, float* output) {
  Vec<float> sums[kVectors] = {};
  for (int64_t t = 0; t < taps; ++t) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      const int64_t at = c + v * kLanes<float>;
      sums[v] = sums[v] + Load(rows[t * kDirectPixels] + at) * Load(weights + t * channels + at);
    }
  }
  HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
    Store(output + c + v * kLanes<float>, sums[v]);
  }
}

void Depthwise(int64_t taps, int64_t channels, const float* const* rows, const float* weights,
               float* output) {
  constexpr int64_t kOne = kLanes<float>, kFour = 4 * kOne;
  int64_t c = 0;
  for (; c + kFour <= channels; c += kFour) Channels<4>(taps, channels, rows, c, weights, output);
  for (; c + kOne <= channels; c += kOne) Channels<1>(taps, channels, rows, c, weights, output);
  for (; c < channels; ++c) {
    float sum = 0;
    for (int64_t t = 0; t < taps; ++t)
      sum = sum + rows[t * kDirectPixels][c] * weights[t * channels + c];
    output[c] = sum;
  }
}

const DirectTile* TileOfTarget() {
  static constexpr DirectTile kTile = {kDirectPixels, kDirectColumns, RunTile, Depthwise};
  return &kTile;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(TileOfTarget);

namespace {

constexpr int64_t kTilesAtOnce = 8;  // tiles that use a panel of weights before the next panel
constexpr int64_t kRowsAtOnce = 2048;

bool IsDepthwise(const PixelGrid& grid) {
  return grid.channels == 1 && grid.features == 1 && grid.request.feature_groups > 1;
}

// Packs the kernel of features [first, first + features) as [tap][channel][column]. Columns from
// `features` on are not written.
void PackKernel(const PixelGrid& grid, int64_t first, int64_t features, int64_t columns,
                float* to) {
  const ConvolutionRequest& request = grid.request;
  const float* from =
      static_cast<const float*>(request.kernel) + first * request.kernel_output_stride;
  LoopNest<1> loops;
  for (const ConvolutionDimension& d : grid.spatial) {
    if (d.reversal) from += (d.kernel_size - 1) * d.kernel_stride;
    loops.push_back({d.kernel_size, {d.reversal ? -d.kernel_stride : d.kernel_stride}});
  }
  loops.push_back({grid.channels, {request.kernel_input_stride}});
  LoopWalk<1> walk(loops, 0);
  for (int64_t n = grid.taps * grid.channels; n > 0; --n, walk.Next(), to += columns) {
    const float* line = from + walk.offset(0);
    for (int64_t f = 0; f < features; ++f) to[f] = line[f * request.kernel_output_stride];
  }
}

// Sets rows[t * pixels + i] to the channels under tap t of output first + i, or to `zeros`.
void FindRows(const PixelGrid& grid, const float* from, int64_t first, int64_t count,
              int64_t pixels, const float* zeros, const float** rows) {
  const ConvolutionDimension& d = grid.spatial.back();
  grid.ForEachRow(first, count,
                  [&](int64_t outer, int64_t offset, int64_t column, int64_t p, int64_t run) {
                    for (int64_t k = 0; k < d.kernel_size; ++k) {
                      const float** to = rows + (outer * d.kernel_size + k) * pixels + p;
                      for (int64_t i = 0; i < run; ++i) {
                        const int64_t place = offset < 0 ? -1 : PixelGrid::Place(d, column + i, k);
                        to[i] = place < 0 ? zeros : from + offset + place * d.input_stride;
                      }
                    }
                  });
}

// Computes outputs [first, first + count) of a group, for all panels of the group's kernel.
void RunBlock(const PixelGrid& grid, const DirectTile& tile, int64_t group, int64_t first,
              int64_t count, const float* weights, const float* zeros) {
  const float* from = static_cast<const float*>(grid.request.input) + grid.GroupShift(group);
  float* const output = static_cast<float*>(grid.request.output);
  const int64_t tile_rows = tile.pixels * grid.taps,
                panel = grid.taps * grid.channels * tile.columns;
  const int64_t tiles = (count + tile.pixels - 1) / tile.pixels;
  std::vector<const float*> rows(tiles * tile_rows);
  std::vector<float*> outputs(tiles * tile.pixels);
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t at = t * tile.pixels, n = std::min(tile.pixels, count - at);
    FindRows(grid, from, first + at, n, tile.pixels, zeros, &rows[t * tile_rows]);
    for (int64_t i = 0; i < n; ++i)
      outputs[at + i] = output + grid.OutputOffset(group, first + at + i);
  }
  alignas(64) float edge[16 * 64];
  float* edges[16];
  for (int64_t i = 0; i < tile.pixels; ++i) edges[i] = edge + i * tile.columns;
  for (int64_t column = 0; column < grid.features; column += tile.columns, weights += panel) {
    const int64_t features = std::min(tile.columns, grid.features - column);
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t at = t * tile.pixels, n = std::min(tile.pixels, count - at);
      const bool whole = features == tile.columns;
      tile.run(n, grid.taps, grid.channels, &rows[t * tile_rows], weights,
               whole ? &outputs[at] : edges);
      for (int64_t i = 0; i < n; ++i) {
        if (!whole) std::memcpy(outputs[at + i], edges[i], features * sizeof(float));
        outputs[at + i] += features;
      }
    }
  }
}

absl::Status RunDepthwise(const Parallel& parallel, const PixelGrid& grid, const DirectTile& tile) {
  const int64_t channels = grid.groups;
  std::vector<float> weights(grid.taps * channels), zeros(channels);
  PackKernel(grid, 0, channels, channels, weights.data());
  const double cost = 20 + 0.1 * static_cast<double>(grid.taps * channels);
  parallel.For(grid.pixels, cost, [&](int64_t pixel, int64_t end) {
    std::vector<const float*> rows(grid.taps * tile.pixels);
    const auto* from = static_cast<const float*>(grid.request.input);
    auto* const output = static_cast<float*>(grid.request.output);
    for (int64_t count; pixel < end; pixel += count) {
      count = std::min(tile.pixels, end - pixel);
      FindRows(grid, from, pixel, count, tile.pixels, zeros.data(), rows.data());
      for (int64_t i = 0; i < count; ++i) {
        tile.depthwise(grid.taps, channels, &rows[i], weights.data(),
                       output + grid.OutputOffset(0, pixel + i));
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace

bool IsDirect(const PixelGrid& grid) {
  const ConvolutionRequest& request = grid.request;
  constexpr PrimitiveType kF32 = PrimitiveType::kF32;
  const bool adjacent = (request.input_feature_stride == 1 || request.input_features == 1) &&
                        (request.output_feature_stride == 1 || request.output_features == 1);
  constexpr int64_t kFeaturesMin = 8;  // with fewer features, most of a tile is unused
  return adjacent && request.input_type == kF32 && request.kernel_type == kF32 &&
         request.output_type == kF32 && (grid.features >= kFeaturesMin || IsDepthwise(grid));
}

absl::Status RunDirect(const Parallel& parallel, const PixelGrid& grid) {
  const DirectTile& tile = *HWY_DYNAMIC_DISPATCH(TileOfTarget)();
  if (IsDepthwise(grid)) return RunDepthwise(parallel, grid, tile);
  const int64_t depth = grid.taps * grid.channels;
  const int64_t panels = (grid.features + tile.columns - 1) / tile.columns;
  const int64_t panel = depth * tile.columns;
  const int64_t bytes = grid.groups * panels * panel * static_cast<int64_t>(sizeof(float));
  const Scratch weights(bytes);
  if (!weights.ok()) return OutOfScratch(bytes);
  const std::vector<float> zeros(grid.channels);
  parallel.For(grid.groups * panels, static_cast<double>(panel), [&](int64_t p, int64_t end) {
    for (; p < end; ++p) {
      const int64_t first = p % panels * tile.columns;
      const int64_t count = std::min(tile.columns, grid.features - first);
      float* to = weights.As<float>() + p * panel;
      if (count < tile.columns) std::fill_n(to, panel, 0.0f);
      PackKernel(grid, p / panels * grid.features + first, count, tile.columns, to);
    }
  });
  const int64_t block =
      tile.pixels * std::clamp<int64_t>(kRowsAtOnce / grid.taps / tile.pixels, 1, kTilesAtOnce);
  const int64_t blocks = (grid.pixels + block - 1) / block;
  const double cost = 0.02 * static_cast<double>(block * depth * grid.features);
  parallel.For(grid.groups * blocks, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t group = unit / blocks, first = unit % blocks * block;
      RunBlock(grid, tile, group, first, std::min(block, grid.pixels - first),
               weights.As<float>() + group * panels * panel, zeros.data());
    }
  });
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
#endif
