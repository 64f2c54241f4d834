// gather and scatter: windows of the operand that begin where index vectors say; scatters of unknown
// computations or several arrays element by element, others by their kernels.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "backends/cpu/element_function.h"
#include "backends/cpu/kernels/gather_scatter.h"
#include "backends/cpu/kernels/processor.h"
#include "backends/cpu/ops/known_bodies.h"
#include "backends/cpu/ops/op_list.h"
#include "backends/cpu/ops/strided.h"
#include "backends/cpu/strip_loop.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cpu {
namespace {

// The "batched" array is gather's result or scatter's updates: some of its dimensions number the
// windows, the others run through one.
struct IndexedWindows {
  plan::Dimensions operand, window;  // sizes per operand dimension
  Strides operand_strides;
  absl::InlinedVector<CopyDimension, 6> inner;  // from: operand, to: batched array
  // Windows: sizes of the batch dimensions, their strides in the batched array and the indices.
  std::vector<int64_t> sizes, batched_strides, index_strides;
  std::vector<int64_t> index_map;  // component i moves operand dimension index_map[i]
  int64_t component_stride = 1;
  std::vector<std::pair<int64_t, int64_t>> batching;  // operand dimension, batch dimension
  PrimitiveType index_type = PrimitiveType::kS32;

  int64_t count() const { return Product(sizes); }

  // Where window `number` begins in both arrays; false when it does not lie inside and may not be
  // moved.
  bool Place(int64_t number, const uint8_t* indices, bool clamp, int64_t& operand_at,
             int64_t& batched_at) const {
    absl::InlinedVector<int64_t, 6> start(operand.size(), 0), batch(sizes.size());
    int64_t index_at = 0;
    batched_at = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      batch[d] = number % sizes[d];
      number /= sizes[d];
      index_at += batch[d] * index_strides[d];
      batched_at += batch[d] * batched_strides[d];
    }
    for (size_t i = 0; i < index_map.size(); ++i) {
      start[index_map[i]] =
          IndexAt(index_type, indices, index_at + static_cast<int64_t>(i) * component_stride);
    }
    for (const auto& [dimension, coordinate] : batching) start[dimension] = batch[coordinate];
    operand_at = 0;
    for (size_t d = 0; d < operand.size(); ++d) {
      const int64_t last = operand[d] - window[d];
      if (clamp) start[d] = std::clamp<int64_t>(start[d], 0, std::max<int64_t>(last, 0));
      if (start[d] < 0 || start[d] > last) return false;
      operand_at += start[d] * operand_strides[d];
    }
    return true;
  }
};

std::vector<int64_t> Joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void SetIndices(const plan::ArrayType& indices, int64_t vector_dimension,
                const std::vector<int64_t>& index_map, const std::vector<int64_t>& operand_batching,
                const std::vector<int64_t>& indices_batching, IndexedWindows& w) {
  const Strides strides = RowMajor(indices.dimensions);
  w.index_type = indices.type;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == vector_dimension) {
      w.component_stride = strides[d];
    } else {
      w.index_strides.push_back(strides[d]);
    }
  }
  w.index_map = index_map;
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    const int64_t after = indices_batching[i] > vector_dimension ? 1 : 0;
    w.batching.push_back({operand_batching[i], indices_batching[i] - after});
  }
}

// window_dims: dimensions of the batched array inside a window; absent: operand dimensions without.
void SetWindow(const plan::ArrayType& operand, const plan::ArrayType& batched,
               const std::vector<int64_t>& window_dims, const std::vector<int64_t>& absent,
               IndexedWindows& w) {
  w.operand = operand.dimensions;
  w.operand_strides = RowMajor(operand.dimensions);
  const Strides strides = RowMajor(batched.dimensions);
  const std::vector<int64_t> present = DimensionsExcept(operand.rank(), absent);
  for (size_t k = 0; k < window_dims.size(); ++k) {
    w.inner.push_back({w.window[present[k]], w.operand_strides[present[k]],
                       strides[window_dims[k]]});
  }
  for (int64_t d : DimensionsExcept(batched.rank(), window_dims)) {
    w.sizes.push_back(batched.dimensions[d]);
    w.batched_strides.push_back(strides[d]);
  }
}

kernels::IndexVectors IndexVectorsOf(const IndexedWindows& w) {
  kernels::IndexVectors vectors;
  vectors.type = w.index_type;
  vectors.operand_dimensions.assign(w.index_map.begin(), w.index_map.end());
  vectors.batch_sizes.assign(w.sizes.begin(), w.sizes.end());
  vectors.batch_strides.assign(w.index_strides.begin(), w.index_strides.end());
  vectors.component_stride = w.component_stride;
  return vectors;
}

// The part of the two requests that is the same; of gather the slice, of scatter the window.
template <class Request, class Sizes, class Strides4, class Slice>
void Describe(const IndexedWindows& w, PrimitiveType type, Request& request, Sizes& sizes,
              Strides4& batched, Slice& slice) {
  request.type = type;
  request.operand_dimensions.assign(w.operand.begin(), w.operand.end());
  request.operand_strides.assign(w.operand_strides.begin(), w.operand_strides.end());
  sizes.assign(w.window.begin(), w.window.end());
  request.indices = IndexVectorsOf(w);
  if (!w.batching.empty()) request.operand_batch_strides.assign(w.sizes.size(), 0);
  for (const auto& [dimension, coordinate] : w.batching) {
    request.operand_batch_strides[coordinate] += w.operand_strides[dimension];
  }
  batched.assign(w.batched_strides.begin(), w.batched_strides.end());
  for (const CopyDimension& d : w.inner) slice.push_back({d.size, d.from, d.to});
}

// Whether windows are numbered in the order in which these strides find them, `stride` elements each.
bool LieInOrder(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                int64_t stride) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != stride) return false;
    stride *= sizes[d];
  }
  return true;
}

// Whether index vectors lie one after the other, so that a loop can make them in order.
bool IndicesLieInOrder(const IndexedWindows& w) {
  const int64_t components = static_cast<int64_t>(w.index_map.size());
  if (components == 0 || components > kernels::kMadeComponentsMax) return false;
  if (components > 1 && w.component_stride != 1) return false;
  return LieInOrder(w.sizes, w.index_strides, components);
}

// The loop that makes index vectors from the operands from `first` on, in strips where it can.
struct IndexMaker {
  std::shared_ptr<const LoopProgram> loop;  // null: they stand in operand 1
  std::optional<StripLoop> strips;
  size_t first = 0;

  void Make(In in, int64_t width, int64_t begin, int64_t end, void* to) const {
    uint8_t* result = static_cast<uint8_t*>(to) - begin * width;
    if (strips.has_value() && end - begin >= Strips().elements) {
      strips->Make(in + first, begin, end, result);
    } else {
      loop->Run(in + first, &result, begin, end);
    }
  }
};

// Calls use(indices).
template <class Use>
absl::Status WithIndices(kernels::IndexVectors& indices, const IndexMaker& maker, In in, Use use) {
  if (maker.loop == nullptr) {
    indices.data = in[1];
    return use();
  }
  const int64_t width = StorageBytes(indices.type);
  const std::function<void(int64_t, int64_t, void*)> make =
      [&](int64_t begin, int64_t end, void* to) { maker.Make(in, width, begin, end, to); };
  indices.make = &make;
  return use();
}

// Whether windows are single elements of four bytes, side by side in both arrays, by one index each.
// Strips of indices then take them at once, where loads need not be asked for ahead.
bool TakesByStrips(const IndexedWindows& w, PrimitiveType type, const IndexMaker& maker) {
  const bool one_index = w.index_map.size() == 1 && w.operand.size() == 1 && w.window[0] == 1;
  return maker.strips.has_value() && one_index && StorageBytes(type) == 4 && w.batching.empty() &&
         w.operand[0] - 1 <= std::numeric_limits<int32_t>::max() &&
         w.count() >= Strips().elements && LieInOrder(w.sizes, w.batched_strides, 1) &&
         !kernels::IsIntel();
}
void TakeByStrips(const kernels::Parallel& parallel, const IndexedWindows& w,
                  const IndexMaker& maker, In in, Out out) {
  constexpr int64_t kBlock = 8192;
  const StripLoop::Table table = {in[0], w.operand[0] - 1, IsSigned(w.index_type)};
  const int64_t count = w.count(), blocks = std::max<int64_t>(count / kBlock, 1);
  parallel.For(blocks, 1.5 * kBlock, [&](int64_t begin, int64_t end) {
    // The last block takes the rest, which may be less than a strip.
    maker.strips->Take(table, in + maker.first, begin * kBlock, end == blocks ? count : end * kBlock,
                       out[0]);
  });
}

// The step that finds its indices in operand 1, and the one that makes them.
template <class MakeRun>
void SetRuns(const IndexedWindows& w, MakeRun make_run, StepDraft& draft) {
  draft.run = make_run(IndexMaker{});
  if (!IndicesLieInOrder(w)) return;
  draft.made = 1;
  draft.with_loop = [=](std::shared_ptr<const LoopProgram> loop, size_t first) {
    return make_run(IndexMaker{loop, StripLoop::Of(*loop), first});
  };
}

}  // namespace

absl::StatusOr<StepDraft> MakeGather(const OpContext& context) {
  const GatherDimensionNumbers numbers = GatherDimensionsOf(context.source());
  const std::vector<int64_t>& slice_sizes = context.source().IntList(Attr::kSliceSizes);
  IndexedWindows w;
  w.window.assign(slice_sizes.begin(), slice_sizes.end());
  SetWindow(context.in(0), context.out(0), numbers.offset_dims,
            Joined(numbers.collapsed_slice_dims, numbers.operand_batching_dims), w);
  SetIndices(context.in(1), numbers.index_vector_dim, numbers.start_index_map,
             numbers.operand_batching_dims, numbers.start_indices_batching_dims, w);
  kernels::GatherRequest request;
  Describe(w, context.out(0).type, request, request.slice_sizes, request.output_batch_strides,
           request.slice);
  const kernels::Parallel parallel(context.compiler.options().threads);
  const bool is_empty = context.out(0).elements == 0;
  StepDraft draft;
  SetRuns(
      w,
      [=](const IndexMaker& maker) -> StepFunction {
        if (TakesByStrips(w, request.type, maker)) {
          return [=](Run&, In in, Out out) {
            TakeByStrips(parallel, w, maker, in, out);
            return absl::OkStatus();
          };
        }
        return [=](Run&, In in, Out out) {
          if (is_empty) return absl::OkStatus();
          kernels::GatherRequest now = request;
          now.operand = in[0];
          now.output = out[0];
          return WithIndices(now.indices, maker, in,
                             [&] { return kernels::Gather(parallel, now); });
        };
      },
      draft);
  return draft;
}

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
      if (!windows_.Place(i, in[arrays_], /*clamp=*/false, at, update)) continue;
      HLOCTS_RETURN_IF_ERROR(OneWindow(run, in + arrays_ + 1, out, at, update));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status OneWindow(Run& run, In updates, Out out, int64_t at, int64_t update) const {
    absl::InlinedVector<int64_t, 6> index(windows_.inner.size(), 0);
    while (true) {
      HLOCTS_RETURN_IF_ERROR(OneElement(run, updates, out, at, update));
      size_t d = index.size();
      for (; d > 0; --d) {
        const CopyDimension& dimension = windows_.inner[d - 1];
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

// Replacing by the update, or a known reduction.
std::optional<kernels::ScatterKind> ScatterKindOf(const plan::Graph& body, PrimitiveType type) {
  if (body.parameters.size() == 2 && body.results.size() == 1 &&
      body.results[0] == body.parameters[1]) {
    return kernels::ScatterKind::kAssign;
  }
  const auto kind = KnownBodyOf(body);
  if (!kind.has_value() || !kernels::ReduceSupported(*kind, type)) return std::nullopt;
  switch (*kind) {
    case kernels::ReduceKind::kAdd:
      return kernels::ScatterKind::kAdd;
    case kernels::ReduceKind::kMultiply:
      return kernels::ScatterKind::kMultiply;
    case kernels::ReduceKind::kMinimum:
      return kernels::ScatterKind::kMinimum;
    case kernels::ReduceKind::kMaximum:
      return kernels::ScatterKind::kMaximum;
    case kernels::ReduceKind::kAnd:
      return kernels::ScatterKind::kAnd;
    case kernels::ReduceKind::kOr:
      return kernels::ScatterKind::kOr;
    default:
      return kernels::ScatterKind::kXor;
  }
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
  // In an empty operand no window lies inside.
  const bool is_empty = context.in(2).elements == 0 || context.in(0).elements == 0;
  SetRuns(
      w,
      [=](const IndexMaker& maker) -> StepFunction {
        return [=](Run&, In in, Out out) {
          if (in[0] != out[0]) CopyAll(parallel, in[0], bytes, out[0]);
          if (is_empty) return absl::OkStatus();
          kernels::ScatterRequest now = request;
          now.updates = in[2];
          now.output = out[0];
          return WithIndices(now.indices, maker, in,
                             [&] { return kernels::Scatter(parallel, now); });
        };
      },
      draft);
}

}  // namespace

// Updates in row-major order of the windows and of their elements; windows that do not lie wholly
// inside are left out.
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
