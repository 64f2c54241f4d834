// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/ops/image_convolution.h"

#include <algorithm>
#include <limits>

#include "spec/infer/dimension_numbers.h"

namespace hlocts::cuda {
namespace {

bool IsTaken(int type) {
  return type == hl::kF32 || type == hl::kF64 || type == hl::kF16 || type == hl::kBF16;
}

// Sets `cast` to copy an array to packed dimensions in this order, or if `back`, to copy it back.
bool SetOrder(const plan::ArrayType& type, const std::vector<int64_t>& order, bool back,
              hl::CastArgs& cast) {
  const std::vector<int64_t> strides = Strides(type.dimensions);
  plan::View view;
  if (!back) {
    for (int64_t d : order) view.dimensions.push_back({type.dimensions[d], strides[d]});
  } else {
    std::vector<int64_t> packed(order.size());
    int64_t stride = 1;
    for (size_t k = order.size(); k-- > 0;) {
      packed[order[k]] = stride;
      stride *= type.dimensions[order[k]];
    }
    for (size_t d = 0; d < order.size(); ++d)
      view.dimensions.push_back({type.dimensions[d], packed[d]});
  }
  auto place = DeviceView(view);
  if (!place.ok()) return false;
  cast.view = *place;
  cast.from = cast.to = TypeNumber(type.type);
  return true;
}

std::vector<int64_t> Order(int64_t first, int64_t second, absl::Span<const int64_t> rest) {
  std::vector<int64_t> order = {first, second};
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

// Sets the plan's padding. If no library supports this padding, plans a padded copy of the image.
void SetPadding(const Window* given, ConvolutionJob& job) {
  ConvolutionPlan& p = job.plan;
  int64_t low[3] = {}, high[3] = {}, holes[3] = {};
  for (int d = 0; d < p.spatial; ++d) {
    const bool named = given != nullptr && static_cast<size_t>(d) < given->dimensions.size();
    const WindowDimension w = named ? given->dimensions[d] : WindowDimension();
    low[d] = w.padding_low;
    high[d] = w.padding_high;
    holes[d] = w.base_dilation - 1;
    p.stride[d] = w.stride;
    p.dilation[d] = w.window_dilation;
    job.pads = job.pads || low[d] != high[d] || low[d] < 0 || holes[d] != 0;
  }
  if (!job.pads) {
    std::copy(low, low + 3, p.padding);
    return;
  }
  job.pad.bytes = hl::BytesOf(p.type);
  job.pad.shape.rank = p.spatial + 2;
  job.pad.shape.size[0] = job.pad.shape.operand[0] = p.images;
  job.pad.shape.size[1] = job.pad.shape.operand[1] = p.channels;
  int64_t stride = 1;
  for (int d = p.spatial; d-- > 0;) {
    job.pad.shape.operand[d + 2] = p.input[d];
    job.pad.shape.stride[d + 2] = stride;
    job.pad.shape.low[d + 2] = low[d];
    job.pad.shape.interior[d + 2] = holes[d];
    stride *= p.input[d];
    const int64_t dilated = p.input[d] == 0 ? 0 : (p.input[d] - 1) * (holes[d] + 1) + 1;
    p.input[d] = job.pad.shape.size[d + 2] = low[d] + dilated + high[d];
  }
  job.pad.shape.stride[1] = stride;
  job.pad.shape.stride[0] = stride * p.channels;
  job.padded_elements = p.images * p.channels;
  for (int d = 0; d < p.spatial; ++d) job.padded_elements *= p.input[d];
}

bool IsInOrder(const hl::View& view) {
  return view.rank == 0 || (view.rank == 1 && view.stride[0] == 1);
}

std::vector<int64_t> LastOrder(int64_t first, absl::Span<const int64_t> rest, int64_t last) {
  std::vector<int64_t> order = {first};
  order.insert(order.end(), rest.begin(), rest.end());
  order.push_back(last);
  return order;
}

// Returns false if the rank is more than a kernel supports.
bool SetChannelsLast(const ConvolutionDimensionNumbers& n, const plan::ArrayType& lhs,
                     const plan::ArrayType& rhs, const plan::ArrayType& out, ConvolutionJob& job) {
  hl::CastArgs image = {}, result = {};
  const bool ordered =
      SetOrder(lhs, LastOrder(n.input_batch, n.input_spatial, n.input_feature), false, image) &&
      SetOrder(out, LastOrder(n.output_batch, n.output_spatial, n.output_feature), true, result) &&
      SetOrder(rhs, LastOrder(n.kernel_output_feature, n.kernel_spatial, n.kernel_input_feature),
               false, job.taps_last);
  job.channels_last = ordered && IsInOrder(image.view) && IsInOrder(result.view);
  return ordered;
}

// Returns true if every dimension is reversed, false if none is, nullopt if only some are. A
// dimension with one tap is ignored.
std::optional<bool> IsFlipped(const Window* given, const ConvolutionPlan& p) {
  bool all = true, none = true;
  for (int d = 0; d < p.spatial; ++d) {
    if (p.taps[d] == 1) continue;
    const bool named = given != nullptr && static_cast<size_t>(d) < given->dimensions.size();
    (named && given->dimensions[d].window_reversal ? none : all) = false;
  }
  if (!all && !none) return std::nullopt;
  return !none;
}

// Returns true if the attributes of the window fit in cuDNN's ints.
bool FitsLibrary(const Window* window) {
  const auto fits = [](int64_t x) {
    return x > std::numeric_limits<int>::min() && x < std::numeric_limits<int>::max();
  };
  return window == nullptr || std::all_of(window->dimensions.begin(), window->dimensions.end(),
                                          [&](const WindowDimension& w) {
                                            return fits(w.stride) && fits(w.padding_low) &&
                                                   fits(w.padding_high) && fits(w.base_dilation) &&
                                                   fits(w.window_dilation);
                                          });
}

// Returns false if no library supports the types or attributes, or if the convolution is too small.
bool SetSizes(const OpContext& context, const ConvolutionDimensionNumbers& n, ConvolutionPlan& p) {
  const Instruction& source = context.source();
  const plan::ArrayType &lhs = context.in(0), &rhs = context.in(1), &out = context.out(0);
  p.type = TypeNumber(out.type);
  p.spatial = static_cast<int32_t>(n.input_spatial.size());
  if (lhs.type != out.type || rhs.type != out.type || !IsTaken(p.type)) return false;
  if (p.spatial < 1 || p.spatial > 3 || source.IntOr(Attr::kBatchGroupCount, 1) != 1) return false;
  p.tf32 = context.compiler.options().tf32 ? 1 : 0;
  p.images = lhs.dimensions[n.input_batch];
  p.channels = lhs.dimensions[n.input_feature];
  p.features = out.dimensions[n.output_feature];
  p.groups = source.IntOr(Attr::kFeatureGroupCount, 1);
  int64_t terms = p.channels / p.groups;
  for (int d = 0; d < p.spatial; ++d) {
    p.input[d] = lhs.dimensions[n.input_spatial[d]];
    p.taps[d] = rhs.dimensions[n.kernel_spatial[d]];
    p.output[d] = out.dimensions[n.output_spatial[d]];
    terms *= p.taps[d];
  }
  return out.elements != 0 && terms != 0 && lhs.elements != 0 &&
         context.compiler.ShouldUseLibrary(out.elements, terms, Compiler::kProductsForLibrary);
}

}  // namespace

absl::StatusOr<std::optional<ConvolutionJob>> PlanConvolution(const OpContext& context) {
  const auto& n = *context.source().Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const plan::ArrayType &lhs = context.in(0), &rhs = context.in(1), &out = context.out(0);
  const std::optional<ConvolutionJob> none;
  ConvolutionJob job;
  const Window* window = context.source().Get<Window>(Attr::kWindow);
  if (!SetSizes(context, n, job.plan) || !FitsLibrary(window)) return none;
  const auto flipped = IsFlipped(window, job.plan);
  if (!flipped.has_value()) return none;
  job.plan.flipped = *flipped ? 1 : 0;
  SetPadding(window, job);
  const bool ordered =
      SetOrder(lhs, Order(n.input_batch, n.input_feature, n.input_spatial), false, job.image) &&
      SetOrder(rhs, Order(n.kernel_output_feature, n.kernel_input_feature, n.kernel_spatial), false,
               job.taps) &&
      SetOrder(out, Order(n.output_batch, n.output_feature, n.output_spatial), true, job.result);
  if (!ordered) return none;
  if (!job.pads && !SetChannelsLast(n, lhs, rhs, out, job)) return none;
  job.image_elements = lhs.elements;
  job.taps_elements = rhs.elements;
  job.out_elements = out.elements;
  if (job.pads) {
    const uint64_t zero = 0;
    HLOCTS_ASSIGN_OR_RETURN(job.zero, context.compiler.Upload(&zero, sizeof(zero)));
  }
  return std::optional<ConvolutionJob>(std::move(job));
}

namespace {

// Returns the array in the order of the cast. Copies it only if its order differs.
absl::StatusOr<const void*> Ordered(Run& run, const hl::CastArgs& cast, int64_t elements,
                                    const void* in, Buffer& memory) {
  if (IsInOrder(cast.view)) return in;
  HLOCTS_ASSIGN_OR_RETURN(memory, run.Allocate(elements * hl::BytesOf(cast.to)));
  hl::CastArgs now = cast;
  now.in = in;
  now.out = memory->data();
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kCastKernel, now, elements));
  return memory->data();
}

}  // namespace

absl::StatusOr<bool> ConvolutionJob::HasLibraryLayout(Run& run, In in, void* out) const {
  Buffer memory;
  ConvolutionPlan now = plan;
  now.channels_last = 1;
  HLOCTS_ASSIGN_OR_RETURN(const void* w, Ordered(run, taps_last, taps_elements, in[1], memory));
  return run.CallLibrary(now, {in[0], w}, {out});
}

absl::StatusOr<bool> ConvolutionJob::operator()(Run& run, In in, void* out) const {
  if (channels_last) {
    HLOCTS_ASSIGN_OR_RETURN(const bool done, HasLibraryLayout(run, in, out));
    if (done) return true;
  }
  Buffer memory[4];
  HLOCTS_ASSIGN_OR_RETURN(const void* x, Ordered(run, image, image_elements, in[0], memory[0]));
  HLOCTS_ASSIGN_OR_RETURN(const void* w, Ordered(run, taps, taps_elements, in[1], memory[1]));
  if (pads) {
    HLOCTS_ASSIGN_OR_RETURN(memory[2], run.Allocate(padded_elements * pad.bytes));
    hl::PadArgs now = pad;
    now.in = x;
    now.value = zero->data();
    now.out = memory[2]->data();
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPadKernel, now, padded_elements));
    x = memory[2]->data();
  }
  void* y = out;
  if (!IsInOrder(result.view)) {
    HLOCTS_ASSIGN_OR_RETURN(memory[3], run.Allocate(out_elements * hl::BytesOf(plan.type)));
    y = memory[3]->data();
  }
  HLOCTS_ASSIGN_OR_RETURN(const bool done, run.CallLibrary(plan, {x, w}, {y}));
  if (!done || y == out) return done;
  hl::CastArgs last = result;
  last.in = y;
  last.out = out;
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kCastKernel, last, out_elements));
  return true;
}

}  // namespace hlocts::cuda
