// SPDX-License-Identifier: Apache-2.0
// ConvolutionPlan as loops of the host.
#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {
namespace {

// Where elements lie: channels before or behind the pixels.
struct Places {
  bool last;
  int64_t channels, pixels;
  int64_t At(int64_t outer, int64_t channel, int64_t pixel) const {
    return last ? (outer * pixels + pixel) * channels + channel
                : (outer * channels + channel) * pixels + pixel;
  }
};

int64_t Count(const int64_t* sizes, int spatial) {
  int64_t count = 1;
  for (int d = 0; d < spatial; ++d) count *= sizes[d];
  return count;
}

// The pixel and the weight that tap t of a window at `place` meets; false: it is beside the image.
bool Meet(const ConvolutionPlan& p, const int64_t* place, int64_t t, int64_t& pixel, int64_t& tap) {
  int64_t scale = 1, weight = 1;
  pixel = tap = 0;
  for (int d = p.spatial; d-- > 0;) {
    const int64_t k = t % p.taps[d];
    t /= p.taps[d];
    const int64_t at = place[d] * p.stride[d] + k * p.dilation[d] - p.padding[d];
    if (at < 0 || at >= p.input[d]) return false;
    pixel += at * scale;
    scale *= p.input[d];
    tap += (p.flipped != 0 ? p.taps[d] - 1 - k : k) * weight;
    weight *= p.taps[d];
  }
  return true;
}

class Convolution {
 public:
  Convolution(const ConvolutionPlan& p, const void* x, const void* w)
      : p_(p),
        x_(x),
        w_(w),
        images_{p.channels_last != 0, p.channels, Count(p.input, p.spatial)},
        weights_{p.channels_last != 0, p.channels / p.groups, Count(p.taps, p.spatial)},
        sum_type_(p.type == hl::kF64 ? hl::kF64 : hl::kF32) {}

  void Store(int64_t image, int64_t feature, int64_t pixel, void* y, int64_t at) const {
    int64_t place[3];
    for (int d = p_.spatial; d-- > 0; pixel /= p_.output[d]) place[d] = pixel % p_.output[d];
    hl::Value sum = hl::Zero(sum_type_);
    for (int64_t t = 0; t < weights_.pixels; ++t) AddTap(image, feature, place, t, sum);
    hl::StoreSum(sum_type_, p_.type, y, at, sum);
  }

 private:
  void AddTap(int64_t image, int64_t feature, const int64_t* place, int64_t t,
              hl::Value& sum) const {
    int64_t pixel, tap;
    if (!Meet(p_, place, t, pixel, tap)) return;
    const int64_t first = feature / (p_.features / p_.groups) * weights_.channels;
    for (int64_t c = 0; c < weights_.channels; ++c) {
      hl::Accumulate(sum_type_, sum, Widened(x_, images_.At(image, first + c, pixel)),
                     Widened(w_, weights_.At(feature, c, tap)));
    }
  }
  hl::Value Widened(const void* array, int64_t at) const {
    return hl::Widened(p_.type, sum_type_, hl::Load(p_.type, array, at));
  }

  const ConvolutionPlan& p_;
  const void *x_, *w_;
  const Places images_, weights_;
  const int sum_type_;  // products of f16 and bf16 are exact in f32
};

}  // namespace

bool RunHostConvolution(const ConvolutionPlan& p, const void* x, const void* w, void* y) {
  const Convolution convolution(p, x, w);
  const Places results = {p.channels_last != 0, p.features, Count(p.output, p.spatial)};
  for (int64_t image = 0; image < p.images; ++image) {
    for (int64_t feature = 0; feature < p.features; ++feature) {
      for (int64_t pixel = 0; pixel < results.pixels; ++pixel) {
        convolution.Store(image, feature, pixel, y, results.At(image, feature, pixel));
      }
    }
  }
  return true;
}

}  // namespace hlocts::cuda
