// SPDX-License-Identifier: Apache-2.0
// Vectors of neighbouring outputs, each tap a shifted load from a copy of the input.
#include "backends/engine/cpu/kernels/convolution/convolution_rows_isa.h"

#include <algorithm>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution_lines_isa.h"
#include "backends/engine/cpu/kernels/convolution/convolution_row_tile_isa.h"
#include "backends/engine/cpu/kernels/convolution/convolution_taps_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/division_isa.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kTilesPerPiece = 8;  // of a line, that share a block of weights

int64_t TileFeaturesFor(int64_t features) {
  if (features == 1) return 1;
  return features <= kTileFeatures / 2 ? kTileFeatures / 2 : kTileFeatures;
}

template <typename T>
class RowConvolution {
 public:
  explicit RowConvolution(const ConvolutionRequest& request)
      : request_(request),
        inner_(request.spatial.back()),
        line_(LinePlanOf(request, kLanes<T>)),
        group_features_(request.output_features / request.feature_groups),
        features_(TileFeaturesFor(group_features_)),
        step_(kTileSums / features_ * kLanes<T>),
        blocks_(CeilDiv(group_features_, features_)),
        row_(line_.copies * line_.plane) {
    for (size_t d = 0; d < line_.outer; ++d) {
      outer_in_ *= request.spatial[d].input_size;
      outer_out_ *= request.spatial[d].output_size;
      outer_taps_ *= request.spatial[d].kernel_size;
    }
    row_weights_ = std::ssize(line_.taps) * features_;
    block_weights_ = request.kernel_inputs * outer_taps_ * row_weights_;
  }

  absl::Status Run(const Parallel& parallel) {
    const int64_t width = static_cast<int64_t>(sizeof(T));
    const int64_t rows = request_.batch * request_.input_features * outer_in_ * row_;
    const Scratch input((rows + step_) * width);  // whole tiles read past the last row
    const Scratch weights(request_.feature_groups * blocks_ * block_weights_ * width);
    if (!input.ok() || !weights.ok()) return OutOfScratch((rows + step_) * width);
    input_ = input.As<T>();
    weights_ = weights.As<T>();
    std::fill(input_ + rows, input_ + rows + step_, T(0));
    CopyInput(parallel);
    PackWeights(parallel);
    RunPieces(parallel);
    return absl::OkStatus();
  }

 private:
  // [batch][feature][outer places][copy][plane]
  void CopyInput(const Parallel& parallel) {
    LoopNest<1> loops = {{request_.batch, {request_.input_batch_stride}},
                         {request_.input_features, {request_.input_feature_stride}}};
    for (size_t d = 0; d < line_.outer; ++d) {
      loops.push_back({request_.spatial[d].input_size, {request_.spatial[d].input_stride}});
    }
    parallel.For(LoopCount(loops), 0.5 * row_ + 10, [&](int64_t row, int64_t stop) {
      LoopWalk<1> walk(loops, row);
      for (; row < stop; ++row, walk.Next()) CopyPlanes(walk.offset(0), input_ + row * row_);
    });
  }

  void CopyPlanes(int64_t offset, T* to) const {
    const CopiedDimension& row = line_.dimensions.back();
    const int64_t rows = line_.plane / row.size, each = std::ssize(row.remainders);
    for (int64_t copy = 0; copy < line_.copies; ++copy) {
      for (int64_t i = 0; i < rows; ++i, to += row.size) {
        int64_t above = 0;
        if (line_.dimensions.size() > 1) {
          const CopiedDimension& first = line_.dimensions[0];
          above = first.ElementAt(copy / each, i);
          if (above >= 0) above *= first.from.input_stride;
        }
        if (above >= 0) {
          CopyRow(offset + above, row.remainders[copy % each], to);
        } else {
          std::fill(to, to + row.size, T(0));
        }
      }
    }
  }

  // Place j is element j * stride + remainder - padding_low of the row at `offset`.
  void CopyRow(int64_t offset, int64_t remainder, T* to) const {
    const int64_t size = line_.dimensions.back().size;
    const int64_t stride = inner_.window_stride, first = remainder - inner_.padding_low;
    const int64_t begin = first >= 0 ? 0 : std::min(size, CeilDiv(-first, stride));
    const int64_t left = std::max<int64_t>(0, inner_.input_size - first);
    const int64_t end = std::clamp(CeilDiv(left, stride), begin, size);
    const int64_t from = offset + (begin * stride + first) * inner_.input_stride;
    std::fill(to, to + begin, T(0));
    DecodeRun(request_.input_type,
              static_cast<const char*>(request_.input) + from * StorageBytes(request_.input_type),
              stride * inner_.input_stride, end - begin, to + begin);
    std::fill(to + end, to + size, T(0));
  }

  // [group][block][input][outer tap][tap][feature of the block]; features beyond the last weigh 0.
  void PackWeights(const Parallel& parallel) {
    const std::vector<int64_t> taps = KernelOffsets(request_);
    const bool stored = StoredAs(request_.kernel_type, kComputed);
    parallel.For(request_.feature_groups * blocks_, 1.0 * block_weights_,
                 [&](int64_t b, int64_t end) {
                   for (; b < end; ++b) {
                     const int64_t in_group = b % blocks_ * features_;
                     const int64_t first = b / blocks_ * group_features_ + in_group;
                     const int64_t count = std::min(features_, group_features_ - in_group);
                     T* to = weights_ + b * block_weights_;
                     for (int64_t c = 0; c < request_.kernel_inputs; ++c) {
                       const int64_t base =
                           first * request_.kernel_output_stride + c * request_.kernel_input_stride;
                       for (const int64_t tap : taps) {
                         PackTap(base + tap, count, stored, to);
                         to += features_;
                       }
                     }
                   }
                 });
  }

  // The weights of a tap: without a look at the type for each of so few.
  void PackTap(int64_t offset, int64_t count, bool stored, T* to) const {
    const int64_t stride = request_.kernel_output_stride;
    if (stored) {
      const T* from = static_cast<const T*>(request_.kernel) + offset;
      for (int64_t f = 0; f < count; ++f) to[f] = from[f * stride];
    } else {
      DecodeRun(
          request_.kernel_type,
          static_cast<const char*>(request_.kernel) + offset * StorageBytes(request_.kernel_type),
          stride, count, to);
    }
    std::fill(to + count, to + features_, T(0));
  }

  // Number of the outer input place under outer tap `tap` of outer output place `place`; -1: none.
  int64_t PlaceUnder(int64_t place, int64_t tap) const {
    int64_t at = 0, repeat = 1;
    for (size_t d = line_.outer; d-- > 0;) {
      const ConvolutionDimension& s = request_.spatial[d];
      const int64_t i = place % s.output_size * s.window_stride +
                        tap % s.kernel_size * s.window_dilation - s.padding_low;
      if (i < 0 || i % s.base_dilation != 0 || i / s.base_dilation >= s.input_size) return -1;
      at += i / s.base_dilation * repeat;
      repeat *= s.input_size;
      place /= s.output_size;
      tap /= s.kernel_size;
    }
    return at;
  }

  int64_t OutputOffset(int64_t place) const {
    int64_t offset = 0;
    for (size_t d = line_.outer; d-- > 0;) {
      const ConvolutionDimension& s = request_.spatial[d];
      offset += place % s.output_size * s.output_stride;
      place /= s.output_size;
    }
    return offset;
  }

  void RunPieces(const Parallel& parallel) const {
    const int64_t piece = kTilesPerPiece * step_, pieces = CeilDiv(line_.outputs, piece);
    const double work = static_cast<double>(blocks_ * block_weights_) *
                        std::min(piece, line_.outputs) / kLanes<T> * 0.25;
    const int64_t lines = request_.batch * request_.feature_groups * outer_out_;
    parallel.For(lines * pieces, work, [&](int64_t unit, int64_t end) {
      RowTileInput<T> tile;
      for (; unit < end; ++unit) {
        const int64_t line = unit / pieces, first = unit % pieces * piece;
        RunPiece(line, first, std::min(line_.outputs, first + piece), tile);
      }
    });
  }

  // Places [first, end) of a line of every output feature of a group.
  void RunPiece(int64_t line, int64_t first, int64_t end, RowTileInput<T>& tile) const {
    const int64_t plane = line / outer_out_, place = line % outer_out_;
    const int64_t batch = plane / request_.feature_groups, group = plane % request_.feature_groups;
    tile.rows.clear();
    tile.taps = line_.taps;
    std::vector<int64_t> used;  // rows of weights
    for (int64_t t = 0; t < outer_taps_; ++t) {
      const int64_t under = PlaceUnder(place, t);
      if (under < 0) continue;
      for (int64_t c = 0; c < request_.kernel_inputs; ++c) {
        const int64_t feature =
            batch * request_.input_features + group * request_.kernel_inputs + c;
        tile.rows.push_back(input_ + (feature * outer_in_ + under) * row_);
        used.push_back((c * outer_taps_ + t) * row_weights_);
      }
    }
    T* out = static_cast<T*>(request_.output) + batch * request_.output_batch_stride +
             group * group_features_ * request_.output_feature_stride + OutputOffset(place);
    for (int64_t b = 0; b < blocks_; ++b) {
      const T* weights = weights_ + (group * blocks_ + b) * block_weights_;
      tile.weights.clear();
      for (int64_t row : used) tile.weights.push_back(weights + row);
      const int64_t features = std::min(features_, group_features_ - b * features_);
      RunBlock(tile, features, first, end, out + b * features_ * request_.output_feature_stride);
    }
  }

  void RunBlock(const RowTileInput<T>& tile, int64_t features, int64_t x, int64_t end,
                T* out) const {
    const int64_t row = line_.dimensions.back().size, feature = request_.output_feature_stride;
    const bool joined = line_.dimensions.size() > 1;
    alignas(64) T edge[kTileSums * kLanes<T>];
    for (; x < end; x += step_) {
      const int64_t count = std::min(step_, end - x);
      const int64_t above = joined ? x / row : 0, column = x - above * row;
      const bool whole = count == step_ && features == features_ && inner_.output_stride == 1 &&
                         column + step_ <= inner_.output_size;
      T* to = out + column;
      if (joined) to += above * request_.spatial[line_.outer].output_stride;
      RunRowTile<T>(features_, count, tile, x, whole ? to : edge, whole ? feature : step_);
      if (!whole) StoreEdge(edge, features, x, count, out);
    }
  }

  // Those of the places from x on that are outputs.
  void StoreEdge(const T* edge, int64_t features, int64_t x, int64_t count, T* out) const {
    const int64_t row = line_.dimensions.back().size, step = inner_.output_stride;
    for (int64_t i = 0; i < count;) {
      const int64_t above = x / row, column = x - above * row;
      const int64_t run = std::min(count - i, row - column);
      const int64_t wanted = std::min(run, inner_.output_size - column);
      T* to = out + column * step;
      if (above > 0) to += above * request_.spatial[line_.outer].output_stride;
      for (int64_t f = 0; f < features; ++f, to += request_.output_feature_stride) {
        const T* from = edge + f * step_ + i;
        for (int64_t j = 0; j < wanted; ++j) to[j * step] = from[j];
      }
      i += run, x += run;
    }
  }

  static constexpr PrimitiveType kComputed =
      sizeof(T) == 4 ? PrimitiveType::kF32 : PrimitiveType::kF64;

  const ConvolutionRequest& request_;
  const ConvolutionDimension& inner_;
  const LinePlan line_;
  const int64_t group_features_, features_, step_;  // features and places of a tile
  const int64_t blocks_, row_;
  int64_t outer_in_ = 1, outer_out_ = 1, outer_taps_ = 1;
  int64_t row_weights_ = 0, block_weights_ = 0;
  T* input_ = nullptr;
  T* weights_ = nullptr;
};

}  // namespace

template <typename T>
absl::Status ConvolutionByRows(const Parallel& parallel, const ConvolutionRequest& request) {
  return RowConvolution<T>(request).Run(parallel);
}
template absl::Status ConvolutionByRows<float>(const Parallel&, const ConvolutionRequest&);
template absl::Status ConvolutionByRows<double>(const Parallel&, const ConvolutionRequest&);

}  // namespace hlocts::kernels::HLOCTS_ISA
