// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/ops/window.h"

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/kernels/window/window.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/cpu/ops/known_bodies.h"
#include "backends/engine/plan/windows.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kListedMax = int64_t{1} << 26;

absl::StatusOr<WindowAxis> AxisOf(const WindowDimension& window, int64_t base, int64_t positions) {
  WindowAxis axis;
  int64_t listed = 0;
  for (int64_t p = 0; p < positions; ++p) {
    std::vector<int64_t>& elements = axis.elements.emplace_back();
    const int64_t start = p * window.stride - window.padding_low;
    // Skips taps before the first element.
    int64_t tap = start >= 0 ? 0 : (-start + window.window_dilation - 1) / window.window_dilation;
    for (; tap < window.size; ++tap) {
      const int64_t at = start + tap * window.window_dilation;
      if (at / window.base_dilation >= base) break;
      if (at % window.base_dilation == 0) elements.push_back(at / window.base_dilation);
    }
    listed += static_cast<int64_t>(elements.size()) + 1;
    if (listed > kListedMax) return absl::ResourceExhaustedError("a window has too many positions");
  }
  return axis;
}

}  // namespace

absl::StatusOr<Windows> Windows::Of(const Instruction& instruction, absl::Span<const int64_t> base,
                                    absl::Span<const int64_t> positions) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<WindowDimension> given,
                          plan::WindowsOf(instruction, base, positions));
  const Strides strides = RowMajor(base);
  Windows windows;
  for (size_t d = 0; d < base.size(); ++d) {
    HLOCTS_ASSIGN_OR_RETURN(WindowAxis axis, AxisOf(given[d], base[d], positions[d]));
    axis.stride = strides[d];
    windows.count_ *= positions[d];
    windows.axes_.push_back(std::move(axis));
  }
  return windows;
}

void Windows::ElementsOf(int64_t number, std::vector<int64_t>& elements) const {
  absl::InlinedVector<int64_t, 8> position(axes_.size());
  for (size_t d = axes_.size(); d-- > 0;) {
    const int64_t size = static_cast<int64_t>(axes_[d].elements.size());
    position[d] = number % size;
    number /= size;
  }
  elements.assign(1, 0);
  std::vector<int64_t> longer;
  for (size_t d = 0; d < axes_.size(); ++d) {
    longer.clear();
    for (int64_t so_far : elements) {
      for (int64_t e : axes_[d].elements[position[d]])
        longer.push_back(so_far + e * axes_[d].stride);
    }
    elements.swap(longer);
  }
}

namespace {

void Store(const uint8_t* from, int width, uint8_t* to) { std::copy_n(from, width, to); }

// The accumulators of a window, and the pointers with which the body is called.
class Accumulators {
 public:
  explicit Accumulators(size_t arrays) : values_(16 * arrays), in_(2 * arrays), out_(arrays) {
    for (size_t k = 0; k < arrays; ++k) in_[k] = out_[k] = values_.data() + 16 * k;
  }
  uint8_t* value(size_t k) { return out_[k]; }
  absl::Status Take(Run& run, const ElementFunction& body, In arrays,
                    const std::vector<int>& widths, int64_t element) {
    for (size_t k = 0; k < out_.size(); ++k) {
      in_[out_.size() + k] = arrays[k] + element * widths[k];
    }
    return body.Apply(run, in_.data(), out_.data(), 1);
  }

 private:
  std::vector<uint8_t> values_;
  std::vector<const uint8_t*> in_;
  std::vector<uint8_t*> out_;
};

absl::StatusOr<StepDraft> KnownReduceWindow(const OpContext& context, kernels::ReduceKind kind) {
  const plan::Dimensions &base = context.in(0).dimensions, &positions = context.out(0).dimensions;
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<WindowDimension> windows,
                          plan::WindowsOf(context.source(), base, positions));
  kernels::ReduceWindowRequest request;
  request.kind = kind;
  request.type = context.in(0).type;
  for (size_t d = 0; d < base.size(); ++d) {
    const WindowDimension& window = windows[d];
    request.dimensions.push_back({base[d], positions[d], window.size, window.stride,
                                  window.padding_low, window.base_dilation,
                                  window.window_dilation});
  }
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [request, parallel](Run&, In in, Out out) {
    kernels::ReduceWindowRequest now = request;
    now.operand = in[0];
    now.init = in[1];
    now.output = out[0];
    return kernels::ReduceWindow(parallel, now);
  };
  return draft;
}

}  // namespace

// Combines the elements of each window in order. The accumulator, at first init, is the left
// argument. A kernel computes known computations.
absl::StatusOr<StepDraft> MakeReduceWindow(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const auto kind = KnownBodyOf(context.called(0));
  if (kind.has_value() && kernels::ReduceSupported(*kind, context.in(0).type) &&
      context.out(0).elements > 0) {
    return KnownReduceWindow(context, *kind);
  }
  HLOCTS_ASSIGN_OR_RETURN(Windows windows, Windows::Of(context.source(), context.in(0).dimensions,
                                                       context.out(0).dimensions));
  std::vector<int> widths;
  for (size_t k = 0; k < arrays; ++k) widths.push_back(context.in(k).width());
  StepDraft draft;
  draft.run = [=, windows = std::move(windows)](Run& run, In in, Out out) {
    std::vector<int64_t> elements;
    Accumulators accumulators(arrays);
    for (int64_t w = 0; w < windows.count(); ++w) {
      windows.ElementsOf(w, elements);
      for (size_t k = 0; k < arrays; ++k) Store(in[arrays + k], widths[k], accumulators.value(k));
      for (int64_t e : elements) {
        HLOCTS_RETURN_IF_ERROR(accumulators.Take(run, *body, in, widths, e));
      }
      for (size_t k = 0; k < arrays; ++k) {
        Store(accumulators.value(k), widths[k], out[k] + w * widths[k]);
      }
    }
    return absl::OkStatus();
  };
  return draft;
}

namespace {

// The largest window that the kernel supports. A larger one is mostly padding.
constexpr int64_t kTapsMax = int64_t{1} << 16;

// Returns a request for the kernel if neither windows nor the base are dilated, `select` is one
// comparison, and `scatter` is a known reduction.
std::optional<kernels::SelectAndScatterRequest> KnownSelectAndScatter(const OpContext& context,
                                                                      const plan::Graph& select,
                                                                      const plan::Graph& scatter) {
  const auto comparison = SimpleComparatorOf(select);
  const auto kind = KnownBodyOf(scatter);
  const PrimitiveType type = context.out(0).type;
  if (!comparison.has_value() || comparison->total_order || !kind.has_value() || IsComplex(type) ||
      !kernels::ReduceSupported(*kind, type) || context.in(1).elements == 0) {
    return std::nullopt;
  }
  const Direction direction = comparison->direction;
  if (direction == Direction::kEq || direction == Direction::kNe) return std::nullopt;
  kernels::SelectAndScatterRequest request;
  using Select = kernels::WindowSelect;
  constexpr Select kSelects[] = {Select::kLt, Select::kLe, Select::kGt, Select::kGe};
  request.select = kSelects[static_cast<int>(direction) - static_cast<int>(Direction::kLt)];
  request.scatter = *kind;
  request.type = type;
  const plan::Dimensions &base = context.in(0).dimensions, &positions = context.in(1).dimensions;
  const auto windows = plan::WindowsOf(context.source(), base, positions);
  if (!windows.ok()) return std::nullopt;
  int64_t taps = 1;
  for (size_t d = 0; d < base.size(); ++d) {
    const WindowDimension& window = (*windows)[d];
    if (window.base_dilation != 1 || window.window_dilation != 1) return std::nullopt;
    if (window.size > kTapsMax / taps) return std::nullopt;
    taps *= window.size;
    request.dimensions.push_back(
        {base[d], positions[d], window.size, window.stride, window.padding_low, 1, 1});
  }
  return request;
}

StepDraft SelectByKernel(const OpContext& context, const kernels::SelectAndScatterRequest& known) {
  const kernels::Parallel parallel(context.compiler.options().threads);
  StepDraft draft;
  draft.run = [known, parallel](Run&, In in, Out out) {
    kernels::SelectAndScatterRequest request = known;
    request.operand = in[0];
    request.source = in[1];
    request.init = in[2];
    request.output = out[0];
    return kernels::SelectAndScatter(parallel, request);
  };
  return draft;
}

}  // namespace

// Iterates over each window in order. `select` compares the element that is selected so far with
// the next one. `scatter` then combines the window's source element with the result at the selected
// position.
absl::StatusOr<StepDraft> MakeSelectAndScatter(const OpContext& context) {
  const Instruction& source = context.source();
  const bool select_first =
      source.called_computations()[0] == source.CalledComputation(Attr::kSelect);
  HLOCTS_ASSIGN_OR_RETURN(const auto select,
                          context.compiler.CompileElements(context.called(select_first ? 0 : 1)));
  HLOCTS_ASSIGN_OR_RETURN(const auto scatter,
                          context.compiler.CompileElements(context.called(select_first ? 1 : 0)));
  const auto known = KnownSelectAndScatter(context, context.called(select_first ? 0 : 1),
                                           context.called(select_first ? 1 : 0));
  if (known.has_value()) return SelectByKernel(context, *known);
  HLOCTS_ASSIGN_OR_RETURN(Windows windows,
                          Windows::Of(source, context.in(0).dimensions, context.in(1).dimensions));
  const int width = context.out(0).width();
  const int64_t elements_of_out = context.out(0).elements;
  StepDraft draft;
  draft.run = [=, windows = std::move(windows)](Run& run, In in, Out out) {
    FillElements(in[2], width, elements_of_out, out[0]);
    std::vector<int64_t> elements;
    for (int64_t w = 0; w < windows.count(); ++w) {
      windows.ElementsOf(w, elements);
      if (elements.empty()) continue;
      int64_t best = elements[0];
      for (size_t i = 1; i < elements.size(); ++i) {
        const uint8_t* pair[2] = {in[0] + best * width, in[0] + elements[i] * width};
        uint8_t keeps = 0;
        uint8_t* result = &keeps;
        HLOCTS_RETURN_IF_ERROR(select->Apply(run, pair, &result, 1));
        if (keeps == 0) best = elements[i];
      }
      uint8_t* place = out[0] + best * width;
      const uint8_t* pair[2] = {place, in[1] + w * width};
      HLOCTS_RETURN_IF_ERROR(scatter->Apply(run, pair, &place, 1));
    }
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
