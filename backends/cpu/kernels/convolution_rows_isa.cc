// The input is copied once with its rows padded by zeros, so that every tap of a row is a shifted
// load; a tile is some output features by two vectors of a row. Where the window takes strides, a row
// is copied as several, each of the elements that one tap meets.
#include "backends/cpu/kernels/convolution_rows_isa.h"

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cpu/kernels/convert_isa.h"
#include "backends/cpu/kernels/dot_types.h"
#include "backends/cpu/kernels/loop_nest.h"
#include "backends/cpu/kernels/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int kFeatures = kVectorRegisters == 32 ? 8 : 4;  // of a tile

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// What a tile reads: `count` rows of the input, each with the weights [tap][feature] of its taps.
template <typename T>
struct TileInput {
  std::vector<const T*> rows, weights;
  absl::Span<const int64_t> taps;  // where each begins in a row
};

// sums of kFeatures features at places [x, x + kVectors lanes), stored at out + f * out_row.
template <typename T, int kVectors>
void RowTile(const TileInput<T>& input, int64_t x, T* __restrict out, int64_t out_row) {
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

template <typename T>
class RowConvolution {
 public:
  explicit RowConvolution(const ConvolutionRequest& request)
      : request_(request),
        inner_(request.spatial.back()),
        group_features_(request.output_features / request.feature_groups),
        blocks_(CeilDiv(group_features_, kFeatures)) {
    for (size_t d = 0; d + 1 < request.spatial.size(); ++d) {
      outer_in_ *= request.spatial[d].input_size;
      outer_out_ *= request.spatial[d].output_size;
      outer_taps_ *= request.spatial[d].kernel_size;
    }
    FindTaps();
  }

  absl::Status Run(const Parallel& parallel) {
    const int64_t width = static_cast<int64_t>(sizeof(T));
    const int64_t image = request_.input_features * outer_in_ * row_;
    const int64_t block = request_.kernel_inputs * outer_taps_ * inner_.kernel_size * kFeatures;
    const Scratch input(request_.batch * image * width);
    const Scratch weights(request_.feature_groups * blocks_ * block * width);
    if (!input.ok() || !weights.ok()) return OutOfScratch(request_.batch * image * width);
    input_ = input.As<T>();
    weights_ = weights.As<T>();
    CopyInput(parallel);
    PackWeights();
    const double work = static_cast<double>(blocks_ * block) * padded_ / kLanes<T> * 0.25;
    const int64_t planes = request_.batch * request_.feature_groups;
    parallel.For(planes * outer_out_, work, [&](int64_t unit, int64_t end) {
      TileInput<T> tile;
      for (; unit < end; ++unit) RunLine(unit / outer_out_, unit % outer_out_, tile);
    });
    return absl::OkStatus();
  }

 private:
  // Tap k of output x is element x * stride + k * dilation of the padded row: number x + (k * dilation)
  // / stride of those with its remainder.
  void FindTaps() {
    constexpr int64_t kStep = 2 * kLanes<T>;
    const int64_t stride = inner_.window_stride;
    const int64_t reach = (inner_.kernel_size - 1) * inner_.window_dilation / stride;
    padded_ = CeilDiv(inner_.output_size, kStep) * kStep + reach;
    for (int64_t k = 0; k < inner_.kernel_size; ++k) {
      const int64_t at = k * inner_.window_dilation, remainder = at % stride;
      const auto known = std::find(remainders_.begin(), remainders_.end(), remainder);
      taps_.push_back((known - remainders_.begin()) * padded_ + at / stride);
      if (known == remainders_.end()) remainders_.push_back(remainder);
    }
    row_ = padded_ * std::ssize(remainders_);
  }

  // [batch][feature][outer places][remainder][padded row]
  void CopyInput(const Parallel& parallel) {
    LoopNest<1> loops = {{request_.batch, {request_.input_batch_stride}},
                         {request_.input_features, {request_.input_feature_stride}}};
    for (size_t d = 0; d + 1 < request_.spatial.size(); ++d) {
      loops.push_back({request_.spatial[d].input_size, {request_.spatial[d].input_stride}});
    }
    parallel.For(LoopCount(loops), 0.5 * row_ + 10, [&](int64_t row, int64_t stop) {
      LoopWalk<1> walk(loops, row);
      for (; row < stop; ++row, walk.Next()) {
        for (size_t i = 0; i < remainders_.size(); ++i) {
          CopyRow(walk.offset(0), remainders_[i], input_ + row * row_ + i * padded_);
        }
      }
    });
  }

  // Place j is element j * stride + remainder - padding_low of the row at `offset`.
  void CopyRow(int64_t offset, int64_t remainder, T* to) const {
    const int64_t stride = inner_.window_stride, first = remainder - inner_.padding_low;
    const int64_t begin = first >= 0 ? 0 : std::min(padded_, CeilDiv(-first, stride));
    const int64_t left = std::max<int64_t>(0, inner_.input_size - first);
    const int64_t end = std::clamp(CeilDiv(left, stride), begin, padded_);
    const int64_t from = offset + (begin * stride + first) * inner_.input_stride;
    std::fill(to, to + begin, T(0));
    DecodeRun(request_.input_type,
              static_cast<const char*>(request_.input) + from * StorageBytes(request_.input_type),
              stride * inner_.input_stride, end - begin, to + begin);
    std::fill(to + end, to + padded_, T(0));
  }

  // Offset in the kernel of outer tap `tap`.
  int64_t TapOffset(int64_t tap) const {
    int64_t offset = 0;
    for (size_t d = request_.spatial.size() - 1; d-- > 0;) {
      const ConvolutionDimension& s = request_.spatial[d];
      const int64_t k = tap % s.kernel_size;
      tap /= s.kernel_size;
      offset += (s.reversal ? s.kernel_size - 1 - k : k) * s.kernel_stride;
    }
    return offset;
  }

  // [group][block][input][outer tap][tap][feature of the block]; features beyond the last weigh 0.
  void PackWeights() {
    const int bytes = StorageBytes(request_.kernel_type);
    T* to = weights_;
    for (int64_t b = 0; b < request_.feature_groups * blocks_; ++b) {
      const int64_t in_group = b % blocks_ * kFeatures;
      const int64_t first = b / blocks_ * group_features_ + in_group;
      const int64_t count = std::min<int64_t>(kFeatures, group_features_ - in_group);
      for (int64_t c = 0; c < request_.kernel_inputs; ++c) {
        for (int64_t t = 0; t < outer_taps_; ++t) {
          const int64_t base = first * request_.kernel_output_stride +
                               c * request_.kernel_input_stride + TapOffset(t);
          for (int64_t k = 0; k < inner_.kernel_size; ++k, to += kFeatures) {
            const int64_t at = inner_.reversal ? inner_.kernel_size - 1 - k : k;
            const int64_t offset = base + at * inner_.kernel_stride;
            std::fill(to, to + kFeatures, T(0));
            DecodeRun(request_.kernel_type,
                      static_cast<const char*>(request_.kernel) + offset * bytes,
                      request_.kernel_output_stride, count, to);
          }
        }
      }
    }
  }

  // Number of the outer input place under outer tap `tap` of outer output place `place`; -1: none.
  int64_t PlaceUnder(int64_t place, int64_t tap) const {
    int64_t at = 0, repeat = 1;
    for (size_t d = request_.spatial.size() - 1; d-- > 0;) {
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
    for (size_t d = request_.spatial.size() - 1; d-- > 0;) {
      const ConvolutionDimension& s = request_.spatial[d];
      offset += place % s.output_size * s.output_stride;
      place /= s.output_size;
    }
    return offset;
  }

  // One row of every output feature of a group.
  void RunLine(int64_t plane, int64_t place, TileInput<T>& tile) {
    const int64_t batch = plane / request_.feature_groups, group = plane % request_.feature_groups;
    const int64_t row_weights = inner_.kernel_size * kFeatures;
    const int64_t block = request_.kernel_inputs * outer_taps_ * row_weights;
    tile.rows.clear();
    tile.taps = taps_;
    std::vector<int64_t> used;  // rows of weights
    for (int64_t t = 0; t < outer_taps_; ++t) {
      const int64_t under = PlaceUnder(place, t);
      if (under < 0) continue;
      for (int64_t c = 0; c < request_.kernel_inputs; ++c) {
        const int64_t feature =
            batch * request_.input_features + group * request_.kernel_inputs + c;
        tile.rows.push_back(input_ + (feature * outer_in_ + under) * row_);
        used.push_back(c * outer_taps_ + t);
      }
    }
    T* out = static_cast<T*>(request_.output) + batch * request_.output_batch_stride +
             group * group_features_ * request_.output_feature_stride + OutputOffset(place);
    for (int64_t b = 0; b < blocks_; ++b) {
      const T* weights = weights_ + (group * blocks_ + b) * block;
      tile.weights.clear();
      for (int64_t row : used) tile.weights.push_back(weights + row * row_weights);
      const int64_t features = std::min<int64_t>(kFeatures, group_features_ - b * kFeatures);
      RunBlock(tile, features, out + b * kFeatures * request_.output_feature_stride);
    }
  }

  void RunBlock(const TileInput<T>& tile, int64_t features, T* out) const {
    constexpr int64_t kStep = 2 * kLanes<T>;
    alignas(64) T edge[kFeatures * kStep];
    for (int64_t x = 0; x < inner_.output_size; x += kStep) {
      const int64_t count = std::min(kStep, inner_.output_size - x);
      const bool whole = count == kStep && features == kFeatures;
      T* to = whole ? out + x : edge;
      const int64_t to_row = whole ? request_.output_feature_stride : kStep;
      if (count > kLanes<T>) {
        RowTile<T, 2>(tile, x, to, to_row);
      } else {
        RowTile<T, 1>(tile, x, to, to_row);
      }
      for (int64_t f = 0; f < features && !whole; ++f) {
        std::copy(edge + f * kStep, edge + f * kStep + count,
                  out + f * request_.output_feature_stride + x);
      }
    }
  }

  const ConvolutionRequest& request_;
  const ConvolutionDimension& inner_;
  int64_t group_features_, blocks_;
  int64_t outer_in_ = 1, outer_out_ = 1, outer_taps_ = 1;
  int64_t padded_ = 0, row_ = 0;  // sizes of the copied input: of a remainder's row, of all of them
  std::vector<int64_t> remainders_, taps_;
  T* input_ = nullptr;
  T* weights_ = nullptr;
};

}  // namespace

bool PrefersRows(const ConvolutionRequest& request, PrimitiveType compute) {
  if (request.spatial.empty() || request.batch_groups != 1 || IsComplex(request.input_type)) {
    return false;
  }
  const ConvolutionDimension& inner = request.spatial.back();
  const int64_t lanes = kVectorBytes / StorageBytes(compute);
  // A kernel much wider than the output would be copied more often than it is used.
  return StoredAs(request.output_type, compute) && inner.output_stride == 1 &&
         request.output_feature_stride != 1 && inner.base_dilation == 1 &&
         inner.output_size >= lanes / 2 &&
         (inner.kernel_size - 1) * inner.window_dilation <= 4 * inner.output_size;
}

template <typename T>
absl::Status ConvolutionByRows(const Parallel& parallel, const ConvolutionRequest& request) {
  return RowConvolution<T>(request).Run(parallel);
}
template absl::Status ConvolutionByRows<float>(const Parallel&, const ConvolutionRequest&);
template absl::Status ConvolutionByRows<double>(const Parallel&, const ConvolutionRequest&);

}  // namespace hlocts::kernels::HLOCTS_ISA
