// SPDX-License-Identifier: Apache-2.0
// Convolution by matrix products: the input elements under a block of outputs are packed as a
// matrix, with zeros for padding and holes (between dilated elements), and multiplied by the
// kernel. Convolutions of f32 with adjacent features use direct.h instead.
#include "backends/engine/cpu/kernels/convolution/convolution.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution_phases.h"
#include "backends/engine/cpu/kernels/convolution/direct.h"
#include "backends/engine/cpu/kernels/convolution/pixel_grid.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/division.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels {
namespace {

absl::Status CheckGroups(const ConvolutionRequest& request) {
  const int64_t features = request.feature_groups, batches = request.batch_groups;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    return InvalidInput("convolution: expected feature or batch groups, not both, found ", features,
                        " and ", batches);
  }
  if (request.batch % batches != 0 || request.output_features % (features * batches) != 0 ||
      request.kernel_inputs * features != request.input_features) {
    return InvalidInput("convolution: the groups do not divide the features or the batch");
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const ConvolutionRequest& request, int64_t& outputs, int64_t& inputs) {
  absl::InlinedVector<int64_t, 6> out = {request.batch / request.batch_groups,
                                         request.output_features};
  absl::InlinedVector<int64_t, 6> in = {request.batch, request.input_features};
  absl::InlinedVector<int64_t, 6> kernel = {request.kernel_inputs, request.output_features};
  for (const ConvolutionDimension& d : request.spatial) {
    if (d.window_stride < 1 || d.base_dilation < 1 || d.window_dilation < 1) {
      return InvalidInput("convolution: expected strides and dilations of at least 1");
    }
    out.push_back(d.output_size);
    in.push_back(d.input_size);
    kernel.push_back(d.kernel_size);
  }
  int64_t weights = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(out, outputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(in, inputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(kernel, weights));
  if (weights == 0) inputs = 0;
  return absl::OkStatus();
}

// Fills the output with zeros. Is used if the sums have no terms.
void ClearOutput(const ConvolutionRequest& request) {
  LoopNest<1> loops = {{request.batch / request.batch_groups, {request.output_batch_stride}},
                       {request.output_features, {request.output_feature_stride}}};
  for (const ConvolutionDimension& d : request.spatial) {
    loops.push_back({d.output_size, {d.output_stride}});
  }
  const int bytes = StorageBytes(request.output_type);
  LoopWalk<1> walk(loops, 0);
  for (int64_t i = 0; i < LoopCount(loops); ++i, walk.Next()) {
    char* to = static_cast<char*>(request.output) + walk.offset(0) * bytes;
    std::fill(to, to + bytes, 0);
  }
}

// The input elements under the outputs, packed as a matrix: [pixel][tap][channel] if channels are
// adjacent in the input, else [channel][tap][pixel]. The batch is one more spatial dimension, with
// one tap: the innermost one if batch entries are adjacent.
class Patches : public PixelGrid {
 public:
  explicit Patches(const ConvolutionRequest& request)
      : Patches(request, request.input_feature_stride == 1 && request.input_features > 1) {}

  bool features_last() const { return features_last_; }

  int64_t depth() const { return taps * channels; }

  // Packs the elements under outputs [first, first + count) of a group.
  template <typename T>
  void Fill(int64_t group, int64_t first, int64_t count, T* to) const {
    const T* from = static_cast<const T*>(request.input) + GroupShift(group);
    const int64_t inner_taps = taps / outer_taps;
    ForEachRow(
        first, count, [&](int64_t outer, int64_t offset, int64_t column, int64_t p, int64_t run) {
          const T* at = offset < 0 ? nullptr : from + offset;
          for (int64_t i = 0; channels_last_ && i < run; ++i) {
            FillTaps(at, column + i, to + ((p + i) * taps + outer * inner_taps) * channels);
          }
          for (int64_t c = 0; !channels_last_ && c < channels; ++c) {
            for (int64_t k = 0; k < inner_taps; ++k) {
              const T* line = at == nullptr ? at : at + c * request.input_feature_stride;
              FillRow(line, k, column, run, to + (c * taps + outer * inner_taps + k) * count + p);
            }
          }
        });
  }

  // Multiplies a packed block by the kernel. The result is [pixel][feature] or [feature][pixel].
  absl::Status Multiply(const Parallel& parallel, int64_t group, int64_t count, const void* patches,
                        void* product) const {
    // The contracting dimensions, in the order of the packed matrix, then the free dimension.
    absl::InlinedVector<int64_t, 6> sizes, kernel_strides, patch_strides, summed;
    const auto add = [&](int64_t size, int64_t kernel_stride) {
      sizes.push_back(size);
      kernel_strides.push_back(kernel_stride);
    };
    int64_t start = group * features * request.kernel_output_stride;
    if (!channels_last_) add(channels, request.kernel_input_stride);
    for (const ConvolutionDimension& d : spatial) {
      if (d.reversal) start += (d.kernel_size - 1) * d.kernel_stride;
      add(d.kernel_size, d.reversal ? -d.kernel_stride : d.kernel_stride);
    }
    if (channels_last_) add(channels, request.kernel_input_stride);
    patch_strides.assign(sizes.size(), channels_last_ ? 1 : count);
    for (size_t d = sizes.size() - 1; d-- > 0;) {
      patch_strides[d] = patch_strides[d + 1] * sizes[d + 1];
    }
    for (size_t d = 0; d < sizes.size(); ++d) summed.push_back(static_cast<int64_t>(d));
    absl::InlinedVector<int64_t, 6> kernel_sizes = sizes;
    kernel_sizes.push_back(features);
    kernel_strides.push_back(request.kernel_output_stride);
    sizes.push_back(count);
    patch_strides.push_back(channels_last_ ? depth() : 1);
    const DotOperand left = {patches, request.input_type, sizes, patch_strides, {}, summed};
    const DotOperand right = {
        static_cast<const char*>(request.kernel) + start * StorageBytes(request.kernel_type),
        request.kernel_type,
        kernel_sizes,
        kernel_strides,
        {},
        summed};
    return features_last_ ? Dot(parallel, {left, right, request.output_type, product})
                          : Dot(parallel, {right, left, request.output_type, product});
  }

  // Returns true if the product of a block has the layout of the output and need not be copied. If
  // features come first, a block must consist of whole images.
  bool IsDense(int64_t count) const {
    int64_t stride = features_last_ ? request.output_features : 1, size = 1;
    if (request.output_feature_stride != (features_last_ ? 1 : count)) return false;
    for (size_t d = spatial.size(); d-- > 0 && (features_last_ || size < count);) {
      if (spatial[d].output_size != 1 && spatial[d].output_stride != stride) return false;
      stride *= spatial[d].output_size;
      size *= spatial[d].output_size;
    }
    return features_last_ ? groups == 1 : size == count;
  }
  // Copies the product of a block to the output.
  template <typename T>
  void Spread(int64_t group, int64_t first, int64_t count, const T* product) const {
    T* to = static_cast<T*>(request.output);
    const int64_t pixel_step = features_last_ ? features : 1;
    const int64_t feature_step = features_last_ ? 1 : count;
    for (int64_t p = 0; p < count; ++p) {
      const int64_t offset = OutputOffset(group, first + p);
      for (int64_t f = 0; f < features; ++f) {
        to[offset + f * request.output_feature_stride] = product[p * pixel_step + f * feature_step];
      }
    }
  }

 private:
  Patches(const ConvolutionRequest& request, bool channels_last)
      : PixelGrid(request, !channels_last && request.input_batch_stride == 1 &&
                               request.batch > request.batch_groups),
        channels_last_(channels_last),
        features_last_(request.output_feature_stride == 1) {}

  // Packs the channels under the innermost taps of output j. If these taps are adjacent in the
  // input, one copy is enough.
  template <typename T>
  void FillTaps(const T* from, int64_t j, T* to) const {
    const ConvolutionDimension& d = spatial.back();
    const bool adjacent = d.input_stride == channels && d.window_dilation == 1 &&
                          d.base_dilation == 1 && d.kernel_size > 1;
    const int64_t together = adjacent ? d.kernel_size : 1;
    for (int64_t k = 0; k < d.kernel_size; k += together, to += together * channels) {
      int64_t begin = 0, end = together, place;
      if (adjacent) {
        place = j * d.window_stride - d.padding_low;
        begin = std::clamp<int64_t>(-place, 0, together);
        end = std::clamp(d.input_size - place, begin, together);
        place += begin;
      } else {
        place = Place(d, j, k);
        if (place < 0) end = 0;
      }
      if (from == nullptr) begin = end = 0;
      std::fill(to, to + begin * channels, T{});
      if (begin < end) {
        std::copy_n(from + place * d.input_stride, (end - begin) * channels, to + begin * channels);
      }
      std::fill(to + end * channels, to + together * channels, T{});
    }
  }

  // Packs one channel under tap k of outputs [j, j + count) of a row.
  template <typename T>
  void FillRow(const T* from, int64_t k, int64_t j, int64_t count, T* to) const {
    const ConvolutionDimension& d = spatial.back();
    if (from == nullptr) {
      std::fill(to, to + count, T{});
      return;
    }
    if (d.base_dilation == 1) {
      const int64_t place = j * d.window_stride + k * d.window_dilation - d.padding_low;
      const int64_t begin = std::clamp<int64_t>(CeilDiv(-place, d.window_stride), 0, count);
      const int64_t end = std::clamp(CeilDiv(d.input_size - place, d.window_stride), begin, count);
      const int64_t step = d.window_stride * d.input_stride;
      std::fill(to, to + begin, T{});
      from += place * d.input_stride;
      if (step == 1) {
        std::copy(from + begin, from + end, to + begin);
      } else {
        for (int64_t i = begin; i < end; ++i) to[i] = from[i * step];
      }
      std::fill(to + end, to + count, T{});
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = Place(d, j + i, k);
      to[i] = place < 0 ? T{} : from[place * d.input_stride];
    }
  }

  const bool channels_last_;  // layout of the packed matrix
  const bool features_last_;  // layout of the products
};

// Returns the number of outputs to pack at a time: enough that packing the kernel pays off, and so
// few that they stay in a cache.
int64_t BlockOf(const ConvolutionRequest& request, const Patches& patches) {
  constexpr int64_t kBytes = 256 << 10, kLeast = 192;
  const int64_t row = patches.depth() * StorageBytes(request.input_type);
  const int64_t most = std::max(kLeast, kBytes / row);
  int64_t whole = patches.pixels;
  if (!patches.features_last() && !patches.batch_inside && whole > most) {
    const int64_t image = whole / (request.batch / request.batch_groups);
    if (image <= 4 * most) return image;
    whole = image;  // an image is divided into equal blocks
  }
  const int64_t pieces = (whole + most - 1) / most;
  return (whole + pieces - 1) / pieces;
}

absl::Status Run(const Parallel& parallel, const ConvolutionRequest& request) {
  const Patches patches(request);
  if (IsDirect(patches)) return RunDirect(parallel, patches);
  const int64_t block = BlockOf(request, patches);
  const int64_t blocks = (patches.pixels + block - 1) / block;
  const int64_t in_width = StorageBytes(request.input_type);
  const int64_t out_width = StorageBytes(request.output_type);
  const int64_t patch_bytes = block * patches.depth() * in_width;
  const int64_t bytes = patch_bytes + block * patches.features * out_width + 64;
  const auto run = [&](const Parallel& pool, int64_t unit) -> absl::Status {
    const int64_t group = unit / blocks, first = unit % blocks * block;
    const int64_t count = std::min(block, patches.pixels - first);
    const Scratch memory(bytes);
    if (!memory.ok()) return OutOfScratch(bytes);
    char* filled = memory.As<char>();
    VisitWidth(static_cast<int>(in_width), [&](auto zero) {
      patches.Fill(group, first, count, reinterpret_cast<decltype(zero)*>(filled));
    });
    if (patches.IsDense(count)) {
      char* to = static_cast<char*>(request.output);
      return patches.Multiply(pool, group, count, filled,
                              to + patches.OutputOffset(group, first) * out_width);
    }
    char* product = filled + (patch_bytes + 63) / 64 * 64;
    HLOCTS_RETURN_IF_ERROR(patches.Multiply(pool, group, count, filled, product));
    VisitWidth(static_cast<int>(out_width), [&](auto zero) {
      patches.Spread(group, first, count, reinterpret_cast<const decltype(zero)*>(product));
    });
    return absl::OkStatus();
  };
  const int64_t units = patches.groups * blocks;
  if (units < parallel.threads()) {
    for (int64_t u = 0; u < units; ++u) HLOCTS_RETURN_IF_ERROR(run(parallel, u));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  const double cost = 0.05 * static_cast<double>(block * patches.depth() * patches.features);
  parallel.For(units, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      if (!run(Parallel(1), unit).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(bytes) : absl::OkStatus();
}

}  // namespace

absl::Status Convolution(const Parallel& parallel, const ConvolutionRequest& request) {
  if (!DotSupported(request.input_type, request.kernel_type, request.output_type)) {
    return Unsupported("convolution of ", PrimitiveTypeName(request.input_type), " and ",
                       PrimitiveTypeName(request.kernel_type), " to ",
                       PrimitiveTypeName(request.output_type), " is not supported");
  }
  HLOCTS_RETURN_IF_ERROR(CheckGroups(request));
  int64_t outputs = 0, inputs = 0;
  HLOCTS_RETURN_IF_ERROR(CheckSizes(request, outputs, inputs));
  if (outputs == 0) return absl::OkStatus();
  if (inputs > 0) {
    const bool zero_exists = request.output_type != PrimitiveType::kF8E8M0FNU;
    const auto phases = zero_exists ? PhasesOf(request) : std::vector<ConvolutionRequest>();
    if (phases.empty()) return Run(parallel, request);
    for (const ConvolutionRequest& phase : phases) {
      HLOCTS_RETURN_IF_ERROR(Convolution(parallel, phase));
    }
    return absl::OkStatus();
  }
  if (request.output_type == PrimitiveType::kF8E8M0FNU) {
    return Unsupported("convolution: f8e8m0fnu cannot represent an empty sum");
  }
  ClearOutput(request);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
