// SPDX-License-Identifier: Apache-2.0
// scatter. A kernel computes known computations on one array. Other scatters are computed element
// by element.
#include <cstring>
#include <optional>

#include "backends/engine/cpu/loops/element_function.h"
#include "backends/engine/cpu/ops/indexed_windows.h"
#include "backends/engine/cpu/ops/known_bodies.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {
namespace {

class ScatterStep {
 public:
  ScatterStep(IndexedWindows windows, std::shared_ptr<const ElementFunction> body,
              const OpContext& context, size_t arrays)
      : windows_(std::move(windows)), body_(std::move(body)), arrays_(arrays) {
    for (size_t k = 0; k < arrays; ++k) {
      widths_.push_back(context.out(k).width());
      bytes_.push_back(context.out(k).bytes);
    }
    is_empty_ = context.in(arrays + 1).elements == 0;
  }

  absl::Status operator()(Run& run, In in, Out out) const {
    for (size_t k = 0; k < arrays_; ++k) {
      if (in[k] != out[k] && bytes_[k] > 0) {
        std::memcpy(out[k], in[k], static_cast<size_t>(bytes_[k]));
      }
    }
    if (is_empty_) return absl::OkStatus();
    for (int64_t i = 0, count = windows_.count(); i < count; ++i) {
      int64_t at, update;
      absl::InlinedVector<CopyDimension, 6> inside;
      if (!windows_.Place(i, in[arrays_], at, update, inside)) continue;
      HLOCTS_RETURN_IF_ERROR(OneWindow(run, in + arrays_ + 1, out, at, update, inside));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status OneWindow(Run& run, In updates, Out out, int64_t at, int64_t update,
                         absl::Span<const CopyDimension> inside) const {
    absl::InlinedVector<int64_t, 6> index(inside.size(), 0);
    while (true) {
      HLOCTS_RETURN_IF_ERROR(OneElement(run, updates, out, at, update));
      size_t d = index.size();
      for (; d > 0; --d) {
        const CopyDimension& dimension = inside[d - 1];
        at += dimension.from;
        update += dimension.to;
        if (++index[d - 1] < dimension.size) break;
        at -= index[d - 1] * dimension.from;
        update -= index[d - 1] * dimension.to;
        index[d - 1] = 0;
      }
      if (d == 0) return absl::OkStatus();
    }
  }
  absl::Status OneElement(Run& run, In updates, Out out, int64_t at, int64_t update) const {
    absl::InlinedVector<const uint8_t*, 8> arguments(2 * arrays_);
    absl::InlinedVector<uint8_t*, 4> results(arrays_);
    for (size_t k = 0; k < arrays_; ++k) {
      arguments[k] = results[k] = out[k] + at * widths_[k];
      arguments[arrays_ + k] = updates[k] + update * widths_[k];
    }
    return body_->Apply(run, arguments.data(), results.data(), 1);
  }

  IndexedWindows windows_;
  std::shared_ptr<const ElementFunction> body_;
  size_t arrays_;
  std::vector<int> widths_;
  std::vector<int64_t> bytes_;
  bool is_empty_ = false;
};

// Returns the kind of a body that returns the update, or that is a known reduction.
std::optional<kernels::ScatterKind> ScatterKindOf(const plan::Graph& body, PrimitiveType type) {
  if (body.parameters.size() == 2 && body.results.size() == 1 &&
      body.results[0] == body.parameters[1]) {
    return kernels::ScatterKind::kAssign;
  }
  const auto kind = KnownBodyOf(body);
  if (!kind.has_value() || !kernels::ReduceSupported(*kind, type)) return std::nullopt;
  // ScatterKind has kAssign, then the kinds of ReduceKind in the same order.
  return static_cast<kernels::ScatterKind>(static_cast<int>(*kind) + 1);
}

void CopyAll(const kernels::Parallel& parallel, const uint8_t* from, int64_t bytes, uint8_t* to) {
  parallel.For(
      bytes, 0.1,
      [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      },
      1 << 16);
}

void SetKnownScatter(const OpContext& context, const IndexedWindows& w, kernels::ScatterKind kind,
                     StepDraft& draft) {
  kernels::ScatterRequest request;
  Describe(w, context.out(0).type, request, request.window_sizes, request.update_batch_strides,
           request.window);
  request.kind = kind;
  const kernels::Parallel parallel(context.compiler.options().threads);
  const int64_t bytes = context.out(0).bytes;
  // If the operand is empty, no window is in bounds.
  const bool is_empty = context.in(2).elements == 0 || context.in(0).elements == 0;
  draft.run = [=](Run&, In in, Out out) {
    if (in[0] != out[0]) CopyAll(parallel, in[0], bytes, out[0]);
    if (is_empty) return absl::OkStatus();
    kernels::ScatterRequest now = request;
    now.indices.data = in[1];
    now.updates = in[2];
    now.output = out[0];
    return kernels::Scatter(parallel, now);
  };
}

}  // namespace

// Applies updates in row-major order of windows, then of the elements of a window. Skips elements
// that are out of bounds (scatter.47, ruling 0011).
absl::StatusOr<StepDraft> MakeScatter(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  const ScatterDimensionNumbers numbers = ScatterDimensionsOf(context.source());
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const plan::ArrayType &operand = context.in(0), &updates = context.in(arrays + 1);
  const std::vector<int64_t> absent =
      Joined(numbers.inserted_window_dims, numbers.input_batching_dims);
  IndexedWindows w;
  w.window.assign(operand.dimensions.size(), 1);
  const std::vector<int64_t> present = DimensionsExcept(operand.rank(), absent);
  for (size_t k = 0; k < numbers.update_window_dims.size(); ++k) {
    w.window[present[k]] = updates.dimensions[numbers.update_window_dims[k]];
  }
  SetWindow(operand, updates, numbers.update_window_dims, absent, w);
  SetIndices(context.in(arrays), numbers.index_vector_dim, numbers.scatter_dims_to_operand_dims,
             numbers.input_batching_dims, numbers.scatter_indices_batching_dims, w);
  StepDraft draft;
  for (size_t k = 0; k < arrays; ++k) {
    draft.in_place.push_back({static_cast<int>(k), static_cast<int>(k)});
  }
  const auto kind = arrays == 1 ? ScatterKindOf(context.called(0), operand.type) : std::nullopt;
  if (kind.has_value()) {
    SetKnownScatter(context, w, *kind, draft);
  } else {
    draft.run = ScatterStep(std::move(w), body, context, arrays);
  }
  return draft;
}

}  // namespace hlocts::cpu
