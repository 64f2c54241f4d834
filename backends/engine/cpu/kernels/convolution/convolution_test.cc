// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/convolution/convolution.h"

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

// One spatial dimension. Its output size follows from these attributes.
struct Window {
  int64_t input, kernel, stride = 1, low = 0, high = 0, base = 1, dilation = 1;
  bool reversal = false;
};
// Layouts of input, kernel and output: NHWC, NCHW, and the layouts of gradients, CNHW and CHWN.
// With NHWC the kernel is HWIO. In other layouts the kernel's output feature dimension has the
// position of the batch dimension.
enum class Layout { kFeaturesLast, kFeaturesFirst, kBatchSecond, kBatchLast };

struct Case {
  std::vector<Window> spatial;
  int64_t batch, inputs, outputs, feature_groups = 1, batch_groups = 1;
  Layout layout = Layout::kFeaturesLast;
};

const Case kConvolutionCases[] = {
    {{{7, 3}, {9, 3}}, 2, 5, 33},
    {{{8, 3, 1, 1, 1}, {8, 3, 1, 1, 1}}, 1, 16, 64},
    {{{8, 3, 2, 0, 1}, {9, 2, 3, 1, 0}}, 3, 3, 4},
    {{{6, 3, 1, 2, 2, 2}, {5, 3, 1, 1, 1, 1, 2}}, 2, 4, 7},  // dilations
    // Dilated inputs: only holes under some taps, strides and dilations with and without a common
    // factor with the base dilation, reversed kernels.
    {{{7, 4, 1, 3, 2, 3, 1, true}, {6, 2, 2, 1, 3, 4, 1}}, 2, 3, 5},
    {{{9, 5, 3, 4, 0, 2, 2, true}, {5, 1, 1, -1, 2, 3, 1}}, 1, 4, 20},
    {{{6, 3, 4, 1, 5, 6, 3}, {8, 3, 1, 2, -2, 2, 3, true}}, 1, 6, 4, 2},
    {{{11, 3, 1, 1, 2, 2, 1}, {12, 3, 1, 1, 2, 2, 1}}, 2, 16, 48},
    {{{7, 3, 1, -1, -1}, {7, 3, 1, 1, -1}}, 1, 2, 3},  // negative padding
    {{{7, 3, 1, 0, 0, 1, 1, true}, {6, 2, 1, 0, 0, 1, 1, true}}, 1, 2, 3},
    {{{7, 3}, {9, 3}}, 2, 6, 8, 2},                       // feature groups
    {{{7, 3, 1, 1, 1}, {9, 3, 1, 1, 1}}, 2, 70, 70, 70},  // depthwise
    {{{7, 3}, {9, 3}}, 2, 5, 10, 5},                      // depth multiplier
    {{{5, 3}}, 6, 2, 9, 1, 3},                            // batch groups
    {{{7, 3}, {9, 3}}, 2, 5, 33, 1, 1, Layout::kFeaturesFirst},
    {{{7, 3, 1, 1, 1}, {9, 3, 1, 1, 1}}, 2, 12, 12, 12, 1, Layout::kFeaturesFirst},
    // These rows are long enough for vectors.
    {{{6, 3, 1, 1, 1}, {40, 3, 1, 1, 1}}, 2, 3, 11, 1, 1, Layout::kFeaturesFirst},
    {{{7, 3, 2, 0, 1}, {35, 4, 1, 2, 3, 1, 3}}, 2, 4, 10, 2, 1, Layout::kFeaturesFirst},
    {{{5, 2, 1, 1, 1, 2, 2, true}, {37, 3, 1, -2, 4, 1, 1, true}},
     1,
     2,
     9,
     1,
     1,
     Layout::kFeaturesFirst},
    {{{50, 5, 1, 2, 2}}, 3, 6, 6, 6, 1, Layout::kFeaturesFirst},
    {{{9, 3, 2, 1, 1}, {64, 5, 2, 1, 2}}, 2, 3, 9, 1, 1, Layout::kFeaturesFirst},
    {{{4, 1}, {75, 3, 4, -3, 2, 1, 3, true}}, 2, 2, 5, 1, 1, Layout::kFeaturesFirst},
    {{{70, 2, 5, 60, 90}}, 2, 3, 4, 1, 1, Layout::kFeaturesFirst},
    {{{7, 1, 2}, {61, 1, 2}}, 2, 9, 17, 1, 1, Layout::kFeaturesFirst},
    // Planes whose rows are contiguous, tiles with one, few and many features, and dilated inputs
    // that are split into phases.
    {{{7, 3, 1, 1, 1}, {7, 3, 1, 1, 1}}, 3, 5, 19, 1, 1, Layout::kFeaturesFirst},
    {{{14, 3, 1, 1, 1}, {14, 3, 1, 1, 1}}, 2, 4, 3, 1, 1, Layout::kFeaturesFirst},
    {{{9, 3, 2, 1, 1}, {14, 1}}, 2, 4, 8, 4, 1, Layout::kFeaturesFirst},
    {{{20, 3, 2, 1, 1, 1, 2, true}, {17, 5, 2, 2, 2}}, 1, 8, 24, 2, 1, Layout::kFeaturesFirst},
    {{{5, 3, 1, 1, 1}, {9, 2, 1, 1, 0}, {18, 3, 1, 1, 1}}, 1, 3, 8, 1, 1, Layout::kFeaturesFirst},
    {{{9, 3, 1, 2, 2, 2}, {20, 3, 1, 1, 2, 2}}, 2, 5, 3, 1, 1, Layout::kFeaturesFirst},
    {{{14, 3, 1, 1, 2, 2, 1, true}, {14, 3, 1, 1, 2, 2, 1, true}},
     2,
     6,
     10,
     1,
     1,
     Layout::kFeaturesFirst},
    // Elements that are adjacent in memory but not in packed copies: few outputs, and kernels as
    // large as the input.
    {{{7, 3}, {5, 3}}, 2, 20, 37, 1, 1, Layout::kFeaturesFirst},
    {{{7, 3, 1, 0, 0, 1, 1, true}, {20, 18, 1, 0, 0, 1, 1, true}},
     2,
     18,
     33,
     1,
     1,
     Layout::kFeaturesFirst},
    {{{9, 1}, {4, 1}}, 2, 20, 18, 2, 1, Layout::kFeaturesFirst},
    {{{9, 9, 1, 1, 1}, {18, 18, 1, 1, 1}}, 5, 17, 34, 1, 1, Layout::kBatchSecond},
    {{{9, 4, 1, 1, 2, 1, 2}, {9, 4, 1, 1, 2, 1, 2}}, 18, 3, 20, 1, 1, Layout::kBatchSecond},
    {{{9, 9, 1, 1, 1}, {18, 18, 1, 1, 1}}, 19, 4, 35, 1, 1, Layout::kBatchLast},
    {{{5, 3}, {20, 3}}, 6, 2, 9, 1, 3, Layout::kBatchSecond},
    {{{4, 2}, {4, 2}, {4, 3}}, 1, 2, 5},  // three spatial dimensions
    {{}, 3, 4, 5},                        // no spatial dimension
    {{{56, 56}, {56, 56}}, 1, 2, 3},      // a kernel as large as the input
};

int64_t OutputSize(const Window& w) {
  const int64_t dilated = (w.input - 1) * w.base + 1 + w.low + w.high;
  return (dilated - ((w.kernel - 1) * w.dilation + 1)) / w.stride + 1;
}

// The strides of a dense array.
struct Strides {
  int64_t batch, feature, count;
  std::vector<int64_t> spatial;
};

Strides StridesOf(int64_t batch, int64_t features, const std::vector<int64_t>& spatial,
                  Layout layout) {
  Strides s;
  s.spatial.resize(spatial.size());
  int64_t at = 1;
  const auto take = [&](int64_t size) { return std::exchange(at, at * size); };
  if (layout == Layout::kFeaturesLast) s.feature = take(features);
  if (layout == Layout::kBatchLast) s.batch = take(batch);
  for (size_t d = spatial.size(); d-- > 0;) s.spatial[d] = take(spatial[d]);
  if (layout == Layout::kFeaturesFirst) s.feature = take(features);
  if (layout != Layout::kBatchLast) s.batch = take(batch);
  if (layout == Layout::kBatchSecond || layout == Layout::kBatchLast) s.feature = take(features);
  s.count = at;
  return s;
}

struct Layouts {
  Strides input, kernel, output;
  std::vector<int64_t> kernel_sizes, output_sizes;
};

ConvolutionRequest RequestOf(const Case& c, Layouts& layouts) {
  ConvolutionRequest request;
  std::vector<int64_t> input_sizes;
  for (const Window& w : c.spatial) {
    input_sizes.push_back(w.input);
    layouts.kernel_sizes.push_back(w.kernel);
    layouts.output_sizes.push_back(OutputSize(w));
  }
  request.batch = c.batch;
  request.input_features = c.inputs;
  request.kernel_inputs = c.inputs / c.feature_groups;
  request.output_features = c.outputs;
  request.feature_groups = c.feature_groups;
  request.batch_groups = c.batch_groups;
  layouts.input = StridesOf(c.batch, c.inputs, input_sizes, c.layout);
  layouts.output = StridesOf(c.batch / c.batch_groups, c.outputs, layouts.output_sizes, c.layout);
  // HWIO is spatial, input, output. In other layouts the output feature has the batch's position.
  const int64_t in = request.kernel_inputs;
  if (c.layout != Layout::kFeaturesLast) {
    layouts.kernel = StridesOf(c.outputs, in, layouts.kernel_sizes, c.layout);
    request.kernel_output_stride = layouts.kernel.batch;
    request.kernel_input_stride = layouts.kernel.feature;
  } else {
    layouts.kernel = StridesOf(1, in * c.outputs, layouts.kernel_sizes, c.layout);
    request.kernel_output_stride = 1;
    request.kernel_input_stride = c.outputs;
  }
  for (size_t d = 0; d < c.spatial.size(); ++d) {
    const Window& w = c.spatial[d];
    request.spatial.push_back({w.input, w.kernel, layouts.output_sizes[d], layouts.input.spatial[d],
                               layouts.kernel.spatial[d], layouts.output.spatial[d], w.stride,
                               w.low, w.base, w.dilation, w.reversal});
  }
  request.input_batch_stride = layouts.input.batch;
  request.input_feature_stride = layouts.input.feature;
  request.output_batch_stride = layouts.output.batch;
  request.output_feature_stride = layouts.output.feature;
  return request;
}

template <typename Wide>
std::vector<Wide> Sums(const Case& c, const ConvolutionRequest& r, const Layouts& layouts,
                       const std::vector<Wide>& input, const std::vector<Wide>& kernel) {
  std::vector<Wide> result(layouts.output.count);
  std::vector<int64_t> loops = {c.batch / c.batch_groups, c.outputs};
  loops.insert(loops.end(), layouts.output_sizes.begin(), layouts.output_sizes.end());
  std::vector<int64_t> taps = {r.kernel_inputs};
  taps.insert(taps.end(), layouts.kernel_sizes.begin(), layouts.kernel_sizes.end());
  ForEachIndexOf(loops, [&](const std::vector<int64_t>& out) {
    const int64_t group = out[1] / (c.outputs / (c.feature_groups * c.batch_groups));
    const int64_t batch = out[0] + (c.batch_groups > 1 ? group * loops[0] : 0);
    int64_t at = out[0] * r.output_batch_stride + out[1] * r.output_feature_stride;
    for (size_t d = 0; d < c.spatial.size(); ++d) at += out[2 + d] * r.spatial[d].output_stride;
    Wide sum(0);
    ForEachIndexOf(taps, [&](const std::vector<int64_t>& tap) {
      const int64_t feature = tap[0] + (c.feature_groups > 1 ? group * r.kernel_inputs : 0);
      int64_t in = batch * r.input_batch_stride + feature * r.input_feature_stride;
      int64_t k = tap[0] * r.kernel_input_stride + out[1] * r.kernel_output_stride;
      for (size_t d = 0; d < c.spatial.size(); ++d) {
        const Window& w = c.spatial[d];
        const int64_t i = out[2 + d] * w.stride + tap[1 + d] * w.dilation - w.low;
        if (i < 0 || i % w.base != 0 || i / w.base >= w.input) return;
        in += i / w.base * r.spatial[d].input_stride;
        const int64_t position = w.reversal ? w.kernel - 1 - tap[1 + d] : tap[1 + d];
        k += position * r.spatial[d].kernel_stride;
      }
      sum += input[in] * kernel[k];
    });
    result[at] = sum;
  });
  return result;
}

// Caches the expected sums of each case. Types whose test elements are equal share them.
template <typename Wide>
std::vector<std::vector<Wide>>& KnownSums() {
  static auto* known = new std::vector<std::vector<Wide>>(std::size(kConvolutionCases));
  return *known;
}

template <typename T>
const std::vector<WideOf<T>>& Expected(size_t i, const ConvolutionRequest& request,
                                       const Layouts& layouts, const std::vector<T>& input,
                                       const std::vector<T>& kernel) {
  static_assert(!std::is_unsigned_v<T>);
  std::vector<WideOf<T>>& sums = KnownSums<WideOf<T>>()[i];
  if (sums.empty()) {
    sums = Sums(kConvolutionCases[i], request, layouts, Widened(input), Widened(kernel));
  }
  return sums;
}

template <PrimitiveType kIn, PrimitiveType kOut>
void CheckExact() {
  for (size_t i = 0; i < std::size(kConvolutionCases); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " of " << PrimitiveTypeName(kIn));
    const Case& c = kConvolutionCases[i];
    Layouts layouts;
    ConvolutionRequest request = RequestOf(c, layouts);
    const auto input = RandomElements<NativeOf<kIn>>(layouts.input.count, 1);
    const auto kernel =
        RandomElements<NativeOf<kIn>>(std::max(layouts.kernel.count, c.inputs * c.outputs), 2);
    const auto expected = Narrowed<NativeOf<kOut>>(Expected(i, request, layouts, input, kernel));
    std::vector<NativeOf<kOut>> output(expected.size());
    request.input_type = request.kernel_type = kIn;
    request.output_type = kOut;
    request.input = input.data();
    request.kernel = kernel.data();
    request.output = output.data();
    ForEachIsa([&] {
      std::fill(output.begin(), output.end(), NativeOf<kOut>(1));
      ASSERT_TRUE(Convolution(Parallel(), request).ok());
      EXPECT_EQ(Differences(output, expected), 0);
    });
  }
}

using T = PrimitiveType;

TEST(ConvolutionTest, F32) { CheckExact<T::kF32, T::kF32>(); }
TEST(ConvolutionTest, F64) { CheckExact<T::kF64, T::kF64>(); }
TEST(ConvolutionTest, Bf16) {
  FlushedAndNot([] {
    CheckExact<T::kBF16, T::kBF16>();
    CheckExact<T::kBF16, T::kF32>();
  });
}
TEST(ConvolutionTest, Integers) {
  CheckExact<T::kS8, T::kS32>();
  CheckExact<T::kS64, T::kS64>();
}
TEST(ConvolutionTest, Complex) { CheckExact<T::kC64, T::kC64>(); }

TEST(ConvolutionTest, NoTermsGiveZeroAndBadGroupsAnError) {
  std::vector<float> output(12, 3.0f);
  ConvolutionRequest request;
  request.batch = 3;
  request.input_features = request.kernel_inputs = 0;
  request.output_features = 4;
  request.output_batch_stride = 4;
  request.output_feature_stride = 1;
  request.output = output.data();
  ASSERT_TRUE(Convolution(Parallel(), request).ok());
  EXPECT_EQ(output, std::vector<float>(12, 0.0f));
  request.feature_groups = 3;
  EXPECT_EQ(Convolution(Parallel(), request).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hlocts::kernels
