// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/convolution/convolution_phases.h"

#include <numeric>

namespace hlocts::kernels {
namespace {

constexpr int64_t kPhasesMax = 64;

// Return the number of outputs (or taps) after which the position modulo base_dilation repeats.
int64_t OutputPeriod(const ConvolutionDimension& d) {
  return d.base_dilation / std::gcd(d.base_dilation, d.window_stride);
}
int64_t TapPeriod(const ConvolutionDimension& d) {
  return d.base_dilation / std::gcd(d.base_dilation, d.window_dilation);
}

struct Phase {
  ConvolutionDimension dimension;
  int64_t kernel_offset = 0, output_offset = 0;  // in elements
};

// Returns the phase of outputs number, number + period, ... For output `number`, tap k is at
// position number * stride + k * window_dilation - padding_low of the dilated input. This position
// is an element of the input if it is a multiple of base_dilation.
Phase PhaseOf(const ConvolutionDimension& d, int64_t number) {
  const int64_t outputs = OutputPeriod(d), taps = TapPeriod(d);
  const auto place = [&](int64_t tap) {
    return number * d.window_stride + tap * d.window_dilation - d.padding_low;
  };
  Phase phase = {d, 0, number * d.output_stride};
  ConvolutionDimension& part = phase.dimension;
  part.base_dilation = 1;
  part.window_stride = d.window_stride * outputs / d.base_dilation;
  part.window_dilation = d.window_dilation * taps / d.base_dilation;
  part.output_size = (d.output_size - number + outputs - 1) / outputs;
  part.output_stride = d.output_stride * outputs;
  int64_t first = 0;
  while (first < taps && place(first) % d.base_dilation != 0) ++first;
  if (first == taps || first >= d.kernel_size) {
    part.kernel_size = 0;
    return phase;
  }
  part.padding_low = -(place(first) / d.base_dilation);
  part.kernel_size = (d.kernel_size - first + taps - 1) / taps;
  part.kernel_stride = d.kernel_stride * taps;
  // With reversal, the last tap of the phase has the lowest offset in the kernel.
  const int64_t last = first + (part.kernel_size - 1) * taps;
  phase.kernel_offset = (d.reversal ? d.kernel_size - 1 - last : first) * d.kernel_stride;
  return phase;
}

}  // namespace

std::vector<ConvolutionRequest> PhasesOf(const ConvolutionRequest& request) {
  int64_t count = 1;
  bool dilated = false;
  for (const ConvolutionDimension& d : request.spatial) {
    const int64_t period = OutputPeriod(d);
    if (period > kPhasesMax / count) return {};
    count *= period;
    dilated = dilated || d.base_dilation > 1;
  }
  if (!dilated) return {};
  std::vector<ConvolutionRequest> phases;
  for (int64_t number = 0; number < count; ++number) {
    ConvolutionRequest phase = request;
    int64_t left = number, kernel = 0, output = 0;
    bool has_outputs = true;
    for (ConvolutionDimension& d : phase.spatial) {
      const int64_t period = OutputPeriod(d), own = left % period;
      left /= period;
      has_outputs = has_outputs && own < d.output_size;
      const Phase part = PhaseOf(d, own);
      d = part.dimension;
      kernel += part.kernel_offset;
      output += part.output_offset;
    }
    if (!has_outputs) continue;
    phase.kernel =
        static_cast<const char*>(request.kernel) + kernel * StorageBytes(request.kernel_type);
    phase.output = static_cast<char*>(request.output) + output * StorageBytes(request.output_type);
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace hlocts::kernels
